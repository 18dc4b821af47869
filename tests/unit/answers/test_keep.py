"""What outlives the process of an answer: its text up to a second ago, its numbers, and an end in any case."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import pytest

from tests.support.answers import OWNER, ToldStream, store_with_answer
from tests.support.texts import TEXTS, pieces
from webapp.answers.follow import Follower
from webapp.answers.keep import Keeper
from webapp.answers.produce import Producer, failed
from webapp.answers.running import Running
from webapp.core.events import Event, Snapshot, State
from webapp.core.messages import Message, end_of
from webapp.core.signs import Finish, Text
from webapp.event_logs.memory import MemoryEventLog
from webapp.ports.store import RESERVED, Answers, Checkpoint, StoreAway
from webapp.stores.database import Database
from webapp.stores.processes import SqlProcess
from webapp.stores.sql import SqlStore

STOP = Finish("stop")


class AwayAtFirst:
    """The store's `finish` and `keep`, which fail `count` times; everything else is the store's own."""

    def __init__(self, inner: object, count: int) -> None:
        self._inner = inner
        self._count = count

    def _fail(self) -> None:
        self._count -= 1
        if self._count >= 0:
            raise StoreAway("database is locked")

    def finish(self, ended: Message) -> bool:
        self._fail()
        return self._inner.finish(ended)  # type: ignore[attr-defined, no-any-return]

    def keep(self, checkpoints: Sequence[Checkpoint]) -> Mapping[str, bool]:
        self._fail()
        return self._inner.keep(checkpoints)  # type: ignore[attr-defined, no-any-return]

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)


class RecordedLog(MemoryEventLog):
    """Keeps what was appended, whatever became of it."""

    def __init__(self) -> None:
        super().__init__()
        self.appended: list[Event] = []

    def append(self, message_id: str, events: Sequence[Event], *, after: int) -> int:
        last = super().append(message_id, events, after=after)
        self.appended += events
        return last


class Desk:
    """One answer that runs, with all that keeps it; the store fails `away` times at the end and at checkpoints."""

    def __init__(self, away: int = 0) -> None:
        self.database = Database("sqlite:///:memory:")
        self.store, self.answer = store_with_answer(self.database)
        self.own = SqlProcess(self.database, "")
        self.log = RecordedLog()
        answers: Answers = AwayAtFirst(self.store, away)  # type: ignore[assignment]
        self.running = Running(log=self.log, answers=answers)
        self.keeper = Keeper(self.running, AwayAtFirst(self.own, away))
        self.stream = ToldStream([])

    def start(self, *script: object) -> Producer:
        """Begin; the script's functions run in the answer's thread."""
        self.stream.script = script  # type: ignore[assignment]
        self.running.start(self.answer, self.stream)
        producer = self.running.find("msg")
        assert producer is not None
        return producer

    def begin(self, *texts: str) -> Producer:
        """Say these texts, then nothing more until somebody stops the answer."""
        said = threading.Event()
        producer = self.start(*map(Text, texts), said.set, self.stream.hang)
        assert said.wait(10)
        return producer

    @property
    def stored(self) -> Message:
        return self.store.message(OWNER, "msg")

    @property
    def sent(self) -> list[int]:
        return [event.seq for event in self.log.read("msg", 0, wait=0)]


MakeDesk = Callable[..., Desk]


@pytest.fixture
def make_desk() -> Iterator[MakeDesk]:
    """As Desk; no answer goes on when the test is over."""
    made: list[Desk] = []

    def make(away: int = 0) -> Desk:
        made.append(Desk(away))
        return made[-1]

    yield make
    for desk in made:
        desk.running.close(0)


@pytest.mark.proves("C38", "C17")
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_checkpoint_keeps_the_text_code_point_for_code_point(make_desk: MakeDesk, text: str) -> None:
    desk = make_desk()
    producer = desk.begin(*pieces(text, 7))
    desk.keeper.keep()
    assert desk.stored.text == desk.log.text("msg")
    assert desk.stored.state is State.RUNNING
    assert desk.stored.seq >= max(desk.sent)
    assert producer.checkpoint() is None


def test_a_checkpoint_that_failed_is_made_up_for_by_the_next(make_desk: MakeDesk) -> None:
    desk = make_desk(away=1)
    desk.begin("one ", "two")
    with pytest.raises(StoreAway):
        desk.keeper.keep()
    desk.keeper.keep()
    assert desk.stored.text == "one two"


def test_text_that_comes_while_a_checkpoint_is_stored_is_kept_by_the_next(make_desk: MakeDesk) -> None:
    desk = make_desk()
    may_go_on, has_gone_on = threading.Event(), threading.Event()
    said = threading.Event()
    producer = desk.start(Text("one "), said.set, may_go_on.wait, Text("two"), has_gone_on.set, desk.stream.hang)
    assert said.wait(10)
    checkpoint = producer.checkpoint()
    assert checkpoint is not None
    may_go_on.set()
    assert has_gone_on.wait(10)
    desk.own.keep([checkpoint])
    producer.kept(checkpoint)
    assert producer.checkpoint() == Checkpoint("msg", 4, "two", 3 + RESERVED)


@pytest.mark.proves("B3")
def test_no_event_has_a_number_that_is_not_reserved(make_desk: MakeDesk) -> None:
    desk = make_desk()
    producer = desk.start(*[Text("x")] * (3 * RESERVED), STOP)
    assert desk.running.lacks_numbers.wait(10)
    while not producer.ended.wait(0.01):
        assert desk.log.snapshot("msg").seq <= desk.stored.seq
        if desk.running.lacks_numbers.is_set():
            desk.running.lacks_numbers.clear()
            desk.keeper.keep()
    assert desk.stored.text == "x" * (3 * RESERVED)
    assert desk.stored.seq == 3 * RESERVED + 2


def test_a_producer_without_numbers_waits_and_can_be_stopped(make_desk: MakeDesk) -> None:
    desk, asked = make_desk(), threading.Semaphore(0)
    desk.running.lacks_numbers.set = asked.release  # type: ignore[method-assign]
    producer = desk.start(*[Text("x")] * (2 * RESERVED), STOP)
    for _ in ("at half", "as it waits"):
        assert asked.acquire(timeout=10)
    desk.store.mark_cancelled(OWNER, "msg", 5)
    desk.keeper.keep()
    assert producer.ended.wait(10)
    assert desk.stored.state is State.CANCELLED
    assert desk.stored.seq <= RESERVED


@pytest.mark.proves("B36")
def test_a_mark_that_was_set_elsewhere_ends_the_answer_during_silence(make_desk: MakeDesk) -> None:
    desk = make_desk()
    producer = desk.begin("one")
    desk.store.mark_cancelled(OWNER, "msg", 5)
    desk.keeper.keep()
    assert producer.ended.wait(10)
    assert (desk.stored.state, desk.stored.text, desk.stored.by) == (State.CANCELLED, "one", "user")


@pytest.mark.proves("C38", "C106")
def test_an_end_that_the_store_did_not_take_is_tried_until_it_does(make_desk: MakeDesk) -> None:
    desk = make_desk(away=1)
    producer = desk.start(Text("all"), STOP)
    assert producer.ended.wait(10)
    assert (desk.stored.state, desk.stored.text) == (State.COMPLETED, "all")
    assert desk.log.read("msg", 2, wait=0) == [end_of(desk.stored)]


@pytest.mark.proves("B10", "C38")
def test_a_producer_whose_answer_was_taken_over_appends_nothing_and_gives_the_other_end(make_desk: MakeDesk) -> None:
    desk = make_desk()
    desk.stream.is_merged = True
    producer = desk.begin("one ", "waits to be merged")
    desk.keeper.keep()
    (taken,) = SqlProcess(desk.database, "other").take_over("")
    desk.keeper.keep()
    assert desk.stream.closed.wait(10)
    assert not producer.ended.is_set()
    recovered = failed(replace(taken, seq=taken.seq + 1), "interrupted", "")
    assert SqlStore(desk.database, "other").finish(recovered)
    assert producer.ended.wait(10)
    snapshot, end = desk.log.read("msg", 0, wait=0)
    assert isinstance(snapshot, Snapshot)
    assert (snapshot.seq, snapshot.text, end) == (taken.seq, "one ", end_of(recovered))
    assert [event.seq for event in desk.log.appended] == [1, 2]


@pytest.mark.proves("B18", "C38")
def test_who_asks_where_the_log_is_not_gets_the_kept_text_and_its_number_and_before_any_text_no_number(
    make_desk: MakeDesk,
) -> None:
    desk = make_desk()
    elsewhere = MemoryEventLog()
    follower = Follower(elsewhere, desk.store, Running(log=elsewhere, answers=desk.store))
    assert (follower.newest(OWNER, "msg").text, follower.newest(OWNER, "msg").seq) == ("", 0)
    desk.begin("one ", "two")
    desk.keeper.keep()
    newest = follower.newest(OWNER, "msg")
    assert (newest.text, newest.state, newest.seq) == ("one two", State.RUNNING, desk.stored.seq)
    assert newest.seq > max(desk.sent)
