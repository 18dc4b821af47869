"""What tests ask for by name, on top of pytest-playwright's page; nothing is loaded before its use."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page, Playwright

    from webapp.qa.announcements import Announcements
    from webapp.qa.chat import Chat
    from webapp.qa.line import Line
    from webapp.qa.profiles import Profile
    from webapp.qa.screen_reader.listening import ScreenReader
    from webapp.qa.upstream import Upstream
    from webapp.qa.wire import Wire


def _option(config: pytest.Config, name: str) -> str:
    return str(config.getoption(name, default=None) or config.getini(name) or "")


@pytest.fixture(scope="session")
def browser_type_launch_args(
    browser_type_launch_args: dict[str, Any], browser_name: str, pytestconfig: pytest.Config
) -> dict[str, Any]:
    """pytest-playwright's, with the browser of `--browser-executable`, or the machine's Chromium where there is one."""
    from webapp.qa.browsers import find_browser, launch_arguments

    chosen = pytestconfig.getoption("--browser-executable")
    is_chromium = browser_name == "chromium"
    path = chosen or (find_browser() if is_chromium else None)
    arguments = {"executable_path": path} if path else {}
    return {**browser_type_launch_args, **arguments, **({"args": launch_arguments()} if is_chromium else {})}


@pytest.fixture(scope="session")
def chat_profile(pytestconfig: pytest.Config) -> "Profile":
    """What is known of the page under test: `--motamot-profile`, else Motamot's own page."""
    from webapp.qa.profiles import BUILT_IN, built_in, read_profile

    named = _option(pytestconfig, "motamot_profile") or BUILT_IN
    return read_profile(Path(named)) if named.endswith(".toml") else built_in(named)


@pytest.fixture(scope="session")
def chat_url(pytestconfig: pytest.Config) -> str:
    """Where the chat under test is: `--motamot-url`, else pytest-playwright's `--base-url`."""
    address = _option(pytestconfig, "motamot_url") or str(pytestconfig.getoption("base_url", default=None) or "")
    if not address:
        raise pytest.UsageError("Where is the chat? Say it: --motamot-url http://127.0.0.1:8000")
    return address


@pytest.fixture(scope="session")
def model_server(pytestconfig: pytest.Config) -> Iterator["Upstream"]:
    """The model's server that a chat can be pointed to when it starts; tests ask for `upstream`."""
    from webapp.qa.upstream import Upstream

    with Upstream(port=pytestconfig.getoption("--motamot-upstream-port")) as running:
        yield running


@pytest.fixture
def upstream(model_server: "Upstream") -> "Upstream":
    """The model's server with nothing to play yet and no request seen."""
    model_server.forget()
    return model_server


@pytest.fixture
def line(chat_url: str) -> Iterator["Line"]:
    """A line that can be harmed: it lies between the page and the server of every test that asks for it."""
    from webapp.qa.line import Line

    with Line(chat_url) as line:
        yield line


@pytest.fixture(scope="session")
def screen_reader(playwright: "Playwright", pytestconfig: pytest.Config) -> Iterator["ScreenReader"]:
    """The real Orca and a Chromium in front of it; a test without it skips with the packages to install."""
    from webapp.qa.screen_reader.listening import ScreenReader
    from webapp.qa.screen_reader.needs import missing_packages

    if lacking := missing_packages():
        pytest.skip(f"The screen reader is not installed (Debian, Ubuntu: apt install {' '.join(lacking)})")
    with ScreenReader(playwright.chromium, pytestconfig.getoption("--browser-executable")) as reader:
        yield reader


@pytest.fixture
def wire(page: "Page", chat_profile: "Profile") -> "Wire":
    """What travels between this tab and the server, from now on."""
    from webapp.qa.wire import Wire

    return Wire(page, chat_profile)


@pytest.fixture
def announcements(page: "Page") -> "Announcements":
    """What this tab gives to screen readers, on every page that is opened from now on."""
    from webapp.qa.announcements import Announcements

    return Announcements(page)


@pytest.fixture
def chat(request: pytest.FixtureRequest, page: "Page", chat_url: str, chat_profile: "Profile") -> "Chat":
    """The chat's page, behind the test's `line` if it has one; not opened yet: the first `ask` opens it."""
    from webapp.qa.chat import Chat

    has_line = "line" in request.fixturenames
    return Chat(page, request.getfixturevalue("line").url if has_line else chat_url, chat_profile)
