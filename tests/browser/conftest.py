"""A tab with the chat page, and a program that has the same visitor's cookie."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.support.chat_page import ChatPage
from tests.support.server import Server
from tests.support.visitor import Visitor

COOKIE = "motamot_visitor"


@pytest.fixture
def visitor(server: Server, context: BrowserContext) -> Visitor:
    """Who uses the page: what the page asks, this visitor can read over HTTP, and the other way round."""
    visitor = Visitor(server)
    context.add_cookies([{"name": COOKIE, "value": visitor.http.cookies[COOKIE], "url": server.url}])
    return visitor


@pytest.fixture
def chat(page: Page, server: Server, visitor: Visitor) -> Iterator[ChatPage]:
    """The page, not yet opened; an error that its script does not catch, or a breach of its policy, fails the test."""
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if "Content Security" in message.text else None)
    yield ChatPage(page, server.url)
    assert faults == []
