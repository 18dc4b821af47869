"""What a person has selected in an answer stays selected, and can be copied, while the answer goes on."""

from __future__ import annotations

import pytest

from tests.support.chat_page import ChatPage
from tests.support.texts import LIST, pieces
from tests.support.visitor import Visitor

SELECT = """(count) => {
  const text = document.querySelector("article[data-role=assistant] [data-part=text]").firstChild;
  getSelection().setBaseAndExtent(text, 0, text, count);
  window.selectedNode = text;
}"""


@pytest.mark.proves("H15")
@pytest.mark.parametrize("settings", [{}, {"display": "plain"}], ids=["usual", "plain"])
def test_selected_text_stays_selected_to_the_end_of_the_answer(
    chat: ChatPage, visitor: Visitor, settings: dict[str, str]
) -> None:
    chat.open(**settings)
    steps = [step for piece in pieces(LIST, 30) for step in ({"text": piece}, {"wait": 0.02})]
    chat.ask(visitor.scenario(*steps, {"finish": "stop"}))
    chat.wait_for_text(LIST[:60])
    chat.page.evaluate(SELECT, 40)
    assert chat.answer.get_attribute("data-state") == "running"
    chat.wait_for("completed")
    assert chat.page.evaluate("getSelection().toString()") == LIST[:40]
    assert chat.page.evaluate("selectedNode.isConnected") is True
