"""The wire vectors, and every way in which a network may cut their bytes; it does not know what they mean."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

WIRE = Path(__file__).parents[1] / "wire"
# The kinds that the page's own modules are held to as well: see tests/wire/vectors.js.
KINDS_IN_JAVASCRIPT = sorted(path.name.removesuffix("_reader.js") for path in WIRE.glob("*_reader.js"))

# The members of a vector as its file has them. All have `name` and `proves`; `chunks`, where there are some, are
# network reads as strings with a character (U+0000 to U+00FF) for each byte.
Vector = dict[str, Any]


def load(kind: str) -> list[Vector]:
    """The vectors of `vectors/<kind>.json`."""
    vectors: list[Vector] = json.loads((WIRE / "vectors" / f"{kind}.json").read_text(encoding="utf-8"))["vectors"]
    return vectors


def parameters(kind: str) -> list[Any]:
    """The vectors of a kind for `pytest.mark.parametrize`, each named and marked with the rows that it proves."""
    return [
        pytest.param(vector, id=vector["name"], marks=pytest.mark.proves(*vector["proves"])) for vector in load(kind)
    ]


def reads(vector: Vector) -> list[bytes]:
    """The chunks of a vector as bytes; none for a vector that has none."""
    return [chunk.encode("latin-1") for chunk in vector.get("chunks", [])]


def cuts(pieces: Sequence[bytes]) -> Iterator[list[bytes]]:
    """The pieces as they are, whole, byte by byte, and cut in two at every place."""
    whole = b"".join(pieces)
    yield list(pieces)
    yield [whole]
    yield [whole[at : at + 1] for at in range(len(whole))]
    for at in range(1, len(whole)):
        yield [whole[:at], whole[at:]]


def run_in_node(node: str, kind: str, vectors: Sequence[Vector]) -> dict[str, Any]:
    """What `run` in tests/wire/vectors.js found: the number of `runs`, and the `mismatches`."""
    command = [node, str(WIRE / "vectors_in_node.js"), kind]
    ended = subprocess.run(command, input=json.dumps(vectors).encode(), capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr.decode()
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def count_cuts(vectors: Sequence[Vector]) -> int:
    """The number of runs that the vectors are worth: one that ran fewer has passed something over."""
    return sum(1 for vector in vectors for _ in cuts(reads(vector)))
