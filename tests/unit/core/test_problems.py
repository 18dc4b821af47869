"""What a person reads of a problem: two sentences of their own for each code, and nothing of the inside."""

from __future__ import annotations

import re

import pytest

from webapp.core.problems import KINDS, Kind, problem

# What makes a sentence one for programmers: names of classes, functions and codes, JSON, addresses, paths.
INNER = re.compile(r"[{}<>\"_/\\]|\w\.\w|Error\b|Exception|HTTP|\d{3}")


@pytest.mark.proves("B41")
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_code_says_what_is_wrong_and_what_to_do_next(kind: Kind) -> None:
    for sentence in (kind.detail, kind.next_step):
        assert re.fullmatch(r"[A-Z].*\.", sentence)
        assert not INNER.search(sentence.replace("application/json", ""))
    assert kind.next_step != kind.detail


@pytest.mark.proves("B40")
def test_no_two_codes_say_the_same() -> None:
    assert len({kind.detail for kind in KINDS.values()}) == len(KINDS)


@pytest.mark.proves("B41", "G6")
@pytest.mark.parametrize("code", KINDS)
def test_a_problem_document_has_the_code_with_its_sentences(code: str) -> None:
    document = problem(code, instance="reference").as_json()
    assert document["code"] == code
    assert {"detail", "next_step", "retryable", "instance"} <= set(document)
