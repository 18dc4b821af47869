"""The list of behaviours and the tests name the same rows: no claim is unlisted, and no row is only a promise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path

from tests.support.vectors import load

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| ([A-Z])(\d+) \| \S.* \|$", re.M)


def listed() -> list[str]:
    """The numbers of docs/behaviours.md in their order."""
    text = (ROOT / "docs" / "behaviours.md").read_text(encoding="utf-8")
    return [letter + number for letter, number in ROW.findall(text)]


def named_by_tests() -> set[str]:
    """What the marks of all Python tests name, and the vectors that they run."""
    files = (ROOT / "tests").rglob("test_*.py")
    calls = [call for file in files for call in ast.walk(ast.parse(file.read_bytes())) if isinstance(call, ast.Call)]
    marks = {row for call in calls if called(call) == "proves" for row in words(call)}
    kinds = {kind for call in calls if called(call) == "parameters" for kind in words(call)}
    return marks | {row for kind in kinds for vector in load(kind) for row in vector["proves"]}


def named_in_javascript() -> set[str]:
    """What the tests of the page's pure modules name in their first comment."""
    files = (ROOT / "tests" / "unit" / "js").rglob("*.test.js")
    sentences = (re.findall(r"\bProves ([^.*]+)\.", file.read_text(encoding="utf-8")) for file in files)
    return {row for found in sentences for row in re.findall(r"\w*\d\w*", " ".join(found))}


def called(call: ast.Call) -> str:
    """The last word of what is called."""
    return ast.unparse(call.func).rpartition(".")[2]


def words(call: ast.Call) -> Iterator[str]:
    """The arguments that are written out as strings, alone or in a tuple that is unpacked."""
    for argument in call.args:
        with suppress(ValueError):
            value = ast.literal_eval(argument.value if isinstance(argument, ast.Starred) else argument)
            yield from [value] if isinstance(value, str) else value


def order(row: str) -> int:
    """The place of a row in its group."""
    return int(row[1:])


def test_what_a_test_proves_is_a_listed_behaviour() -> None:
    assert (named_by_tests() | named_in_javascript()) - set(listed()) == set()


def test_every_listed_behaviour_is_proven_by_a_test() -> None:
    """What only Node has seen is not enough: the page is proven in a browser, the server over HTTP."""
    assert sorted(set(listed()) - named_by_tests(), key=lambda row: (row[0], order(row))) == []


def test_every_behaviour_is_listed_once_and_in_order() -> None:
    groups = [(letter, list(rows)) for letter, rows in groupby(listed(), key=lambda row: row[0])]
    assert [letter for letter, _ in groups] == sorted({letter for letter, _ in groups})
    for _, rows in groups:
        numbers = [order(row) for row in rows]
        assert numbers == sorted(set(numbers))


def test_every_row_of_the_list_is_read() -> None:
    text = (ROOT / "docs" / "behaviours.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|(?! number \|| --- \|).*", text, re.M)
    assert len(rows) == len(listed())
