"""After cuts and reconnects a person can say, from the page alone, which answer is complete and which action ran."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.support.chat_page import ChatPage
from tests.support.server import Server
from tests.support.visitor import Visitor
from webapp.qa.line import Line

TICKET = {"action": {"name": "create_ticket", "arguments": {"subject": "Printer"}}}


def told(chat: ChatPage) -> list[tuple[str, list[str], list[str]]]:
    """What stands on the page of each answer: its heading, how its actions stand, and what can be pressed."""
    return [one(answer) for answer in chat.answers.all()]


def one(answer: Locator) -> tuple[str, list[str], list[str]]:
    actions = answer.locator(".action-standing").all_inner_texts()
    buttons = answer.get_by_role("button").all_inner_texts()
    return answer.get_by_role("heading", level=2).inner_text(), [text.strip() for text in actions], buttons


@pytest.mark.proves("R9", "T1", "B30")
def test_the_page_says_which_answer_is_complete_and_which_action_ran(
    server: Server, chat: ChatPage, visitor: Visitor
) -> None:
    with Line(server.url) as line:
        chat = chat.over(line.url)
        chat.open()
        slow = [{"text": "I open "}, {"wait": 0.6}, {"text": "a ticket."}, {"wait": 0.2}, TICKET]
        for number, end in enumerate(({"finish": "stop"}, {"finish": "stop"}, {"fail": "provider_error"}), 1):
            chat.ask(visitor.scenario(*slow, end))
            chat.wait_for_text("I open ", count=number)
            line.cut()
            chat.wait_for("failed" if "fail" in end else "completed", count=number)
        chat.answers.first.get_by_role("button", name="Do it").click()
        expect(chat.answers.first.get_by_text("Done.")).to_be_visible()
        effects = [visitor.run(one.message_id)["effects"] for one in chat.shown_answers()]
        assert [sum(effect.values()) for effect in effects] == [1, 0, 0]
        for _ in range(2):
            first, second, third = told(chat)
            assert (first[0], second[0], third[0]) == ("Scripted", "Scripted", "Scripted — incomplete: failed")
            assert [action.partition(".")[0] for action in first[1] + second[1]] == ["Done", "The model proposes this"]
            assert third[1] == []
            assert ("Do it" in first[2], "Do it" in second[2], "Do it" in third[2]) == (False, True, False)
            assert [message.text for message in chat.shown_answers()] == ["I open a ticket."] * 3
            chat.reload()
