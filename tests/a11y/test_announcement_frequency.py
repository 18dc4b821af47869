"""How often a screen reader is given something to say while an answer grows, in a real browser."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page

from tests.a11y.conftest import Chat
from tests.support.announcements import Told, faults
from tests.support.moments import Moments
from tests.support.visitor import Visitor
from webapp.qa.announcements import Announcements

WRONG_PAGE = Path(__file__).parent / "pages" / "live_answer.html"
SECONDS = 6.6
INTERVAL = 3
TEXT = " ".join(f"Sentence number {number} has eight plain words." for number in range(24))


def told(moments: Moments) -> Told:
    """The answer of this page, by the times at which the page itself showed its states."""
    began, ended = moments.first("accepted", "running"), moments.first("completed")
    return Told(text=TEXT, began=began, ended=ended, interval=INTERVAL)


def pieces(count: int) -> list[str]:
    """The text in `count` pieces."""
    return [TEXT[len(TEXT) * index // count : len(TEXT) * (index + 1) // count] for index in range(count)]


@pytest.mark.proves("B47", "B48", "B49", "B50", "B55", "T7", "C90", "C94", "K4")
@pytest.mark.parametrize("deltas", [10, 500])
def test_an_answer_is_told_at_a_human_pace_whatever_the_number_of_deltas(
    chat: Chat, visitor: Visitor, deltas: int
) -> None:
    """Start, whole sentences no more often than the interval, what was unsaid, end; the bound is the same for both."""
    wait = {"wait": SECONDS / deltas}
    steps = [step for piece in pieces(deltas) for step in ({"text": piece}, wait)]
    scenario = visitor.scenario(*steps, {"finish": "stop"})
    chat.open(query=urlencode({"interval": INTERVAL}))
    chat.ask(scenario)
    chat.answer("completed")
    chat.announcements.wait_for("Answer complete")
    messages = chat.announcements.all()
    assert faults(messages, told(chat.moments)) == []
    assert len(messages) >= 4
    assert {message.region for message in messages} == {"status"}


@pytest.mark.proves("B47", "H14", "C90")
@pytest.mark.parametrize("deltas", [10, 500])
def test_a_page_whose_answer_is_a_live_region_is_rejected(page: Page, deltas: int) -> None:
    """The same judgement finds what is wrong with a page that is wrong on purpose."""
    announcements, moments = Announcements(page), Moments(page)
    page.goto(f"{WRONG_PAGE.as_uri()}?{urlencode({'deltas': deltas, 'seconds': 2, 'text': TEXT})}")
    announcements.wait_for("Answer complete")
    found = " ".join(faults(announcements.all(), told(moments)))
    for fault in ("too many", "too close", "too often", "no whole sentences"):
        assert fault in found
