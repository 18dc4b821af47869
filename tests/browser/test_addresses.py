"""What a person writes, and what proves who they are, stands in no address of the page and in no line of the log."""

from __future__ import annotations

import re
import secrets
from urllib.parse import unquote_plus

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.browser.conftest import COOKIE
from tests.browser.test_refusals import REFUSALS
from tests.browser.test_without_script import ask
from tests.support.chat_page import ChatPage
from tests.support.server import Server
from tests.support.visitor import Visitor


@pytest.fixture
def secret() -> str:
    """A word that stands in every question and answer."""
    return f"SENTINEL{secrets.token_hex(8)}"


def watched(page: Page) -> list[str]:
    """Every address that this tab asks for from now on, and from where it says that it came."""
    seen: list[str] = []

    def see(request: Request) -> None:
        seen.extend((request.url, request.headers.get("referer", "")))

    page.on("request", see)
    page.on("framenavigated", lambda frame: seen.append(frame.url))
    return seen


def check(addresses: list[str], server: Server, visitor: Visitor, secret: str) -> None:
    token = re.search(r'name="token" value="([^"]+)"', visitor.http.get("/").text)
    assert token
    assert any("/c/cnv_" in address for address in addresses)
    for place in (unquote_plus("\n".join(addresses)), server.log_text()):
        for told in (secret, visitor.http.cookies[COOKIE], token[1]):
            assert told not in place


@pytest.mark.proves("C119")
def test_asking_again_stopping_and_failing_put_no_text_into_an_address_or_the_log(
    chat: ChatPage, server: Server, visitor: Visitor, secret: str
) -> None:
    addresses = watched(chat.page)
    chat.move_time_by_hand()
    chat.open()
    chat.ask(f"{secret} 1")
    chat.wait_for_text(f"{secret} 1")
    chat.wait_for("completed")
    chat.button("New answer").click()
    chat.page.wait_for_selector('article[data-version="2"][data-state="completed"]')
    chat.ask(visitor.scenario({"text": secret}, {"hang": True}))
    chat.wait_for_text(secret, count=2)
    chat.settle()
    chat.button("Stop").click()
    chat.wait_for("cancelled", count=2)
    chat.ask(visitor.scenario({"text": secret}, {"fail": "provider_error"}))
    chat.wait_for("failed", count=3)
    chat.answer.get_by_role("button", name="Retry").click()
    chat.page.wait_for_selector('article[data-version="2"][data-state="failed"]')
    REFUSALS["validation_failed"][0](chat.page)
    chat.ask(f"{secret} 2")
    expect(chat.page.get_by_text(REFUSALS["validation_failed"][1])).to_be_visible()
    chat.reload()
    check(addresses, server, visitor, secret)


@pytest.mark.proves("C119")
def test_forms_without_script_put_no_text_into_an_address_or_the_log(
    browser: Browser, server: Server, visitor: Visitor, secret: str
) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        context.add_cookies([{"name": COOKIE, "value": visitor.http.cookies[COOKIE], "url": server.url}])
        page = context.new_page()
        addresses = watched(page)
        page.goto(server.url)
        ask(page, visitor.scenario({"text": secret}, {"hang": True}))
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_role("heading", name="Scripted — incomplete: stopped by you")).to_be_visible()
        ask(page, f"{secret} 1")
        page.get_by_role("button", name="New answer").last.click()
        expect(page.get_by_text("2 of 2")).to_be_visible()
        page.get_by_role("button", name="Edit").last.click()
        expect(page.get_by_role("textbox", name="Your question")).to_have_value(f"{secret} 1")
        ask(page, secret * 2_000)
        expect(page.get_by_text("The question is longer than 32 KiB.")).to_be_visible()
    check(addresses, server, visitor, secret)
