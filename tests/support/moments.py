"""When the page itself told of the states of its answers, on the clock of the page."""

from __future__ import annotations

from playwright.sync_api import Page

SCRIPT = """
const moments = [];
Object.defineProperty(window, "answerMoments", { value: moments });
document.addEventListener("motamot:state", ({ detail }) => moments.push([detail.state, performance.now() / 1000]));
"""


class Moments:
    """Records every page that is opened in this tab after it was made."""

    def __init__(self, page: Page) -> None:
        self._page = page
        page.add_init_script(f"(() => {{{SCRIPT}}})();")

    def first(self, *states: str) -> float:
        """When the first of these states was told (seconds)."""
        found: list[tuple[str, float]] = self._page.evaluate("answerMoments")
        return next(time for state, time in found if state in states)

    def wait_since_last(self, state: str, seconds: float) -> None:
        """Wait until so many seconds have passed since this state was last told."""
        self._page.wait_for_function(
            """([wanted, seconds]) => {
                const last = answerMoments.findLast(([state]) => state === wanted);
                return performance.now() / 1000 - last[1] > seconds;
            }""",
            arg=[state, seconds],
        )
