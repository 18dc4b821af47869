"""The browser of the tests: finds one, installs one when told to, and says how it is started.

Run as a program (`make test` does) it makes sure that there is one, or says in one line what is missing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping

from playwright.sync_api import sync_playwright

SYSTEM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DOWNLOAD_SECONDS = 600
QUIET_ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def find_browser(environment: Mapping[str, str] = os.environ) -> str | None:
    """The first browser that starts: `MOTAMOT_TEST_BROWSER`, else the machine's, else Playwright's own."""
    chosen = environment.get("MOTAMOT_TEST_BROWSER")
    candidates = iter([chosen]) if chosen else _candidates(environment)
    return next((path for path in candidates if _starts(path)), None)


def launch_arguments() -> list[str]:
    """Chromium's arguments: nothing that calls home; no sandbox only for root, who cannot have one."""
    return [*QUIET_ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]


def install_browser() -> str | None:
    """Playwright's own Chromium where it can be downloaded, else the machine's by apt; its path, or None."""
    for attempt in (_download, _install_with_apt):
        attempt()
        path = find_browser()
        if path:
            return path
    return None


def _candidates(environment: Mapping[str, str]) -> Iterator[str]:
    for name in SYSTEM_NAMES:
        path = shutil.which(name, path=environment.get("PATH"))
        if path:
            yield path
    with sync_playwright() as playwright:
        yield playwright.chromium.executable_path


def _starts(path: str) -> bool:
    """Whether the file is there and runs: a browser that lacks a library of the system does not."""
    try:
        asked = subprocess.run([path, "--version"], check=False, capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


def _download() -> None:
    _run(sys.executable, "-m", "playwright", "install", "chromium")


def _install_with_apt() -> None:
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _run("apt-get", "update", "-qq")
        _run("apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium")


def _run(*command: str) -> None:
    """Run an attempt to install; whether it worked is seen by whether a browser starts afterwards."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        subprocess.run(
            command,
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=DOWNLOAD_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return


def main() -> int:
    """Find or install a browser; 0 when there is one."""
    if find_browser():
        return 0
    print("Installing a browser for the tests (once)", flush=True)
    if install_browser():
        return 0
    print(
        "Motamot: no browser for the tests. Install Chromium (Debian, Ubuntu: sudo apt install chromium), "
        "or name one: MOTAMOT_TEST_BROWSER=/path/to/chrome make test",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
