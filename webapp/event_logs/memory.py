"""The event log of a single process: bounded, in memory, gone with the process."""

import threading
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from webapp.core.events import ENDS, Accepted, Activity, Delta, End, Event, Snapshot, State
from webapp.ports.event_log import Conflict, LogGone

REPLAY_EVENTS = 1_024
REPLAY_BYTES = 256 * 1024
KEEP_SECONDS = 60.0
KEEP_BYTES = 64 * 1024 * 1024


class Held(NamedTuple):
    """What a log keeps: answers, the events of them that can be replayed, bytes of text."""

    answers: int
    events: int
    bytes: int


class _AnswerLog:
    """One answer: its text as UTF-8, and where each of the newest deltas ends in it.

    Text and offsets instead of event values keep an open answer small; events are built again when they are read.
    """

    __slots__ = ("activity", "changed", "ended_at", "ends", "first", "lock", "marks", "opened", "text")

    def __init__(self, opened: Accepted) -> None:
        self.opened = opened
        self.text = bytearray()
        self.first = opened.seq  # the number that ends[0] belongs to
        self.ends = array("Q", [0])
        self.marks: dict[int, Event] = {opened.seq: opened}  # events that are not deltas
        self.activity = ""
        self.ended_at: float | None = None
        self.lock = threading.Lock()
        self.changed: threading.Event | None = None  # there while somebody waits

    @property
    def last(self) -> int:
        return self.first + len(self.ends) - 1

    def add(self, event: Event) -> None:
        if type(event) is Delta:
            self.text += event.text.encode("utf-8")
            self.activity = ""
        else:
            # The end's text is the log's own: it is not kept twice.
            self.marks[event.seq] = replace(event, text="") if isinstance(event, ENDS) else event
            self.activity = event.label if type(event) is Activity else ""
        self.ends.append(len(self.text))

    def wake(self) -> None:
        """Let those that wait look."""
        changed, self.changed = self.changed, None
        if changed is not None:
            changed.set()

    def trim(self) -> None:
        """Forget the oldest events past the bounds, in blocks, so that trimming costs nothing per event."""
        surplus = len(self.ends) - REPLAY_EVENTS
        oldest_byte = len(self.text) - REPLAY_BYTES
        if surplus < REPLAY_EVENTS and self.ends[0] > oldest_byte - REPLAY_BYTES:
            return
        surplus = max(surplus, 0)
        while surplus < len(self.ends) - 1 and self.ends[surplus] < oldest_byte:
            surplus += 1
        del self.ends[:surplus]
        self.first += surplus
        for seq in [seq for seq in self.marks if seq < self.first]:
            del self.marks[seq]

    def close(self, end: End) -> None:
        """Forget every event, so that nothing but a snapshot leads to `end`."""
        self.text = bytearray(end.text, "utf-8")
        self.first = end.seq - 1
        self.ends = array("Q", [len(self.text)])
        self.marks.clear()
        self.add(end)

    def holds(self, seq: int) -> bool:
        """Whether everything after `seq` can be replayed within the bounds; the newest event always can."""
        if seq == 0:
            return self.first == 1 and self.last <= REPLAY_EVENTS and len(self.text) <= REPLAY_BYTES
        if not self.first <= seq <= self.last:
            return False
        size = len(self.text) - self.ends[seq - self.first]
        return seq >= self.last - 1 or (self.last - seq <= REPLAY_EVENTS and size <= REPLAY_BYTES)

    def after(self, seq: int) -> list[Event]:
        if self.ended_at is not None and seq == self.last:
            seq -= 1  # who waited for more gets the end, whatever number it guessed
        if not self.holds(seq):
            snapshot = self.snapshot()
            return [snapshot, *self.after(snapshot.seq)] if snapshot.seq < self.last else [snapshot]
        return [self._event(number) for number in range(seq + 1, self.last + 1)]

    def _event(self, seq: int) -> Event:
        mark = self.marks.get(seq)
        if mark is not None:
            return replace(mark, text=self.text.decode("utf-8")) if isinstance(mark, ENDS) else mark
        place = seq - self.first
        return Delta(seq, self.text[self.ends[place - 1] : self.ends[place]].decode("utf-8"))

    def snapshot(self) -> Snapshot:
        has_end = self.ended_at is not None
        covered = self.last - has_end
        state = State.ACCEPTED if covered == self.opened.seq else State.RUNNING
        about = self.opened
        return Snapshot(
            covered,
            state,
            self.text.decode("utf-8"),
            about.message_id,
            about.conversation_id,
            about.question_id,
            about.model,
            self.activity,
        )


class MemoryEventLog:
    """Implements EventLog for one process. `now`: seconds of a clock that never goes back."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._logs: dict[str, _AnswerLog] = {}
        self._ended_bytes = 0  # of text, in logs that have an end

    def append(self, message_id: str, events: Sequence[Event], *, after: int) -> int:
        log = self._logs.get(message_id)
        if log is None:
            log, events, after = self._open(message_id, events, after)
        with log.lock:
            if log.last != after or log.ended_at is not None:
                raise Conflict(f"{message_id} ends at {log.last}, not open at {after}")
            if any(event.seq != seq for seq, event in enumerate(events, start=after + 1)):
                raise Conflict(f"{message_id}: numbers are not consecutive after {after}")
            for event in events:
                log.add(event)
            if events and isinstance(events[-1], ENDS):
                self._end(log)
            log.trim()
            log.wake()
        return log.last

    def close(self, message_id: str, end: End) -> None:
        log = self._logs.get(message_id)
        if log is None:
            return
        with log.lock:
            if log.ended_at is None:
                log.close(end)
                self._end(log)
                log.wake()

    def _open(self, message_id: str, events: Sequence[Event], after: int) -> tuple[_AnswerLog, Sequence[Event], int]:
        if after != 0:
            raise LogGone(message_id)
        opened = events[0] if events else None
        if not isinstance(opened, Accepted) or opened.seq != 1:
            raise Conflict(f"{message_id}: a log begins with accepted, number 1")
        log = self._logs.setdefault(message_id, _AnswerLog(opened))
        return log, events[1:], 1

    def read(self, message_id: str, after: int | None, *, wait: float) -> Sequence[Event]:
        log = self._find(message_id)
        seq = after or 0
        with log.lock:
            if seq != log.last or log.ended_at is not None:
                return log.after(seq)
            changed = log.changed = log.changed or threading.Event()
        changed.wait(wait)
        with log.lock:
            return log.after(seq)

    def text(self, message_id: str) -> str:
        return self._find(message_id).text.decode("utf-8")

    def snapshot(self, message_id: str) -> Snapshot:
        log = self._find(message_id)
        with log.lock:
            return log.snapshot()

    def held(self) -> Held:
        """What is kept now."""
        logs = list(self._logs.values())
        return Held(len(logs), sum(len(log.ends) - 1 for log in logs), sum(len(log.text) for log in logs))

    def _end(self, log: _AnswerLog) -> None:
        log.ended_at = self._now()
        self._ended_bytes += len(log.text)
        if self._ended_bytes > KEEP_BYTES:
            self.sweep()

    def sweep(self) -> None:
        ended = sorted(
            (log.ended_at, message_id, len(log.text))
            for message_id, log in list(self._logs.items())
            if log.ended_at is not None
        )
        for ended_at, message_id, size in ended:
            if self._now() - ended_at < KEEP_SECONDS and self._ended_bytes <= KEEP_BYTES:
                break
            if self._logs.pop(message_id, None) is not None:
                self._ended_bytes -= size

    def _find(self, message_id: str) -> _AnswerLog:
        try:
            return self._logs[message_id]
        except KeyError:
            raise LogGone(message_id) from None
