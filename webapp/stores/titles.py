"""The title that a conversation gets from its first question; no language model is asked."""

import unicodedata

from webapp.stores.tables import without_controls

LIMIT = 60  # code points, with the sign that something was left out
_CUT = "\u2026"
_JOINER = "\u200d"
_EXTENDING = (
    ("\u1160", "\u11ff"),  # vowels and finals of a Korean syllable that is written in its parts
    ("\U0001f3fb", "\U0001f3ff"),  # skin tones
    ("\U000e0020", "\U000e007f"),  # the tags of regional flags
)


def title_of(question: str) -> str:
    """The first line of `question` that is not blank, with controls and runs of blanks as one blank; LIMIT at most.

    A longer one is cut between two characters as people see them (after UAX #29, section 3.1) and ends in an ellipsis.
    """
    lines = (" ".join(without_controls(line).split()) for line in question.splitlines())
    line = next(filter(None, lines), "")
    if len(line) <= LIMIT:
        return line
    return line[: _boundary(line, LIMIT - len(_CUT))].rstrip() + _CUT


def _boundary(line: str, limit: int) -> int:
    """The last place up to `limit` that is inside no character; `limit` itself when one character reaches that far."""
    place = limit
    while place and _is_inside(line, place):
        place -= 1
    return place or limit


def _is_inside(line: str, place: int) -> bool:
    """Whether a cut before `line[place]` would part what belongs together."""
    before, after = line[place - 1], line[place]
    if _extends(after) or before == _JOINER or _is_linker(before):
        return True
    if _is_flag_half(before) and _is_flag_half(after):
        return _flag_halves_before(line, place) % 2 == 1
    return False


def _extends(character: str) -> bool:
    """Marks, variation selectors, joiners and the ranges below belong to what stands before them."""
    return (
        unicodedata.category(character) in ("Mn", "Mc", "Me")
        or character in "\u200c\u200d"
        or any(first <= character <= last for first, last in _EXTENDING)
    )


def _is_linker(character: str) -> bool:
    """A virama draws the next consonant to itself."""
    return unicodedata.combining(character) == 9


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_halves_before(line: str, place: int) -> int:
    head = line[:place]
    return len(head) - len(head.rstrip("".join(map(chr, range(0x1F1E6, 0x1F200)))))
