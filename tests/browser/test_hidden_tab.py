"""A tab that nobody sees lets its stream go, and reaches the right end all the same."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Request, expect

from tests.support.chat_page import ChatPage
from tests.support.visitor import Visitor
from webapp.qa.announcements import Announcements

FOLLOWING = "**/messages/*/events*"
FETCHING = "**/messages/msg_*"
# ms
LET_GO_AFTER = 30_000
LOOK_EVERY = 20_000


@pytest.fixture
def chat(chat: ChatPage) -> ChatPage:
    """The page, whose time can be moved on."""
    chat.move_time_by_hand()
    return chat


@pytest.fixture
def follows(page: Page) -> list[Request]:
    """The streams that the page opened after its question."""
    found: list[Request] = []
    page.on("request", lambda request: found.append(request) if "/events?" in request.url else None)
    return found


def hide(chat: ChatPage, text: str) -> None:
    """Out of sight until the stream is let go. `text` comes meanwhile: else the line would seem dead."""
    chat.show(False)
    chat.page.clock.fast_forward(LET_GO_AFTER - 10_000)
    chat.wait_for_text(text)
    with chat.page.expect_response(FETCHING), chat.page.expect_event("requestfailed"):
        chat.page.clock.fast_forward(10_000)


@pytest.mark.proves("B21", "B24", "T4")
def test_a_hidden_tab_lets_its_stream_go_and_shows_the_whole_answer_when_it_is_seen_again(
    chat: ChatPage, visitor: Visitor, follows: list[Request]
) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    chat.ask(
        visitor.scenario(
            {"text": "one "}, {"wait": 1}, {"text": "two "}, {"wait": 3}, {"text": "three "}, {"hang": True}
        )
    )
    chat.wait_for_text("one ")
    chat.composer.press_sequentially("next")
    hide(chat, "one two ")
    assert follows == []
    assert (chat.answer.get_attribute("data-state"), chat.answer.get_attribute("aria-busy")) == ("running", "true")
    while visitor.message(chat.message_id)["text"] != "one two three ":
        pass
    assert chat.shown_answers()[0].text == "one two "
    with chat.page.expect_response(FOLLOWING):
        chat.show(True)
    chat.wait_for_text("one two three ")
    visitor.cancel(chat.message_id)
    chat.wait_for("cancelled")
    assert [(one.text, one.shown) for one in chat.shown_answers()] == [("one two three ", "one two three ")]
    assert len(follows) == 1
    assert (chat.composer.input_value(), chat.is_focused(chat.composer)) == ("next", True)
    expect(chat.page.locator("[data-motamot=connection]")).to_be_hidden()
    assert {one.region for one in announcements.all()} == {"status"}
    assert visitor.run(chat.message_id)["calls"] == 1


@pytest.mark.proves("B11", "B13", "T4")
def test_a_hidden_tab_learns_the_end_within_twenty_seconds(
    chat: ChatPage, visitor: Visitor, follows: list[Request]
) -> None:
    chat.open()
    chat.ask(visitor.scenario({"text": "one "}, {"wait": 1}, {"text": "two "}, {"hang": True}))
    chat.wait_for_text("one ")
    hide(chat, "one two ")
    visitor.cancel(chat.message_id)
    with chat.page.expect_response(FETCHING):
        chat.page.clock.fast_forward(LOOK_EVERY)
    answer = chat.wait_for("cancelled")
    assert answer.get_attribute("aria-busy") is None
    assert follows == []
    asked: list[str] = []
    chat.page.on("request", lambda request: asked.append(request.url))
    chat.show(True)
    chat.page.clock.fast_forward(LOOK_EVERY)
    assert asked == []


@pytest.mark.proves("B24", "C45")
def test_stop_works_in_a_tab_that_asks_now_and_then(chat: ChatPage, visitor: Visitor) -> None:
    """As from a window's thumbnail, or a browser that calls a window hidden which is not."""
    chat.open()
    chat.ask(visitor.scenario({"text": "one "}, {"wait": 1}, {"text": "two "}, {"hang": True}))
    chat.wait_for_text("one ")
    hide(chat, "one two ")
    chat.button("Stop").click()
    chat.wait_for("cancelled")
    assert visitor.run(chat.message_id)["stopped"] is True


@pytest.mark.proves("B16", "B17", "T4")
@pytest.mark.parametrize("away", ["freeze", "pagehide"])
def test_a_tab_that_is_put_away_lets_its_stream_go_and_comes_back_to_the_whole_answer(
    chat: ChatPage, visitor: Visitor, follows: list[Request], away: str
) -> None:
    """Frozen by the browser, or kept in its store of left pages."""
    announcements = Announcements(chat.page)
    chat.open()
    chat.ask(visitor.scenario({"text": "one "}, {"wait": 2}, {"text": "two"}, {"finish": "stop"}))
    chat.wait_for_text("one ")
    with chat.page.expect_event("requestfailed"):
        if away == "freeze":
            chat.page.evaluate("document.dispatchEvent(new Event('freeze'))")
        else:
            chat.page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    visitor.follow(chat.message_id)
    assert (chat.answer.get_attribute("data-state"), chat.shown_answers()[0].text) == ("running", "one ")
    assert follows == []
    if away == "freeze":
        chat.page.evaluate("document.dispatchEvent(new Event('resume'))")
    else:
        chat.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    chat.wait_for("completed")
    assert [(one.text, one.shown) for one in chat.shown_answers()] == [("one two", "one two")]
    announcements.wait_for("Answer complete")
    assert {one.region for one in announcements.all()} == {"status"}
    assert visitor.run(chat.message_id)["calls"] == 1
