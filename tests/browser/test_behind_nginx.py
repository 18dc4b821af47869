"""The page as it is used behind nginx: exact, stopped when Stop is pressed, and the same after a reload."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import COOKIE
from tests.support.chat_page import ChatPage
from tests.support.nginx import PLAIN, start_nginx
from tests.support.server import Server, free_port, start_server
from tests.support.texts import TEXTS
from tests.support.visitor import Visitor


@pytest.fixture(scope="module")
def behind() -> Iterator[tuple[Server, str]]:
    """A server that knows its public address, and nginx before it with no other setting than where to."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with (
        start_server(environment={"MOTAMOT_PUBLIC_URL": address}) as server,
        start_nginx(server.url, port=port, inside=PLAIN) as url,
    ):
        yield server, url


@pytest.fixture
def visitor(behind: tuple[Server, str], context: BrowserContext) -> Visitor:
    visitor = Visitor(behind[0])
    context.add_cookies([{"name": COOKIE, "value": visitor.http.cookies[COOKIE], "url": behind[1]}])
    return visitor


@pytest.fixture
def chat(page: Page, behind: tuple[Server, str], visitor: Visitor) -> ChatPage:
    return ChatPage(page, behind[1])


@pytest.mark.proves("C55", "C12")
def test_an_answer_is_seen_as_it_comes_and_is_exact(chat: ChatPage, visitor: Visitor) -> None:
    chat.open(display="plain")
    text = "".join(TEXTS.values())
    chat.ask(visitor.scenario({"text": text}, {"wait": 2}, {"text": " The end."}, {"finish": "stop"}))
    chat.wait_for_text(text[:100])
    assert chat.answer.get_attribute("data-state") == "running"
    chat.wait_for("completed")
    for _ in range(2):
        assert [message.text for message in chat.shown_answers()] == [f"{text} The end."]
        chat.reload()


@pytest.mark.proves("C55", "B35", "C45")
def test_stop_reaches_the_model_and_a_reload_joins(chat: ChatPage, visitor: Visitor) -> None:
    chat.move_time_by_hand()
    chat.open()
    chat.ask(visitor.scenario({"text": "keep this"}, {"hang": True}))
    chat.wait_for_text("keep this")
    chat.reload()
    chat.wait_for_text("keep this")
    chat.settle()
    chat.button("Stop").click()
    chat.wait_for("cancelled")
    assert visitor.run(chat.message_id)["stopped"]
    assert [message.text for message in chat.shown_answers()] == ["keep this"]
    chat.reload()
    expect(chat.answer.get_by_text("You stopped this answer.")).to_be_visible()
