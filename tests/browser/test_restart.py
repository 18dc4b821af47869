"""The server dies or is restarted under an open page: untouched, it shows what was kept, and how it ended."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.support.chat_page import ChatPage
from tests.support.server import Server, start_server
from tests.support.stored_text import wait_until_kept
from tests.support.visitor import Visitor
from webapp.qa.announcements import Announcements

# ms that the page may take from the new start on.
FOUND_WITHIN = 20_000
GRACE = 3
WORDS = [f"w{number} " for number in range(1, 11)]
TEXT = "".join(WORDS)


@pytest.fixture
def server() -> Iterator[Server]:
    """One of its own: it will be ended."""
    with start_server(config=f"[limits]\ngrace = {GRACE}\n") as running:
        yield running


def assert_ended(chat: ChatPage, state: str, text: str) -> None:
    """So it is shown, stored and written at the next opening; nothing waits, and the composer kept draft and focus."""
    chat.page.wait_for_selector(f"article[data-role=assistant][data-state={state}]", timeout=FOUND_WITHIN)
    assert [(one.text, one.shown) for one in chat.shown_answers()] == [(text, text)]
    assert chat.questions.count() == 1
    assert chat.page.locator("[aria-busy=true]").count() == 0
    assert (chat.composer.input_value(), chat.is_focused(chat.composer)) == ("next", True)
    expect(chat.button("Send")).to_be_visible()
    assert not chat.page.title().startswith("Writing")


def assert_kept_by_reload(chat: ChatPage) -> None:
    before = chat.answer.inner_text()
    chat.reload()
    assert chat.answer.inner_text() == before


@pytest.mark.proves("B24", "B38", "B45", "C38", "C46", "C96")
def test_a_page_whose_server_was_killed_shows_the_kept_text_as_interrupted(
    chat: ChatPage, visitor: Visitor, server: Server
) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    chat.ask(visitor.scenario(*({"text": word} for word in WORDS), {"hang": True}))
    chat.wait_for_text(TEXT)
    chat.composer.press_sequentially("next")
    wait_until_kept(server.database, chat.message_id, TEXT)
    server.kill()
    chat.wait_for("disconnected")
    server.start()
    assert_ended(chat, "failed", TEXT)
    assert chat.answer.get_attribute("data-code") == "interrupted"
    announcements.wait_for("The server stopped while it was answering, so the answer is incomplete.")
    assert sum(one.region == "alert" for one in announcements.all()) == 1
    expect(chat.page.locator("[data-motamot=connection]")).not_to_contain_text("Connection lost")
    assert_kept_by_reload(chat)
    chat.ask("next")
    chat.wait_for("completed", count=2)


@pytest.mark.proves("C37", "C38")
def test_a_page_that_showed_more_than_was_kept_shows_what_was_kept(
    chat: ChatPage, visitor: Visitor, server: Server
) -> None:
    """Text of the last second may be gone with the process; then page and store agree on what is left."""
    chat.open()
    question = visitor.scenario({"text": TEXT}, {"wait": 2}, {"text": "more"}, {"hang": True})
    chat.ask(question)
    chat.wait_for_text(f"{TEXT}more")
    chat.composer.press_sequentially("next")
    server.kill()
    server.start()
    chat.page.wait_for_selector("article[data-role=assistant][data-state=failed]", timeout=FOUND_WITHIN)
    stored = visitor.message(chat.message_id)["text"]
    assert stored in (TEXT, f"{TEXT}more")
    assert_ended(chat, "failed", stored)
    assert_kept_by_reload(chat)


@pytest.mark.proves("C107")
@pytest.mark.parametrize("is_long", [False, True], ids=["ends in time", "does not end in time"])
def test_a_page_whose_server_is_restarted_gently_shows_the_whole_answer_or_an_interrupted_one(
    chat: ChatPage, visitor: Visitor, server: Server, is_long: bool
) -> None:
    chat.open()
    rest = [{"hang": True}] if is_long else [{"wait": 1}, {"text": "end"}, {"finish": "stop"}]
    chat.ask(visitor.scenario(*({"text": word} for word in WORDS), *rest))
    chat.wait_for_text(TEXT)
    chat.composer.press_sequentially("next")
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(GRACE + 10) == 0
    server.start()
    assert_ended(chat, "failed" if is_long else "completed", TEXT if is_long else f"{TEXT}end")
    assert_kept_by_reload(chat)
