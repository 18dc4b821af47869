"""The page speaks with one voice: what the server writes and what the script writes are the same words."""

import json
import subprocess
from dataclasses import asdict

import pytest

from webapp.core.problems import KINDS
from webapp.web.words import ACTIONS, STANDINGS

IN_JAVASCRIPT = """
import { words } from "./static/js/core/words.js";
import { CODES } from "./static/js/net/requests.js";
const problems = Object.keys(words.problems);
console.log(JSON.stringify({ ends: words.ends, actions: words.actions, problems, codes: Object.values(CODES) }));
"""
# The page's own states, and its own words for a line that was lost; the server never says them.
OF_THE_PAGE = {"sending", "disconnected", "signed_out", "gone"}
CODES_OF_THE_PAGE = {"connection_lost", "stream_incomplete"}


@pytest.fixture
def words(node: str, pytestconfig: pytest.Config) -> dict[str, object]:
    command = [node, "--input-type=module", "--eval", IN_JAVASCRIPT]
    found: dict[str, object] = json.loads(
        subprocess.run(command, capture_output=True, check=True, cwd=pytestconfig.rootpath).stdout
    )
    return found


def test_how_an_answer_stands_is_said_alike(words: dict[str, dict[str, object]]) -> None:
    of_the_server = {name: asdict(standing) for name, standing in STANDINGS.items()}
    assert {name: said for name, said in words["ends"].items() if name not in OF_THE_PAGE} == of_the_server


def test_how_an_action_stands_is_said_alike(words: dict[str, object]) -> None:
    assert words["actions"] == ACTIONS


def test_the_page_has_words_for_what_comes_without_any(words: dict[str, list[str]]) -> None:
    """From a proxy, or from nobody: what Motamot itself refuses comes with its own words."""
    known = set(words["problems"])
    assert known - CODES_OF_THE_PAGE <= set(KINDS)
    assert {*words["codes"], "bad_request", "internal", *CODES_OF_THE_PAGE} <= known
