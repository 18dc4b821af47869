"""The tests of the page's pure modules, which run in Node with its own test runner."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "tests" / "unit" / "js").rglob("*.test.js"))
# A file says in its first comment what it proves: "Proves B49 and B55."
PROVES = re.compile(r"\bProves ([^.*]+)\.")


def _case(file: Path) -> object:
    rows = PROVES.search(file.read_text(encoding="utf-8"))
    marks = [pytest.mark.proves(*re.findall(r"\w*\d\w*", rows[1]))] if rows else []
    return pytest.param(file, id=file.name, marks=marks)


@pytest.mark.parametrize("file", [_case(file) for file in FILES])
def test_pure_modules_pass_their_tests_in_node(file: Path, node: str) -> None:
    """Each file is one run of Node's test runner; what it printed is shown when one of its tests fails."""
    run = subprocess.run(
        [node, "--test", str(file)], check=False, cwd=ROOT, capture_output=True, text=True, timeout=240
    )
    assert run.returncode == 0, run.stdout + run.stderr
