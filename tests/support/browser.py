"""The browser of the tests: finds one, installs one when told to, and says how it is started.

Run as a program (`make test` does) it makes sure that there is one, or says in one line what is missing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping

SYSTEM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DOWNLOAD_SECONDS = 600
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
    """The first browser that starts: `MOTAMOT_TEST_BROWSER`, else the machine's, else Playwright's own."""
    chosen = environment.get("MOTAMOT_TEST_BROWSER")
    candidates = iter([chosen]) if chosen else _candidates(environment)
    return next((path for path in candidates if _output(path, "--version") is not None), None)


def launch_arguments() -> list[str]:
    """Chromium's arguments: nothing that calls home; no sandbox only for root, who cannot have one."""
    return [*QUIET_ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]


def _candidates(environment: Mapping[str, str]) -> Iterator[str]:
    for name in SYSTEM_NAMES:
        path = shutil.which(name, path=environment.get("PATH"))
        if path:
            yield path
    own = _output(sys.executable, "-c", ASK_PLAYWRIGHT)
    if own:
        yield own.strip()


def _is_ready() -> bool:
    """Whether Playwright's program starts (it may lack a library of the system), and a browser does."""
    return _output(sys.executable, "-m", "playwright", "--version") is not None and find_browser() is not None


def _download() -> None:
    _output(sys.executable, "-m", "playwright", "install", "chromium", seconds=DOWNLOAD_SECONDS)


def _install_with_apt() -> None:
    if os.geteuid() == 0 and shutil.which("apt-get"):
        install = ("apt-get", "install", "-y", "-qq", "--no-install-recommends")
        _output("apt-get", "update", "-qq", seconds=DOWNLOAD_SECONDS)
        _output(*install, "chromium", "libatomic1", seconds=DOWNLOAD_SECONDS)


def _output(*command: str, seconds: float = ANSWER_SECONDS) -> str | None:
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


def main() -> int:
    """Find or install a browser, Playwright's own before the machine's; 0 when there is one."""
    if _is_ready():
        return 0
    print("Installing a browser for the tests (once)", flush=True)
    for install in (_download, _install_with_apt):
        install()
        if _is_ready():
            return 0
    print(
        "Motamot: no browser for the tests. Install Chromium (Debian, Ubuntu: sudo apt install chromium), "
        "or name one: MOTAMOT_TEST_BROWSER=/path/to/chrome make test",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
