"""Automatic checks of what a page shows beside its usual states: help, a lost line, a small screen, no script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browser.conftest import COOKIE
from tests.support.chat_page import ChatPage
from tests.support.server import Server
from tests.support.visitor import Visitor

Scheme = Literal["light", "dark"]
SCHEMES: list[Scheme] = ["light", "dark"]


def assert_no_violations(page: Page) -> None:
    """Every rule of axe, contrast included."""
    report = Axe().run(page)
    assert report.violations_count == 0, report.generate_report()


def with_help(chat: ChatPage, visitor: Visitor) -> None:
    chat.button("Help").click()
    chat.page.get_by_role("heading", name="Help").wait_for()


def with_a_lost_line(chat: ChatPage, visitor: Visitor) -> None:
    chat.page.route("**/messages", lambda route: route.fulfill(content_type="text/event-stream", body=BROKEN), times=1)
    chat.ask("my question")
    chat.wait_for("disconnected")


def with_a_draft_beside_an_unsent_question(chat: ChatPage, visitor: Visitor) -> None:
    held = chat.hold("**/messages")
    with chat.page.expect_request("**/messages"):
        chat.ask("first question")
    chat.composer.press_sequentially("my draft")
    held[0].fulfill(status=503, body="")
    chat.button("Put it back").wait_for()


def with_a_question_that_is_too_long(chat: ChatPage, visitor: Visitor) -> None:
    chat.composer.fill("x" * 40_000)
    chat.page.get_by_text("The question is too long").first.wait_for()


def with_every_kind_of_end_on_a_small_screen(chat: ChatPage, visitor: Visitor) -> None:
    chat.page.set_viewport_size({"width": 320, "height": 568})
    ends = [{"finish": "length"}, {"finish": "content_filter"}, {"fail": "content_blocked"}]
    for number, end in enumerate(ends, 1):
        chat.ask(visitor.scenario({"text": "word " * 40}, end))
        chat.wait_for("failed" if "fail" in end else "completed", count=number)


BROKEN = (
    'event: accepted\ndata: {"seq": 1, "conversation_id": "cnv_1", "message_id": "msg_1", "question_id": "msg_0", '
    '"request_id": "r", "model": "scripted"}\n\n'
)
SIGHTS: Mapping[str, Callable[[ChatPage, Visitor], None]] = {
    "help": with_help,
    "lost line": with_a_lost_line,
    "unsent question": with_a_draft_beside_an_unsent_question,
    "too long": with_a_question_that_is_too_long,
    "ends on a small screen": with_every_kind_of_end_on_a_small_screen,
}


@pytest.mark.proves("B57")
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("reach", SIGHTS.values(), ids=SIGHTS)
def test_axe_finds_no_violation(
    chat: ChatPage, visitor: Visitor, reach: Callable[[ChatPage, Visitor], None], scheme: Scheme
) -> None:
    chat.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    chat.open()
    reach(chat, visitor)
    assert_no_violations(chat.page)


@pytest.fixture
def page_without_script(browser: Browser, server: Server, visitor: Visitor) -> Iterator[Page]:
    """A tab that gets none of the page's scripts; where none runs at all, axe could not run either."""
    with browser.new_context() as context:
        context.route("**/*.js", lambda route: route.abort())
        context.add_cookies([{"name": COOKIE, "value": visitor.http.cookies[COOKIE], "url": server.url}])
        yield context.new_page()


@pytest.mark.proves("B57")
@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_no_violation_without_script(
    page_without_script: Page, server: Server, visitor: Visitor, scheme: Scheme
) -> None:
    """An ended and a running answer, a refused question, and a page that does not exist."""
    page = page_without_script
    page.emulate_media(color_scheme=scheme)
    conversation = visitor.conversation()
    visitor.ask(visitor.scenario({"text": "Half an answer"}, {"fail": "provider_error"}), conversation)
    running = visitor.begin(visitor.scenario({"text": "one"}, {"hang": True}), conversation)
    page.goto(f"{server.url}/c/{conversation}")
    page.get_by_role("textbox", name="Your question").fill("second")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("An answer is still being written.").wait_for()
    assert_no_violations(page)
    visitor.cancel(running)
    page.goto(f"{server.url}/c/cnv_{'0' * 32}")
    page.get_by_role("heading", name="Nothing here").wait_for()
    assert_no_violations(page)
