"""Stop ends the answer at the model, keeps what came, keeps what is being typed, and can be pressed in every way."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from playwright.sync_api import expect

from tests.support.chat_page import ChatPage
from tests.support.visitor import Visitor
from webapp.qa.announcements import Announcements

ASKING = "**/api/v1/conversations/*/messages"
CANCELLING = "**/cancel"
PRESSES: Mapping[str, Callable[[ChatPage], None]] = {
    "click": lambda chat: chat.button("Stop").click(),
    "Enter": lambda chat: chat.button("Stop").press("Enter"),
    "Space": lambda chat: chat.button("Stop").press("Space"),
    "touch": lambda chat: chat.button("Stop").tap(),
    "assistive technology": lambda chat: chat.button("Stop").evaluate("button => button.click()"),
}


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, object]) -> dict[str, object]:
    return {**browser_context_args, "has_touch": True}


@pytest.fixture
def chat(chat: ChatPage) -> ChatPage:
    """The page, whose time can be moved on."""
    chat.move_time_by_hand()
    return chat


@pytest.mark.proves("B32", "B33", "B34", "B35", "B38", "B53", "B56", "C45", "C47", "C50", "C96")
@pytest.mark.parametrize("press", PRESSES.values(), ids=PRESSES)
def test_stop_keeps_text_and_draft_and_closes_the_model(
    chat: ChatPage, visitor: Visitor, press: Callable[[ChatPage], None]
) -> None:
    announcements = Announcements(chat.page)
    asked: list[str] = []
    chat.page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
    chat.open()
    chat.ask(
        visitor.scenario({"text": "keep "}, {"text": "this "}, {"text": "text "}, {"hang": True}, {"text": "DROP"})
    )
    chat.wait_for_text("keep this text ")
    chat.composer.press_sequentially("my draft")
    chat.settle()
    press(chat)
    answer = chat.wait_for("cancelled")
    assert answer.get_attribute("aria-busy") is None
    expect(answer.get_by_text("You stopped this answer.", exact=True)).to_be_visible()
    expect(answer.get_by_role("heading", name="Scripted — incomplete: stopped by you", exact=True)).to_be_visible()
    run = visitor.run(chat.message_id)
    assert (run["stopped"], run["steps"], run["calls"]) == (True, 4, 1)
    assert chat.composer.input_value() == "my draft"
    announcements.wait_for("You stopped this answer.")
    assert [one.region for one in announcements.all() if "stopped" in one.text] == ["status"]
    before = answer.inner_text()
    assert "AbortError" not in chat.page.locator("body").inner_text()
    chat.reload()
    assert chat.answer.inner_text() == before
    assert [(one.state, one.text) for one in chat.messages()][1:] == [("cancelled", "keep this text ")]
    assert sum(url.endswith("/messages") for url in asked) == 1
    assert sum(url.endswith("/cancel") for url in asked) == 1


@pytest.mark.proves("B35", "B56", "C44")
def test_stop_before_the_first_word_and_a_question_right_after_it(chat: ChatPage, visitor: Visitor) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    chat.ask(visitor.scenario({"hang": True}))
    chat.wait_for("accepted")
    chat.settle()
    chat.button("Stop").click()
    chat.ask("again")
    chat.wait_for("completed", count=2)
    first, second = chat.shown_answers()
    assert (first.state, first.text, first.heading) == ("cancelled", "", "Scripted — stopped by you")
    assert second.text == "again"
    assert visitor.run(first.message_id)["stopped"] is True
    announcements.wait_for("Answer complete")
    assert "You stopped this answer before it began." in " ".join(one.text for one in announcements.all())
    assert {one.region for one in announcements.all()} == {"status"}
    chat.reload()
    assert [one.state for one in chat.shown_answers()] == ["cancelled", "completed"]
    expect(chat.answers.first.get_by_text("You stopped this answer before it began.")).to_be_visible()


@pytest.mark.proves("C44", "C45")
def test_stop_while_the_question_is_still_on_its_way_stops_the_answer_that_comes(
    chat: ChatPage, visitor: Visitor
) -> None:
    chat.open()
    held = chat.hold(ASKING)
    with chat.page.expect_request(ASKING):
        chat.ask(visitor.scenario({"text": "one "}, {"hang": True}))
    chat.settle()
    chat.button("Stop").click()
    held[0].continue_()
    chat.wait_for("cancelled")
    assert visitor.run(chat.message_id)["stopped"] is True
    chat.ask("again")
    chat.wait_for("completed", count=2)


@pytest.mark.proves("C44")
def test_a_question_that_is_sent_after_stop_waits_for_the_receipt(chat: ChatPage, visitor: Visitor) -> None:
    """The server would refuse it as long as it has not heard of Stop."""
    asked: list[str] = []
    chat.open()
    chat.ask(visitor.scenario({"text": "one"}, {"hang": True}))
    chat.wait_for_text("one")
    held = chat.hold(CANCELLING)
    chat.settle()
    with chat.page.expect_request(CANCELLING):
        chat.button("Stop").click()
    chat.page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/messages") else None)
    chat.ask("again")
    chat.page.wait_for_selector("article[data-role=user][data-state=sending]")
    assert asked == []
    held[0].continue_()
    chat.wait_for("completed", count=2)
    assert [one.text for one in chat.messages()][2:] == ["again", "again"]
    assert [one.state for one in chat.shown_answers()] == ["cancelled", "completed"]
    assert len(asked) == 1


@pytest.mark.proves("B32", "B36", "C45", "C96")
def test_stop_that_does_not_reach_the_server_says_so_and_can_be_pressed_again(chat: ChatPage, visitor: Visitor) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    chat.ask(visitor.scenario({"text": "one"}, {"hang": True}))
    chat.wait_for_text("one")
    chat.composer.press_sequentially("my draft")
    lost: list[str] = []
    chat.page.on("requestfailed", lambda request: lost.append(request.url) if "cancel" in request.url else None)
    chat.page.route(CANCELLING, lambda route: route.abort("connectionreset"))
    chat.settle()
    chat.button("Stop").click()
    notice = chat.page.get_by_role("form", name="Ask").get_by_text("Stop did not reach the server")
    expect(notice).to_be_visible()
    assert len(lost) == 4
    assert visitor.message(chat.message_id)["state"] == "running"
    announcements.wait_for("Stop did not reach the server")
    chat.page.unroute(CANCELLING)
    chat.settle()
    chat.button("Stop").click()
    chat.wait_for("cancelled")
    expect(notice).to_be_hidden()
    assert chat.composer.input_value() == "my draft"
    assert [one.text for one in chat.shown_answers()] == ["one"]


@pytest.mark.proves("B36", "C45")
def test_a_stop_that_is_lost_once_is_sent_again(chat: ChatPage, visitor: Visitor) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    chat.ask(visitor.scenario({"text": "one"}, {"hang": True}))
    chat.wait_for_text("one")
    chat.page.route(CANCELLING, lambda route: route.abort("connectionreset"), times=1)
    chat.settle()
    with chat.page.expect_event("requestfailed"):
        chat.button("Stop").click()
    chat.wait_for("cancelled")
    announcements.wait_for("You stopped this answer.")
    assert [one.text for one in announcements.all() if one.region == "alert"] == []
    assert visitor.run(chat.message_id)["stopped"] is True


@pytest.mark.proves("B36", "C45")
def test_who_presses_stop_and_leaves_at_once_has_stopped_the_answer(chat: ChatPage, visitor: Visitor) -> None:
    chat.open()
    chat.ask(visitor.scenario({"text": "one"}, {"hang": True}, limits={"silence": 5}))
    chat.wait_for_text("one")
    message_id = chat.message_id
    chat.settle()
    chat.button("Stop").evaluate("button => { button.click(); location.assign('about:blank'); }")
    # A tab that is closed while it leaves a page may never be closed.
    chat.page.wait_for_url("about:blank")
    visitor.follow(message_id)
    assert visitor.message(message_id)["state"] == "cancelled"


@pytest.mark.proves("B7", "B39", "C50")
def test_a_press_that_began_on_stop_sends_nothing_when_the_answer_ends_under_it(
    chat: ChatPage, visitor: Visitor
) -> None:
    """The button means Send by the time that the finger is lifted."""
    chat.open()
    chat.ask(visitor.scenario({"text": "one"}, {"hang": True}))
    chat.wait_for_text("one")
    chat.composer.press_sequentially("my draft")
    chat.settle()
    chat.button("Stop").hover()
    chat.page.mouse.down()
    visitor.cancel(chat.message_id)
    chat.wait_for("cancelled")
    chat.page.mouse.up()
    assert (chat.composer.input_value(), chat.questions.count()) == ("my draft", 1)
    chat.settle()
    chat.button("Send").click()
    chat.wait_for("completed", count=2)
    assert [one.text for one in chat.messages()][2:] == ["my draft", "my draft"]


@pytest.mark.proves("B7", "C44")
def test_a_press_on_stop_acts_once_the_button_has_meant_it_for_400_ms(chat: ChatPage, visitor: Visitor) -> None:
    cancels: list[str] = []
    chat.page.on("request", lambda request: cancels.append(request.url) if request.url.endswith("/cancel") else None)
    chat.open()
    chat.page.clock.pause_at(chat.page.evaluate("Date.now()") + 1_000)
    chat.ask(visitor.scenario({"hang": True}))
    chat.wait_for("accepted")
    chat.button("Stop").click()
    chat.page.clock.fast_forward(399)
    chat.button("Stop").click()
    assert cancels == []
    assert chat.answer.get_attribute("data-state") == "accepted"
    chat.page.clock.fast_forward(1)
    chat.button("Stop").click()
    chat.wait_for("cancelled")
    assert len(cancels) == 1
