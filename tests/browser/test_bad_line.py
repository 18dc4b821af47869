"""The page over a line that harms bytes: whatever it does to them, the text is exact, the question one, the run one."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.support.chat_page import ChatPage
from tests.support.server import Server
from tests.support.visitor import Visitor
from webapp.qa.line import Line
from webapp.qa.plans import (
    Cut,
    Drip,
    Drop,
    Fault,
    Hold,
    LineEnds,
    LoseReply,
    Plan,
    Refuse,
    Repeat,
    Scramble,
    SendTwice,
    Stall,
    Swap,
)

ASKS = "/conversations/.*/messages$"
FOLLOWS = "/messages/msg_"
PIECES = ["Zürich ", "is  twice\n\n", "    spaced,\r\n", "\U0001f9d1\u200d\U0001f9bd ", "id: 3\n\n", *"data: end"] * 3


@pytest.fixture
def line(server: Server) -> Iterator[Line]:
    with Line(server.url) as line:
        yield line


@pytest.fixture
def over(chat: ChatPage, line: Line, visitor: Visitor) -> ChatPage:
    """The page behind the line, as the same visitor."""
    return chat.over(line.url)


def slowly(visitor: Visitor) -> str:
    """What makes the scripted model say it, piece by piece: no two of them share a read."""
    return visitor.scenario(
        *(step for piece in PIECES for step in ({"text": piece}, {"wait": 0.01})), {"finish": "stop"}
    )


def expect_one_exact_answer(chat: ChatPage, visitor: Visitor, text: str) -> None:
    (answer,) = chat.shown_answers()
    kept = visitor.message(answer.message_id)
    assert (answer.text, answer.state) == (kept["text"], kept["state"]) == (text, "completed")
    assert chat.questions.count() == 1
    assert visitor.run(answer.message_id)["calls"] == 1
    chat.reload()
    chat.wait_for("completed")
    assert chat.shown_answers()[0].text == text


@pytest.mark.proves("B20", "B21", "B43", "C02", "C13", "C33", "T1", "T2", "T3")
@pytest.mark.parametrize(
    "fault",
    [
        Cut(bytes=700),
        Cut(bytes=703, is_polite=True),
        Cut(frames=5),
        Cut(frames=43),
        Cut(seconds=0.3),
        Stall(1.0, frames=4),
        Drip(1),
        Repeat(3),
        Drop(4),
        Swap(5),
        Swap(44),
        Scramble(400, 90),
        Scramble(400, 90, is_swap=True),
        Scramble(333, 7),
        LineEnds("crlf"),
        LineEnds("cr"),
        LineEnds("trimmed"),
        Hold(),
        Hold(512),
    ],
    ids=repr,
)
def test_whatever_the_line_does_to_the_stream_the_text_is_exact(
    over: ChatPage, line: Line, visitor: Visitor, fault: Fault
) -> None:
    line.plan(Plan([fault], path=ASKS, method="POST"))
    over.open()
    over.ask(slowly(visitor))
    over.wait_for("completed")
    assert len(line.struck) == 1
    expect_one_exact_answer(over, visitor, "".join(PIECES))


@pytest.mark.proves("B24", "B43", "T1")
def test_a_dead_server_s_error_page_on_the_way_back_is_no_answer(over: ChatPage, line: Line, visitor: Visitor) -> None:
    line.plan(Plan([Cut(frames=3)], path=ASKS), Plan([Refuse(502)], path=FOLLOWS, method="GET", times=2))
    over.open()
    over.ask(slowly(visitor))
    over.wait_for("completed")
    assert [type(plan.faults[0]) for plan in line.struck] == [Cut, Refuse, Refuse]
    expect_one_exact_answer(over, visitor, "".join(PIECES))


@pytest.mark.proves("B4", "B7", "C35", "C52")
def test_a_question_that_the_line_sends_twice_is_one_question_and_one_run(
    over: ChatPage, line: Line, visitor: Visitor
) -> None:
    line.plan(Plan([SendTwice()], path=ASKS, method="POST"))
    over.open()
    over.ask(visitor.says(PIECES))
    over.wait_for("completed")
    assert len(line.struck) == 1
    expect_one_exact_answer(over, visitor, "".join(PIECES))


@pytest.mark.proves("B4", "B7", "C35", "C46", "C52")
@pytest.mark.parametrize("fault", [LoseReply(), Cut(bytes=1), Cut(bytes=60), Drop(1)], ids=repr)
def test_a_question_whose_reply_does_not_come_can_be_sent_again_and_is_one(
    over: ChatPage, line: Line, visitor: Visitor, fault: Fault
) -> None:
    """Whether it arrived the page cannot know: it says so, and the same request under the same id joins."""
    line.plan(Plan([fault], path=ASKS, method="POST"))
    over.open()
    question = visitor.says(PIECES)
    over.ask(question)
    form = over.page.get_by_role("form", name="Ask")
    expect(form.get_by_text(re.compile("The connection was lost|The reply broke off"))).to_be_visible()
    assert over.composer.input_value() == question
    over.composer.press("Enter")
    over.wait_for("completed")
    expect_one_exact_answer(over, visitor, "".join(PIECES))
    kept = visitor.http.get(f"/api/v1/conversations/{over.conversation_id}").json()["messages"]
    assert [message["role"] for message in kept] == ["user", "assistant"]


@pytest.mark.proves("B36", "C45")
@pytest.mark.parametrize("fault", [LoseReply(), SendTwice(), Refuse(502)], ids=repr)
def test_stop_arrives_whatever_becomes_of_its_reply(over: ChatPage, line: Line, visitor: Visitor, fault: Fault) -> None:
    line.plan(Plan([fault], path="/cancel$", method="POST"))
    over.open()
    over.ask(visitor.scenario({"text": "kept"}, {"hang": True}))
    over.wait_for_text("kept")
    over.page.wait_for_timeout(500)
    over.button("Stop").click()
    over.wait_for("cancelled")
    assert len(line.struck) == 1
    kept = visitor.message(over.message_id)
    assert (kept["state"], kept["text"], over.shown_answers()[0].text) == ("cancelled", "kept", "kept")
    assert visitor.run(over.message_id)["stopped"] is True


@pytest.mark.proves("B4", "B44", "C52", "C54")
@pytest.mark.parametrize("fault", [LoseReply(), SendTwice(), Cut(bytes=1)], ids=repr)
def test_a_further_answer_is_one_whatever_becomes_of_the_request(
    over: ChatPage, line: Line, visitor: Visitor, fault: Fault
) -> None:
    over.open()
    over.ask(visitor.scenario({"text": "half"}, {"fail": "provider_error"}))
    over.wait_for("failed")
    line.plan(Plan([fault], path="/regenerate$", method="POST"))
    over.button("Retry").click()
    if fault != SendTwice():
        expect(over.page.get_by_text("The connection was lost.").first).to_be_visible()
        over.button("Retry").click()
    expect(over.page.locator("article[data-version='2'][data-state=failed]")).to_be_visible()
    kept = visitor.http.get(f"/api/v1/conversations/{over.conversation_id}").json()["messages"]
    assert [(message["role"], message["version"]) for message in kept] == [
        ("user", 1),
        ("assistant", 1),
        ("assistant", 2),
    ]
    assert [visitor.run(message["message_id"])["calls"] for message in kept[1:]] == [1, 1]
