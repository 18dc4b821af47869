"""The producer: what a model says becomes numbered events and one end, whatever happens to it."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from sqlalchemy import text

from tests.support.answers import OWNER, ToldStream, store_with_answer
from tests.support.figures import ToldMetrics
from tests.support.texts import TEXTS, pieces
from webapp.answers.produce import Producer, Stopped
from webapp.core.digests import digest
from webapp.core.events import Action, Activity, ActivityKind, Answer, Cancelled, Delta, Error, Event, Snapshot, State
from webapp.core.limits import Limits
from webapp.core.messages import Message, end_of
from webapp.core.signs import Finish, ModelFailure, Sign, Text, TokenUsage, ToolCall, Working
from webapp.event_logs.memory import MemoryEventLog
from webapp.ports.metrics import Fact
from webapp.stores.sql import SqlStore

STOP = Finish("stop")


@dataclass
class Work:
    """A producer with everything around it."""

    producer: Producer
    store: SqlStore
    log: MemoryEventLog
    waiting: list[Producer]

    def run(self) -> "Work":
        self.producer.open()
        self.producer.run()
        return self

    def start(self) -> threading.Thread:
        """Run in a thread of its own; the log is open already."""
        self.producer.open()
        thread = threading.Thread(target=self.producer.run)
        thread.start()
        return thread

    def wait_for(self, text: str) -> None:
        """Wait until the log holds this text."""
        while self.log.text("msg") != text:
            self.log.read("msg", self.log.snapshot("msg").seq, wait=1)

    @property
    def events(self) -> list[Event]:
        """Every event after `accepted`."""
        return list(self.log.read("msg", 1, wait=0))

    @property
    def end(self) -> Event:
        return self.events[-1]

    @property
    def texts(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Delta)]

    @property
    def stored(self) -> Message:
        return self.store.message(OWNER, "msg")


class DeafStream(ToldStream):
    """A model that goes on when it is told to stop."""

    def close(self) -> None:
        pass


def work(*script: Sign | Callable[[], object], **settings: object) -> Work:
    return work_on(ToldStream(script, **settings))  # type: ignore[arg-type]


def work_on(stream: ToldStream, **settings: Any) -> Work:
    store, answer = store_with_answer()
    log, waiting = MemoryEventLog(), list[Producer]()
    producer = Producer(answer, stream, log=log, answers=store, on_waiting=waiting.append, **settings)
    return Work(producer, store, log, waiting)


def fail(code: str, inner: str = "") -> Callable[[], object]:
    def step() -> None:
        raise ModelFailure(code, inner)

    return step


@pytest.mark.proves("A61", "C20", "C21", "C17")
@pytest.mark.parametrize("count", [1, 500])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_end_and_the_store_hold_what_the_model_said(text: str, count: int) -> None:
    done = work(*map(Text, pieces(text, count)), STOP).run()
    known = digest(text)
    assert done.end == Answer(done.end.seq, "cnv", "msg", text, known.bytes, known.sha256, "stop")
    assert (done.stored.text, done.stored.state, done.stored.seq) == (text, State.COMPLETED, done.end.seq)
    assert "".join(done.texts) == text


@pytest.mark.proves("B3")
def test_numbers_have_no_hole() -> None:
    done = work(Text("a"), Working("thinking", "Thinking"), Text("b"), STOP).run()
    assert [event.seq for event in done.events] == [2, 3, 4, 5]


@pytest.mark.proves("C13")
def test_halves_of_a_character_in_two_pieces_become_one_and_a_lone_half_is_replaced() -> None:
    done = work(Text("a\ud83e"), Text("\udded"), Text("b\ud83e"), STOP).run()
    assert "".join(done.texts) == "a\U0001f9edb\ufffd"
    assert done.stored.text == "a\U0001f9edb\ufffd"


def test_the_first_text_leaves_at_once_and_those_that_wait_together_become_one() -> None:
    done = work(Text("a"), Text("b"), Text("c"), STOP, is_merged=True).run()
    assert done.texts == ["a", "bc"]
    assert done.waiting == [done.producer]


def test_waiting_text_is_appended_when_it_is_flushed() -> None:
    stream, has_told = ToldStream([], is_merged=True), threading.Event()
    stream.script = [Text("a"), Text("b"), has_told.set, stream.hang]
    running = work_on(stream)
    thread = running.start()
    assert has_told.wait(10)
    assert running.texts == ["a"]
    running.producer.flush()
    assert running.texts == ["a", "b"]
    running.producer.stop(Stopped(by="user"))
    thread.join(10)


@pytest.mark.proves("B32", "B38", "C47")
def test_a_stopped_answer_keeps_its_text_and_closes_the_model() -> None:
    stream = ToldStream([])
    stream.script = [Text("keep "), Text("this "), stream.hang, Text("DROP"), STOP]
    running = work_on(stream)
    thread = running.start()
    running.wait_for("keep this ")
    running.producer.stop(Stopped(by="user"))
    thread.join(10)
    known = digest("keep this ")
    assert running.end == Cancelled(4, "keep this ", known.bytes, known.sha256, "user")
    assert (running.stored.state, running.stored.text, running.stored.by) == (State.CANCELLED, "keep this ", "user")
    assert stream.closed.is_set()


@pytest.mark.proves("B34", "M4", "M5")
def test_what_a_model_says_after_the_stop_is_refused() -> None:
    stream, metrics = DeafStream([]), ToldMetrics()
    running = work_on(stream, metrics=metrics)

    def stop() -> None:
        running.producer.stop(Stopped(by="user"))

    stream.script = [Text("kept"), stop, stop, Text("late"), STOP]
    assert running.run().stored.text == "kept"
    assert metrics.facts == [Fact.CANCEL_ASKED, Fact.TEXT_REFUSED]  # asked twice, counted once


def test_a_model_that_had_finished_when_the_stop_came_is_completed() -> None:
    stream = ToldStream([])
    running = work_on(stream)
    stream.script = [Text("all"), STOP, lambda: running.producer.stop(Stopped(by="user"))]
    assert running.run().stored.state is State.COMPLETED


def test_stop_before_the_first_word_is_a_cancelled_answer_without_text() -> None:
    running = work(Text("never"), STOP)
    running.producer.stop(Stopped(by="user"))
    assert isinstance(running.run().end, Cancelled)
    assert running.stored.text == ""


@pytest.mark.proves("B12", "C27", "A34")
def test_a_model_that_ends_without_a_finish_has_broken_off() -> None:
    done = work(Text("The total is 4")).run()
    assert isinstance(done.end, Error)
    assert (done.end.code, done.end.text, done.stored.text) == ("provider_error", "The total is 4", "The total is 4")
    assert done.stored.state is State.FAILED


@pytest.mark.proves("B40", "C23", "C24", "C118")
@pytest.mark.parametrize("code", ["timeout", "provider_unavailable", "provider_error", "provider_rate_limited"])
def test_a_failure_keeps_the_text_and_tells_nothing_inner(code: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        done = work(Text("Half a"), fail(code, "SENTINEL sk-test-123 at /srv/app/x.py")).run()
    assert isinstance(done.end, Error)
    assert (done.end.code, done.end.text) == (code, "Half a")
    assert "SENTINEL" not in repr(done.end) + repr(done.stored)
    assert done.end.instance
    assert done.end.instance in caplog.text


@pytest.mark.proves("C30", "C118")
def test_an_error_of_ours_is_internal_and_tells_nothing_of_itself() -> None:
    def step() -> None:
        raise ZeroDivisionError("SELECT * FROM users")

    done = work(Text("one "), Text("two "), step).run()
    assert isinstance(done.end, Error)
    assert (done.end.code, done.stored.text) == ("internal", "one two ")
    assert "SELECT" not in repr(done.end)


@pytest.mark.proves("M2")
def test_an_end_that_the_log_does_not_take_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = ToldMetrics()
    running = work_on(ToldStream([Text("all"), STOP]), metrics=metrics)
    append = running.log.append

    def append_no_end(message_id: str, events: Sequence[Event], *, after: int) -> int:
        if isinstance(events[-1], Answer):
            raise MemoryError
        return append(message_id, events, after=after)

    monkeypatch.setattr(running.log, "append", append_no_end)
    running.run()
    assert isinstance(running.end, Answer)
    assert [answer.state for answer, _ in metrics.ends] == [State.COMPLETED]


@pytest.mark.proves("C69")
def test_a_filter_before_any_text_is_a_failure_and_after_some_a_finish() -> None:
    blocked = work(Finish("content_filter")).run()
    assert isinstance(blocked.end, Error)
    assert blocked.end.code == "content_blocked"
    cut = work(Text("Some"), Finish("content_filter")).run()
    assert isinstance(cut.end, Answer)
    assert (cut.end.finish_reason, cut.end.text) == ("content_filter", "Some")


def test_an_answer_over_its_size_is_cut_between_characters_and_says_so() -> None:
    done = work(Text("ab"), Text("\u96ea\u96ea"), Text("never"), STOP, limits=Limits(answer_bytes=6)).run()
    assert isinstance(done.end, Answer)
    assert (done.end.text, done.end.finish_reason) == ("ab\u96ea", "length")


@pytest.mark.proves("C66")
@pytest.mark.parametrize("kind", ["thinking", "preparing_action"])
def test_equal_activities_are_told_at_most_every_ten_seconds(kind: ActivityKind) -> None:
    done = work(*[Working(kind, "Working")] * 50, Text("a"), STOP).run()
    assert [type(event) for event in done.events] == [Activity, Delta, Answer]


def test_the_wait_for_a_turn_is_not_the_first_sign_of_work() -> None:
    stream = ToldStream([], limits=Limits(first=100, silence=1))
    running = work_on(stream)
    waiting = Working("waiting", "Waiting for other answers to end")
    stream.script = [waiting, lambda: running.producer.hold_limits(time.monotonic() + 50), Text("all"), STOP]
    assert running.run().stored.state is State.COMPLETED


@pytest.mark.proves("C61")
def test_usage_after_the_finish_belongs_to_the_answer() -> None:
    end = work(Text("Yes"), STOP, TokenUsage(3, 1)).run().end
    assert isinstance(end, Answer)
    assert end.usage is not None
    assert (end.usage.input_tokens, end.usage.output_tokens) == (3, 1)


@pytest.mark.proves("C64")
def test_a_tool_that_nobody_offers_is_named_and_not_carried_out() -> None:
    done = work(STOP, ToolCall("t1", "look", '{"q":"sea"}')).run()
    assert isinstance(done.end, Answer)
    (action,) = done.end.actions
    assert (action.name, action.arguments, action.state) == ("look", {"q": "sea"}, "refused")
    assert action.result == {"text": "This action was not carried out."}
    assert done.stored.actions == done.end.actions


@pytest.mark.parametrize("end", [STOP, fail("provider_error")], ids=["completed", "failed"])
def test_a_tool_call_is_proposed_after_a_completed_end_alone(end: Sign | Callable[[], object]) -> None:
    proposed: list[State] = []

    def propose(answer: Message, call: ToolCall) -> Action:
        proposed.append(answer.state)
        return Action("act_1", call.name, "Looks.", {}, "proposed", expires_at="9999-12-31T00:00:00.000Z")

    done = work_on(ToldStream([ToolCall("t1", "look", "{}"), Text("so"), end]), propose=propose).run()
    is_completed = done.stored.state is State.COMPLETED
    assert proposed == [State.COMPLETED] * is_completed
    assert [action.state for action in done.stored.actions] == ["proposed"] * is_completed


@pytest.mark.proves("C30", "C38")
def test_what_breaks_at_the_end_is_an_internal_failure_with_the_text_that_had_come() -> None:
    def propose(answer: Message, call: ToolCall) -> Action:
        raise ZeroDivisionError("SENTINEL")

    done = work_on(ToldStream([Text("kept"), ToolCall("t1", "look", "{}"), STOP]), propose=propose).run()
    assert isinstance(done.end, Error)
    assert (done.end.code, done.end.text, done.stored.text) == ("internal", "kept", "kept")
    assert done.stored.state is State.FAILED
    assert "SENTINEL" not in repr(done.stored)


def test_an_answer_that_was_deleted_ends_for_those_who_follow_it() -> None:
    stream = ToldStream([])
    running = work_on(stream)

    def delete() -> None:
        running.store._database.write(lambda connection: connection.execute(text("DELETE FROM messages")))

    stream.script = [Text("kept"), delete, STOP]
    running.run()
    assert isinstance(running.end, Answer)
    assert running.producer.ended.is_set()


def test_an_end_is_told_once_it_can_be_read_everywhere() -> None:
    told: list[tuple[Message, Message, Event]] = []
    running = work_on(
        ToldStream([Text("a"), STOP]), on_ended=lambda ended: told.append((ended, running.stored, running.end))
    )
    running.run()
    assert told == [(running.stored, running.stored, running.end)]


def test_turns_that_had_no_room_are_told_of() -> None:
    done = work_on(ToldStream([Text("a"), STOP]), dropped=2).run()
    assert isinstance(done.events[0], Activity)
    assert "left out" in done.events[0].label


@pytest.mark.proves("B45", "T6")
@pytest.mark.parametrize(
    ("limits", "script", "kept"),
    [
        (Limits(first=1), [], ""),
        (Limits(silence=1), [Text("part")], "part"),
        (Limits(answer=1), [Text("part")], "part"),
    ],
)
def test_a_limit_ends_the_answer_as_timed_out_with_its_text(limits: Limits, script: list[Sign], kept: str) -> None:
    stream = ToldStream([], limits=limits)
    running = work_on(stream)
    stream.script = [*script, lambda: running.producer.hold_limits(time.monotonic() + 2), stream.hang]
    end = running.run().end
    assert isinstance(end, Error)
    assert (end.code, end.text, running.stored.state) == ("timeout", kept, State.FAILED)


@pytest.mark.proves("B36")
def test_an_answer_that_nobody_wants_is_stopped_and_says_so() -> None:
    stream = ToldStream([], limits=Limits(abandoned=1))
    running = work_on(stream)
    stream.script = [Text("part"), lambda: running.producer.hold_limits(time.monotonic() + 2), stream.hang]
    end = running.run().end
    assert isinstance(end, Cancelled)
    assert (end.by, end.text) == ("owner_gone", "part")


@pytest.mark.parametrize("abandoned", [0, 600])
def test_an_answer_that_somebody_wants_goes_on(abandoned: float) -> None:
    stream = ToldStream([], limits=Limits(abandoned=abandoned))
    running = work_on(stream)
    stream.script = [Text("all"), lambda: running.producer.hold_limits(time.monotonic() + 50), STOP]
    assert running.run().stored.state is State.COMPLETED


def test_a_line_that_stays_open_after_the_finish_is_not_waited_for() -> None:
    stream = ToldStream([])
    running = work_on(stream)
    stream.script = [Text("all"), STOP, lambda: running.producer.hold_limits(time.monotonic() + 3), stream.hang]
    assert running.run().stored.state is State.COMPLETED


@pytest.mark.proves("B10")
def test_an_answer_that_has_ended_in_the_store_gets_no_second_end() -> None:
    running = work(Text("late"), STOP)
    running.store.finish(replace(running.stored, state=State.CANCELLED, by="user", seq=9, ended_at=5))
    running.run()
    assert running.log.read("msg", 0, wait=0) == [
        Snapshot(8, State.RUNNING, running.stored.text, "msg", "cnv", "qst", "told"),
        end_of(running.stored),
    ]
    assert running.stored.state is State.CANCELLED
