"""When the line breaks in mid-answer, the page says that it does not know the end, and goes on when asked to."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.support.chat_page import ChatPage
from tests.support.server import Server
from tests.support.visitor import Visitor
from webapp.qa.announcements import Announcements
from webapp.qa.line import Line
from webapp.qa.upstream import Reply, Until, Upstream, delta
from webapp.qa.upstream import answer as spoken

# ms: longer than the page tries a line that does not come back.
GIVEN_UP = 121_000
LOST = "The connection was lost. The text so far is kept; resume to get the rest."


@pytest.fixture
def line(server: Server) -> Iterator[Line]:
    """The line between this test's browser and the shared server."""
    with Line(server.url) as line:
        yield line


@pytest.fixture
def chat(chat: ChatPage, line: Line) -> ChatPage:
    """The page, reached over that line; its time can be moved on."""
    chat.move_time_by_hand()
    return chat.over(line.url)


@pytest.fixture
def posts(page: Page) -> list[str]:
    """The paths that the page posted to."""
    paths: list[str] = []

    def keep(request: Request) -> None:
        if request.method == "POST":
            paths.append(request.url.split("/api/v1/")[-1])

    page.on("request", keep)
    return paths


def questions_in(posts: list[str]) -> int:
    return sum(path.endswith("/messages") for path in posts)


@pytest.mark.proves(
    "A34", "B11", "B12", "B38", "B40", "B42", "B43", "B52", "B56", "C27", "C35", "C96", "G11", "G14", "H8"
)
@pytest.mark.parametrize("way", ["cut", "end_politely"])
def test_a_cut_answer_is_not_complete_and_is_resumed_without_being_asked_again(
    asking_service: ChatPage, provider: Upstream, posts: list[str], way: str
) -> None:
    go_on = threading.Event()
    calls = len(provider.exchanges)
    provider.play(Reply([delta("The total is 4"), Until(go_on), *spoken("2.")]))
    with Line(asking_service.url) as line:
        chat = asking_service.over(line.url)
        chat.move_time_by_hand()
        announcements = Announcements(chat.page)
        chat.open()
        chat.ask("What is six times seven?")
        chat.wait_for_text("The total is 4")
        chat.composer.press_sequentially("next")
        line.go_down()
        getattr(line, way)()
        chat.wait_for("disconnected")
        assert chat.answer.get_attribute("aria-busy") == "true"
        give_up(chat)
        assert_lost(chat)
        announcements.wait_for(LOST)
        line.mend()
        go_on.set()
        chat.button("Resume").click()
        chat.wait_for("completed")
        assert [(one.text, one.shown) for one in chat.shown_answers()] == [("The total is 42.", "The total is 42.")]
        expect(chat.button("Resume")).to_be_hidden()
        heading = chat.answer.get_by_role("heading")
        assert heading.inner_text() == "fake-model"
        assert chat.is_focused(heading)
        assert [message.text for message in announcements.all() if message.region == "alert"] == [LOST]
        assert chat.composer.input_value() == "next"
    assert questions_in(posts) == 1
    assert len(provider.exchanges) - calls == 1


def give_up(chat: ChatPage) -> None:
    """Let the time pass after which the page tries a lost line no longer."""
    chat.wait_for("disconnected")
    with chat.page.expect_event("requestfailed"):
        chat.page.clock.fast_forward(GIVEN_UP)
    expect(chat.button("Resume")).to_be_visible()


@pytest.mark.proves("B16", "B17", "B21", "B24", "C35", "T1")
@pytest.mark.parametrize("way", ["cut", "end_politely"])
def test_a_cut_line_is_taken_up_again_by_the_page_itself(
    chat: ChatPage, visitor: Visitor, line: Line, posts: list[str], way: str
) -> None:
    """Nobody does anything: exact text, one question, one run, and nothing is told of so short a loss."""
    announcements = Announcements(chat.page)
    chat.open()
    chat.ask(visitor.scenario({"text": "Alpha "}, {"text": "be"}, {"wait": 1}, {"text": "ta."}, {"finish": "stop"}))
    chat.wait_for_text("Alpha be")
    chat.composer.press_sequentially("next")
    with chat.page.expect_response("**/events?after=3") as followed:
        getattr(line, way)()
    assert followed.value.status == 200
    answer = chat.wait_for("completed")
    assert [(one.text, one.shown) for one in chat.messages()[1:]] == [("Alpha beta.", "Alpha beta.")]
    assert (answer.get_attribute("aria-busy"), chat.is_focused(chat.composer)) == (None, True)
    assert [message for message in announcements.all() if message.region == "alert"] == []
    assert (chat.questions.count(), questions_in(posts)) == (1, 1)
    assert visitor.run(chat.message_id)["calls"] == 1


@pytest.mark.proves("B24")
@pytest.mark.parametrize("event", ["online", "visibilitychange", "resume"])
def test_a_network_that_is_back_is_used_at_once(chat: ChatPage, visitor: Visitor, line: Line, event: str) -> None:
    """Also after the page had given up; what it finds then needs no button."""
    lose_for_good(chat, visitor, line)
    line.mend()
    chat.page.evaluate("name => (name === 'online' ? window : document).dispatchEvent(new Event(name))", event)
    chat.wait_for("running")
    visitor.cancel(chat.message_id)
    chat.wait_for("cancelled")
    assert chat.shown_answers()[0].text == "kept"


def lose_for_good(chat: ChatPage, visitor: Visitor, line: Line) -> None:
    """Ask, and lose the line in mid-answer for longer than the page tries it."""
    chat.open()
    chat.ask(visitor.scenario({"text": "kept"}, {"hang": True}))
    chat.wait_for_text("kept")
    line.cut(stays_down=True)
    give_up(chat)


def assert_lost(chat: ChatPage) -> None:
    """The text is kept, the page says that it does not know how the answer goes on, and the composer works."""
    answer = chat.wait_for("disconnected")
    assert (answer.get_attribute("aria-busy"), chat.shown_answers()[0].text) == (None, "The total is 4")
    expect(answer.get_by_text(LOST, exact=True)).to_be_visible()
    expect(answer.get_by_role("heading", name=re.compile("— incomplete: connection lost$"))).to_be_visible()
    assert (chat.composer.input_value(), chat.is_focused(chat.composer)) == ("next", True)
    expect(chat.button("Send")).to_be_visible()


@pytest.mark.proves("B19", "C32", "C35", "T1")
def test_text_is_never_doubled_however_often_the_line_breaks(
    chat: ChatPage, visitor: Visitor, line: Line, posts: list[str]
) -> None:
    chat.open()
    chat.ask(visitor.scenario({"text": "Alpha "}, {"text": "be"}, {"hang": True}))
    chat.wait_for_text("Alpha be")
    for _ in range(5):
        with chat.page.expect_response("**/events?after=3"):
            line.cut()
            chat.wait_for("disconnected")
            chat.page.clock.fast_forward(8_000)
    chat.wait_for("running")
    assert chat.shown_answers()[0].text == "Alpha be"
    visitor.cancel(chat.message_id)
    chat.wait_for("cancelled")
    assert [(one.text, one.shown) for one in chat.shown_answers()] == [("Alpha be", "Alpha be")]
    assert questions_in(posts) == 1
    assert visitor.run(chat.message_id)["calls"] == 1


@pytest.mark.proves("B24", "C96")
def test_resume_that_finds_no_line_says_so_and_can_be_pressed_again(
    chat: ChatPage, visitor: Visitor, line: Line
) -> None:
    lose_for_good(chat, visitor, line)
    resume = chat.button("Resume")
    with chat.page.expect_event("requestfailed"):
        resume.click()
    expect(resume).to_be_enabled()
    assert chat.answer.get_attribute("data-state") == "disconnected"
    assert chat.is_focused(resume)
    line.mend()
    resume.click()
    chat.wait_for("running")
    chat.settle()
    chat.button("Stop").click()
    chat.wait_for("cancelled")
    assert chat.shown_answers()[0].text == "kept"


@pytest.mark.proves("B42")
def test_a_loss_is_told_in_a_strip_after_two_seconds_and_its_end_for_three(
    chat: ChatPage, visitor: Visitor, line: Line
) -> None:
    chat.open()
    chat.ask(visitor.scenario({"text": "kept"}, {"hang": True}))
    chat.wait_for_text("kept")
    strip = chat.page.locator("[data-motamot=connection]")
    line.cut(stays_down=True)
    chat.wait_for("disconnected")
    expect(strip).to_be_hidden()
    chat.page.clock.fast_forward(2_000)
    expect(strip).to_contain_text("Connection lost. The answer will resume.")
    expect(strip).to_contain_text(re.compile(r"(Next try in [1-8] s\.|Connecting…)"))
    line.mend()
    chat.button("Try now").press("Enter")
    expect(strip.get_by_text("Resumed.")).to_be_visible()
    expect(chat.button("Try now")).to_be_hidden()
    assert chat.is_focused(chat.answer.get_by_role("heading"))
    chat.page.clock.fast_forward(3_000)
    expect(strip).to_be_hidden()
    assert strip.evaluate("strip => strip.closest('[aria-live], [role=status], [role=alert]')") is None


@pytest.mark.proves("C46")
def test_the_next_question_can_be_asked_without_resuming(chat: ChatPage, visitor: Visitor, line: Line) -> None:
    chat.open()
    chat.ask(visitor.scenario({"text": "one "}, {"hang": True}))
    chat.wait_for_text("one")
    line.cut(stays_down=True)
    give_up(chat)
    line.mend()
    visitor.cancel(chat.message_id)
    chat.ask("next")
    chat.wait_for("completed", count=2)
    assert [one.text for one in chat.messages()][2:] == ["next", "next"]
    chat.reload()
    assert [one.state for one in chat.shown_answers()] == ["cancelled", "completed"]


@pytest.mark.proves("B24", "C46")
def test_a_question_behind_a_lost_answer_that_still_runs_brings_its_stop_back(
    chat: ChatPage, visitor: Visitor, line: Line
) -> None:
    """The server refuses a second question meanwhile; only here can the person do something about it."""
    lose_for_good(chat, visitor, line)
    line.mend()
    chat.ask("next")
    chat.wait_for("running")
    notice = chat.page.get_by_role("form", name="Ask").get_by_text("An answer is still being written.")
    expect(notice).to_be_visible()
    assert chat.composer.input_value() == "next"
    chat.settle()
    chat.button("Stop").click()
    chat.wait_for("cancelled")
    expect(notice).to_be_hidden()
    chat.composer.press("Enter")
    chat.wait_for("completed", count=2)


@pytest.mark.proves("B24", "B41", "C96", "C113")
def test_an_answer_that_is_no_longer_there_is_not_tried_again(chat: ChatPage, visitor: Visitor, line: Line) -> None:
    """The page has lost its visitor: nothing of what it asked for exists for the one that it has now."""
    announcements = Announcements(chat.page)
    chat.open()
    chat.ask(visitor.scenario({"text": "kept"}, {"hang": True}))
    chat.wait_for_text("kept")
    message_id = chat.message_id
    chat.page.context.clear_cookies()
    chat.page.context.request.get(chat.url)
    line.cut()
    gone = "This answer was deleted, or it is not yours. What came of it stands here until you leave the page."
    announcements.wait_for(gone)
    answer = chat.answer
    assert (answer.get_attribute("data-code"), answer.get_attribute("aria-busy")) == ("not_found", None)
    expect(answer.get_by_text(gone, exact=True)).to_be_visible()
    expect(answer.get_by_role("heading", name=re.compile("— incomplete: no longer there$"))).to_be_visible()
    expect(chat.button("Resume")).to_be_hidden()
    expect(chat.page.locator("[data-motamot=connection]")).to_be_hidden()
    expect(chat.button("Send")).to_be_visible()
    assert chat.shown_answers()[0].text == "kept"
    tried: list[str] = []
    chat.page.on("request", lambda request: tried.append(request.url))
    chat.page.evaluate("dispatchEvent(new Event('online'))")
    chat.page.clock.fast_forward(GIVEN_UP)
    assert [url for url in tried if message_id in url] == []
    visitor.cancel(message_id)


@pytest.mark.proves("B24")
def test_a_server_that_asks_for_time_is_given_it(chat: ChatPage, visitor: Visitor, line: Line) -> None:
    refusals: list[int] = []

    def refuse(route: Route) -> None:
        refusals.append(1)
        route.fulfill(status=503, headers={"Retry-After": "60"}, content_type="text/html", body="<h1>Busy</h1>")

    chat.open()
    chat.ask(visitor.scenario({"text": "kept"}, {"hang": True}))
    chat.wait_for_text("kept")
    chat.page.route("**/messages/msg_*", refuse, times=2)
    with chat.page.expect_response("**/messages/msg_*"):
        line.cut()
    for _ in range(6):
        chat.page.clock.fast_forward(9_000)
    assert len(refusals) == 1
    with chat.page.expect_response("**/messages/msg_*"):
        chat.page.clock.fast_forward(9_000)
    assert len(refusals) == 2
    assert chat.answer.get_attribute("data-state") == "disconnected"
    chat.button("Try now").click()
    chat.wait_for("running")
    visitor.cancel(chat.message_id)
    chat.wait_for("cancelled")


@pytest.mark.proves("C46", "G11")
def test_an_event_that_cannot_be_read_breaks_the_line_and_not_the_page(chat: ChatPage, visitor: Visitor) -> None:
    """As a proxy might write into the stream; what the server knows is then fetched."""
    conversation = visitor.conversation()
    chat.open(f"/c/{conversation}")
    answered = visitor.ask("the answer", conversation).json()
    names = ("conversation_id", "message_id", "question_id", "request_id", "model")
    accepted = json.dumps({"seq": 1, **{name: answered[name] for name in names}})
    broken = f'event: accepted\ndata: {accepted}\n\nevent: delta\ndata: {{"seq": 2, "text": "the \n\n'
    chat.page.route("**/messages", lambda route: route.fulfill(content_type="text/event-stream", body=broken), times=1)
    chat.ask("the answer")
    chat.wait_for("completed")
    assert chat.shown_answers()[0].text == "the answer"
    chat.ask("next")
    chat.wait_for("completed", count=2)
