"""The browser of the tests: installs one when there is none.

Run as a program (`make test` does) it makes sure that there is one, or says in one line what is missing.
"""

from __future__ import annotations

import os
import shutil
import sys

from webapp.qa.browsers import find_browser, output

DOWNLOAD_SECONDS = 600


def _is_ready() -> bool:
    """Whether Playwright's program starts (it may lack a library of the system), and a browser does."""
    return output(sys.executable, "-m", "playwright", "--version") is not None and find_browser() is not None


def _download() -> None:
    output(sys.executable, "-m", "playwright", "install", "chromium", seconds=DOWNLOAD_SECONDS)


def _install_with_apt() -> None:
    if os.geteuid() == 0 and shutil.which("apt-get"):
        install = ("apt-get", "install", "-y", "-qq", "--no-install-recommends")
        output("apt-get", "update", "-qq", seconds=DOWNLOAD_SECONDS)
        output(*install, "chromium", "libatomic1", seconds=DOWNLOAD_SECONDS)


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
