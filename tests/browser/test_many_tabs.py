"""Many tabs of one browser: it opens six connections to a server, and no number of answers uses them all up."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.chat_page import ChatPage
from tests.support.server import Server
from tests.support.visitor import Visitor

CONNECTIONS = 6


@pytest.fixture
def tabs(context: BrowserContext, server: Server, visitor: Visitor) -> Iterator[list[ChatPage]]:
    """One more tab than a browser has connections, each with an answer that is being written; all of them in sight."""
    tabs = [ChatPage(context.new_page(), server.url) for _ in range(CONNECTIONS + 1)]
    for number, tab in enumerate(tabs):
        tab.move_time_by_hand()
        tab.open()
        tab.ask(visitor.scenario({"text": f"answer {number} "}, {"wait": 4}, {"text": "goes on"}, {"hang": True}))
        tab.wait_for_text(f"answer {number} ")
    yield tabs
    for tab in tabs:
        visitor.cancel(tab.message_id)


@pytest.mark.proves("B21", "C45", "C110")
def test_a_seventh_tab_loads_asks_and_stops_and_every_tab_shows_its_answer(
    tabs: list[ChatPage], visitor: Visitor
) -> None:
    *others, seventh = tabs
    seventh.settle()
    seventh.button("Stop").click()
    seventh.wait_for("cancelled")
    assert visitor.run(seventh.message_id)["stopped"] is True
    seventh.ask("one more")
    seventh.wait_for("completed", count=2)
    for number, tab in enumerate(others):
        tab.wait_for_text(f"answer {number} goes on")
        assert tab.answer.get_attribute("data-state") == "running"
        expect(tab.page.locator("[data-motamot=connection]")).to_be_hidden()
    first = others[0]
    first.settle()
    first.button("Stop").click()
    first.wait_for("cancelled")
    assert visitor.run(first.message_id)["stopped"] is True
    for tab in others[1:]:
        visitor.cancel(tab.message_id)
        tab.wait_for("cancelled")
        assert tab.shown_answers()[0].text == visitor.message(tab.message_id)["text"]


OPEN = """async (address) => {
    const reply = await fetch(address, { headers: { Accept: "text/event-stream" } });
    (window.kept ??= []).push(reply);
    return reply.status;
}"""


@pytest.mark.proves("C110", "B41")
def test_a_request_that_finds_no_connection_says_so(
    context: BrowserContext, page: Page, server: Server, visitor: Visitor
) -> None:
    """Where something else of this address takes them all."""
    chat = ChatPage(page, server.url)
    chat.open()
    message_id = visitor.begin(visitor.scenario({"text": "one"}, {"hang": True}))
    greedy = ChatPage(context.new_page(), server.url)
    greedy.open()
    for _ in range(CONNECTIONS):
        assert greedy.page.evaluate(OPEN, f"/api/v1/messages/{message_id}/events") == 200
    chat.ask("hello")
    strip = chat.page.locator("[data-motamot=connection]")
    expect(strip).to_contain_text("Too many tabs")
    greedy.page.close()
    chat.wait_for("completed")
    expect(strip).to_be_hidden()
    visitor.cancel(message_id)
