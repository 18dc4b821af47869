"""What a model is sent: its system text and the turns that may be shown to it; no dialect."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from webapp.core.events import State
from webapp.core.messages import Message

# Without a tokenizer a third of the bytes is a safe side for the scripts in use.
BYTES_PER_TOKEN = 3


@dataclass(frozen=True, slots=True)
class Turn:
    """One message as a model reads it."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """The turns in order, the last one the question. `dropped`: how many older turns had no room."""

    turns: tuple[Turn, ...]
    dropped: int = 0

    @property
    def question(self) -> str:
        return self.turns[-1].text


def prompt(path: Sequence[Message], *, system: str = "", context: int | None = None) -> Prompt:
    """The prompt for the question at the end of `path` (messages from the root, the last a question).

    Completed answers and cancelled ones with text go along, each with its question; other turns are left out
    with their question, so roles alternate and no error text is ever the assistant's. `context` in tokens:
    whole oldest turns are dropped until the rest fits; the question itself always goes.
    """
    question = path[-1]
    pairs = [
        (asked, answer)
        for asked, answer in zip(path[0:-1:2], path[1:-1:2], strict=True)
        if answer.state is State.COMPLETED or (answer.state is State.CANCELLED and answer.text)
    ]
    kept = len(pairs)
    if context is not None:
        room = context * BYTES_PER_TOKEN - _size(system) - _size(question.text)
        kept = _fitting([_size(asked.text) + _size(answer.text) for asked, answer in pairs], room)
    turns = [Turn("system", system)] if system else []
    for asked, answer in pairs[len(pairs) - kept :]:
        turns += [Turn("user", asked.text), Turn("assistant", answer.text)]
    return Prompt((*turns, Turn("user", question.text)), len(pairs) - kept)


def _size(text: str) -> int:
    return len(text.encode("utf-8"))


def _fitting(sizes: Sequence[int], room: int) -> int:
    """How many of the newest turns fit into `room` bytes."""
    count = 0
    for size in reversed(sizes):
        room -= size
        if room < 0:
            break
        count += 1
    return count
