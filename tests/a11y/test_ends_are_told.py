"""Every way in which an answer or a question can end is told once, in the right region."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.a11y.conftest import Chat
from tests.support.server import start_server
from tests.support.visitor import Visitor

# ms: longer than the page tries a line that does not come back.
GIVEN_UP = 121_000


@pytest.mark.proves("B50", "B56", "C96", "C94")
def test_a_failed_answer_is_one_alert_with_a_next_step(chat: Chat, visitor: Visitor) -> None:
    """It says what can be done, stands beside the question too, and is not said politely as well."""
    chat.open()
    chat.ask(visitor.scenario({"text": "Alpha one."}, {"wait": 1}, {"fail": "provider_error"}))
    article = chat.answer("failed")
    note = article.locator("[data-part=note-text]").inner_text()
    chat.announcements.wait_for(note)
    spoken = [(message.region, message.text) for message in chat.announcements.all()]
    assert spoken == [("status", "Generating the answer"), ("alert", note)]
    assert note.count(".") >= 2, "a failure and what can be done"


@pytest.mark.proves("B56", "C96", "C94")
def test_a_stopped_answer_is_told_politely_and_reads_no_more(chat: Chat, visitor: Visitor) -> None:
    """Who stops an answer has heard enough of it."""
    chat.open()
    chat.ask(visitor.scenario({"text": "Alpha one."}, {"hang": True}))
    chat.answer("running")
    chat.stop()
    chat.answer("cancelled")
    chat.announcements.wait_for("You stopped this answer. 2 words kept.")
    assert [message.region for message in chat.announcements.all()] == ["status", "status"]


@pytest.mark.proves("C96")
def test_a_refused_question_is_one_alert_and_the_answer_that_runs_goes_on(chat: Chat, visitor: Visitor) -> None:
    """The reason stands beside the composer too."""
    chat.open()
    chat.ask(visitor.scenario({"text": "Alpha one."}, {"hang": True}))
    chat.answer("running")
    chat.announcements.wait_for("Generating the answer")
    chat.ask("And a second question")
    chat.announcements.wait_for("An answer is still being written.")
    assert [message.region for message in chat.announcements.all()] == ["status", "alert"]
    shown = chat.page.locator("[data-part=refusal-text]")
    assert shown.inner_text() == chat.texts()[-1]
    chat.answer("running")


@pytest.mark.proves("C96", "B56")
def test_a_lost_line_is_one_alert(page: Page) -> None:
    """The server dies in mid-answer: the page says that the answer is incomplete, and what can be done."""
    with start_server() as server:
        chat = Chat(page, server.url)
        page.clock.install()
        chat.open()
        chat.ask(Visitor(server).scenario({"text": "Alpha one."}, {"hang": True}))
        chat.answer("running")
        chat.announcements.wait_for("Generating the answer")
        server.kill()
        answer = chat.answer("disconnected")
        page.clock.fast_forward(GIVEN_UP)
        page.get_by_role("button", name="Resume").wait_for()
        chat.announcements.wait_for(answer.locator("[data-part=note-text]").inner_text())
    spoken = [(message.region, message.politeness) for message in chat.announcements.all()]
    assert spoken.count(("alert", "assertive")) == 1
    assert spoken[-1] == ("alert", "assertive")


@pytest.mark.proves("C98", "C94")
def test_a_silent_model_is_told_once_in_ten_seconds(chat: Chat, visitor: Visitor) -> None:
    """No clock and no counter speaks."""
    chat.open()
    chat.ask(visitor.scenario({"hang": True}))
    chat.announcements.wait_for("Still working")
    start, still = chat.announcements.all()
    assert start.text == "Generating the answer"
    accepted = chat.moments.first("accepted")
    assert still.time - accepted >= 9.9


@pytest.mark.proves("C94", "C99", "B51", "B58")
def test_the_end_note_names_the_keys_that_lead_to_the_answer(chat: Chat, visitor: Visitor) -> None:
    """Until they are pressed the focus stays where it was."""
    chat.open()
    chat.ask(visitor.says(["forty two"]))
    article = chat.answer("completed")
    chat.announcements.wait_for("Answer complete, 2 words. Alt+Shift+A goes to it.")
    assert chat.page.evaluate("document.activeElement.id") == "composer"
    chat.page.keyboard.press("Alt+Shift+A")
    assert article.get_by_role("heading").evaluate("heading => heading === document.activeElement")


@pytest.mark.proves("C96")
def test_a_copied_answer_is_told(chat: Chat, visitor: Visitor) -> None:
    """In the status region, after what was still to be said of the answer."""
    chat.open()
    chat.ask(visitor.says(["forty two"]))
    article = chat.answer("completed")
    article.get_by_role("button", name="Copy answer 1").click()
    chat.announcements.wait_for("copied")
    assert {message.region for message in chat.announcements.all()} == {"status"}
