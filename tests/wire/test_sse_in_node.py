"""What the page's decoder costs, and its usual limit: the rest of it is held to the vectors."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

MEASURE = Path(__file__).with_name("sse_measures.js")


def measure(node: str, *arguments: object) -> Any:
    command = [node, str(MEASURE), *map(str, arguments)]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


@pytest.mark.proves("C11")
@pytest.mark.parametrize("line", ["x", "\ndata:"], ids=["one line", "empty lines"])
def test_an_event_three_times_as_large_takes_about_three_times_as_long(node: str, line: str) -> None:
    # Time that grew with the square would be nine times as long.
    assert measure(node, "growth", 600_000, line) < 4.5


@pytest.mark.proves("C11")
def test_an_event_of_16_mib_is_read_and_one_byte_more_is_refused(node: str) -> None:
    assert measure(node, "limit") == [16 * 1024 * 1024, "EventTooLarge"]
