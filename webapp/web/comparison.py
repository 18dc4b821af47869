"""Two texts side by side: which words only one of them has; values for a template."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

# Words of each text, what both begin and end with left aside. The work grows with the square of it.
MOST_WORDS = 1_000
_WORD = re.compile(r"\s*\S+|\s+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text; `is_own`: the other text does not have it there."""

    text: str
    is_own: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both texts whole, in pieces; `is_marked` False when they were too long to be compared."""

    left: Sequence[Piece]
    right: Sequence[Piece]
    is_marked: bool


def compare(left: str, right: str) -> Comparison:
    """The two texts word by word, as exact as they are: the pieces of each, joined, are the text."""
    a, b = _WORD.findall(left), _WORD.findall(right)
    start = _common(a, b)
    end = _common(a[start:][::-1], b[start:][::-1])
    inner_a, inner_b = a[start : len(a) - end], b[start : len(b) - end]
    if max(len(inner_a), len(inner_b)) > MOST_WORDS:
        return Comparison([Piece(left, False)], [Piece(right, False)], is_marked=False)
    blocks = SequenceMatcher(None, inner_a, inner_b).get_matching_blocks()
    own_a = _own(len(inner_a), [(block.a, block.size) for block in blocks])
    own_b = _own(len(inner_b), [(block.b, block.size) for block in blocks])
    around = [False] * start, [False] * end
    return Comparison(
        _pieces(a, [*around[0], *own_a, *around[1]]), _pieces(b, [*around[0], *own_b, *around[1]]), is_marked=True
    )


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    """How many words both begin with."""
    both = enumerate(zip(a, b, strict=False))
    return next((place for place, (one, other) in both if one != other), min(len(a), len(b)))


def _own(length: int, matches: Sequence[tuple[int, int]]) -> list[bool]:
    own = [True] * length
    for place, size in matches:
        own[place : place + size] = [False] * size
    return own


def _pieces(parts: Sequence[str], own: Sequence[bool]) -> list[Piece]:
    """Neighbours of one kind joined."""
    places = groupby(range(len(parts)), key=own.__getitem__)
    return [Piece("".join(parts[place] for place in together), is_own) for is_own, together in places]
