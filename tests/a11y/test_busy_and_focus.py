"""The growing answer is marked as busy for as long as it grows, and nothing moves the focus."""

from __future__ import annotations

from typing import Any

import pytest

from tests.a11y.conftest import Chat
from tests.support.visitor import Visitor

# Keeps, at each event that the page tells, what the answer says of itself, what it shows, and where the focus is.
WATCH = """
window.seen = [];
for (const type of ["motamot:state", "motamot:event"]) {
  document.addEventListener(type, ({target}) => window.seen.push({
    state: target.dataset.state,
    busy: target.getAttribute("aria-busy") === "true",
    shows: target.querySelector("[data-part=text]").textContent,
    focus: document.activeElement.dataset.part ?? document.activeElement.localName,
  }));
}
"""
WORDS = [{"text": "word "}, {"wait": 0.02}] * 20


def seen(chat: Chat) -> list[dict[str, Any]]:
    """What was kept so far."""
    found: list[dict[str, Any]] = chat.page.evaluate("window.seen")
    return found


@pytest.mark.proves("B52")
@pytest.mark.parametrize(
    ("end", "state"),
    [({"finish": "stop"}, "completed"), ({"fail": "provider_error"}, "failed"), ({"hang": True}, "cancelled")],
)
def test_an_answer_is_busy_from_its_first_moment_to_its_end(
    chat: Chat, visitor: Visitor, end: dict[str, object], state: str
) -> None:
    """State, text and mark change in one task, whichever end it is."""
    chat.page.add_init_script(WATCH)
    chat.open(query="display=plain")
    chat.ask(visitor.scenario(*WORDS, end))
    if state == "cancelled":
        chat.answer("running")
        chat.stop()
    answer = chat.answer(state)
    told = seen(chat)
    assert {moment["busy"] for moment in told if moment["state"] in ("accepted", "running")} == {True}
    ended = [moment for moment in told if moment["state"] == state]
    assert {moment["busy"] for moment in ended} == {False}
    assert {moment["shows"] for moment in ended} == {answer.evaluate("article => article.text")}


@pytest.mark.proves("B51", "T7")
def test_the_focus_stays_in_the_question_field(chat: Chat, visitor: Visitor) -> None:
    """At every event of an answer and at its end."""
    chat.page.add_init_script(WATCH)
    chat.open()
    chat.ask(visitor.scenario(*WORDS, {"finish": "stop"}))
    chat.answer("completed")
    assert {moment["focus"] for moment in seen(chat)} == {"field"}


@pytest.mark.proves("B51")
def test_the_focus_stays_where_a_person_put_it(chat: Chat, visitor: Visitor) -> None:
    """On a button of an older answer, while the next one grows and when it ends."""
    chat.page.add_init_script(WATCH)
    chat.open()
    chat.ask(visitor.says(["older"]))
    chat.announcements.wait_for("Answer complete")
    chat.ask(visitor.scenario({"wait": 0.5}, *WORDS, {"finish": "stop"}))
    chat.answer("accepted")
    chat.page.get_by_role("button", name="Copy answer 1").focus()
    chat.page.evaluate("window.seen = []")
    chat.answer("completed")
    assert {moment["focus"] for moment in seen(chat)} == {"copy"}
