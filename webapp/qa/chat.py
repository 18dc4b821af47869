"""A chat page as a person uses it, by its profile: asks, waits for facts, stops, reads. It judges nothing."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import urljoin

from webapp.qa.profiles import Profile
from webapp.qa.texts import as_seen, as_text, points

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

State = Literal["none", "running", "completed", "cancelled", "failed", "incomplete"]

WAIT_SECONDS = 60.0
# A page that does not say when an answer ends has ended it when its text stays the same for so long.
QUIET_SECONDS = 2.0
# A page whose line broke may take it up again by itself; after so long it has given up.
PATIENCE_SECONDS = 15.0
# Nobody presses a button sooner after it got its meaning; some pages take a sooner press for a slip.
PRESS_SECONDS = 0.5


class Sample(NamedTuple):
    """How the newest answer stood after a change. `at`: seconds of the page's clock; `length` in UTF-16 units."""

    at: float
    number: int
    length: int
    state: State


@dataclass(frozen=True, slots=True)
class _Waited:
    """What a wait that failed has seen."""

    what: str
    number: int
    seconds: float


class Chat:
    """One tab with a chat page. Make it before the page is opened: it watches from the first HTML on.

    `address` is where the chat is reached; answers have numbers from 1 in the order of the page, and where none is
    given the one that was asked for last is meant. What takes too long raises AssertionError, which says what was
    there instead.
    """

    def __init__(self, page: "Page", address: str, profile: Profile) -> None:
        self.page = page
        self.address = address
        self.profile = profile
        self._asked = 0
        watcher = resources.files(__package__).joinpath("chat.js").read_text(encoding="utf-8")
        page.add_init_script(f"({watcher.rstrip().rstrip(';')})({_described(profile)});")

    def open(self, path: str = "") -> None:
        """Open the chat, or another `path` of it, and wait until it can be used."""
        self._asked = 0
        self.page.goto(urljoin(self.address, path or self.profile.path))
        self.wait_until_ready()

    def reload(self) -> None:
        """As the person would, with the browser's button."""
        self.page.reload()
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        """Wait until the page can be used."""
        if self.profile.page.ready:
            self.page.wait_for_selector(self.profile.page.ready, state="attached")
        self.composer.wait_for()

    @property
    def composer(self) -> "Locator":
        """The field for the question."""
        return self.page.locator(self.profile.composer.field).first

    def ask(self, text: str) -> None:
        """Type a question and send it; `wait_for_end` waits for its answer. Opens the page if none is open."""
        self.write(text)
        self.send()

    def write(self, text: str) -> None:
        """Put a question into the field. Opens the page if none is open."""
        if self.page.url == "about:blank":
            self.open()
        self.composer.fill(text)

    def send(self, *, by_key: bool = False) -> None:
        """Press Send; Enter in the field where the profile has no button for it, or `by_key`."""
        self._asked = self.count() + 1
        if self.profile.composer.send and not by_key:
            self.page.locator(self.profile.composer.send).click()
        else:
            self.composer.press("Enter")

    def count(self) -> int:
        """How many answers the page shows."""
        return int(self.page.evaluate("() => motamotKit.count()"))

    def text(self, number: int | None = None) -> str:
        """The answer's text as the page has it, code point for code point; "" where there is no such answer."""
        found = self.page.evaluate(f"number => ({points('motamotKit.text(number) ?? ``')})", self._number(number))
        return as_text(found)

    def state(self, number: int | None = None) -> State:
        """`completed` is said of an answer that does not grow and bears no sign of another end: it looks complete."""
        found: State = self.page.evaluate("number => motamotKit.state(number)", self._number(number))
        return found

    def is_busy(self, number: int | None = None) -> bool:
        """Whether the answer bears the mark of what is unfinished."""
        return bool(self.page.evaluate("number => motamotKit.isBusy(number)", self._number(number)))

    def samples(self, number: int | None = None) -> Sequence[Sample]:
        """Every change of an answer while it was the newest one, in order."""
        wanted = self._number(number)
        found = [Sample(at / 1000, *rest) for at, *rest in self.page.evaluate("() => motamotKit.samples")]
        return [sample for sample in found if sample.number == wanted]

    def wait_for_end(self, number: int | None = None, *, seconds: float = WAIT_SECONDS) -> State:
        """How the answer ended, once it has."""
        wanted = self._number(number)
        condition = "([number, quiet, patience]) => motamotKit.hasEnded(number, quiet, patience)"
        waits = [QUIET_SECONDS * 1000, PATIENCE_SECONDS * 1000]
        self._wait(condition, [wanted, *waits], _Waited("had not ended", wanted, seconds))
        return self.state(wanted)

    def wait_for_text(self, beginning: str, number: int | None = None, *, seconds: float = WAIT_SECONDS) -> None:
        """Wait until the answer's text begins with this."""
        wanted = self._number(number)
        condition = "([number, beginning]) => motamotKit.text(number)?.startsWith(beginning)"
        self._wait(condition, [wanted, beginning], _Waited(f"did not begin with {beginning!r}", wanted, seconds))

    def wait_for_state(self, state: State, number: int | None = None, *, seconds: float = WAIT_SECONDS) -> None:
        """Wait until the answer is in this state."""
        wanted = self._number(number)
        condition = "([number, state]) => motamotKit.state(number) === state"
        self._wait(condition, [wanted, state], _Waited(f"was not {state}", wanted, seconds))

    def stop(self, *, seconds: float = WAIT_SECONDS) -> None:
        """Press Stop, as soon as a person would. Raises ValueError for a profile without it."""
        if not self.profile.composer.stop:
            raise ValueError(f"the profile {self.profile.name!r} has no composer.stop")
        button = self.page.locator(self.profile.composer.stop).first
        button.wait_for(timeout=seconds * 1000)
        number = self._number(None)
        condition = "([number, least]) => !(motamotKit.runningFor(number) < least)"
        pause = PRESS_SECONDS * 1000
        self._wait(condition, [number, pause], _Waited("could not be stopped", number, seconds))
        button.click()

    def _number(self, number: int | None) -> int:
        return number or self._asked or self.count()

    def _wait(self, condition: str, argument: object, waited: _Waited) -> None:
        from playwright.sync_api import TimeoutError as TookTooLong

        try:
            self.page.wait_for_function(condition, arg=argument, timeout=waited.seconds * 1000)
        except TookTooLong:
            raise AssertionError(self._seen(waited)) from None

    def _seen(self, waited: _Waited) -> str:
        number = waited.number
        text, state = self.text(number), self.state(number)
        if state == "none":
            there = f"the page shows {self.count()} answers"
        else:
            quiet = self.page.evaluate("() => motamotKit.quietFor()") / 1000
            busy = ", marked busy" if self.is_busy(number) else ""
            end = as_seen(text[-40:])
            there = f"it is {state}{busy}, {len(text)} characters, unchanged for {quiet:.1f} s, ending {end}"
        return f"answer {number} {waited.what} after {waited.seconds:g} s: {there}"


def _described(profile: Profile) -> str:
    members = {
        "answers": asdict(profile.answers),
        "page": asdict(profile.page),
        "isFormatted": profile.is_formatted,
    }
    return json.dumps(members)
