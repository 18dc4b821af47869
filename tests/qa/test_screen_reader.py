"""Our page through the real Orca: exactly what is heard, and what every other screen reader is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.support.needs import missing
from tests.support.server import Server
from tests.support.visitor import Visitor
from webapp.qa.chat import Chat
from webapp.qa.line import Line
from webapp.qa.profiles import built_in
from webapp.qa.screen_reader.listening import ScreenReader
from webapp.qa.screen_reader.needs import missing_packages

WRONG_PAGE = Path(__file__).parents[1] / "a11y" / "pages" / "live_answer.html"
SENTENCES = [f"Sentence number {number} has seven words." for number in range(24)]
TEXT = " ".join(SENTENCES)
DELTAS = 200
START = "Generating the answer"
END = "Answer complete, 144 words. Alt+Shift+A goes to it."
# Six sentences are 36 words: a seventh would be too many for one message.
HEARD = {
    "sentences": [START, " ".join(SENTENCES[:6]), " ".join(SENTENCES[6:12]), END],
    "quiet": [START, END],
    "full": [START, TEXT, END],
}


@pytest.fixture(scope="module", autouse=True)
def needed() -> None:
    if lacking := missing_packages():
        missing(f"The screen reader is not installed: {' '.join(lacking)}")


@pytest.fixture
def page(screen_reader: ScreenReader) -> Page:
    """A page in front of Orca, in place of pytest-playwright's."""
    return screen_reader.new_page()


@pytest.fixture
def visitor(server: Server, page: Page) -> Visitor:
    visitor = Visitor(server)
    cookie = {"name": "motamot_visitor", "value": visitor.http.cookies["motamot_visitor"], "url": server.url}
    page.context.add_cookies([cookie])  # type: ignore[list-item]
    return visitor


@pytest.fixture
def line(server: Server) -> Iterator[Line]:
    with Line(server.url) as line:
        yield line


Hear = Callable[..., Sequence[str]]


@pytest.fixture
def hear(screen_reader: ScreenReader, page: Page, line: Line) -> Hear:
    """Ask, wait for the end, and give what Orca said; the witness has heard the same."""
    chat = Chat(page, line.url, built_in())

    def hear(question: str, announce: str, meanwhile: Callable[[Chat], object] = lambda _: None) -> Sequence[str]:
        chat.open(f"/?interval=3&announce={announce}")
        page.get_by_label("Model").select_option("scripted")
        chat.write(question)
        start = screen_reader.settle(page)  # what the focus makes it say belongs to the person
        chat.send(by_key=True)
        meanwhile(chat)
        chat.wait_for_end()
        page.wait_for_function("() => document.querySelector('[role=status]').textContent === ''")
        screen_reader.settle(page)
        heard = [spoken(one.text) for one in screen_reader.heard(start)]
        told = [spoken(one.text) for one in screen_reader.told(start) if one.kind.endswith("text-changed:insert")]
        assert [text for text in told if "barrier" not in text] == heard
        return heard

    return hear


def spoken(text: str) -> str:
    return " ".join(text.split())


def slowly(visitor: Visitor, *end: dict[str, object]) -> str:
    parts = [TEXT[len(TEXT) * number // DELTAS : len(TEXT) * (number + 1) // DELTAS] for number in range(DELTAS)]
    steps = [step for part in parts for step in ({"text": part}, {"wait": 0.02})]
    return visitor.scenario(*steps, *(end or ({"finish": "stop"},)))


@pytest.mark.proves("B47", "B48", "B49", "B50", "B55", "C90", "C94", "T7")
@pytest.mark.parametrize("announce", HEARD)
def test_an_answer_of_many_pieces_is_a_handful_of_utterances(hear: Hear, visitor: Visitor, announce: str) -> None:
    assert hear(slowly(visitor), announce) == HEARD[announce]


@pytest.mark.proves("B42", "C96", "T1")
def test_a_line_that_was_lost_and_is_back_is_heard_once_each(hear: Hear, visitor: Visitor, line: Line) -> None:
    def lose(chat: Chat) -> None:
        chat.wait_for_text(SENTENCES[0])
        line.cut(stays_down=True)
        chat.page.locator("[data-motamot=connection]").wait_for()
        chat.page.wait_for_timeout(3_000)
        line.mend()
        chat.wait_for_state("completed")

    heard = hear(slowly(visitor), "quiet", lose)
    assert heard == [START, "Connection lost. Trying to connect again.", "Connection is back.", END]


@pytest.mark.proves("B50", "B56", "C96")
def test_a_failure_is_heard_once(hear: Hear, visitor: Visitor) -> None:
    heard = hear(slowly(visitor, {"fail": "provider_error"}), "quiet")
    told = "The model broke off, so the answer is incomplete. Try again, or choose another model."
    assert heard == [START, told]


@pytest.mark.proves("B47", "C90")
def test_a_page_whose_answer_is_a_live_region_is_a_flood(screen_reader: ScreenReader, page: Page) -> None:
    page.goto("about:blank")
    start = screen_reader.settle(page)
    page.goto(f"{WRONG_PAGE.as_uri()}?deltas={DELTAS}&seconds=4&text={TEXT}")
    page.wait_for_function("() => !document.querySelector('article').hasAttribute('aria-busy')")
    screen_reader.settle(page)
    heard = [spoken(one.text) for one in screen_reader.heard(start)]
    assert heard not in HEARD.values()
    assert len(heard) > 2 * len(HEARD["sentences"])
    assert len(" ".join(heard).split()) > 3 * len(TEXT.split())
