"""The chat page as a person uses it: what it offers is found by role and name, and what it shows is waited for.

Holds no expectation of its own: what is right is said by the tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, Request, Route

READY = "html[data-motamot-ready]"
ANSWERS = "article[data-role=assistant]"
QUESTIONS = "article[data-role=user]"
# ms for which a button must have meant what it means before a press on it acts.
SETTLED = 400

# A page in front of which another tab stands: headless browsers know no such thing.
SHOW = """(isShown) => {
    const mark = (name, get) => Object.defineProperty(document, name, { get, configurable: true });
    mark("visibilityState", () => (isShown ? "visible" : "hidden"));
    mark("hidden", () => !isShown);
    document.dispatchEvent(new Event("visibilitychange"));
}"""

# Code points travel as numbers: no encoding on the way can change them.
MESSAGES = """() => [...document.querySelectorAll("article")].map((article) => {
  const points = (text) => Array.from(text, (sign) => sign.codePointAt(0));
  return {
    role: article.dataset.role,
    message_id: article.dataset.messageId,
    state: article.dataset.state,
    heading: article.querySelector("h2").textContent,
    text: points(article.text),
    shown: points(article.querySelector("[data-part=text]").textContent),
  };
})"""


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """One message on the page. `text`: the property of the article; `shown`: the `textContent` of its text."""

    role: str
    message_id: str
    state: str
    heading: str
    text: str
    shown: str


class ChatPage:
    """One tab. `url` is where the server, or a line to it, is reached; `asks` is the id of the model that it asks."""

    def __init__(self, page: Page, url: str, *, asks: str = "scripted") -> None:
        self.page = page
        self.url = url
        self._asks = asks

    def over(self, url: str) -> ChatPage:
        """The same tab, reaching the same server by another address."""
        return ChatPage(self.page, url, asks=self._asks)

    def move_time_by_hand(self) -> None:
        """Let tests move the page's clock on; until they do, it runs as ever. Call it before `open`."""
        self.page.clock.install()

    def settle(self) -> None:
        """Let the time pass after which a press may act on a button that has just changed its meaning."""
        self.page.clock.fast_forward(SETTLED)

    def show(self, is_shown: bool) -> None:
        """Bring the tab to the front, or put another one before it."""
        self.page.evaluate(SHOW, is_shown)

    def open(self, path: str = "/", **settings: object) -> None:
        """Open a page of the server with display settings for this view, and choose the model."""
        query = f"?{urlencode(settings)}" if settings else ""
        self.page.goto(f"{self.url}{path}{query}")
        self._ready()

    def reload(self) -> None:
        self.page.reload()
        self._ready()

    def _ready(self) -> None:
        self.page.wait_for_selector(READY, state="attached")
        self.model.select_option(self._asks)

    def hold(self, pattern: str) -> list[Route]:
        """Keep back the next request to such an address; it stands in the list once it was made."""
        held: list[Route] = []

        def keep(route: Route) -> None:
            held.append(route)

        self.page.route(pattern, keep, times=1)
        return held

    @property
    def composer(self) -> Locator:
        """The field for the question."""
        return self.page.get_by_role("textbox", name="Your question")

    @property
    def model(self) -> Locator:
        return self.page.get_by_role("combobox", name="Model")

    def button(self, name: str) -> Locator:
        """A button by its whole name."""
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def answers(self) -> Locator:
        return self.page.locator(ANSWERS)

    @property
    def questions(self) -> Locator:
        return self.page.locator(QUESTIONS)

    @property
    def answer(self) -> Locator:
        """The newest answer."""
        return self.answers.last

    def ask(self, text: str) -> None:
        """Type a question and press Enter."""
        self.composer.fill(text)
        self.composer.press("Enter")

    def wait_for(self, state: str, *, count: int = 1) -> Locator:
        """The answer with this number, once it is the newest one and in this state."""
        self._wait("answer.dataset.state === wanted", state, count)
        return self.answers.nth(count - 1)

    def wait_for_text(self, beginning: str, *, count: int = 1) -> Locator:
        """The answer with this number, once it is the newest one and shows a text that begins so."""
        self._wait("answer.text.startsWith(wanted)", beginning, count)
        return self.answers.nth(count - 1)

    def _wait(self, condition: str, wanted: str, count: int) -> None:
        self.page.wait_for_function(
            f"""([selector, wanted, count]) => {{
                const answers = document.querySelectorAll(selector);
                const answer = answers[count - 1];
                return answers.length === count && {condition};
            }}""",
            arg=[ANSWERS, wanted, count],
        )

    def messages(self) -> list[ShownMessage]:
        """Every message, in the order of the page."""
        shown: list[dict[str, Any]] = self.page.evaluate(MESSAGES)
        return [ShownMessage(**{**one, "text": _text(one["text"]), "shown": _text(one["shown"])}) for one in shown]

    def shown_answers(self) -> list[ShownMessage]:
        return [message for message in self.messages() if message.role == "assistant"]

    @property
    def conversation_id(self) -> str:
        """The id in the page's address; "" before the first question."""
        return str(self.page.evaluate("location.pathname.startsWith('/c/') ? location.pathname.slice(3) : ''"))

    @property
    def message_id(self) -> str:
        """The newest answer's."""
        return self.answer.get_attribute("data-message-id") or ""

    def is_focused(self, element: Locator) -> bool:
        return bool(element.evaluate("element => element === document.activeElement"))


def sent(request: Request) -> dict[str, Any]:
    """What the page sent as JSON."""
    body = request.post_data_json
    assert isinstance(body, dict)
    return body


def _text(points: Sequence[int]) -> str:
    return "".join(map(chr, points))
