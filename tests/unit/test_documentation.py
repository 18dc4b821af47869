"""The documentation and the program say the same: what the program has is written, and what is written exists."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from webapp.core.events import Event
from webapp.core.problems import KINDS

ROOT = Path(__file__).resolve().parents[2]
PAGES_OWN_CODES = {"connection_lost", "stream_incomplete"}


def rows(page: str, first: str) -> Iterator[list[str]]:
    """The rows of the table of a page whose head begins with `first`, each as its cells."""
    lines = iter((ROOT / page).read_text(encoding="utf-8").splitlines())
    for line in lines:
        if line.startswith(f"| {first} |"):
            next(lines)
            for row in lines:
                if not row.startswith("|"):
                    return
                yield [cell.strip() for cell in row.strip("|").split(" | ")]


def names(page: str, first: str) -> set[str]:
    """What stands as code in the first cell of each row of that table."""
    return {name for row in rows(page, first) for name in re.findall(r"`([^`]+)`", row[0])}


def test_the_documented_events_are_the_events() -> None:
    assert names("docs/api.md", "event") == {kind.__name__.lower() for kind in get_args(Event)}


def test_the_documented_events_carry_what_the_events_carry() -> None:
    documented = {row[0].strip("`"): set(row[1].strip("`").split()) for row in rows("docs/api.md", "event")}
    carried = {kind.__name__.lower(): set(kind.__slots__) - {"seq"} for kind in get_args(Event)}
    assert documented == carried


def test_the_documented_codes_are_the_codes_with_their_status() -> None:
    documented = {row[0].strip("`"): row[1] for row in rows("docs/api.md", "code")}
    expected = {code: str(kind.status) for code, kind in KINDS.items()}
    assert documented == expected | {"cancelled": "–"} | dict.fromkeys(PAGES_OWN_CODES, "–")


def test_the_documented_commands_of_make_are_its_commands() -> None:
    listed = subprocess.run(["make", "help"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    documented = {name for name in names("README.md", "command") if name.startswith("make ") and "ARGS" not in name}
    assert documented == set(re.findall(r"^make [a-z]+", listed, re.M)) - {"make help"}
