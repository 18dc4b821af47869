"""Texts told apart: code points over the line to the browser, and the first place where two texts differ; pure."""

import re
import unicodedata
from collections.abc import Sequence

# Characters shown on either side of a difference.
AROUND = 24


def points(expression: str) -> str:
    """A script that gives a text as numbers: no encoding on the way can change them."""
    return f"Array.from({expression}, (sign) => sign.codePointAt(0))"


def as_text(numbers: Sequence[int]) -> str:
    """The text whose code points these are."""
    return "".join(map(chr, numbers))


def as_seen(text: str) -> str:
    """A text in quotation marks, with every sign that cannot be seen written as an escape."""
    return (
        ascii(text)
        if any(unicodedata.category(sign).startswith(("C", "Z")) and sign != " " for sign in text)
        else repr(text)
    )


def point(text: str, place: int) -> str:
    """The code point at a place with its name, as in `U+000A LINE FEED`; `the end` behind the last one."""
    if place >= len(text):
        return "the end"
    sign = text[place]
    name = unicodedata.name(sign, "") or _CONTROLS.get(sign, "without a name")
    return f"U+{ord(sign):04X} {name}"


def difference(expected: str, found: str) -> str:
    """Where the texts first differ, in words; "" for equal ones."""
    if expected == found:
        return ""
    place = next((i for i, (a, b) in enumerate(zip(expected, found, strict=False)) if a != b), None)
    if place is None:
        place = min(len(expected), len(found))
    line = expected.count("\n", 0, place) + 1
    start = max(0, place - AROUND)
    expected_part, found_part = (as_seen(text[start : place + AROUND]) for text in (expected, found))
    return (
        f"at character {place + 1} (line {line}) {point(expected, place)} was expected, {point(found, place)} stands; "
        f"expected …{expected_part}…, found …{found_part}…; {len(expected)} characters expected, {len(found)} found"
    )


def word_difference(sent: str, shown: str) -> str:
    """Where a formatted text lacks, doubles or changes a word of its source; "" where all stand in order.

    Markup is no word. What formatting may change by right (blanks, line ends, signs) cannot be told here.
    """
    expected, found = _words(sent), _words(shown)
    for place, (one, other) in enumerate(zip(expected, found, strict=False)):
        if one != other:
            before = " ".join(expected[max(0, place - 4) : place])
            return f"word {place + 1} after {before!r} was sent as {one!r} and is shown as {other!r}"
    if len(expected) != len(found):
        return f"{len(expected)} words were sent and {len(found)} are shown, ending {' '.join(found[-4:])!r}"
    return ""


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


_CONTROLS = {"\0": "NULL", "\t": "CHARACTER TABULATION", "\n": "LINE FEED", "\r": "CARRIAGE RETURN", "\x1b": "ESCAPE"}
