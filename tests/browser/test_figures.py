"""What the page tells the server's figures of the answers it showed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.chat_page import ChatPage
from tests.support.figures import Meter
from tests.support.server import Server, start_server
from tests.support.visitor import Visitor
from webapp.qa.line import Line

VISIBLE = "motamot_time_to_first_visible_seconds"
DURATION = "gen_ai_server_request_duration_seconds"
PIECES = ["one ", "two ", "three ", "four"]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """One of its own: pages of other tests would tell it of their answers."""
    with start_server() as running:
        yield running


@pytest.fixture
def meter(server: Server) -> Meter:
    return Meter(server)


@pytest.mark.proves("M1", "M2")
def test_the_time_to_the_first_visible_word_is_told_once_and_is_less_than_that_to_the_end(
    chat: ChatPage, visitor: Visitor, meter: Meter
) -> None:
    chat.open()
    chat.ask(visitor.scenario({"text": "one "}, {"wait": 1.0}, {"text": "two"}, {"finish": "stop"}))
    chat.wait_for("completed")
    meter.wait_for(1, f"{VISIBLE}_count", state="completed")
    assert 0 < meter.moved(f"{VISIBLE}_sum") <= meter.moved(f"{DURATION}_sum")
    chat.ask(visitor.says(PIECES))
    chat.wait_for("completed", count=2)
    meter.wait_for(2, f"{VISIBLE}_count")
    assert meter.moved("motamot_page_reconnects_total") == 0


@pytest.mark.proves("M1")
def test_an_answer_that_comes_in_one_piece_has_a_first_visible_word_too(
    chat: ChatPage, visitor: Visitor, meter: Meter
) -> None:
    chat.open()
    chat.ask(visitor.says(["all of it"]))
    meter.wait_for(1, f"{VISIBLE}_count")
    assert meter.moved(f"{VISIBLE}_sum") > 0


@pytest.mark.proves("M1")
def test_who_leaves_in_mid_answer_has_seen_its_first_word(chat: ChatPage, visitor: Visitor, meter: Meter) -> None:
    chat.open()
    with chat.page.expect_response("**/beacon.js"):  # before it is there, nothing can be told
        chat.ask(visitor.scenario({"text": "one "}, {"hang": True}))
    chat.wait_for_text("one ")
    message_id = chat.message_id
    chat.open("/")
    meter.wait_for(1, f"{VISIBLE}_count", state="running")
    visitor.cancel(message_id)


@pytest.mark.proves("M4", "T2")
@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ({"repeat_seq": [3]}, "motamot_page_repeats_total"),
        ({"omit_seq": [3]}, "motamot_page_holes_total"),
        ({"corrupt_seq": [3]}, "motamot_page_mismatches_total"),
    ],
    ids=["repeat", "hole", "mismatch"],
)
def test_what_the_line_spoils_is_told(
    chat: ChatPage, visitor: Visitor, meter: Meter, fault: dict[str, object], told: str
) -> None:
    chat.open()
    chat.ask(visitor.says(PIECES, line=fault))
    chat.wait_for("completed")
    meter.wait_for(1, told)


@pytest.mark.proves("M3")
def test_a_line_that_is_back_is_told(chat: ChatPage, server: Server, visitor: Visitor, meter: Meter) -> None:
    with Line(server.url) as line:
        chat = chat.over(line.url)
        chat.open()
        chat.ask(visitor.scenario({"text": "one "}, {"wait": 3.0}, {"text": "two"}, {"finish": "stop"}))
        chat.wait_for_text("one ")
        line.cut()
        chat.wait_for("completed")
        meter.wait_for(1, "motamot_page_reconnects_total")
        assert meter.moved("motamot_follows_total", **{"from": "number"}) >= 1


@pytest.mark.proves("M5", "M6")
def test_a_stop_on_the_page_is_asked_and_confirmed_and_no_failure(
    chat: ChatPage, visitor: Visitor, meter: Meter
) -> None:
    chat.move_time_by_hand()
    chat.open()
    chat.ask(visitor.scenario({"text": "one "}, {"hang": True}))
    chat.wait_for_text("one ")
    chat.settle()
    chat.button("Stop").click()
    chat.wait_for("cancelled")
    meter.wait_for(1, f"{VISIBLE}_count", state="cancelled")
    assert meter.moved("motamot_cancels_asked_total") == meter.moved("motamot_cancels_confirmed_total") == 1
    assert meter.moved("motamot_answers_ended_total", state="failed") == 0
    assert meter.moved(f"{DURATION}_count") == 0


def test_a_page_that_cannot_tell_shows_its_answer_all_the_same(chat: ChatPage, visitor: Visitor) -> None:
    chat.page.route("**/beacon.js", lambda route: route.abort())
    chat.open()
    chat.ask(visitor.says(PIECES))
    chat.wait_for("completed")
    assert chat.shown_answers()[0].text == "".join(PIECES)


@pytest.mark.proves("M1")
def test_who_opens_a_page_on_a_running_answer_has_sent_nothing_and_tells_no_time(
    chat: ChatPage, visitor: Visitor, meter: Meter
) -> None:
    conversation_id = visitor.conversation()
    message_id = visitor.begin(visitor.scenario({"text": "one "}, {"hang": True}), conversation_id)
    chat.open(f"/c/{conversation_id}")
    chat.wait_for_text("one ")
    visitor.cancel(message_id)
    chat.wait_for("cancelled")
    chat.reload()
    assert meter.moved(f"{VISIBLE}_count") == 0
