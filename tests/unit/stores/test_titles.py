"""Titles from questions: one line, no controls, and never half of what a person sees as one character."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.stores.titles import LIMIT, title_of

CHARACTERS = {
    "joined emoji": "\U0001f469\u200d\U0001f692",
    "family": "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "skin tone": "\U0001f44d\U0001f3fd",
    "emoji variation": "\u2764\ufe0f",
    "keycap": "1\ufe0f\u20e3",
    "flag": "\U0001f1ee\U0001f1f9",
    "regional flag": "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "combining marks": "e\u0301\u0323",
    "Devanagari conjunct": "\u0915\u094d\u0937\u093f",
    "Thai vowel": "\u0e17\u0e35\u0e48",
    "Korean syllable in parts": "\u1112\u1161\u11ab",
}


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("What now?", "What now?"),
        ("  What \t now?  ", "What now?"),
        ("\r\n\n First line\nSecond", "First line"),
        ("First\u2028Second", "First"),
        ("a\0b\x9fc", "a b c"),
        ("\0\n\x07\nSeen", "Seen"),
        (" \n\t", ""),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "\u2026"),
        ("x" * 58 + " yz", "x" * 58 + "\u2026"),
        ("x" + "\u0301" * 90, "x" + "\u0301" * 58 + "\u2026"),
    ],
)
def test_a_title_is_the_first_line_that_is_not_blank(question: str, title: str) -> None:
    assert title_of(question) == title


@pytest.mark.parametrize("character", CHARACTERS.values(), ids=CHARACTERS)
@pytest.mark.parametrize("lead", range(40, 61))
def test_a_title_holds_a_character_whole_or_not_at_all(character: str, lead: int) -> None:
    line = "x" * lead + character * 12 + " and more"
    shown = title_of(line).removesuffix("\u2026").removeprefix("x" * min(lead, 59))
    assert shown == character * (len(shown) // len(character))


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_a_title_of_any_question_is_one_short_line_without_controls(question: str) -> None:
    title = title_of(question)
    assert len(title) <= LIMIT
    assert title == " ".join(title.split())
    assert "Cc" not in map(unicodedata.category, title)
    assert bool(title) == any(line.strip() for line in _visible(question).splitlines())


def _visible(question: str) -> str:
    return "".join(" " if unicodedata.category(one) == "Cc" else one for one in question)
