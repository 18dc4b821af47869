"""A tab with the chat page, a program that has the same visitor's cookie, and a service that does as tests tell it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.support.chat_page import ChatPage
from tests.support.server import Server, start_server
from tests.support.visitor import Visitor
from webapp.qa.upstream import Upstream

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


@pytest.fixture(scope="session")
def provider() -> Iterator[Upstream]:
    """A model's service over HTTP."""
    with Upstream() as provider:
        yield provider


@pytest.fixture(scope="session")
def service_server(provider: Upstream) -> Iterator[Server]:
    """A server whose only model is that service's, as an operator sets it up."""
    environment = {"OPENAI_BASE_URL": provider.url, "OPENAI_MODEL": "fake-model"}
    with start_server(environment=environment, arguments=()) as server:
        yield server


@pytest.fixture
def asking_service(page: Page, context: BrowserContext, service_server: Server) -> ChatPage:
    """The page of that server, not yet opened."""
    visitor = Visitor(service_server)
    context.add_cookies([{"name": COOKIE, "value": visitor.http.cookies[COOKIE], "url": service_server.url}])
    (model, *_) = visitor.http.get("/api/v1/models").json()["models"]
    return ChatPage(page, service_server.url, asks=model["id"])
