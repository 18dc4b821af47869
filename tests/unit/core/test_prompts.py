"""What a model is shown of a conversation."""

import pytest

from webapp.core.events import State
from webapp.core.messages import Message, Role
from webapp.core.prompts import Turn, prompt


def message(name: str, role: Role, state: State, text: str, parent: str | None = None) -> Message:
    return Message(name, "cnv", parent, None, "r", role, "m", 1, state, 0, text, 0)


def turn(number: int, state: State, text: str) -> list[Message]:
    return [
        message(f"q{number}", "user", State.COMPLETED, f"question {number}"),
        message(f"a{number}", "assistant", state, text),
    ]


QUESTION = message("q", "user", State.COMPLETED, "now")


@pytest.mark.proves("A30", "K6", "T6", "C66")
def test_failed_turns_and_empty_cancelled_ones_are_left_out_with_their_question() -> None:
    path = [
        *turn(1, State.COMPLETED, "one"),
        *turn(2, State.FAILED, '{"error":"x"}'),
        *turn(3, State.CANCELLED, ""),
        *turn(4, State.CANCELLED, "kept part"),
        QUESTION,
    ]
    assert prompt(path, system="Be brief.").turns == (
        Turn("system", "Be brief."),
        Turn("user", "question 1"),
        Turn("assistant", "one"),
        Turn("user", "question 4"),
        Turn("assistant", "kept part"),
        Turn("user", "now"),
    )


def test_whole_oldest_turns_are_dropped_until_the_rest_fits() -> None:
    path = [*turn(1, State.COMPLETED, "x" * 300), *turn(2, State.COMPLETED, "y" * 30), QUESTION]
    made = prompt(path, context=50)
    assert [kept.text for kept in made.turns] == ["question 2", "y" * 30, "now"]
    assert made.dropped == 1


def test_the_question_goes_even_where_nothing_fits() -> None:
    made = prompt([*turn(1, State.COMPLETED, "one"), QUESTION], context=1)
    assert (made.question, len(made.turns), made.dropped) == ("now", 1, 1)
