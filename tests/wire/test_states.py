"""One table of states, in Python and in JavaScript, held to the same vectors."""

import json
import subprocess

import pytest

from tests.support.vectors import Vector, load, parameters
from webapp.core.events import Accepted, Activity, Answer, Cancelled, Delta, Error, Event, Snapshot, State
from webapp.core.states import IllegalEvent, advance

EVENTS: dict[str, Event] = {
    "accepted": Accepted(1, "c", "m", "q", "r", "x", "t"),
    "delta": Delta(2, "a"),
    "activity": Activity(2, "waiting", "Waiting"),
    "snapshot": Snapshot(2, State.RUNNING, "a", "m", "c", "q", "x"),
    "answer": Answer(2, "c", "m", "a", 1, "", "stop"),
    "cancelled": Cancelled(2, "a", 1, "", "user"),
    "error": Error(2, "timeout", "", True, "", "a", 1, ""),
}
IN_JAVASCRIPT = """
import { advance } from "./static/js/core/states.js";
const vectors = JSON.parse(process.argv[1]);
console.log(JSON.stringify(vectors.map(({ state, event }) => advance(state, event))));
"""


@pytest.mark.proves("B8", "B9", "B10")
@pytest.mark.parametrize("vector", parameters("states"))
def test_python_allows_the_moves_of_the_table_and_no_other(vector: Vector) -> None:
    try:
        found = advance(State(vector["state"]), EVENTS[vector["event"]])
    except IllegalEvent:
        found = None
    assert found == vector["next"]


@pytest.mark.proves("B8", "B9", "B10")
def test_javascript_allows_the_same_moves(node: str, pytestconfig: pytest.Config) -> None:
    vectors = load("states")
    command = [node, "--input-type=module", "--eval", IN_JAVASCRIPT, json.dumps(vectors)]
    ended = subprocess.run(command, capture_output=True, check=True, cwd=pytestconfig.rootpath)
    assert json.loads(ended.stdout) == [vector["next"] for vector in vectors]
