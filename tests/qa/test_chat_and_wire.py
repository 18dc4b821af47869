"""The kit's page object and its view of the wire, on our own page: what they tell, and what they refuse to pass."""

from __future__ import annotations

import threading

import pytest

from tests.support.texts import TEXTS, pieces
from webapp.qa.chat import Chat
from webapp.qa.line import Line
from webapp.qa.plans import Cut, Plan, Refuse
from webapp.qa.upstream import CUT, HANG, Reply, Until, Upstream, Wait, answer, delta, frame
from webapp.qa.wire import Wire

ASKS = "/messages$"


@pytest.mark.parametrize("name", TEXTS)
def test_every_text_is_the_same_on_the_wire_and_on_the_page(
    chat: Chat, wire: Wire, upstream: Upstream, name: str
) -> None:
    upstream.play(Reply(answer(*pieces(TEXTS[name], 20))))
    chat.ask("Say it")
    assert chat.wait_for_end() == "completed"
    wire.expect_exact(chat)
    assert chat.text() == TEXTS[name]


def test_a_page_that_shows_something_else_is_told_where(chat: Chat, wire: Wire, upstream: Upstream) -> None:
    upstream.play(Reply(answer("one\n\ntwo")))
    chat.ask("Say it")
    chat.wait_for_end()
    chat.page.evaluate(
        "() => Object.defineProperty(document.querySelector('[data-role=assistant]'), 'text', { value: 'one\\ntwo' })"
    )
    with pytest.raises(AssertionError, match=r"at character 5 .line 2. U.000A LINE FEED was expected, U.0074"):
        wire.expect_exact(chat)


def test_the_wire_tells_when_what_came(chat: Chat, wire: Wire, upstream: Upstream) -> None:
    goes_on = threading.Event()
    upstream.play(Reply([delta("one "), Until(goes_on), Wait(0.3), *answer("two")]))
    chat.ask("Say it")
    chat.wait_for_text("one ")
    assert (chat.state(), chat.is_busy()) == ("running", True)
    goes_on.set()
    assert chat.wait_for_end() == "completed"
    assert (chat.state(), chat.is_busy(), chat.count()) == ("completed", False, 1)
    (travelled,) = wire.answers()
    first, second = travelled.additions
    assert (first.text, second.text, travelled.end) == ("one ", "two", "completed")
    assert second.at - first.at >= 0.3
    samples = chat.samples()
    assert [samples[-1].length, samples[-1].state] == [7, "completed"]
    assert [sample.length for sample in samples] == sorted(sample.length for sample in samples)
    (asked,) = wire.asked("Say it")
    assert (asked.method, asked.status) == ("POST", 200)


def test_an_answer_over_two_streams_is_one(chat: Chat, wire: Wire, upstream: Upstream, line: Line) -> None:
    line.plan(Plan([Cut(bytes=520)], path=ASKS, method="POST"))
    upstream.play(Reply([step for number in range(30) for step in (delta(f"w{number} "), Wait(0.02))] + answer("end")))
    chat.ask("Say it")
    assert chat.wait_for_end() == "completed"
    wire.expect_exact(chat)
    first, second = wire.streams()
    assert first.failure == "net::ERR_INCOMPLETE_CHUNKED_ENCODING"
    assert second.began > first.began


@pytest.mark.parametrize(
    ("steps", "state"),
    [([delta("half"), CUT], "failed"), ([delta("half"), frame({"error": {"message": "no"}})], "failed")],
)
def test_an_answer_that_fails_is_told_as_failed(
    chat: Chat, wire: Wire, upstream: Upstream, steps: list[bytes], state: str
) -> None:
    upstream.play(Reply(steps))
    chat.ask("Say it")
    assert chat.wait_for_end() == state
    wire.expect_exact(chat)
    assert wire.answers()[0].end == state


def test_stop_is_pressed_as_a_person_does(chat: Chat, wire: Wire, upstream: Upstream) -> None:
    upstream.play(Reply([delta("kept"), HANG]))
    chat.ask("Say it")
    chat.wait_for_text("kept")
    chat.stop()
    assert chat.wait_for_end() == "cancelled"
    assert upstream.exchange(0).gone.wait(5)
    wire.expect_exact(chat)


def test_a_wait_that_fails_says_what_was_there(chat: Chat, upstream: Upstream) -> None:
    upstream.play(Reply([delta("one\u00a0"), HANG]))
    chat.ask("Say it")
    with pytest.raises(AssertionError, match="answer 1 did not begin with 'two' after 1 s: it is running, marked busy"):
        chat.wait_for_text("two", seconds=1)
    with pytest.raises(AssertionError, match=r"4 characters, unchanged for \d\.\d s, ending 'one\\xa0'"):
        chat.wait_for_end(seconds=1)
    with pytest.raises(AssertionError, match="answer 2 was not running after 1 s: the page shows 1 answers"):
        chat.wait_for_state("running", 2, seconds=1)
    chat.stop()


def test_where_nothing_travelled_nothing_is_exact(chat: Chat, wire: Wire, line: Line) -> None:
    line.plan(Plan([Refuse(502)], path=ASKS, method="POST"))
    chat.ask("Say it")
    assert chat.wait_for_end() == "failed"
    with pytest.raises(AssertionError, match="no answer travelled: the server replied 502"):
        wire.expect_exact(chat)
