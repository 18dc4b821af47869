"""A question that is refused before its answer begins: the page says why, keeps the words, and can send at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import COOKIE
from tests.support.chat_page import ChatPage, sent
from tests.support.server import Server
from tests.support.visitor import Visitor
from webapp.core.problems import KINDS
from webapp.qa.announcements import Announcements

ASKING = "**/api/v1/conversations/*/messages"
PROXY_PAGE = "<h1>502 Bad gateway</h1><script>window.pwn = 1</script>"
NOT_OURS = "Something other than Motamot answered. Try again."
STREAM = "text/event-stream; charset=utf-8"


def answered_with(body: str, content_type: str | None, status: int = 200) -> Callable[[Page], None]:
    """The first question is answered by something between page and server."""
    headers = {"Content-Type": content_type} if content_type else {}

    def arrange(page: Page) -> None:
        page.route(ASKING, lambda route: route.fulfill(status=status, headers=headers, body=body), times=1)

    return arrange


def sent_with(**members: object) -> Callable[[Page], None]:
    """The first question reaches the server with other members than the page gave it."""

    def send(route: Route) -> None:
        route.continue_(post_data=json.dumps(sent(route.request) | members))

    def arrange(page: Page) -> None:
        page.route(ASKING, send, times=1)

    return arrange


def lost(page: Page) -> None:
    """The first question never leaves the machine."""
    page.route(ASKING, lambda route: route.abort("connectionreset"), times=1)


def problem(code: str) -> str:
    return f"{KINDS[code].detail} {KINDS[code].next_step}"


REFUSALS: Mapping[str, tuple[Callable[[Page], None], str]] = {
    "too_large": (
        sent_with(text="x" * 40_000),
        "The question is longer than 32 KiB. Shorten it, or send it in parts.",
    ),
    "validation_failed": (
        sent_with(model="no such model"),
        "There is no such model here. Correct it, then send again.",
    ),
    "bad_request": (
        sent_with(text="cut \ud83e here"),
        "The text holds half of a character. Check what was sent, then send it again.",
    ),
    "busy": (
        answered_with(
            json.dumps({"code": "busy", "detail": KINDS["busy"].detail, "next_step": KINDS["busy"].next_step}),
            "application/problem+json",
            503,
        ),
        problem("busy"),
    ),
    "500 with HTML": (
        answered_with(PROXY_PAGE, "text/html", 500),
        "Something went wrong in the server. Try again, or reload the page.",
    ),
    "502 with HTML": (
        answered_with(PROXY_PAGE, "text/html; charset=utf-8", 502),
        "Something other than Motamot answered. Check the network, then try again.",
    ),
    "200 with HTML": (answered_with(PROXY_PAGE, "text/html; charset=utf-8"), NOT_OURS),
    "200 with JSON": (answered_with('{"error":"please sign in"}', "application/json"), NOT_OURS),
    "200 with nothing": (answered_with("", None), NOT_OURS),
    "200 with a stream of nothing": (answered_with("", STREAM), "The reply broke off before its end. Try again."),
    "200 with a stream of no events": (
        answered_with("event: accepted\ndata: {no json}\n\n", STREAM),
        "The reply broke off before its end. Try again.",
    ),
    "no line": (lost, "The connection was lost. Check the network, then try again."),
}


@pytest.mark.proves(*("A29", "A32", "B40", "B41", "B51", "B56", "C26", "C29", "C46", "C96", "G8", "G32"))
@pytest.mark.parametrize(("arrange", "sentence"), REFUSALS.values(), ids=REFUSALS)
def test_a_refused_question_goes_back_to_the_composer_with_the_reason_and_can_be_sent_at_once(
    chat: ChatPage, arrange: Callable[[Page], None], sentence: str
) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    arrange(chat.page)
    chat.ask("my question")
    expect(chat.page.get_by_role("form", name="Ask").get_by_text(sentence, exact=True)).to_be_visible()
    assert chat.messages() == []
    assert (chat.composer.input_value(), chat.is_focused(chat.composer)) == ("my question", True)
    assert chat.button("Send").get_attribute("aria-disabled") is None
    chat.composer.press("Enter")
    chat.wait_for("completed")
    announcements.wait_for("Answer complete")
    alerts = [message.text for message in announcements.all() if message.region == "alert"]
    assert alerts == [sentence]
    assert [(one.role, one.text) for one in chat.messages()] == [("user", "my question"), ("assistant", "my question")]
    assert "{" not in chat.page.locator("body").inner_text()
    assert chat.page.evaluate("window.pwn") is None


@pytest.mark.proves("C46", "C26")
def test_what_was_typed_while_a_question_was_refused_stays_and_the_question_is_kept_beside_it(
    chat: ChatPage,
) -> None:
    chat.open()
    held = chat.hold(ASKING)
    with chat.page.expect_request(ASKING):
        chat.ask("first question")
    chat.composer.press_sequentially("a draft")
    held[0].fulfill(status=503, body="")
    form = chat.page.get_by_role("form", name="Ask")
    expect(form.get_by_text("first question", exact=True)).to_be_visible()
    assert chat.composer.input_value() == "a draft"
    chat.button("Put it back").click()
    assert chat.composer.input_value() == "first question\n\na draft"
    assert chat.is_focused(chat.composer)
    chat.composer.press("Enter")
    chat.wait_for("completed")
    assert chat.shown_answers()[0].text == "first question\n\na draft"


@pytest.mark.proves("B4", "B7", "C35", "C52")
def test_a_question_whose_reply_was_lost_is_sent_again_as_the_same_request(chat: ChatPage, visitor: Visitor) -> None:
    """Whether it arrived nobody knows: under its old id it joins the answer that it may have already."""
    posts: list[dict[str, Any]] = []

    def lose_the_reply(route: Route) -> None:
        posts.append(sent(route.request))
        if len(posts) == 1:
            route.fetch()
            route.abort("connectionreset")
        else:
            route.continue_()

    chat.open()
    chat.page.route(ASKING, lose_the_reply)
    chat.ask("once")
    # In the form: the alert region says it too, a moment later.
    expect(chat.page.get_by_role("form", name="Ask").get_by_text("The connection was lost.")).to_be_visible()
    chat.composer.press("Enter")
    chat.wait_for("completed")
    assert [post["request_id"] for post in posts] == [posts[0]["request_id"]] * 2
    assert visitor.run(chat.message_id)["calls"] == 1
    kept = visitor.http.get(f"/api/v1/conversations/{chat.conversation_id}").json()["messages"]
    assert [message["text"] for message in kept] == ["once", "once"]


@pytest.mark.proves("B1", "C52", "C96")
def test_a_second_question_in_a_conversation_that_another_tab_uses_keeps_its_draft(
    chat: ChatPage, visitor: Visitor
) -> None:
    announcements = Announcements(chat.page)
    conversation = visitor.conversation()
    chat.open(f"/c/{conversation}")
    running = visitor.begin(visitor.scenario({"text": "one"}, {"hang": True}), conversation)
    chat.ask("second")
    sentence = problem("conversation_busy")
    expect(chat.page.get_by_role("form", name="Ask").get_by_text(sentence, exact=True)).to_be_visible()
    assert chat.composer.input_value() == "second"
    visitor.cancel(running)
    chat.composer.press("Enter")
    chat.wait_for("completed")
    announcements.wait_for("Answer complete")
    assert [message.text for message in announcements.all() if message.region == "alert"] == [sentence]


@pytest.mark.proves("C46")
def test_a_visitor_without_a_cookie_is_told_to_open_the_page_again(chat: ChatPage) -> None:
    chat.open()
    chat.page.context.clear_cookies()
    chat.ask("my question")
    expect(chat.page.get_by_role("form", name="Ask").get_by_text(problem("unauthorized"), exact=True)).to_be_visible()
    assert (chat.composer.input_value(), chat.messages()) == ("my question", [])
    chat.page.goto(chat.url)
    chat.reload()
    chat.ask("my question")
    chat.wait_for("completed")


@pytest.mark.proves("C113")
def test_a_conversation_that_is_not_the_visitors_any_more_keeps_the_draft(
    chat: ChatPage, server: Server, visitor: Visitor
) -> None:
    chat.open(f"/c/{visitor.conversation()}")
    stranger = Visitor(server)
    chat.page.context.add_cookies([{"name": COOKIE, "value": stranger.http.cookies[COOKIE], "url": server.url}])
    chat.ask("my question")
    expect(chat.page.get_by_role("form", name="Ask").get_by_text(problem("not_found"), exact=True)).to_be_visible()
    assert (chat.composer.input_value(), chat.messages()) == ("my question", [])
