"""A page that comes to an answer late: it is shown whole and once, though it ended on the way."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route

from tests.support.chat_page import ChatPage
from tests.support.visitor import Visitor

FOLLOWING = "**/api/v1/messages/*/events*"


@pytest.mark.proves("B23", "C42")
def test_an_answer_that_ends_before_the_page_follows_it_is_shown_whole(chat: ChatPage, visitor: Visitor) -> None:
    """The page was written while the answer ran, and asks for the rest when there is only the end left."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    conversation = visitor.conversation()
    rest = {"text": "it"}, {"finish": "stop"}
    message_id = visitor.begin(visitor.scenario({"text": "all "}, {"text": "of "}, {"wait": 2}, *rest), conversation)
    while visitor.message(message_id)["text"] != "all of ":
        pass
    chat.page.route(FOLLOWING, hold, times=1)
    with chat.page.expect_request(FOLLOWING):
        chat.open(f"/c/{conversation}")
    assert chat.shown_answers()[0].text == "all of "
    visitor.follow(message_id)
    held[0].continue_()
    answer = chat.wait_for("completed")
    assert [(one.text, one.shown) for one in chat.shown_answers()] == [("all of it", "all of it")]
    assert answer.get_attribute("aria-busy") is None
    assert chat.button("Send").is_visible()
