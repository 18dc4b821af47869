"""The judgement of what was said names each fault, and lets a faultless record pass."""

from __future__ import annotations

import pytest

from tests.support.announcements import Told, faults
from webapp.qa.speech import Announcement, Politeness

TEXT = "One is short. Two is short too. Three ends it."
TOLD = Told(text=TEXT, began=10.0, ended=21.5, interval=5.0)
GOOD = [
    (10.0, "Generating the answer"),
    (15.1, "One is short."),
    (20.2, "Two is short too."),
    (21.6, "Three ends it."),
    (22.2, "Answer complete, 10 words. Alt+Shift+A goes to it."),
]


def said(*entries: tuple[float, str], politeness: Politeness = "polite") -> list[Announcement]:
    """Messages of the status region."""
    return [Announcement(time, politeness, "status", text) for time, text in entries]


def test_a_faultless_record_has_no_faults() -> None:
    assert faults(said(*GOOD), TOLD) == []


def test_a_note_on_silence_is_no_sentence_of_the_text() -> None:
    assert faults(said(GOOD[0], (20.1, "Still working"), (21.6, TEXT), GOOD[4]), TOLD) == []


@pytest.mark.parametrize(
    ("messages", "named"),
    [
        (said(*GOOD[:4], (22.2, "x"), GOOD[4]), "too many"),
        (said(*GOOD[:4], (21.9, GOOD[4][1])), "too close"),
        (said(GOOD[0], (15.1, "One is short."), (18.0, "Two is short too."), *GOOD[3:]), "too often"),
        (said(*GOOD[1:]), "no start"),
        (said((12.0, GOOD[0][1]), *GOOD[1:]), "late start"),
        (said(*GOOD[:4]), "no end"),
        (said(*GOOD[:4], (23.5, GOOD[4][1])), "late end"),
        (said(*GOOD, politeness="assertive"), "not polite"),
        (said(*GOOD[:2], (20.2, "One is short."), *GOOD[3:]), "no whole sentences"),
        (said(GOOD[0], GOOD[1], *GOOD[3:]), "no whole sentences"),
        (said(GOOD[0], (15.1, "One is"), *GOOD[2:]), "no whole sentences"),
        (said(*GOOD[:3], GOOD[4]), "left unsaid"),
        ([], "no start"),
        ([], "no end"),
    ],
)
def test_each_fault_is_named(messages: list[Announcement], named: str) -> None:
    assert named in " ".join(faults(messages, TOLD))


def test_a_message_of_many_sentences_is_not_longer_than_forty_words() -> None:
    text = " ".join(f"Sentence {number} has five words." for number in range(9))
    told = Told(text=text, began=0.0, ended=2.0, interval=5.0)
    spoken = said((0.0, GOOD[0][1]), (2.0, text), (2.6, GOOD[4][1]))
    assert "too long" in " ".join(faults(spoken, told))
