"""What the script drew of an answer's end and what the server writes of it are the same to a reader."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.support.chat_page import ChatPage
from tests.support.visitor import Visitor

# Every sentence and every drawing of the newest answer that can be seen.
SEEN = """article => [...article.querySelectorAll("h2, p, svg.icon > use, button")]
    .filter((part) => part.closest("[hidden]") === null)
    .map((part) => [part.dataset.part ?? "", part.textContent.trim() || part.getAttribute("href")])"""

ENDS: Mapping[str, tuple[str, list[dict[str, object]]]] = {
    "complete": ("completed", [{"text": "some text"}, {"finish": "stop"}]),
    "cut by the model's limit": ("completed", [{"text": "some text"}, {"finish": "length"}]),
    "cut by a filter": ("completed", [{"text": "some text"}, {"finish": "content_filter"}]),
    "without text": ("completed", [{"finish": "stop"}]),
    "failed": ("failed", [{"text": "some text"}, {"fail": "provider_error"}]),
}


@pytest.mark.parametrize(("state", "steps"), ENDS.values(), ids=ENDS)
def test_an_end_looks_after_a_reload_as_it_did_before(
    chat: ChatPage, visitor: Visitor, state: str, steps: list[dict[str, object]]
) -> None:
    chat.open()
    chat.ask(visitor.scenario(*steps))
    drawn = chat.wait_for(state).evaluate(SEEN)
    chat.reload()
    assert chat.answer.evaluate(SEEN) == drawn


def test_a_stopped_answer_looks_after_a_reload_as_it_did_before(chat: ChatPage, visitor: Visitor) -> None:
    chat.open()
    chat.ask(visitor.scenario({"text": "some text"}, {"hang": True}))
    chat.wait_for_text("some text")
    visitor.cancel(chat.message_id)
    drawn = chat.wait_for("cancelled").evaluate(SEEN)
    chat.reload()
    assert chat.answer.evaluate(SEEN) == drawn
