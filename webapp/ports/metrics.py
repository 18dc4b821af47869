"""What operators learn of answers in figures: times, ends and counts; never a text, an id, or a word a client chose."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from webapp.core.messages import Message


class Fact(StrEnum):
    """What is only counted."""

    ANSWER_BEGUN = "answer begun"
    CANCEL_ASKED = "cancel asked"  # for the first time, of an answer that was running
    TEXT_REFUSED = "text refused"  # the model said it after the stop
    APPEND_REFUSED = "append refused"  # the log had an end, or went on without its writer
    BYTES_REPLACED = "bytes replaced"  # no UTF-8; each U+FFFD that stands for some of them
    SNAPSHOT_NO_BUFFER = "snapshot: no buffer"  # the log does not reach back to where a reader begins
    SNAPSHOT_MALFORMED = "snapshot: malformed"  # the reader's number is none
    SNAPSHOT_FUTURE = "snapshot: future"  # the reader's number was never given, or before a restart
    SNAPSHOT_BEHIND = "snapshot: behind"  # a reader was too slow for the buffer


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds since a process began to work on an answer, to its end and to its first delta, if there was one.

    `stop`: seconds from the first request to cancel it to its end; None where nobody asked.
    """

    end: float
    first_delta: float | None = None
    stop: float | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """What one reader's page saw of an answer. `first_visible`: seconds from Send to the first delta on the page.

    `repeats`: events that came again; `holes`: times that events were missing; `mismatches`: ends whose text was not
    the joined one; `reconnects`: times that a lost line was back.
    """

    first_visible: float | None = None
    repeats: int = 0
    holes: int = 0
    mismatches: int = 0
    reconnects: int = 0


class Metrics(Protocol):
    """Every call returns at once, from any thread."""

    def count(self, fact: Fact, amount: int = 1) -> None:
        """It happened, `amount` times."""

    def ended(self, answer: Message, timing: Timing | None) -> None:
        """The answer has its end; `timing` None where another process worked on it.

        What was cancelled stands apart: neither among the failures nor in the times and tokens of the others.
        """

    def following(self, *, is_resumed: bool) -> AbstractContextManager[None]:
        """A reader follows an answer while the context lasts; `is_resumed`: from some number on."""

    def seen(self, answer: Message, sight: Sight) -> None:
        """What a page tells of an answer; once for each."""

    def acted(self, state: str) -> None:
        """An action has come to this state of the server's own table."""


class Unmeasured:
    """Implements Metrics for those who measure nothing."""

    def count(self, fact: Fact, amount: int = 1) -> None:
        """Nothing is kept."""

    def ended(self, answer: Message, timing: Timing | None) -> None:
        """Nothing is kept."""

    def following(self, *, is_resumed: bool) -> AbstractContextManager[None]:
        """Nothing is kept."""
        return nullcontext()

    def seen(self, answer: Message, sight: Sight) -> None:
        """Nothing is kept."""

    def acted(self, state: str) -> None:
        """Nothing is kept."""


UNMEASURED = Unmeasured()
