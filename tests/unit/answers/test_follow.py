"""Following while the producer goes on: replay, snapshot and what comes live join without a loss or a repeat."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pytest

from tests.support.answers import OWNER
from tests.support.figures import ToldMetrics
from webapp.answers.follow import Follower
from webapp.core.digests import digest
from webapp.core.events import Accepted, Answer, Delta, Event, Snapshot
from webapp.event_logs.memory import MemoryEventLog
from webapp.ports.metrics import Fact

PIECES = [f"{number}\U0001f9ed " for number in range(2_500)]


class Touched:
    """What a follower asks of the running answers."""

    def touch(self, message_id: str) -> None:
        """Nobody abandons this one."""


@dataclass
class PausedLog:
    """A log that lets `pause` run before every read and after it: there, where a reader could miss what is appended."""

    log: MemoryEventLog
    pause: Callable[[], None]

    def read(self, message_id: str, after: int | None, *, wait: float) -> Sequence[Event]:
        self.pause()
        events = self.log.read(message_id, after, wait=wait)
        self.pause()
        return events


def producer(log: MemoryEventLog) -> Iterator[int]:
    """Appends one event each time it is asked, to the end; its number."""
    yield log.append("msg", [Accepted(1, "cnv", "msg", "qst", "req", "model", "now")], after=0)
    for seq, piece in enumerate(PIECES, start=2):
        yield log.append("msg", [Delta(seq, piece)], after=seq - 1)
    text, last = "".join(PIECES), len(PIECES) + 1
    known = digest(text)
    end = Answer(last + 1, "cnv", "msg", text, known.bytes, known.sha256, "stop")
    yield log.append("msg", [end], after=last)


@pytest.mark.proves("B14", "B17", "B18", "C42")
@pytest.mark.parametrize("seed", range(12))
def test_what_is_appended_between_two_steps_of_a_follower_comes_once(seed: int) -> None:
    dice = random.Random(seed)
    log = MemoryEventLog()
    produced = producer(log)
    for _ in range(dice.randint(1, len(PIECES))):
        reached = next(produced)
    start = dice.randint(0, reached)
    # Up to more than the buffer holds, so that a follower also falls behind in mid-stream.
    most = dice.choice((1, 3, 2_000))

    def go_on() -> None:
        for _ in range(dice.randint(1, most)):
            next(produced, None)

    follower = Follower(PausedLog(log, go_on), None, Touched())  # type: ignore[arg-type]
    text, last = "".join(PIECES[: max(0, start - 1)]), start
    for batch in follower.follow(OWNER, "msg", start, lambda: False):
        for event in batch:
            if isinstance(event, Snapshot):
                text, last = event.text, event.seq
                continue
            assert event.seq == last + 1
            text, last = text + (event.text if isinstance(event, Delta) else ""), event.seq
    assert (text, last) == ("".join(PIECES), len(PIECES) + 2)


@pytest.mark.proves("C42", "B23")
@pytest.mark.parametrize("start", [None, 0, 1, 2])
def test_an_answer_that_ends_before_the_first_read_gives_all_of_it_and_its_end(start: int | None) -> None:
    log = MemoryEventLog()
    produced = producer(log)
    next(produced)
    follower = Follower(PausedLog(log, lambda: list(produced) and None), None, Touched())  # type: ignore[arg-type]
    events = [event for batch in follower.follow(OWNER, "msg", start, lambda: False) for event in batch]
    assert [type(event) for event in events] == [Snapshot, Answer]
    assert events[0].text == events[-1].text == "".join(PIECES)  # type: ignore[union-attr]


def test_a_reader_that_falls_behind_in_mid_stream_is_counted_as_such() -> None:
    log, metrics = MemoryEventLog(), ToldMetrics()
    produced = producer(log)
    next(produced)
    follower = Follower(log, None, Touched(), metrics)  # type: ignore[arg-type]
    batches = follower.follow(OWNER, "msg", None, lambda: False)
    next(batches)
    list(produced)
    assert isinstance(next(batches)[0], Snapshot)
    assert metrics.facts == [Fact.SNAPSHOT_BEHIND]
