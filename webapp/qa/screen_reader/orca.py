"""The real Orca on a desktop, and what it handed to its synthesizer, with times."""

import json
import shutil
import time
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple, Self

from webapp.qa.screen_reader.desktop import POLL_SECONDS, Desktop

if TYPE_CHECKING:
    from types import TracebackType

    from playwright.sync_api import Page

GREETING_SECONDS = 30.0
BARRIER_SECONDS = 60.0
# Orca drops events when it is flooded, or does not look at the page yet: the barrier is said again so often.
AGAIN_SECONDS = 2.0
# A region has to be there for a moment before its text changes.
REGION_MS = 250

BARRIER = "motamot barrier"
# What is set has a number that is new each time: Orca drops a text equal to the one before.
SET_BARRIER = """text => {
    let region = document.getElementById("motamot-barrier");
    if (region === null) {
        region = document.createElement("div");
        region.id = "motamot-barrier";
        region.setAttribute("role", "status");
        region.style.cssText = "position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden";
        document.body.append(region);
    }
    region.textContent = text;
}"""


class Utterance(NamedTuple):
    """Something that Orca handed to its synthesizer. `at`: seconds since the epoch."""

    at: float
    text: str


class Orca:
    """Runs while its `with` block does. Raises TimeoutError where it does not start."""

    def __init__(self, desktop: Desktop) -> None:
        self._desktop = desktop
        self._spoken = desktop.folder / "spoken.jsonl"
        self._barriers = 0

    def __enter__(self) -> Self:
        settings = self._desktop.folder / "orca"
        settings.mkdir()
        name = "orca-customizations.py"
        with resources.as_file(resources.files(__package__).joinpath("prefs", name)) as hook:
            shutil.copy(hook, settings / name)
        self._spoken.touch()
        orca = shutil.which("orca") or "/usr/bin/orca"
        # Its orderly end takes seconds, and nothing is lost without it.
        self._desktop.start("orca", [orca, "-u", str(settings), "-d", "braille"], {"ORCA_SPOKEN": str(self._spoken)})
        self._desktop.wait_for(self._all, "orca", GREETING_SECONDS)
        return self

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        error: "BaseException | None",
        trace: "TracebackType | None",
    ) -> None:
        """It ends with its desktop."""

    def heard(self, since: float = 0.0) -> Sequence[Utterance]:
        """What was spoken since then (seconds since the epoch), in order; the barriers are left out."""
        return [one for one in self._all() if one.at >= since and BARRIER not in one.text]

    def barrier(self, page: "Page") -> float:
        """Wait until Orca has dealt with everything that the page has done so far; the time at which it had.

        It speaks polite messages in order: once a text that was set now is spoken, everything before it has been.
        Raises TimeoutError after a minute, as where the page is not in front of it.
        """
        until = time.monotonic() + BARRIER_SECONDS
        page.evaluate(SET_BARRIER, "")
        page.wait_for_timeout(REGION_MS)
        mine: set[str] = set()
        while time.monotonic() < until:
            self._barriers += 1
            mine.add(f"{BARRIER} {self._barriers}")
            page.evaluate(SET_BARRIER, f"{BARRIER} {self._barriers}")
            again = time.monotonic() + AGAIN_SECONDS
            while time.monotonic() < again:
                if any(one.text.strip() in mine for one in self._all()):
                    return time.time()
                page.wait_for_timeout(POLL_SECONDS * 1000)
        raise TimeoutError(f"Orca did not speak the page's message within {BARRIER_SECONDS:g} s; is the page in front?")

    def _all(self) -> list[Utterance]:
        whole = self._spoken.read_text(encoding="utf-8").rpartition("\n")[0]
        told = [json.loads(line) for line in whole.splitlines()]
        return [Utterance(one["at"], one["text"]) for one in told if one["kind"] in ("speak", "character")]
