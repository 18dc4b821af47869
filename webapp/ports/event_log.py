"""An answer's events in order, kept while people may follow them."""

from collections.abc import Sequence
from typing import Protocol

from webapp.core.events import End, Event, Snapshot


class Conflict(Exception):
    """The log does not end where the writer believes it does, or the answer has ended: nothing was appended."""


class LogGone(Exception):
    """This log holds nothing (any more) of that answer."""


class EventLog(Protocol):
    """Bounded: the newest events of an answer can be replayed, its whole text stands beside them for snapshots."""

    def append(self, message_id: str, events: Sequence[Event], *, after: int) -> int:
        """Add all of `events` or none, directly after number `after`; return the new last number.

        The first append, `after` 0, begins with Accepted and opens the log. Readers that wait are woken.
        Raises Conflict when the log does not end at `after`, holds an end, or the numbers are not consecutive.
        Raises LogGone when the answer is not in this log and `after` is not 0.
        """

    def read(self, message_id: str, after: int | None, *, wait: float) -> Sequence[Event]:
        """The events above `after`, in order; waits up to `wait` seconds for the first one, then returns none.

        `after` None or 0 means from the start. Begins with a Snapshot where the log does not reach back to
        `after`, or `after` is above its last number; a snapshot never covers an end. Once there is an end, it is always
        among them, also for who has its number. Raises LogGone.
        """

    def text(self, message_id: str) -> str:
        """All the text up to now. Raises LogGone."""

    def snapshot(self, message_id: str) -> Snapshot:
        """A Snapshot of all the text up to now (before an end), with the number it covers. Raises LogGone."""

    def close(self, message_id: str, end: End) -> None:
        """Give the answer an end that stands in the store, whatever number and text the log has reached.

        Readers get a Snapshot of the end's text, with the number before it, then the end. Harmless when this log has
        nothing of the answer, or has its end.
        """

    def sweep(self) -> None:
        """Free what need not be followed any longer."""
