"""One desktop with Orca, the witness and a Chromium in front of them, for as many pages as a test run has."""

from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self

from webapp.qa.browsers import find_browser, launch_arguments
from webapp.qa.screen_reader.desktop import Desktop
from webapp.qa.screen_reader.orca import Orca, Utterance
from webapp.qa.screen_reader.witness import Told, Witness

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, BrowserType, Page

# Without the first one Orca speaks stray words and the growing text too: the browser's tree is not whole for it then.
ARGUMENTS = ("--force-renderer-accessibility", "--disable-gpu", "--window-position=0,0", "--window-size=1200,850")
# What Orca says of a button that was pressed, depending on where the focus was: about the person's act, not the page.
PRESSED = ("Send push button.", "Stop push button.")


class ScreenReader:
    """Runs while its `with` block does; `new_page` opens a page in front of Orca.

    Its times are seconds since the epoch, by the clock of this machine.
    """

    def __init__(self, chromium: "BrowserType", executable: str | None = None) -> None:
        self._chromium = chromium
        self._executable = executable or find_browser()
        self._stack = ExitStack()
        self._context: BrowserContext | None = None

    def __enter__(self) -> Self:
        with ExitStack() as starting:
            desktop = starting.enter_context(Desktop())
            self._orca = starting.enter_context(Orca(desktop))
            self._witness = Witness(desktop)
            self._browser: Browser = self._chromium.launch(
                executable_path=self._executable,
                headless=False,
                args=[*launch_arguments(), *ARGUMENTS],
                env={**desktop.environment},
            )
            starting.callback(self._browser.close)
            self._stack = starting.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def new_page(self) -> "Page":
        """An empty page in front of Orca, in a context of its own; the one before is closed."""
        if self._context is not None:
            self._context.close()
        self._context = self._browser.new_context(no_viewport=True)
        return self._context.new_page()

    def settle(self, page: "Page") -> float:
        """Wait until everything that the page has said so far is spoken; the time at which it was."""
        return self._orca.barrier(page)

    def heard(self, since: float = 0.0) -> Sequence[Utterance]:
        """What was spoken since then, in order, but what only names a button that was pressed."""
        return [one for one in self._orca.heard(since) if one.text not in PRESSED]

    def told(self, since: float = 0.0) -> Sequence[Told]:
        """What the browser told every screen reader of its live regions since then, Orca or not."""
        return self._witness.told(since)
