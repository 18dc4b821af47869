"""A running answer as a page without script shows it: its text as it comes, then how it ended, in one response."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from webapp.core.events import Answer, Cancelled, Delta, Error, Event, Snapshot, State
from webapp.core.messages import Failure, Message

LIVE_SECONDS = 60.0


class LiveText:
    """Iterated once, while the page is written; `message` is the answer as far as it is known at any time.

    Ends after LIVE_SECONDS at the latest; the answer goes on without this page then.
    """

    def __init__(self, message: Message, batches: Iterable[Sequence[Event]], seconds: float = LIVE_SECONDS) -> None:
        # The events begin at the first, or with a snapshot: they bring the whole text themselves.
        self.message = replace(message, text="")
        self.is_writing = False
        self._batches = batches
        self._until = time.monotonic() + seconds

    def __iter__(self) -> Iterator[str]:
        self.is_writing = True
        shown = ""
        yield ""  # what stands above the answer leaves before its first word
        for batch in self._batches:
            for event in batch:
                self._take(event)
            # An end or a snapshot carries the whole text: only what is not shown yet is written.
            yield self.message.text[len(shown) :]
            shown = self.message.text
            if time.monotonic() >= self._until:
                break
        self.is_writing = False

    def _take(self, event: Event) -> None:
        known = self.message
        match event:
            case Delta(text=text):
                self.message = replace(known, state=State.RUNNING, text=known.text + text)
            case Snapshot(text=text):
                self.message = replace(known, state=event.state, text=text)
            case Answer(text=text):
                self.message = replace(
                    known, state=State.COMPLETED, text=text, finish_reason=event.finish_reason, actions=event.actions
                )
            case Cancelled(text=text):
                self.message = replace(known, state=State.CANCELLED, text=text, by=event.by)
            case Error(text=text):
                told = Failure(event.code, event.detail, event.retryable, event.next_step, event.instance)
                self.message = replace(known, state=State.FAILED, text=text, failure=told)
            case _:
                pass


def flushed(pieces: Iterable[str], live: LiveText | None) -> Iterator[str]:
    """The pieces of a page in as few writes as can be; while `live` is being written, each at once."""
    waiting: list[str] = []
    for piece in pieces:
        waiting.append(piece)
        if live is not None and live.is_writing:
            yield "".join(waiting)
            waiting.clear()
    yield "".join(waiting)
