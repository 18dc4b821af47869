"""Faults with a name, each looked at from every side: text, bubbles, runs, state, busy, focus, and what was said."""

from __future__ import annotations

import pytest

from tests.support.announcements import Told, faults
from tests.support.chat_page import ChatPage
from tests.support.moments import Moments
from tests.support.visitor import Visitor
from webapp.qa.announcements import Announcements

# Emoji, combining marks, both kinds of line end, a word that comes twice.
PIECES = ["One \U0001f9ed ", "e\u0301 two\r\n", "two\n", "very very ", "three."]
TEXT = "".join(PIECES)


@pytest.fixture
def announcements(chat: ChatPage) -> Announcements:
    """What the page gives to screen readers, from its first HTML on."""
    return Announcements(chat.page)


def assert_whole(chat: ChatPage, visitor: Visitor, announcements: Announcements, question: str) -> None:
    """Everything is as if the line had been perfect."""
    answer = chat.wait_for("completed")
    announcements.wait_for("Answer complete")
    assert answer.get_attribute("aria-busy") is None
    assert chat.is_focused(chat.composer)
    assert not [message for message in announcements.all() if message.region == "alert"]
    assert len([message for message in announcements.all() if "Answer complete" in message.text]) == 1
    assert [(one.role, one.text) for one in chat.messages()] == [("user", question), ("assistant", TEXT)]
    assert visitor.message(chat.message_id)["text"] == TEXT
    assert visitor.run(chat.message_id)["calls"] == 1
    chat.reload()
    assert [(one.state, one.text) for one in chat.messages()] == [("completed", question), ("completed", TEXT)]


@pytest.mark.proves("B19", "B21", "T2")
@pytest.mark.parametrize("repeated", [[1], [3], [2, 3, 4, 5, 6], [7]], ids=str)
def test_an_event_that_comes_twice_is_applied_once(
    chat: ChatPage, visitor: Visitor, announcements: Announcements, repeated: list[int]
) -> None:
    question = visitor.says(PIECES, line={"repeat_seq": repeated})
    chat.open()
    chat.ask(question)
    assert_whole(chat, visitor, announcements, question)


@pytest.mark.proves("B20", "B21", "T3")
@pytest.mark.parametrize("omitted", [[2], [3], [3, 5], [2, 3, 4, 5]], ids=str)
def test_a_hole_between_events_makes_the_page_fetch_the_text(
    chat: ChatPage, visitor: Visitor, announcements: Announcements, omitted: list[int]
) -> None:
    question = visitor.says(PIECES, line={"omit_seq": omitted})
    chat.open()
    fetched: list[str] = []
    chat.page.on("request", lambda request: fetched.append(f"{request.method} {request.url}"))
    chat.ask(question)
    chat.wait_for("completed")
    assert f"GET {chat.url}/api/v1/messages/{chat.message_id}" in fetched
    assert sum(call.startswith("POST") and call.endswith("/messages") for call in fetched) == 1
    assert_whole(chat, visitor, announcements, question)


@pytest.mark.proves("B20", "T3")
def test_a_changed_letter_is_healed_at_the_end(chat: ChatPage, visitor: Visitor, announcements: Announcements) -> None:
    question = visitor.says(PIECES, line={"corrupt_seq": [2, 4]})
    chat.open()
    chat.ask(question)
    assert_whole(chat, visitor, announcements, question)


@pytest.mark.proves("B45", "T6")
def test_an_answer_that_a_time_limit_cut_says_so_and_keeps_its_part(
    chat: ChatPage, visitor: Visitor, announcements: Announcements
) -> None:
    question = visitor.scenario({"text": "The part."}, {"hang": True}, limits={"silence": 0.5})
    chat.open()
    chat.ask(question)
    answer = chat.wait_for("failed")
    told = visitor.message(chat.message_id)
    assert (told["state"], told["error"]["code"], told["text"]) == ("failed", "timeout", "The part.")
    assert answer.get_attribute("data-code") == "timeout"
    assert answer.get_attribute("aria-busy") is None
    assert "incomplete" in answer.get_by_role("heading").inner_text()
    assert chat.is_focused(chat.composer)
    announcements.wait_for(told["error"]["detail"])
    assert len([message for message in announcements.all() if message.region == "alert"]) == 1
    assert not [message for message in announcements.all() if "complete," in message.text]
    assert [(one.role, one.text) for one in chat.messages()] == [("user", question), ("assistant", "The part.")]
    assert visitor.run(chat.message_id)["calls"] == 1
    chat.reload()
    assert [(one.state, one.text) for one in chat.shown_answers()] == [("failed", "The part.")]


@pytest.mark.proves("B49", "B51", "B55", "T7")
def test_many_small_pieces_are_told_calmly_and_leave_the_focus_alone(
    chat: ChatPage, visitor: Visitor, announcements: Announcements
) -> None:
    text = " ".join(f"Sentence number {number} has eight plain words." for number in range(12))
    steps = [step for letter in text for step in ({"text": letter}, {"wait": 0.005})]
    moments = Moments(chat.page)
    chat.open(interval=3)
    chat.ask(visitor.scenario(*steps, {"finish": "stop"}))
    chat.composer.press_sequentially("next")
    answer = chat.wait_for("completed")
    announcements.wait_for("Answer complete")
    began, ended = moments.first("accepted", "running"), moments.first("completed")
    assert faults(announcements.all(), Told(text=text, began=began, ended=ended, interval=3)) == []
    assert (chat.composer.input_value(), chat.is_focused(chat.composer)) == ("next", True)
    assert answer.get_attribute("aria-busy") is None
    assert [one.text for one in chat.shown_answers()] == [text]
    assert visitor.run(chat.message_id)["calls"] == 1
