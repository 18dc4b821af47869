"""Which browser Playwright starts, and how: one that is chosen, else the machine's, else Playwright's own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping

SYSTEM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ANSWER_SECONDS = 60
QUIET_ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
# In a process of its own: Playwright's own program may be unable to start, and cannot be started twice in one process.
ASK_PLAYWRIGHT = """
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
"""


def find_browser(environment: Mapping[str, str] = os.environ) -> str | None:
    """The first Chromium that starts: `MOTAMOT_TEST_BROWSER`, else the machine's, else Playwright's own."""
    chosen = environment.get("MOTAMOT_TEST_BROWSER")
    candidates = iter([chosen]) if chosen else _candidates(environment)
    return next((path for path in candidates if output(path, "--version") is not None), None)


def launch_arguments() -> list[str]:
    """Chromium's arguments: nothing that calls home; no sandbox only for root, who cannot have one."""
    return [*QUIET_ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]


def output(*command: str, seconds: float = ANSWER_SECONDS) -> str | None:
    """What a command prints, or None when it cannot be started, fails, or takes longer than `seconds`."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            command,
            check=True,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


def _candidates(environment: Mapping[str, str]) -> Iterator[str]:
    for name in SYSTEM_NAMES:
        path = shutil.which(name, path=environment.get("PATH"))
        if path:
            yield path
    own = output(sys.executable, "-c", ASK_PLAYWRIGHT)
    if own:
        yield own.strip()
