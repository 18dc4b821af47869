"""What every test may ask for: the running server, the browser, Node. It starts them; it asserts nothing."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.support.needs import missing
from tests.support.server import SHOWN_CHARACTERS, Server, start_server
from webapp.qa.browsers import find_browser, launch_arguments

# A busy machine is slow, and not wrong.
settings.register_profile("motamot", deadline=None)
settings.load_profile("motamot")


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One server with the scripted model for all tests that need no settings of their own."""
    with start_server() as running:
        yield running


@pytest.fixture(scope="session")
def node() -> str:
    """The path of Node 20 or later."""
    beside_python = Path(sys.executable).with_name("node")
    path = str(beside_python) if beside_python.exists() else shutil.which("node")
    return path or missing("Node is not installed")


@pytest.fixture(scope="session")
def base_url() -> None:
    """None: a test names the server that it visits, since many have one of their own."""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """pytest-playwright's arguments, with the browser of this machine."""
    path = find_browser() or missing("No browser is installed: run make test, or see MOTAMOT_TEST_BROWSER")
    return {**browser_type_launch_args, "executable_path": path, "args": launch_arguments()}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what the shared server wrote since the test began beside the test that failed."""
    report = yield
    running = getattr(item, "funcargs", {}).get("server")
    if report.failed and isinstance(running, Server):
        report.sections.append(("Motamot's output", running.log_text()[-SHOWN_CHARACTERS:]))
    return report
