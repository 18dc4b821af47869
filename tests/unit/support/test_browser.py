"""Which browser the tests take: the one that is named, else the first on the path that starts."""

from __future__ import annotations

from pathlib import Path

from webapp.qa.browsers import find_browser


def program(path: Path, *, code: int) -> Path:
    """A program that starts and ends with this exit code."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\nexit {code}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_the_named_browser_wins_over_the_one_on_the_path(tmp_path: Path) -> None:
    program(tmp_path / "path" / "chromium", code=0)
    named = program(tmp_path / "other", code=0)
    environment = {"PATH": str(tmp_path / "path"), "MOTAMOT_TEST_BROWSER": str(named)}
    assert find_browser(environment) == str(named)


def test_a_named_browser_that_does_not_start_is_not_replaced_by_another(tmp_path: Path) -> None:
    program(tmp_path / "path" / "chromium", code=0)
    environment = {"PATH": str(tmp_path / "path"), "MOTAMOT_TEST_BROWSER": str(tmp_path / "missing")}
    assert find_browser(environment) is None


def test_a_browser_on_the_path_that_does_not_start_is_passed_over(tmp_path: Path) -> None:
    program(tmp_path / "path" / "chromium", code=127)
    starting = program(tmp_path / "path" / "google-chrome", code=0)
    assert find_browser({"PATH": str(tmp_path / "path")}) == str(starting)
