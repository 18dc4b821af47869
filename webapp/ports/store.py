"""What outlives the process: conversations and answers of every owner."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from webapp.core.messages import Conversation, Message


@dataclass(frozen=True, slots=True)
class Claim:
    """A question under a request id, with the ids that question and answer get when the claim is won.

    `fingerprint` stands for all that was asked, as it was sent; `parent_id` None with `is_parent_given` False means
    the newest answer of the newest path, with True the root. Times: milliseconds since 1970, UTC.
    """

    owner: str
    request_id: str
    fingerprint: str
    conversation_id: str
    parent_id: str | None
    is_parent_given: bool
    text: str
    model: str
    question_id: str
    answer_id: str
    at: int


@dataclass(frozen=True, slots=True)
class Claimed:
    """The answer under a request id; `is_new` is true for the one call that must now produce it."""

    answer: Message
    is_new: bool


class Conversations(Protocol):
    """Conversations; what is not the owner's does not exist. One is running while an answer in it has no end.

    A conversation's time of change follows its questions and the ends of its answers, and never goes back.
    """

    def create_conversation(self, conversation: Conversation) -> None:
        """Keep a new, empty conversation; control characters in its title become blanks.

        One with this id that is there already stays as it is.
        """

    def conversation(self, owner: str, conversation_id: str) -> tuple[Conversation, Sequence[Message]]:
        """The conversation and all its messages by creation. Raises Refused (`not_found`)."""

    def conversations(self, owner: str, *, limit: int) -> Sequence[Conversation]:
        """The owner's conversations, the last changed first."""


class Answers(Protocol):
    """Answers and their one way to an end."""

    def claim(self, claim: Claim) -> Claimed:
        """Keep question and answer under their request id, in one transaction, or find what it already stands for.

        Of any number of equal calls, at once or later, one is new. Raises Refused: `request_conflict` when the id
        stands for something else, `not_found` for a conversation or parent that is not the owner's, `validation_failed`
        for a parent that is a question, `conversation_busy` while an answer without a cancel mark runs there.
        They are looked at in this order, and a refused claim stores nothing.

        The question is kept as `completed` with number 0, ended when it was asked; the answer as `accepted` with number
        0, as no event is written yet. Questions with the same parent count `version` from 1. A conversation without a
        title gets the question's first line as its title.
        """

    def find(self, claim: Claim) -> Claimed | None:
        """What the request id already stands for, or None. Raises Refused (`request_conflict`) as `claim` does."""

    def message(self, owner: str, message_id: str) -> Message:
        """The message as stored; the text of a running answer is not in the store. Raises Refused (`not_found`)."""

    def finish(self, ended: Message) -> bool:
        """Compare and set: store the end of an answer that had none; False, and no change, if it had one.

        Stores state, number, text, `ended_at` and all that only an end has. Raises ValueError for what has not ended.
        """

    def mark_cancelled(self, owner: str, message_id: str, at: int) -> Message:
        """Mark a running answer as to be cancelled, once, and return the message; an ended one stays as it is.

        Raises Refused (`not_found`).
        """

    def cancel_marks(self, message_ids: Sequence[str]) -> Sequence[str]:
        """Those of `message_ids` that carry a cancel mark."""

    def unfinished(self) -> Sequence[Message]:
        """Every answer that has no end, of every owner, the oldest first."""
