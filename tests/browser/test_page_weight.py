"""How little the first load asks for, counted in a browser that has never been here."""

from __future__ import annotations

from playwright.sync_api import Page, Request

from tests.support.chat_page import READY
from tests.support.server import Server

MOST_REQUESTS = 35
MOST_BYTES = 40 * 1024


def test_the_first_load_is_small_and_asks_nobody_else(page: Page, server: Server) -> None:
    """Bodies as they travel, compressed; what surrounds them on the wire is the server's and the line's."""
    asked: list[Request] = []

    def keep(request: Request) -> None:
        asked.append(request)

    page.on("request", keep)
    page.goto(server.url, wait_until="networkidle")
    page.wait_for_selector(READY, state="attached")
    bodies = {request.url: request.sizes()["responseBodySize"] for request in asked}
    assert [address for address in bodies if not address.startswith(f"{server.url}/")] == []
    assert len(asked) <= MOST_REQUESTS
    assert 0 not in bodies.values()
    assert sum(bodies.values()) <= MOST_BYTES
