"""One press sends one question, whatever is pressed twice; and only an Enter that means it sends at all."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Request, expect

from tests.support.chat_page import ChatPage, sent
from tests.support.visitor import Visitor
from webapp.qa.announcements import Announcements

ASKING = "**/api/v1/conversations/*/messages"
RUNNING = "An answer is still being written. Stop it or wait, then send again."


@pytest.fixture
def asked(page: Page) -> list[Request]:
    """The requests by which the page asked."""
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request) if request.url.endswith("/messages") else None)
    return requests


@pytest.mark.proves("A10", "A24", "B1", "G16", "G17", "K3")
def test_a_question_is_one_post_by_fetch_with_an_id_of_its_own(chat: ChatPage, asked: list[Request]) -> None:
    chat.page.add_init_script(
        "Object.defineProperty(window, 'EventSource', { get() { throw new Error('EventSource'); } })"
    )
    chat.open()
    for number in (1, 2):
        chat.ask("ok")
        chat.wait_for("completed", count=number)
    assert [(request.method, request.resource_type) for request in asked] == [("POST", "fetch")] * 2
    assert {request.header_value("accept") for request in asked} == {"text/event-stream"}
    assert {request.header_value("content-type") for request in asked} == {"application/json"}
    bodies = [sent(request) for request in asked]
    assert [(body["text"], body["model"]) for body in bodies] == [("ok", "scripted")] * 2
    assert bodies[0]["request_id"] != bodies[1]["request_id"]
    assert bodies[1]["parent_id"] == chat.shown_answers()[0].message_id
    assert "ok" not in "".join(request.url for request in asked)


@pytest.mark.proves("B7", "C51")
def test_a_double_click_on_send_asks_once_and_stops_nothing(
    chat: ChatPage, visitor: Visitor, asked: list[Request]
) -> None:
    """Also when the server is slow; both clicks fall into one moment of the page's time."""
    chat.move_time_by_hand()
    chat.open()
    held = chat.hold(ASKING)
    chat.composer.fill(visitor.scenario({"text": "one"}, {"wait": 0.3}, {"finish": "stop"}))
    chat.page.clock.pause_at(chat.page.evaluate("Date.now()") + 1_000)
    with chat.page.expect_request(ASKING):
        chat.button("Send").dblclick()
    assert chat.questions.count() == 1
    held[0].continue_()
    chat.wait_for("completed")
    assert len(asked) == 1
    assert visitor.run(chat.message_id)["calls"] == 1
    chat.reload()
    assert [one.role for one in chat.messages()] == ["user", "assistant"]


@pytest.mark.proves("B7", "C51")
@pytest.mark.parametrize("place", ["composer", "button"])
def test_enter_that_is_held_down_asks_once(chat: ChatPage, visitor: Visitor, asked: list[Request], place: str) -> None:
    """And stops nothing, however long it is held."""
    cancels: list[str] = []
    chat.page.on("request", lambda request: cancels.append(request.url) if request.url.endswith("/cancel") else None)
    chat.move_time_by_hand()
    chat.open()
    chat.composer.fill(visitor.scenario({"text": "one"}, {"hang": True}))
    (chat.composer if place == "composer" else chat.button("Send")).focus()
    hold_down_enter(chat)
    chat.wait_for("running")
    chat.settle()
    hold_down_enter(chat)
    visitor.cancel(chat.message_id)
    chat.wait_for("cancelled")
    chat.settle()
    hold_down_enter(chat)
    chat.page.keyboard.up("Enter")
    assert (chat.composer.input_value(), cancels) == ("", [])
    chat.ask("next")
    chat.wait_for("completed", count=2)
    assert len(asked) == 2


@pytest.mark.proves("C51")
def test_enter_that_is_held_down_does_not_send_a_refused_question_again_and_again(
    chat: ChatPage, asked: list[Request]
) -> None:
    chat.open()
    chat.page.route(ASKING, lambda route: route.fulfill(status=503, body=""))
    chat.composer.fill("once")
    chat.composer.focus()
    hold_down_enter(chat)
    chat.page.get_by_role("form", name="Ask").get_by_text("The server has no room").wait_for()
    hold_down_enter(chat)
    assert (len(asked), chat.composer.input_value()) == (1, "once")


def hold_down_enter(chat: ChatPage) -> None:
    """As a keyboard repeats a key that is not let go."""
    for _ in range(20):
        chat.page.keyboard.down("Enter")


@pytest.mark.proves("C96", "B56", "C83")
def test_a_question_that_is_sent_while_an_answer_grows_keeps_its_draft_and_says_why(
    chat: ChatPage, visitor: Visitor, asked: list[Request]
) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    chat.ask(visitor.scenario({"text": "one"}, {"hang": True}))
    chat.wait_for_text("one")
    chat.ask("second")
    notice = chat.page.get_by_role("form", name="Ask").get_by_text(RUNNING, exact=True)
    expect(notice).to_be_visible()
    announcements.wait_for(RUNNING)
    assert (chat.composer.input_value(), chat.is_focused(chat.composer)) == ("second", True)
    visitor.cancel(chat.message_id)
    chat.wait_for("cancelled")
    expect(notice).to_be_hidden()
    chat.composer.press("Enter")
    chat.wait_for("completed", count=2)
    announcements.wait_for("Answer complete")
    assert [message.text for message in announcements.all() if message.region == "alert"] == [RUNNING]
    assert len(asked) == 2


@pytest.mark.proves("C85")
def test_an_enter_that_only_confirms_a_choice_of_an_input_method_sends_nothing(
    chat: ChatPage, asked: list[Request]
) -> None:
    chat.open()
    chat.composer.fill("\u306b\u307b\u3093")
    cancelled = chat.composer.evaluate(
        """field => [
            new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }),
            Object.defineProperty(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }),
                'keyCode', { value: 229 }),
            new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }),
        ].map((event) => { field.dispatchEvent(event); return [event.defaultPrevented, field.value]; })"""
    )
    assert cancelled == [[False, "\u306b\u307b\u3093"], [False, "\u306b\u307b\u3093"], [True, ""]]
    chat.wait_for("completed")
    assert len(asked) == 1


@pytest.mark.proves("C85", "B51")
def test_enter_with_shift_starts_a_new_line(chat: ChatPage) -> None:
    chat.open()
    chat.composer.press_sequentially("one")
    chat.composer.press("Shift+Enter")
    chat.composer.press_sequentially("two")
    assert (chat.composer.input_value(), chat.messages()) == ("one\ntwo", [])
    chat.composer.press("Enter")
    chat.wait_for("completed")
    assert chat.messages()[0].text == "one\ntwo"


@pytest.mark.proves("A32", "C96")
@pytest.mark.parametrize("text", ["", "  \n\t "], ids=["empty", "blank"])
def test_a_blank_question_is_not_sent_and_the_reason_is_told_politely(
    chat: ChatPage, asked: list[Request], text: str
) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    chat.composer.fill(text)
    send = chat.button("Send")
    assert send.get_attribute("aria-disabled") == "true"
    assert send.get_attribute("disabled") is None
    expect(send).to_have_accessible_description("Write a question first.")
    send.focus()
    chat.page.keyboard.press("Enter")
    announcements.wait_for("Write a question first.")
    assert chat.is_focused(send)
    assert {message.region for message in announcements.all()} == {"status"}
    assert (asked, chat.messages(), chat.composer.input_value()) == ([], [], text)


@pytest.mark.proves("A32", "C96")
def test_a_question_that_is_too_long_says_by_how_many_bytes_before_it_is_sent(
    chat: ChatPage, asked: list[Request]
) -> None:
    """The limit counts bytes of UTF-8, so that a character may count four times."""
    announcements = Announcements(chat.page)
    chat.open()
    longest = "\u00e9" * (32 * 1024 // 2)
    chat.composer.fill(longest + "\U0001f9ed")
    reason = "The question is too long by 4 bytes; 32 KiB is the limit. Shorten it."
    expect(chat.page.get_by_text(reason).first).to_be_visible()
    expect(chat.composer).to_have_accessible_description(reason)
    assert chat.composer.get_attribute("aria-invalid") == "true"
    chat.composer.press("Enter")
    announcements.wait_for(reason)
    assert (asked, chat.composer.input_value()) == ([], longest + "\U0001f9ed")
    chat.composer.press("End")
    chat.composer.press("Control+End")
    chat.composer.press("Backspace")
    assert chat.composer.get_attribute("aria-invalid") is None
    chat.composer.press("Enter")
    chat.wait_for("completed")
    assert chat.shown_answers()[0].text == longest


@pytest.mark.proves("C46")
def test_a_suggestion_asks_and_leaves_the_draft_alone(chat: ChatPage, asked: list[Request]) -> None:
    chat.open()
    chat.composer.fill("my draft")
    suggestion = chat.page.get_by_role("region", name="Welcome").get_by_role("button").first
    text = suggestion.inner_text()
    suggestion.click()
    chat.wait_for("completed")
    assert sent(asked[0])["text"] == text
    assert (chat.composer.input_value(), chat.is_focused(chat.composer)) == ("my draft", True)
    expect(suggestion).to_be_hidden()
