"""The page in front of a model behind HTTP that fails in its own ways, and what a person is shown of it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.support.chat_page import ChatPage
from webapp.qa.upstream import DONE, HANG, Reply, Upstream, answer, delta, frame

SECRET = "SENTINEL key sk-test-123 at /srv/app/x.py SELECT * FROM users Traceback"
INNER = ("SENTINEL", "sk-test-123", "/srv/", "SELECT", "Traceback", "<h1>", "Bad gateway", "sign in", '{"')


@pytest.fixture
def chat(asking_service: ChatPage) -> ChatPage:
    """The page, not yet opened, that asks the service."""
    return asking_service


REPLIES = {
    "a sign-in page as JSON": Reply([b'{"error":"please sign in"}'], content_type="application/json"),
    "a proxy's page": Reply([b"<h1>Bad gateway</h1>"], content_type="text/html; charset=utf-8"),
    "a proxy's page with its status": Reply([b"<h1>Bad gateway</h1>"], status=502, content_type="text/html"),
    "inner details at once": Reply([f'{{"error":{{"message":"{SECRET}"}}}}'.encode()], status=500),
    "inner details in the stream": Reply([delta("Half a"), frame({"error": {"message": SECRET, "code": 429}})]),
    "no JSON in the stream": Reply([delta("Half a"), b"data: SELECT nothing\n\n"]),
}


@pytest.mark.proves("A29", "A30", "A65", "B41", "C23", "C26", "C46", "C118")
@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
def test_what_a_service_sends_instead_of_an_answer_is_never_shown(
    chat: ChatPage, provider: Upstream, reply: Reply
) -> None:
    """Nor does the next question tell the model of it."""
    provider.play(reply, Reply(answer("All is well.")))
    chat.open()
    chat.ask("a question that fails")
    failed = chat.wait_for("failed")
    (shown,) = chat.shown_answers()
    assert shown.text in ("", "Half a")
    chat.ask("the next question")
    chat.wait_for("completed", count=2)
    assert chat.shown_answers()[1].text == "All is well."
    sent = provider.exchanges[-1].json["messages"]
    assert [(turn["role"], turn["content"]) for turn in sent] == [("user", "the next question")]
    for _ in range(2):
        shown_page = chat.page.locator("body").inner_text()
        assert [detail for detail in INNER if detail in shown_page] == []
        assert failed.get_attribute("data-state") == "failed"
        chat.reload()


@pytest.mark.proves("B33", "C44", "C45")
def test_stop_closes_the_connection_to_the_service(chat: ChatPage, provider: Upstream) -> None:
    provider.play(Reply([delta("keep "), delta("this"), HANG]))
    chat.move_time_by_hand()
    chat.open()
    chat.ask("a long question")
    chat.wait_for_text("keep this")
    chat.settle()
    chat.button("Stop").click()
    chat.wait_for("cancelled")
    assert provider.exchanges[-1].gone.wait(5)
    expect(chat.answer.get_by_text("You stopped this answer.")).to_be_visible()
    assert [one.text for one in chat.shown_answers()] == ["keep this"]


@pytest.mark.proves("C64")
def test_a_tool_that_the_model_asks_for_is_named_and_not_carried_out(chat: ChatPage, provider: Upstream) -> None:
    """Put together from fragments: no empty answer without a word, and no raw JSON; the same after a reload."""
    first = {"index": 0, "id": "t1", "type": "function", "function": {"name": "look", "arguments": ""}}
    pieces = [first, *({"index": 0, "function": {"arguments": part}} for part in ('{"q":', '"sea"}'))]
    calls = [frame({"choices": [{"delta": {"tool_calls": [piece]}}]}) for piece in pieces]
    provider.play(Reply([*calls, frame({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}), DONE]))
    chat.open()
    chat.ask("look at the sea")
    for _ in range(2):
        answered = chat.wait_for("completed")
        expect(answered.get_by_text("This action was not carried out.")).to_be_visible()
        expect(answered).to_contain_text("look")
        expect(answered).not_to_contain_text('{"q"')
        assert [one.text for one in chat.shown_answers()] == [""]
        chat.reload()
