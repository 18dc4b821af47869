"""Two texts compared word by word: each side joined is the text itself, and the work has a bound."""

import random

import pytest

from tests.support.texts import TEXTS
from webapp.web.comparison import MOST_WORDS, Piece, compare


def joined(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def own(pieces: list[Piece]) -> list[str]:
    return [piece.text for piece in pieces if piece.is_own]


@pytest.mark.proves("B44")
@pytest.mark.parametrize("left", TEXTS.values(), ids=TEXTS)
def test_both_sides_stay_exact(left: str) -> None:
    right = random.Random(left).choice(list(TEXTS.values()))
    found = compare(left, right)
    assert (joined([*found.left]), joined([*found.right])) == (left, right)


def test_what_one_side_alone_has_is_marked_in_runs() -> None:
    found = compare("The cat sat on the mat.", "The old dog sat there.")
    assert (own([*found.left]), own([*found.right])) == ([" cat", " on the mat."], [" old dog", " there."])


@pytest.mark.parametrize(("left", "right"), [("", ""), ("", "word"), ("same text", "same text"), (" \n", "\n ")])
def test_the_ends_of_the_range(left: str, right: str) -> None:
    found = compare(left, right)
    assert found.is_marked
    assert (joined([*found.left]), joined([*found.right])) == (left, right)
    assert (own([*found.left]) == own([*found.right]) == []) is (left == right)


def test_texts_beyond_the_bound_are_shown_without_marks() -> None:
    left, right = (f"{word} " * (MOST_WORDS + 1) for word in ("a", "b"))
    found = compare(left, right)
    assert (found.is_marked, found.left, found.right) == (False, [Piece(left, False)], [Piece(right, False)])


def test_long_texts_that_differ_little_are_marked() -> None:
    same = "word " * 50_000
    found = compare(f"{same}cat{same}", f"{same}dog{same}")
    assert found.is_marked
    assert (own([*found.left]), own([*found.right])) == ([" catword"], [" dogword"])
