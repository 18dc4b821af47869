"""What answers: anything that takes a prompt and tells signs of an answer."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from webapp.core.actions import Offer
from webapp.core.limits import Limits
from webapp.core.prompts import Prompt
from webapp.core.signs import Sign

Kind = Literal["remote", "local", "documents", "scripted"]


class ModelStream(Protocol):
    """One answer of a model while it is being read."""

    @property
    def limits(self) -> Limits:
        """The time limits of this answer; the producer holds them, and calls `close`."""

    @property
    def is_merged(self) -> bool:
        """Whether texts that come together may become one event."""

    def __iter__(self) -> Iterator[Sign]:
        """The signs in order; blocks until each comes. Nothing is asked of the model before the first is wanted.

        A stream that is exhausted without a Finish is a model that broke off. Raises ModelFailure.
        """

    def close(self) -> None:
        """End the work at the model, from any thread, at any time, again and again.

        A reader that waits in iteration is woken and finds the stream exhausted or failed.
        """


class Model(Protocol):
    """A model that can be asked."""

    @property
    def is_ready(self) -> bool:
        """Whether a question would be tried; looks at nothing that can take time."""

    def answer(self, prompt: Prompt, message_id: str) -> ModelStream:
        """A stream for one answer; does not block and asks nothing yet."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A model in the list that people and programs choose from. `context` in tokens; `note` is shown to people.

    `offers`: the actions that it may propose.
    """

    id: str
    label: str
    kind: Kind
    model: Model
    note: str = ""
    system: str = ""
    context: int | None = None
    offers: tuple[Offer, ...] = ()
