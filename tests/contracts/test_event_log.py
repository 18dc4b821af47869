"""What every event log promises, over each implementation."""

import threading
from collections.abc import Iterator

import pytest

from tests.support.texts import TEXTS, pieces
from webapp.core.events import Accepted, Activity, Cancelled, Delta, Event, Snapshot, State
from webapp.event_logs import memory
from webapp.event_logs.memory import MemoryEventLog
from webapp.ports.event_log import Conflict, EventLog, LogGone

ACCEPTED = Accepted(1, "cnv", "msg", "qst", "req", "model", "2026-01-01T00:00:00.000Z")
END = Cancelled(4, "one two", 7, "", "user")


@pytest.fixture(params=["memory"])
def log(request: pytest.FixtureRequest) -> Iterator[EventLog]:
    return MemoryEventLog()


def opened(log: EventLog, *texts: str) -> EventLog:
    log.append("msg", [ACCEPTED], after=0)
    for seq, text in enumerate(texts, start=2):
        log.append("msg", [Delta(seq, text)], after=seq - 1)
    return log


def snapshot(seq: int, text: str, state: State = State.RUNNING, activity: str = "") -> Snapshot:
    return Snapshot(seq, state, text, "msg", "cnv", "qst", "model", activity)


def test_append_gives_the_new_last_number(log: EventLog) -> None:
    assert log.append("msg", [ACCEPTED, Delta(2, "one")], after=0) == 2
    assert log.append("msg", [Delta(3, " two")], after=2) == 3


@pytest.mark.proves("B3", "B5")
@pytest.mark.parametrize(
    ("events", "after"),
    [
        ([Delta(2, "again")], 1),
        ([Delta(5, "ahead")], 4),
        ([Delta(5, "a hole")], 3),
        ([Delta(4, "right"), Delta(6, "a hole")], 3),
        ([ACCEPTED], 0),
    ],
)
def test_append_out_of_place_changes_nothing(log: EventLog, events: list[Event], after: int) -> None:
    opened(log, "one", " two")
    with pytest.raises(Conflict):
        log.append("msg", events, after=after)
    assert [event.seq for event in log.read("msg", 0, wait=0)] == [1, 2, 3]
    assert log.text("msg") == "one two"


@pytest.mark.proves("B10", "G10")
def test_nothing_follows_an_end(log: EventLog) -> None:
    opened(log, "one", " two").append("msg", [END], after=3)
    with pytest.raises(Conflict):
        log.append("msg", [Delta(5, "late")], after=4)
    assert log.text("msg") == "one two"


def test_a_log_begins_with_accepted(log: EventLog) -> None:
    with pytest.raises(Conflict):
        log.append("msg", [Delta(1, "one")], after=0)
    with pytest.raises(LogGone):
        log.append("msg", [Delta(2, "one")], after=1)
    with pytest.raises(LogGone):
        log.read("msg", 0, wait=0)


@pytest.mark.proves("B17", "B23")
@pytest.mark.parametrize(
    ("after", "numbers"), [(None, [1, 2, 3, 4]), (0, [1, 2, 3, 4]), (2, [3, 4]), (3, [4]), (4, [4])]
)
def test_read_gives_what_is_above_the_number(log: EventLog, after: int | None, numbers: list[int]) -> None:
    opened(log, "one", " two").append("msg", [END], after=3)
    assert [event.seq for event in log.read("msg", after, wait=0)] == numbers


@pytest.mark.proves("B18", "B22")
@pytest.mark.parametrize("after", [4, 99, 2**63])
def test_a_number_above_the_last_gets_a_snapshot(log: EventLog, after: int) -> None:
    opened(log, "one", " two")
    assert log.read("msg", after, wait=0) == [snapshot(3, "one two")]


def test_a_snapshot_never_covers_an_end(log: EventLog) -> None:
    opened(log, "one", " two").append("msg", [END], after=3)
    assert log.read("msg", 99, wait=0) == [snapshot(3, "one two"), END]
    assert log.snapshot("msg") == snapshot(3, "one two")


def test_a_snapshot_tells_the_state_and_the_last_activity(log: EventLog) -> None:
    opened(log)
    assert log.snapshot("msg") == snapshot(1, "", State.ACCEPTED)
    log.append("msg", [Activity(2, "thinking", "Thinking")], after=1)
    assert log.snapshot("msg") == snapshot(2, "", activity="Thinking")
    log.append("msg", [Delta(3, "one")], after=2)
    assert log.snapshot("msg") == snapshot(3, "one")


@pytest.mark.proves("B15", "B18")
@pytest.mark.parametrize(("count", "size"), [(5 * memory.REPLAY_EVENTS, 1), (40, memory.REPLAY_BYTES // 10)])
def test_the_log_keeps_a_bounded_number_of_events_and_the_whole_text(log: EventLog, count: int, size: int) -> None:
    opened(log, *("x" * size for _ in range(count)))
    last = count + 1
    assert log.read("msg", 0, wait=0) == [snapshot(last, "x" * size * count)]
    oldest = last - min(memory.REPLAY_EVENTS, memory.REPLAY_BYTES // size)
    assert log.read("msg", oldest - 1, wait=0) == [snapshot(last, "x" * size * count)]
    assert [event.seq for event in log.read("msg", oldest, wait=0)] == list(range(oldest + 1, last + 1))


def test_the_newest_event_can_be_read_however_large_it_is(log: EventLog) -> None:
    large = "x" * (memory.REPLAY_BYTES + 1)
    assert opened(log, "one", large).read("msg", 2, wait=0) == [Delta(3, large)]


@pytest.mark.proves("C13", "C17", "C20", "C21")
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_text_is_read_as_it_was_appended(log: EventLog, text: str) -> None:
    opened(log, *pieces(text, 500))
    assert "".join(event.text for event in log.read("msg", 1, wait=0) if isinstance(event, Delta)) == text
    assert log.text("msg") == text


@pytest.mark.proves("B17")
def test_a_reader_that_waits_is_woken_by_the_next_event(log: EventLog) -> None:
    opened(log)
    found: list[Event] = []
    reader = threading.Thread(target=lambda: found.extend(log.read("msg", 1, wait=30)))
    reader.start()
    log.append("msg", [Delta(2, "one")], after=1)
    reader.join(10)
    assert found == [Delta(2, "one")]


def test_a_reader_does_not_wait_longer_than_it_wants(log: EventLog) -> None:
    assert list(opened(log).read("msg", 1, wait=0.001)) == []


@pytest.mark.proves("B17", "B19")
def test_readers_at_any_place_see_each_event_once_while_it_is_written(log: EventLog) -> None:
    opened(log)
    count = 3_000
    seen: list[list[int]] = [[] for _ in range(8)]

    def follow(numbers: list[int]) -> None:
        after = 1
        while after < count + 1:
            for event in log.read("msg", after, wait=30):
                numbers.append(event.seq)
                after = event.seq

    readers = [threading.Thread(target=follow, args=(numbers,)) for numbers in seen]
    for reader in readers:
        reader.start()
    for seq in range(2, count + 2):
        log.append("msg", [Delta(seq, "x")], after=seq - 1)
    for reader in readers:
        reader.join(60)
    for numbers in seen:
        # A reader that fell behind the bound gets a snapshot in mid-stream: numbers rise, and none comes twice.
        assert numbers == sorted(set(numbers))
        assert numbers[-1] == count + 1


def test_what_has_ended_is_freed_after_its_time_and_what_runs_is_kept() -> None:
    clock = [0.0]
    log = MemoryEventLog(now=lambda: clock[0])
    opened(log, "one", " two").append("msg", [END], after=3)
    log.append("other", [Accepted(1, "c", "other", "q", "r", "m", "t")], after=0)
    clock[0] = memory.KEEP_SECONDS - 1
    log.sweep()
    assert log.text("msg") == "one two"
    clock[0] = memory.KEEP_SECONDS
    log.sweep()
    with pytest.raises(LogGone):
        log.text("msg")
    assert log.text("other") == ""


def test_the_oldest_ended_goes_first_when_there_is_too_much() -> None:
    clock = [0.0]
    log = MemoryEventLog(now=lambda: clock[0])
    half = "x" * (memory.KEEP_BYTES // 2)
    for name in ("first", "second", "third"):
        clock[0] += 1
        log.append(name, [Accepted(1, "c", name, "q", "r", "m", "t"), Delta(2, half)], after=0)
        log.append(name, [Cancelled(3, half, len(half), "", "user")], after=2)
    log.sweep()
    with pytest.raises(LogGone):
        log.text("first")
    assert log.text("second") == log.text("third") == half


@pytest.mark.proves("B10", "C38")
@pytest.mark.parametrize("after", [None, 0, 2, 3, 11])
def test_an_end_of_another_number_and_text_is_reached_by_a_snapshot_alone(log: EventLog, after: int | None) -> None:
    opened(log, "one", " two", " three")
    end = Cancelled(10, "one t\u00e9", 6, "", "user")
    log.close("msg", end)
    assert log.read("msg", after, wait=0) == [snapshot(9, "one t\u00e9"), end]
    assert log.read("msg", 9, wait=0) == [end]
    with pytest.raises(Conflict):
        log.append("msg", [Delta(5, "late")], after=4)


def test_closing_wakes_who_waits(log: EventLog) -> None:
    opened(log, "one")
    seen: list[Event] = []
    reader = threading.Thread(target=lambda: seen.extend(log.read("msg", 2, wait=30)))
    reader.start()
    log.close("msg", END)
    reader.join(10)
    assert seen[-1] == END


def test_closing_what_has_ended_or_is_not_there_changes_nothing(log: EventLog) -> None:
    log.close("msg", END)
    with pytest.raises(LogGone):
        log.read("msg", 0, wait=0)
    opened(log, "one", " two").append("msg", [END], after=3)
    log.close("msg", Cancelled(9, "other", 5, "", "user"))
    assert log.read("msg", 3, wait=0) == [END]
