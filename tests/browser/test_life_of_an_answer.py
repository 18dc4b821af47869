"""From the first word to the end: busy while it grows, changed all at once, and the focus where a person put it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.support.chat_page import ChatPage
from tests.support.texts import LIST, pieces
from tests.support.visitor import Visitor

RECORD = Path(__file__).with_name("life_record.js")
ENDED = ("completed", "cancelled", "failed", "disconnected")
PAUSE = {"wait": 0.02}
ENDS: dict[str, dict[str, object]] = {
    "completed": {"finish": "stop"},
    "failed": {"fail": "provider_error"},
    "cancelled": {"hang": True},
}


@pytest.fixture
def page(page: Page) -> Page:
    """The tab, recorded from its first HTML on."""
    page.add_init_script(path=RECORD)
    return page


@pytest.fixture
def chat(chat: ChatPage) -> ChatPage:
    """The page, whose time can be moved on."""
    chat.move_time_by_hand()
    return chat


def samples(chat: ChatPage) -> list[dict[str, Any]]:
    """How the newest answer stood, once per change that anybody could have seen."""
    taken: list[dict[str, Any]] = chat.page.evaluate("lifeRecord.samples")
    return taken


def growing(visitor: Visitor, end: dict[str, object]) -> str:
    """A question whose answer grows in 30 pieces."""
    steps = [step for piece in pieces(LIST, 30) for step in ({"text": piece}, PAUSE)]
    return visitor.scenario(*steps, end)


@pytest.mark.proves("B9", "B10", "B13", "B26", "B52", "T7")
@pytest.mark.parametrize(("state", "end"), ENDS.items(), ids=ENDS)
def test_text_state_busy_mark_heading_and_button_change_together(
    chat: ChatPage, visitor: Visitor, state: str, end: dict[str, object]
) -> None:
    chat.open()
    chat.ask(growing(visitor, end))
    if state == "cancelled":
        chat.wait_for_text(LIST)
        chat.settle()
        chat.button("Stop").click()
    chat.wait_for(state)
    taken = samples(chat)
    states = [one["state"] for one in taken]
    assert sorted(states, key=["accepted", "running", state].index) == states
    assert {"accepted", state} <= set(states)
    assert [one for one in taken if one["is_busy"] == (one["state"] in ENDED)] == []
    assert [one for one in taken if one["state"] == "completed" and one["text"] != LIST] == []
    assert [one for one in taken if one["text"] != one["shown"] or (one["text"] and one["state"] == "accepted")] == []
    assert [one for one in taken if one["is_copy_offered"] == (one["state"] not in ENDED)] == []
    assert [one for one in taken if one["state"] in ENDED and one["button"] != "Send"] == []
    assert {one["heading"] for one in taken if one["state"] not in ENDED} == {"Scripted"}
    assert len({one["heading"] for one in taken if one["state"] in ENDED}) == 1


@pytest.mark.proves("B9", "B13")
def test_the_page_tells_states_and_events_after_it_shows_them(chat: ChatPage, visitor: Visitor) -> None:
    chat.open()
    chat.ask(visitor.scenario({"text": "one "}, PAUSE, {"text": "two"}, {"finish": "stop"}))
    chat.wait_for("completed")
    told: list[dict[str, Any]] = chat.page.evaluate("lifeRecord.told")
    events = [one["detail"] for one in told if one["type"] == "motamot:event"]
    assert [(event["seq"], event["event"]) for event in events] == [
        (1, "accepted"),
        (2, "delta"),
        (3, "delta"),
        (4, "answer"),
    ]
    told_states = [one for one in told if one["type"] == "motamot:state"]
    states = [one["detail"]["state"] for one in told_states]
    assert states[-1] == "completed"
    assert states == [one["shown"]["state"] for one in told_states]
    assert [one for one in told if one["detail"]["seq"] > one["shown"]["seq"]] == []
    assert told_states[-1]["shown"]["text"] == "one two"
    assert {one["detail"]["message_id"] for one in told} == {chat.message_id}


@pytest.mark.proves("B51", "B52", "C83", "T7", "H15")
def test_the_focus_and_the_draft_stay_in_the_composer_at_every_delta(chat: ChatPage, visitor: Visitor) -> None:
    chat.open()
    chat.ask(growing(visitor, {"finish": "stop"}))
    chat.wait_for_text(LIST[:40])
    chat.composer.press_sequentially("next")
    chat.wait_for("completed")
    assert {one["focus"] for one in samples(chat)} == {"composer"}
    assert len(samples(chat)) > 3
    assert chat.composer.input_value() == "next"
    assert chat.composer.is_enabled()
    chat.composer.press("Enter")
    chat.wait_for("completed", count=2)
    assert chat.shown_answers()[1].text == "next"


@pytest.mark.proves("B51", "C83")
def test_the_focus_stays_where_a_person_moved_it_while_an_answer_grows(chat: ChatPage, visitor: Visitor) -> None:
    """A button and a heading of an earlier answer, each to the end and beyond."""
    chat.open()
    chat.ask(visitor.says(["an earlier answer"]))
    earlier = chat.wait_for("completed")
    heading = earlier.get_by_role("heading")
    for number, target in enumerate([chat.button("Copy answer 1"), heading], 2):
        chat.composer.focus()
        chat.ask(growing(visitor, {"finish": "stop"}))
        chat.wait_for_text(LIST[:40], count=number)
        target.focus()
        chat.page.evaluate("lifeRecord.samples.length = 0")
        chat.wait_for("completed", count=number)
        assert chat.is_focused(target)
        assert len({one["focus"] for one in samples(chat)}) == 1
        assert len(samples(chat)) > 1


@pytest.mark.proves("B53", "C46", "C98")
def test_send_and_stop_are_one_button_that_keeps_the_focus_while_its_name_changes(
    chat: ChatPage, visitor: Visitor
) -> None:
    chat.open()
    chat.composer.fill(visitor.scenario({"text": "one"}, {"hang": True}))
    send = chat.button("Send").element_handle()
    chat.button("Send").focus()
    chat.page.keyboard.press("Enter")
    chat.wait_for("running")
    stop = chat.button("Stop")
    assert stop.evaluate("(stop, send) => stop === send", send) is True
    assert chat.is_focused(stop)
    assert stop.get_attribute("type") == "button"
    assert stop.is_enabled()
    names = {one["button"] for one in samples(chat) if one["state"] in ("accepted", "running")}
    assert names == {"Stop"}
    chat.settle()
    chat.page.keyboard.press("Enter")
    chat.wait_for("cancelled")
    assert chat.button("Send").evaluate("(stop, send) => stop === send", send) is True
    assert chat.is_focused(chat.button("Send"))
    assert {one["focus"] for one in samples(chat)} == {"send"}


@pytest.mark.proves("C40")
def test_a_second_answer_in_the_same_tab_is_shown_live(chat: ChatPage, visitor: Visitor) -> None:
    """The numbers of its events begin at 1 again."""
    chat.open()
    chat.ask(visitor.says(["x "] * 30))
    chat.wait_for("completed")
    chat.ask(visitor.scenario({"text": "sho"}, {"text": "rt"}, {"hang": True}))
    chat.wait_for_text("short", count=2)
    assert (chat.answer.get_attribute("data-state"), chat.answer.get_attribute("data-seq")) == ("running", "3")


@pytest.mark.proves("C37", "C42", "B14")
def test_a_page_that_is_opened_while_an_answer_grows_goes_on_with_it(chat: ChatPage, visitor: Visitor) -> None:
    conversation = visitor.conversation()
    steps = [step for piece in pieces(LIST, 30) for step in ({"text": piece}, {"wait": 0.04})]
    visitor.begin(visitor.scenario(*steps, {"finish": "stop"}), conversation)
    chat.open(f"/c/{conversation}")
    chat.wait_for("completed")
    assert chat.shown_answers()[0].text == LIST
    taken = samples(chat)
    assert [one for one in taken if not LIST.startswith(one["text"])] == []
    assert [one for one in taken if one["state"] in ENDED and one["is_busy"]] == []
