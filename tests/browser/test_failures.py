"""An answer that failed says so beside its question, names the next step, and leaves everything else as it was."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.support.chat_page import ChatPage
from tests.support.visitor import Visitor
from webapp.core.problems import KINDS
from webapp.qa.announcements import Announcements

# What a person must never be shown of a failure's inside.
INNER = ('{"', "Traceback", "Error:", "Exception", "AbortError", "undefined", "null", "/api/", "webapp")


@pytest.mark.proves("A29", "A33", "A65", "B12", "B40", "B41", "B45", "B50", "B51", "B52", "B56", "C23", "C46", "C96")
@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("timeout", "Half an answer "),
        ("provider_unavailable", "Half an answer "),
        ("provider_error", "Half an answer "),
        ("provider_error", ""),
        ("provider_rate_limited", "Half an answer "),
        ("content_blocked", ""),
        ("interrupted", "Half an answer "),
        ("internal", "Half an answer "),
    ],
)
def test_a_failed_answer_is_an_error_beside_its_question_and_the_page_goes_on(
    chat: ChatPage, visitor: Visitor, code: str, text: str
) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    steps = [{"text": text}] if text else []
    chat.ask(visitor.scenario(*steps, {"wait": 0.1}, {"fail": code}))
    chat.composer.press_sequentially("my draft")
    failed = chat.wait_for("failed")

    assert (failed.get_attribute("data-code"), failed.get_attribute("aria-busy")) == (code, None)
    assert (chat.is_focused(chat.composer), chat.composer.input_value()) == (True, "my draft")
    (answer,) = chat.shown_answers()
    assert (answer.text, answer.shown) == (text, text)
    sentence = f"{KINDS[code].detail} {KINDS[code].next_step}"
    assert_error_element(failed, sentence, is_incomplete=bool(text))
    before = failed.inner_text()

    chat.composer.press("Enter")
    chat.wait_for("completed", count=2)
    announcements.wait_for("Answer complete")
    said = [(message.region, message.text) for message in announcements.all()]
    assert [one for one in said if sentence in one[1]] == [("alert", sentence)]
    assert [region for region, _ in said].count("alert") == 1
    assert inner_details(chat) == []

    chat.reload()
    assert chat.answers.first.inner_text() == before
    assert chat.answers.first.get_attribute("data-code") == code
    assert_error_element(chat.answers.first, sentence, is_incomplete=bool(text))
    assert [(one.state, one.text) for one in chat.messages()][1:] == [
        ("failed", text),
        ("completed", "my draft"),
        ("completed", "my draft"),
    ]
    assert inner_details(chat) == []


def assert_error_element(answer: Locator, sentence: str, *, is_incomplete: bool) -> None:
    """The sentence stands below the text of the answer, and how it ended in its heading."""
    error = answer.get_by_text(sentence, exact=True)
    expect(error).to_be_visible()
    assert error.evaluate("element => element.closest('[data-part=text]')") is None
    ending = "incomplete: failed" if is_incomplete else "failed"
    expect(answer.get_by_role("heading", name=f"Scripted — {ending}", exact=True)).to_be_visible()


def inner_details(chat: ChatPage) -> list[str]:
    shown = chat.page.locator("body").inner_text()
    return [detail for detail in INNER if detail in shown]


@pytest.mark.proves("A34", "B11", "B12", "C27", "H8", "H18")
def test_a_model_that_breaks_off_is_shown_as_incomplete(chat: ChatPage, visitor: Visitor) -> None:
    chat.open()
    chat.ask(visitor.scenario({"text": "The total is 4"}))
    failed = chat.wait_for("failed")
    assert failed.get_attribute("data-code") == "provider_error"
    assert [answer.text for answer in chat.shown_answers()] == ["The total is 4"]
    assert_error_element(
        failed,
        "The model broke off, so the answer is incomplete. Try again, or choose another model.",
        is_incomplete=True,
    )


@pytest.mark.proves("B45", "T6")
def test_an_answer_cut_by_a_time_limit_is_marked_incomplete(chat: ChatPage, visitor: Visitor) -> None:
    chat.open()
    chat.ask(visitor.scenario({"text": "part"}, {"hang": True}, limits={"silence": 0.3}))
    failed = chat.wait_for("failed")
    sentence = f"{KINDS['timeout'].detail} {KINDS['timeout'].next_step}"
    assert_error_element(failed, sentence, is_incomplete=True)
    chat.reload()
    assert_error_element(chat.answer, sentence, is_incomplete=True)
    assert [answer.text for answer in chat.shown_answers()] == ["part"]


@pytest.mark.proves("C69", "C96", "B56")
@pytest.mark.parametrize(
    ("steps", "heading", "note"),
    [
        (
            [{"text": "First, then"}, {"finish": "length"}],
            "Scripted — incomplete: cut short by the model’s limit",
            "The answer was cut short by the model’s length limit.",
        ),
        (
            [{"text": "First, then"}, {"finish": "content_filter"}],
            "Scripted — incomplete: cut by a safety filter",
            "The answer was cut by a safety filter.",
        ),
        ([{"finish": "stop"}], "Scripted — no text", "The model gave no text."),
    ],
    ids=["length", "content_filter", "empty"],
)
def test_an_end_that_is_not_plain_is_seen_named_and_said(
    chat: ChatPage, visitor: Visitor, steps: list[dict[str, object]], heading: str, note: str
) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    chat.ask(visitor.scenario(*steps))
    answer = chat.wait_for("completed")
    before = answer.inner_text()
    expect(answer.get_by_text(note, exact=True)).to_be_visible()
    expect(answer.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    announcements.wait_for(note)
    assert {message.region for message in announcements.all()} == {"status"}
    chat.reload()
    assert chat.answer.inner_text() == before
    expect(chat.answer.get_by_role("heading", name=heading, exact=True)).to_be_visible()
