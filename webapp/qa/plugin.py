"""The kit as a pytest plugin: its options; the fixtures come with pytest-playwright, and override its browser."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the command line, and of the ini file where one has to say the same every time."""
    group = parser.getgroup("motamot", "streaming chats (motamot)")
    group.addoption("--motamot-url", metavar="URL", help="where the chat is; else motamot_url in the ini file")
    group.addoption("--motamot-profile", metavar="FILE", help="what the chat's page is like (TOML), or a built-in name")
    group.addoption("--motamot-upstream-port", type=int, default=0, help="where `upstream` listens (a free one)")
    group.addoption("--browser-executable", metavar="FILE", help="a browser of this machine, not Playwright's own")
    parser.addini("motamot_url", "where the chat under test is")
    parser.addini("motamot_profile", "a profile, or the name of a built-in one")


def pytest_configure(config: pytest.Config) -> None:
    """Load the fixtures after every other plugin, whose order is nobody's: what comes last overrides."""
    if config.pluginmanager.has_plugin("playwright"):
        from webapp.qa import fixtures

        config.pluginmanager.register(fixtures, "motamot-fixtures")
