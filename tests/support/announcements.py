"""What Motamot promises to say aloud while an answer grows, beside the rules of the kit; it judges what was heard."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from webapp.qa.speech import CLOCK, Announcement, not_polite, too_close, too_many

SPACE = 0.5
END_WITHIN = 1.0
START_WITHIN = 1.0
MOST_WORDS = 40
# Timers of a busy machine come late.
LATE_TIMER = 0.25


@dataclass(frozen=True, slots=True)
class Told:
    """One answer that was told: its exact `text`, when it began and ended (seconds), and the interval (seconds)."""

    text: str
    began: float
    ended: float
    interval: float
    start_note: str = "Generating the answer"
    end_note: str = "Answer complete"

    @property
    def most_messages(self) -> int:
        """Start, progress, what was unsaid, end; however many pieces the text came in."""
        return 2 + int((self.ended - self.began) / self.interval) + 1


def faults(messages: Sequence[Announcement], told: Told) -> list[str]:
    """What is wrong with the messages of one answer that completed, in words; empty when nothing is."""
    general = (too_many(messages, told.most_messages), too_close(messages, SPACE), not_polite(messages))
    own: tuple[Callable[[Sequence[Announcement], Told], Iterator[str]], ...] = (_intervals, _ends, _sentences)
    return [*filter(None, general), *(fault for rule in own for fault in rule(messages, told))]


def _intervals(messages: Sequence[Announcement], told: Told) -> Iterator[str]:
    progress = [message for message in messages[1:] if message.time < told.ended]
    for before, after in pairwise(progress):
        if after.time - before.time < told.interval - CLOCK:
            yield f"too often: progress after {after.time - before.time:.3f} s: {after.text!r}"


def _ends(messages: Sequence[Announcement], told: Told) -> Iterator[str]:
    if not messages or not messages[0].text.startswith(told.start_note):
        yield "no start: the first message does not say that an answer is being made"
    elif messages[0].time > told.began + START_WITHIN + LATE_TIMER:
        yield "late start"
    if not messages or told.end_note not in messages[-1].text:
        yield "no end: the last message does not say that the answer is complete"
    elif messages[-1].time > told.ended + END_WITHIN + LATE_TIMER:
        yield f"late end: {messages[-1].time - told.ended:.3f} s after the answer's"


def _sentences(messages: Sequence[Announcement], told: Told) -> Iterator[str]:
    """Between start and end: whole sentences of the text, in order, none twice, none skipped."""
    waiting = _split(told.text)
    middle = [message.text for message in messages[1:-1] if message.text != "Still working"]
    for text in middle:
        said = _split(text)
        if said != waiting[: len(said)]:
            yield f"no whole sentences in order: {text!r}"
            return
        if len(said) > 1 and _words(text) > MOST_WORDS:
            yield f"too long: {_words(text)} words"
        del waiting[: len(said)]
    if waiting and _words(middle[-1] if middle else "") + _words(waiting[0]) <= MOST_WORDS:
        yield f"left unsaid: {waiting[0]!r}"


def _split(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+", text.strip().replace("\u00a0", " "))


def _words(text: str) -> int:
    return len(text.split())
