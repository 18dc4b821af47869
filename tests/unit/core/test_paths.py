"""Paths through a conversation whose questions and answers have several versions."""

import pytest

from webapp.core.events import State
from webapp.core.messages import Message, newest_path, path_through, path_to, versions


def tree(*links: str) -> list[Message]:
    """Messages by creation from "child parent" pairs ("q1 -" at the root); ids that begin with q are questions."""
    return [message(*link.split()) for link in links]


def message(message_id: str, parent: str) -> Message:
    role = "user" if message_id.startswith("q") else "assistant"
    parent_id = None if parent == "-" else parent
    return Message(message_id, "cnv", parent_id, None, "req", role, "m", 1, State.COMPLETED, 1, "", 0)


def ids(path: list[Message]) -> str:
    return " ".join(one.message_id for one in path)


# A first turn; a second one; the second's answer anew; the first question edited; the first answer anew, and a turn on.
BRANCHED = tree("q1 -", "a1 q1", "q2 a1", "a2 q2", "a2b q2", "q1b -", "a1c q1b", "a1b q1", "q3 a1b", "a3 q3")


@pytest.mark.proves("B44")
def test_the_newest_path_ends_with_the_newest_message() -> None:
    assert ids(newest_path(BRANCHED)) == "q1 a1b q3 a3"
    assert ids(path_to(BRANCHED, "a2")) == "q1 a1 q2 a2"
    assert newest_path([]) == []


def test_a_path_through_a_message_goes_on_to_the_newest_leaf_below_it() -> None:
    paths = {wanted: ids(path_through(BRANCHED, wanted)) for wanted in ("q1", "a1", "a2", "q1b", "a1b", "a3")}
    assert paths == {
        "q1": "q1 a1b q3 a3",
        "a1": "q1 a1 q2 a2b",
        "a2": "q1 a1 q2 a2",
        "q1b": "q1b a1c",
        "a1b": "q1 a1b q3 a3",
        "a3": "q1 a1b q3 a3",
    }
    assert path_through(BRANCHED, "a9") == []


def test_versions_are_siblings_of_one_role_in_their_order() -> None:
    known = versions(BRANCHED)
    assert (known["q1"], known["q1b"]) == (["q1", "q1b"],) * 2
    assert (known["a1"], known["a1b"]) == (["a1", "a1b"],) * 2
    assert (known["a2b"], known["q3"], known["a3"]) == (["a2", "a2b"], ["q3"], ["a3"])
