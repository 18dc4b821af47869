"""Where texts differ, told so that a person can see it."""

from __future__ import annotations

import pytest

from webapp.qa.texts import as_seen, difference, word_difference


@pytest.mark.parametrize(
    ("expected", "found", "told"),
    [
        ("a\n\nb", "a\nb", "at character 3 (line 2) U+000A LINE FEED was expected, U+0062 LATIN SMALL LETTER B stands"),
        ("a ", "a", "at character 2 (line 1) U+0020 SPACE was expected, the end stands"),
        ("a", "aa", "at character 2 (line 1) the end was expected, U+0061 LATIN SMALL LETTER A stands"),
        ("\u00e9", "e\u0301", "at character 1 (line 1) U+00E9 LATIN SMALL LETTER E WITH ACUTE was expected, U+0065"),
        ("a\u00a0b", "a b", "'a\\xa0b'"),
        ("", "x", "0 characters expected, 1 found"),
        ("\ue000", "", "U+E000 without a name"),
    ],
)
def test_the_first_difference_is_told_with_its_code_points(expected: str, found: str, told: str) -> None:
    assert told in difference(expected, found)


def test_equal_texts_do_not_differ() -> None:
    assert difference("a\u200db", "a\u200db") == word_difference("**a** b", "a b") == ""


@pytest.mark.parametrize(
    ("sent", "shown", "told"),
    [
        ("One *two* three", "One three", "word 2 after 'One' was sent as 'two' and is shown as 'three'"),
        ("One two", "One two two", "2 words were sent and 3 are shown, ending 'One two two'"),
    ],
)
def test_of_a_formatted_text_the_words_are_compared(sent: str, shown: str, told: str) -> None:
    assert word_difference(sent, shown) == told


def test_what_cannot_be_seen_is_written_as_an_escape() -> None:
    assert (as_seen("a b\u00fc"), as_seen("a\u200d")) == ("'a b\u00fc'", "'a\\u200d'")
