"""The page's own modules, in Node, give what each vector says."""

from __future__ import annotations

import pytest

from tests.support.vectors import KINDS_IN_JAVASCRIPT, count_cuts, load, run_in_node


@pytest.mark.proves("A13", "C01", "C02", "C05", "C06", "C08", "C11", "C12", "C13", "C14", "C17")
@pytest.mark.parametrize("kind", KINDS_IN_JAVASCRIPT)
def test_every_vector_holds_in_node(node: str, kind: str) -> None:
    vectors = load(kind)
    assert run_in_node(node, kind, vectors) == {"runs": count_cuts(vectors), "mismatches": []}
