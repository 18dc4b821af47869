"""The rules of what is said aloud while an answer grows: a pure judgement of what was recorded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tests.support.live_regions import Message

SPACE = 0.5
END_WITHIN = 1.0
START_WITHIN = 1.0
MOST_WORDS = 40
# The clocks of the page and of its observer are read a moment apart, and timers of a busy machine come late.
CLOCK = 0.002
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


def faults(messages: Sequence[Message], told: Told) -> list[str]:
    """What is wrong with the messages of one answer that completed, in words; empty when nothing is."""
    rules: tuple[Callable[[Sequence[Message], Told], Iterator[str]], ...] = (
        _count,
        _spaces,
        _intervals,
        _ends,
        _politeness,
        _sentences,
    )
    return [fault for rule in rules for fault in rule(messages, told)]


def _count(messages: Sequence[Message], told: Told) -> Iterator[str]:
    if len(messages) > told.most_messages:
        yield f"too many: {len(messages)} messages, at most {told.most_messages}"


def _spaces(messages: Sequence[Message], told: Told) -> Iterator[str]:
    for before, after in pairwise(messages):
        if after.time - before.time < SPACE - CLOCK:
            yield f"too close: {after.time - before.time:.3f} s before {after.text!r}"


def _intervals(messages: Sequence[Message], told: Told) -> Iterator[str]:
    progress = [message for message in messages[1:] if message.time < told.ended]
    for before, after in pairwise(progress):
        if after.time - before.time < told.interval - CLOCK:
            yield f"too often: progress after {after.time - before.time:.3f} s: {after.text!r}"


def _ends(messages: Sequence[Message], told: Told) -> Iterator[str]:
    if not messages or not messages[0].text.startswith(told.start_note):
        yield "no start: the first message does not say that an answer is being made"
    elif messages[0].time > told.began + START_WITHIN + LATE_TIMER:
        yield "late start"
    if not messages or told.end_note not in messages[-1].text:
        yield "no end: the last message does not say that the answer is complete"
    elif messages[-1].time > told.ended + END_WITHIN + LATE_TIMER:
        yield f"late end: {messages[-1].time - told.ended:.3f} s after the answer's"


def _politeness(messages: Sequence[Message], told: Told) -> Iterator[str]:
    for message in messages:
        if message.politeness != "polite":
            yield f"not polite: {message.text!r}"


def _sentences(messages: Sequence[Message], told: Told) -> Iterator[str]:
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
