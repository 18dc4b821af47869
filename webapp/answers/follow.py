"""Follow an answer from any number to its end, and read its newest text; never starts anything."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from webapp.answers.running import Running
from webapp.core.events import ENDS, Answer, Event, Snapshot, State
from webapp.core.messages import Message, end_of
from webapp.core.problems import Refused
from webapp.ports.event_log import EventLog, LogGone
from webapp.ports.metrics import UNMEASURED, Fact, Metrics
from webapp.ports.store import Answers

HEARTBEAT_SECONDS = 10.0
# How long a closed client, or an end that only the store has, may go unnoticed.
LOOK_SECONDS = 0.75

# A cursor that no log holds: answered with a snapshot.
NOWHERE = 2**63


@dataclass(frozen=True, slots=True)
class Follower:
    """The use case with what it needs."""

    log: EventLog
    answers: Answers
    running: Running
    metrics: Metrics = UNMEASURED

    def newest(self, owner: str, message_id: str) -> Message:
        """The message with the log's newest text and number while it runs. Raises Refused (`not_found`)."""
        message = self.answers.message(owner, message_id)
        if message.state.is_ended:
            return message
        self.running.touch(message_id)
        try:
            seen = self.log.snapshot(message_id)
        except LogGone:
            kept = self.answers.message(owner, message_id)  # it may have ended in between
            # The kept text belongs to its number only where no log goes on; without text every number is as good.
            return kept if kept.text or kept.state.is_ended else replace(kept, seq=0)
        return replace(message, text=seen.text, seq=seen.seq, state=seen.state)

    def wait(self, owner: str, message_id: str, is_gone: Callable[[], bool]) -> Message:
        """The message after its end; before it only when `is_gone` says that nobody waits any longer."""
        for _ in self.follow(owner, message_id, None, is_gone):
            pass
        return self.answers.message(owner, message_id)

    def follow(
        self, owner: str, message_id: str, cursor: int | None, is_gone: Callable[[], bool]
    ) -> Iterator[Sequence[Event]]:
        """Batches of events above `cursor` up to and with the end; an empty batch after every 10 s of silence.

        Begins with a Snapshot where the log cannot replay from `cursor`. Ends early, within a second, once `is_gone`
        is true. Blocks between batches. Raises Refused (`not_found`) at the first batch.
        """
        with self.metrics.following(is_resumed=bool(cursor)):
            yield from self._follow(owner, message_id, cursor, is_gone)

    def _follow(
        self, owner: str, message_id: str, cursor: int | None, is_gone: Callable[[], bool]
    ) -> Iterator[Sequence[Event]]:
        after = cursor
        looked = spoke = time.monotonic()
        while True:
            events = self._read(owner, message_id, after)
            now = time.monotonic()
            if now - looked >= LOOK_SECONDS:
                looked = now
                if is_gone():
                    return
            if events:
                if isinstance(events[0], Snapshot):
                    self.metrics.count(_why(events[0], after, is_first=after == cursor))
                yield events
                spoke = now
                after = events[-1].seq
                if isinstance(events[-1], ENDS):
                    return
            elif now - spoke >= HEARTBEAT_SECONDS:
                yield ()
                spoke = now

    def _read(self, owner: str, message_id: str, after: int | None) -> Sequence[Event]:
        self.running.touch(message_id)
        try:
            return self._present(owner, self.log.read(message_id, after, wait=LOOK_SECONDS))
        except LogGone:
            message = self.answers.message(owner, message_id)
            if message.state.is_ended:
                return _from_store(message, after)
            time.sleep(LOOK_SECONDS)  # accepted, and not begun: its producer is about to open the log
            return ()

    def _present(self, owner: str, events: Sequence[Event]) -> Sequence[Event]:
        """The events with actions as they stand now: after the end they go on changing, and the log does not."""
        if not events or not isinstance(end := events[-1], Answer) or not end.actions:
            return events
        try:
            actions = self.answers.message(owner, end.message_id).actions
        except Refused:  # it was deleted: its end is for those alone who follow it still
            return events
        return (*events[:-1], replace(end, actions=actions))


def _why(snapshot: Snapshot, after: int | None, *, is_first: bool) -> Fact:
    """Why there was a snapshot for a reader that has the events up to `after`."""
    if after == NOWHERE:
        return Fact.SNAPSHOT_MALFORMED
    if after is not None and after > snapshot.seq:
        return Fact.SNAPSHOT_FUTURE
    return Fact.SNAPSHOT_NO_BUFFER if is_first else Fact.SNAPSHOT_BEHIND


def _from_store(message: Message, after: int | None) -> Sequence[Event]:
    """An ended answer whose log is gone: all its text, then its end."""
    end = end_of(message)
    if after in (message.seq - 1, message.seq):
        return (end,)
    whole = Snapshot(
        message.seq - 1,
        State.RUNNING,
        message.text,
        message.message_id,
        message.conversation_id,
        message.question_id or "",
        message.model,
    )
    return (whole, end)
