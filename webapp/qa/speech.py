"""What was said aloud, as values, and the rules that it is held to; pure: announcements in, words about a fault out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from webapp.qa.texts import as_seen

Politeness = Literal["polite", "assertive", "off"]

# Two readings of one clock of a page are apart by this much at most without anything having happened (seconds).
CLOCK = 0.002
# Whoever listens can follow one message a second, and a start, an end and what was unsaid beside those.
MESSAGE_SECONDS = 1.0
BESIDE = 4
# A table shows this many rows at its beginning and at its end.
ROWS = 12


@dataclass(frozen=True, slots=True)
class Announcement:
    """One change of a live region, as it would be spoken. `time`: seconds of the page's clock.

    `region` is a name by which a person finds it: role or element, then its id, its label or its first class.
    """

    time: float
    politeness: Politeness
    region: str
    text: str


@dataclass(frozen=True, slots=True)
class Region:
    """A live region. `silence`: why what is written into it is not spoken, "" where nothing keeps it back.

    `came_filled`: it came into the page, into view or to life together with its text. `is_there`: it still is.
    """

    name: str
    politeness: Politeness
    silence: str = ""
    came_filled: bool = False
    is_there: bool = True


@dataclass(frozen=True, slots=True)
class Record:
    """All that a page gave to screen readers: `heard`, and what it wrote where not every one, or none, speaks it."""

    heard: Sequence[Announcement] = ()
    born: Sequence[Announcement] = ()
    unheard: Sequence[Announcement] = ()
    regions: Sequence[Region] = ()


def voiceless(record: Record) -> str:
    """Why this page proves nothing about what is said, "" where something can be, and nothing was written in vain."""
    if record.heard:
        return ""
    if record.unheard or record.born:
        wrote = [f"{one.region}: {as_seen(one.text[:60])}" for one in (*record.unheard, *record.born)]
        return f"nothing was heard, and this was written where not every screen reader speaks it: {'; '.join(wrote)}"
    live = [region for region in record.regions if region.politeness != "off"]
    if not live:
        return "the page has had no live region: nothing can have been heard"
    if all(region.silence for region in live):
        silent = "; ".join(f"{region.name} ({region.silence})" for region in live)
        return f"no live region of the page can be heard: {silent}"
    return ""


def too_many(heard: Sequence[Announcement], most: int) -> str:
    """More than `most` announcements."""
    return f"too many: {len(heard)} announcements, at most {most} were expected" if len(heard) > most else ""


def too_close(heard: Sequence[Announcement], seconds: float) -> str:
    """The first two that are less than `seconds` apart."""
    for before, after in pairwise(heard):
        if after.time - before.time < seconds - CLOCK:
            apart = after.time - before.time
            return f"too close: {apart:.3f} s, not {seconds:g} s, between {_seen(before)} and {_seen(after)}"
    return ""


def out_of_order(heard: Sequence[Announcement], expected: Sequence[str | re.Pattern[str]]) -> str:
    """The first of `expected` that is not in an announcement after that of the one before; others may stand between."""
    place = 0
    for number, wanted in enumerate(expected, start=1):
        found = next((i for i, one in enumerate(heard[place:], place) if _is_in(wanted, one.text)), None)
        if found is None:
            sooner = any(_is_in(wanted, one.text) for one in heard[:place])
            where = "was heard only before what it should follow" if sooner else "was not heard"
            shown = wanted if isinstance(wanted, str) else wanted.pattern
            return f"{as_seen(shown)}, number {number} of {len(expected)}, {where}"
        place = found + 1
    return ""


def unsaid(heard: Sequence[Announcement], text: str) -> str:
    """The first sentence of `text` that the announcements together do not say, in its order, word for word.

    Blanks, line ends and every sign that is no part of a word (so Markdown too) make no difference.
    """
    said, place = _spaced(" ".join(one.text for one in heard)), 0
    for sentence in re.split(r"(?<=[.!?])\s+|(?<=[。！？])|\n+", text):
        words = _spaced(sentence)
        if not words.strip():
            continue
        found = said.find(words, place)
        if found < 0:
            sooner = " at its place; it came sooner" if words in said else ""
            return f"not said{sooner}: {as_seen(sentence.strip())}"
        place = found + len(words) - 1
    return ""


def grows(heard: Sequence[Announcement], deltas: int) -> str:
    """Announcements that come with an answer's pieces: as many as those, more than one can follow, or re-readings."""
    if reread := _reread(heard):
        return reread
    seconds = heard[-1].time - heard[0].time if heard else 0.0
    most = BESIDE + int(seconds / MESSAGE_SECONDS)
    if len(heard) > most:
        return f"{len(heard)} announcements in {seconds:.1f} s for {deltas} deltas: nobody follows more than {most}"
    if len(heard) >= deltas > BESIDE:
        return f"{len(heard)} announcements for {deltas} deltas: each delta is announced"
    return ""


def not_polite(heard: Sequence[Announcement]) -> str:
    """The assertive ones."""
    loud = [_seen(one) for one in heard if one.politeness != "polite"]
    return f"not polite: {', '.join(loud)}" if loud else ""


def table(record: Record) -> str:
    """What was heard, one row each, then what was written in vain."""
    rows = [("seconds", "politeness", "region", "text"), *_rows(record.heard, "")]
    rows += [*_rows(record.born, " (came with its region)"), *_rows(record.unheard, " (silent)")]
    if len(rows) == 1:
        return "nothing was heard"
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = [f"{a:>{widths[0]}}  {b:<{widths[1]}}  {c:<{widths[2]}}  {text}" for a, b, c, text in rows]
    if len(lines) > 2 * ROWS + 2:
        lines[ROWS + 1 : -ROWS] = [f"… {len(lines) - 2 * ROWS - 1} more …"]
    return "\n".join(lines)


def _rows(announcements: Sequence[Announcement], note: str) -> list[tuple[str, str, str, str]]:
    return [
        (f"{one.time:.3f}", one.politeness, one.region, as_seen(_shortened(one.text)) + note) for one in announcements
    ]


def _shortened(text: str) -> str:
    return text if len(text) <= 160 else f"{text[:100]} […] {text[-50:]}"


def _reread(heard: Sequence[Announcement]) -> str:
    """Two steps in a row in which all that was said before is said again with something more."""
    by_region: dict[str, list[Announcement]] = {}
    for one in heard:
        by_region.setdefault(one.region, []).append(one)
    for said in by_region.values():
        for first, second, third in zip(said, said[1:], said[2:], strict=False):
            if _holds(second, first) and _holds(third, second):
                return f"{first.region} reads all again: {_seen(second)} holds {_seen(first)}, and so it goes on"
    return ""


def _holds(after: Announcement, before: Announcement) -> bool:
    """Whether all words of `before` come again, in order, and more: they may come in a frame of other words."""
    rest = iter(after.text.split())
    is_again = before.text in after.text or all(word in rest for word in before.text.split())
    return len(after.text) > len(before.text) and is_again


def _is_in(wanted: str | re.Pattern[str], text: str) -> bool:
    return wanted in text if isinstance(wanted, str) else wanted.search(text) is not None


def _spaced(text: str) -> str:
    return " " + " ".join(re.findall(r"[^\W_]+", text)) + " "


def _seen(one: Announcement) -> str:
    return as_seen(_shortened(one.text))
