"""The whole way with a real model: a person asks SmolLM2 in a browser, and its words are everywhere the same."""

import json
import re
import sqlite3
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.support.needs import missing
from tests.support.server import Server, start_server
from webapp.core.dialects import native
from webapp.core.events import Answer
from webapp.core.sse import FrameDecoder
from webapp.models import local


@pytest.fixture
def usual_server() -> Iterator[Server]:
    """As `make run` starts it: no scripted model, so that the embedded one is the first."""
    if reason := local.missing():
        missing(reason)
    with start_server(arguments=()) as server:
        yield server


@pytest.mark.proves("A61", "C17", "G5")
def test_the_words_of_a_real_model_are_the_same_everywhere(page: Page, usual_server: Server) -> None:
    page.goto(f"{usual_server.url}/?display=plain")
    expect(page.locator("html[data-motamot-ready]")).to_be_attached()
    page.get_by_role("textbox", name="Your question").fill("What is the capital of France?")
    page.keyboard.press("Enter")
    answer = page.locator("article[data-role=assistant]")
    expect(answer).to_have_attribute("data-state", "completed", timeout=120_000)

    text = answer.evaluate("article => article.text")
    assert text.strip()
    assert answer.locator("[data-part=text]").evaluate("part => part.textContent") == text
    message_id = answer.get_attribute("data-message-id")
    api = page.request.get(f"{usual_server.url}/api/v1/messages/{message_id}").json()
    assert api["text"] == text
    assert (api["state"], api["model"], api["bytes"]) == ("completed", "smollm2", len(text.encode()))
    with sqlite3.connect(f"file:{usual_server.database}?mode=ro", uri=True) as database:
        query = "SELECT text FROM messages WHERE message_id = ?"
        row: tuple[bytes] = database.execute(query, [message_id]).fetchone()
    assert row[0].decode() == text
    end = end_of(page.request.get(f"{usual_server.url}/api/v1/messages/{message_id}/events").body())
    assert (end.text, end.sha256) == (text, api["sha256"])

    page.reload()
    assert json.loads(answer.locator("[data-part=source]").text_content() or "null") == text
    assert answer.evaluate("article => article.text") == text


def end_of(body: bytes) -> Answer:
    events = [native.read(frame) for frame in FrameDecoder().feed(body)]
    end = events[-1]
    assert isinstance(end, Answer)
    return end


def test_the_page_says_that_the_small_model_is_often_wrong(page: Page, usual_server: Server) -> None:
    page.goto(usual_server.url)
    expect(page.get_by_text(re.compile("often wrong"))).to_be_visible()
    expect(page.get_by_role("combobox", name="Model")).to_have_text(re.compile("SmolLM2"))
