"""Halves of characters: joined over pieces, replaced when alone."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.surrogates import SurrogateJoiner, has_lone_surrogate, well_formed

any_text = st.text(st.characters(exclude_categories=()) | st.sampled_from("\ud83e\udded\ud83d\ude00"))


def joined(pieces: list[str]) -> str:
    joiner = SurrogateJoiner()
    return "".join(joiner.feed(piece) for piece in pieces) + joiner.finish()


@pytest.mark.proves("C13", "C17")
@given(any_text, st.lists(st.integers(0, 60), max_size=5))
def test_the_cut_makes_no_difference(text: str, places: list[int]) -> None:
    edges = [0, *sorted(places), len(text)]
    pieces = [text[start:end] for start, end in itertools.pairwise(edges)]
    assert joined(pieces) == well_formed(text)


@pytest.mark.proves("C19")
@given(any_text)
def test_what_comes_out_can_be_written_as_utf_8(text: str) -> None:
    assert not has_lone_surrogate(well_formed(text))
    well_formed(text).encode("utf-8")


@given(st.text())
def test_a_text_without_halves_stays_as_it_is(text: str) -> None:
    assert well_formed(text) == text


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["\ud83e", "\udded"], "\U0001f9ed"),
        (["a\ud83e", "", "\udded b"], "a\U0001f9ed b"),
        (["\ud83e", "b"], "\ufffdb"),
        (["\ud83e"], "\ufffd"),
        (["\ud83e", "\ud83e", "\udded"], "\ufffd\U0001f9ed"),
    ],
)
def test_halves_in_neighbouring_pieces_become_one_character(pieces: list[str], text: str) -> None:
    assert joined(pieces) == text
