"""What a page writes into its live regions, recorded in the browser; it judges nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

SCRIPT = Path(__file__).with_name("live_regions.js")


@dataclass(frozen=True, slots=True)
class Message:
    """One change of a live region. `time`: seconds of the page's clock; an emptied region has no text."""

    time: float
    region: str
    politeness: str
    text: str


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened to the page: a state of an answer, or `focus`. Same clock as the messages."""

    time: float
    name: str
    detail: str


class LiveRegions:
    """Records from the first HTML on, every page that is opened after it was made."""

    def __init__(self, page: Page) -> None:
        self._page = page
        page.add_init_script(path=SCRIPT)

    def messages(self) -> list[Message]:
        """Everything a screen reader may have spoken, in order; emptied regions are left out."""
        written: list[dict[str, object]] = self._page.evaluate("liveRegionRecord.messages")
        messages = [Message(**message) for message in written]  # type: ignore[arg-type]
        return [message for message in messages if message.politeness != "off" and message.text.strip()]

    def moments(self) -> list[Moment]:
        """States and changes of the focus, in order."""
        return [Moment(**moment) for moment in self._page.evaluate("liveRegionRecord.moments")]

    def born_filled(self) -> list[str]:
        """The names of regions that came into the page with text in them already."""
        born = self._page.evaluate("liveRegionRecord.born")
        return [region["region"] for region in born if region["text"].strip()]

    def wait_for(self, ending: str) -> None:
        """Wait until the newest message holds `ending`."""
        self._page.wait_for_function(
            "ending => liveRegionRecord.messages.filter(({text}) => text).at(-1)?.text.includes(ending)",
            arg=ending,
        )
