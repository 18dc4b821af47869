"""A line that is taken up a step too early or too late: numbers decide what is applied, and no gap is passed over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import Route

from tests.support.chat_page import ChatPage
from webapp.core.dialects import native
from webapp.core.digests import digest
from webapp.core.events import Accepted, Answer, Delta, Event

WHOLE = "Alpha beta."
FIRST = (
    Accepted(1, "cnv_1", "msg_2", "msg_1", "req_1", "scripted", 0),
    Delta(2, "Al"),
    Delta(3, "pha"),
    Delta(4, " be"),
)
END = Answer(7, "cnv_1", "msg_2", WHOLE, digest(WHOLE).bytes, digest(WHOLE).sha256, "stop")
RUNNING = {"message_id": "msg_2", "conversation_id": "cnv_1", "state": "running", "seq": 4, "text": "Alpha be"}
COMPLETED = {**RUNNING, "state": "completed", "seq": 7, "text": WHOLE, "finish_reason": "stop"}


def stream(route: Route, events: Sequence[Event]) -> None:
    route.fulfill(content_type="text/event-stream", body=b"".join(map(native.write, events)))


@pytest.mark.proves("B19", "B20", "B21", "C33")
@pytest.mark.parametrize(
    ("second", "messages"),
    [
        ((Delta(4, " be"), Delta(3, "pha"), Delta(5, "ta"), Delta(6, "."), END), [RUNNING]),
        ((Delta(2, "Al"), Delta(3, "pha"), Delta(4, " be"), Delta(5, "ta"), Delta(6, "."), END), [RUNNING]),
        ((Delta(6, "."),), [RUNNING, COMPLETED]),
        ((Delta(3, "pha"), Delta(6, "."), END), [RUNNING, COMPLETED]),
    ],
    ids=["one step back", "from the beginning", "one is missing", "back and missing"],
)
def test_overlap_is_ignored_and_a_gap_is_filled(
    chat: ChatPage, second: Sequence[Event], messages: list[dict[str, Any]]
) -> None:
    seen: list[str] = []
    left = list(messages)

    def message(route: Route) -> None:
        seen.append("message")
        route.fulfill(json=left.pop(0) if len(left) > 1 else left[0])

    chat.page.route("**/api/v1/conversations/*/messages", lambda route: stream(route, FIRST))
    chat.page.route("**/api/v1/messages/msg_2", message)
    chat.page.route("**/api/v1/messages/msg_2/events?after=4", lambda route: stream(route, second))
    chat.open()
    chat.page.evaluate(
        """() => addEventListener("motamot:event", ({ target }) => (window.texts ??= []).push(target.text))"""
    )
    chat.ask("Say it")
    chat.wait_for("completed")
    assert [answer.text for answer in chat.shown_answers()] == [WHOLE]
    assert all(WHOLE.startswith(text) for text in chat.page.evaluate("window.texts"))
    assert seen == ["message"] * len(messages)
