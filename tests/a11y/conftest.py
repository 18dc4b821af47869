"""The page with its live regions recorded, and one way to ask in it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page

from tests.support.moments import Moments
from tests.support.server import Server
from tests.support.visitor import Visitor
from webapp.qa.announcements import Announcements


class Chat:
    """The page as a person uses it, with the scripted model chosen."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.announcements = Announcements(page)
        self.moments = Moments(page)

    def open(self, path: str = "/", query: str = "") -> None:
        """Open an address of the server and wait until the page listens."""
        self.page.goto(f"{self.url}{path}?{query}")
        self.page.wait_for_selector("html[data-motamot-ready]", state="attached")
        self.page.get_by_label("Model").select_option("scripted")

    def ask(self, text: str) -> None:
        """Type a question and press Enter."""
        self.page.get_by_role("textbox").fill(text)
        self.page.get_by_role("textbox").press("Enter")

    def answer(self, state: str) -> Locator:
        """The newest answer, once it is in this state."""
        self.page.wait_for_function(
            "state => [...document.querySelectorAll('article[data-role=assistant]')].at(-1)?.dataset.state === state",
            arg=state,
        )
        return self.page.locator("article[data-role=assistant]").last

    def stop(self) -> None:
        """Press Stop, once a press may mean it: the button has had this meaning for 400 ms."""
        self.moments.wait_since_last("accepted", 0.5)
        self.page.get_by_role("button", name="Stop").click()

    def texts(self) -> list[str]:
        """What a screen reader was given to say so far."""
        return [message.text for message in self.announcements.all()]


@pytest.fixture
def chat(page: Page, server: Server) -> Chat:
    """The page, not yet opened."""
    return Chat(page, server.url)


@pytest.fixture
def visitor(server: Server) -> Visitor:
    """Stores scenarios."""
    return Visitor(server)
