"""What the log in memory holds: bounded while an answer grows, whatever its events, and nothing once it is freed."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from webapp.core.digests import digest
from webapp.core.events import Accepted, Activity, Answer, Delta, Event
from webapp.event_logs import memory
from webapp.event_logs.memory import MemoryEventLog

COUNT = 100_000
# Twice what can be replayed, as trimming goes in blocks: an offset is 8 bytes, an event that is no delta about 200.
MOST_BESIDE_TEXT = 2 * memory.REPLAY_EVENTS * (8 + 300)


@pytest.fixture
def used() -> Iterator[Callable[[], int]]:
    """The bytes that were taken since the test began and are not free again."""
    gc.collect()
    tracemalloc.start()
    yield lambda: gc.collect() * 0 + tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()


def fill(log: MemoryEventLog, make: Callable[[int], Event], name: str = "msg") -> int:
    """Append COUNT events after `accepted`; the last number."""
    log.append(name, [Accepted(1, "cnv", name, "qst", "req", "model", "now")], after=0)
    for seq in range(2, COUNT + 2):
        log.append(name, [make(seq)], after=seq - 1)
    return COUNT + 1


@pytest.mark.proves("B15")
@pytest.mark.parametrize(
    "make",
    [
        lambda seq: Delta(seq, "x"),
        lambda seq: Activity(seq, "thinking", f"Thinking of {seq}"),
        lambda seq: Delta(seq, "x") if seq % 2 else Activity(seq, "searching", f"Searching {seq}"),
    ],
    ids=["deltas", "activities", "both"],
)
def test_a_growing_answer_holds_its_text_and_a_bounded_number_of_events(
    used: Callable[[], int], make: Callable[[int], Event]
) -> None:
    log = MemoryEventLog()
    fill(log, make)
    text = len(log.text("msg"))
    assert used() < 2 * text + MOST_BESIDE_TEXT  # a growing bytearray takes room ahead


@pytest.mark.proves("B15")
def test_an_answer_of_any_number_of_events_costs_what_a_short_one_does_once_it_is_freed(
    used: Callable[[], int],
) -> None:
    clock = [0.0]
    log = MemoryEventLog(now=lambda: clock[0])
    for number in range(3):
        name = f"msg_{number}"
        last = fill(log, lambda seq: Delta(seq, "word "), name)
        text = log.text(name)
        known = digest(text)
        log.append(name, [Answer(last + 1, "cnv", name, text, known.bytes, known.sha256, "stop")], after=last)
        del text
    # The end's text is the log's own, held once.
    assert used() < 3 * (1.3 * 5 * COUNT + MOST_BESIDE_TEXT)
    clock[0] = memory.KEEP_SECONDS
    log.sweep()
    assert used() < 64 * 1024


@pytest.mark.proves("B15")
def test_ended_answers_never_hold_more_than_their_share_together() -> None:
    log = MemoryEventLog()
    size = memory.KEEP_BYTES // 4
    for number in range(12):
        name, text = f"msg_{number}", "x" * size
        log.append(name, [Accepted(1, "cnv", name, "qst", "req", "model", "now"), Delta(2, text)], after=0)
        log.append(name, [Answer(3, "cnv", name, text, size, "", "stop")], after=2)
        assert sum(len(each.text) for each in log._logs.values()) <= memory.KEEP_BYTES
    assert log.text("msg_11") == text
