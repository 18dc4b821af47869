"""A visitor outside the streaming share: the same page, which fetches the answer's text and opens no stream."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Request

from tests.support.chat_page import ChatPage
from tests.support.server import Server, start_server
from tests.support.visitor import Visitor
from webapp.qa.announcements import Announcements


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with start_server(config="streaming_share = 0\n") as running:
        yield running


@pytest.fixture
def streams(page: Page) -> list[str]:
    """The requests for which the page wanted a stream."""
    found: list[str] = []

    def keep(request: Request) -> None:
        if "event-stream" in request.headers.get("accept", ""):
            found.append(request.url)

    page.on("request", keep)
    return found


@pytest.mark.proves("R8", "G1")
def test_an_answer_grows_on_the_page_and_ends_without_a_stream(
    chat: ChatPage, visitor: Visitor, streams: list[str]
) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    chat.ask(visitor.scenario({"text": "one "}, {"wait": 2}, {"text": "\U0001f9ed two"}, {"finish": "stop"}))
    chat.composer.press_sequentially("next")
    chat.wait_for_text("one ")
    assert (chat.answer.get_attribute("data-state"), chat.answer.get_attribute("aria-busy")) == ("running", "true")
    answer = chat.wait_for("completed")
    assert [(one.text, one.shown) for one in chat.shown_answers()] == [("one \U0001f9ed two", "one \U0001f9ed two")]
    assert (answer.get_attribute("aria-busy"), chat.questions.count()) == (None, 1)
    announcements.wait_for("Answer complete")
    assert {one.region for one in announcements.all()} == {"status"}
    chat.composer.press("Enter")
    chat.wait_for("completed", count=2)
    assert streams == []


@pytest.mark.proves("R8", "C45")
def test_stop_works_without_a_stream(chat: ChatPage, visitor: Visitor, streams: list[str]) -> None:
    chat.move_time_by_hand()
    chat.open()
    chat.ask(visitor.scenario({"text": "one "}, {"hang": True}))
    chat.wait_for_text("one ")
    chat.settle()
    chat.button("Stop").click()
    chat.wait_for("cancelled")
    assert chat.shown_answers()[0].text == "one "
    assert visitor.run(chat.message_id)["stopped"] is True
    assert streams == []


@pytest.mark.proves("R8", "C37")
def test_a_running_answer_is_joined_and_a_refused_question_given_back_without_a_stream(
    chat: ChatPage, visitor: Visitor, streams: list[str]
) -> None:
    conversation = visitor.conversation()
    message_id = visitor.begin(visitor.scenario({"text": "one "}, {"hang": True}), conversation)
    chat.open(f"/c/{conversation}")
    chat.wait_for_text("one ")
    visitor.cancel(message_id)
    chat.wait_for("cancelled")
    running = visitor.begin(visitor.scenario({"hang": True}), conversation)
    chat.ask("next")
    chat.page.get_by_role("form", name="Ask").get_by_text("An answer is still being written.").wait_for()
    assert chat.composer.input_value() == "next"
    visitor.cancel(running)
    assert streams == []
