"""What outlives the process: conversations and answers of every owner."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from webapp.core.messages import Conversation, Message

# Event numbers that an answer may give before it must have a checkpoint.
RESERVED = 1_024


class StoreAway(Exception):
    """The store cannot be used now; nothing was changed, but for a write that broke while it was being confirmed."""


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
class RegenerateClaim:
    """A further answer to the question of `message_id`, an answer that has ended, under a request id.

    `model` None means the old answer's where it is among `offered`, else the first of them. The rest as in Claim.
    """

    owner: str
    request_id: str
    fingerprint: str
    message_id: str
    model: str | None
    offered: Sequence[str]
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

    def claim(self, claim: Claim | RegenerateClaim) -> Claimed:
        """Keep question and answer under their request id, in one transaction, or find what it already stands for.

        Of any number of equal calls, at once or later, one is new. Raises Refused: `request_conflict` when the id
        stands for something else, `not_found` for a conversation, parent or old answer that is not the owner's, and
        for an old answer that is a question, `validation_failed` for a parent that is a question, `conversation_busy`
        while an answer without a cancel mark runs there, or the old answer has no end.
        They are looked at in this order, and a refused claim stores nothing.

        The question is kept as `completed` with number 0, ended when it was asked; the answer as `accepted`, this
        process's own, with the first RESERVED numbers. Siblings (questions with the same parent, answers to the same
        question) count `version` from 1. A conversation without a title gets the question's first line as its title.
        """

    def find(self, claim: Claim | RegenerateClaim) -> Claimed | None:
        """What the request id already stands for, or None. Raises Refused (`request_conflict`) as `claim` does."""

    def message(self, owner: str, message_id: str) -> Message:
        """The message as stored. Raises Refused (`not_found`).

        An answer without an end has the text of its last checkpoint, and the highest number that an event can have.
        """

    def finish(self, ended: Message) -> bool:
        """Compare and set: store the end of an answer that had none; False, and no change, if it had one.

        The same for an answer that is not (or no longer) this process's own. Stores state, number, text, `ended_at` and
        all that only an end has, its actions too (see Actions), and drops the checkpoints.
        Raises ValueError for what has not ended.
        """

    def ended(self, message_id: str) -> Message | None:
        """The answer of any owner with its end, whoever gave it; None before. Raises Refused (`not_found`)."""

    def mark_cancelled(self, owner: str, message_id: str, at: int) -> Message:
        """Mark a running answer as to be cancelled, once, and return the message; an ended one stays as it is.

        Raises Refused (`not_found`).
        """


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What is kept of a running answer: `text` stands at `start` (code points); no event gets a number above `seq`."""

    message_id: str
    start: int
    text: str
    seq: int


class Checkpoints(Protocol):
    """The text of answers before their end, and who asked for their end."""

    def keep(self, checkpoints: Sequence[Checkpoint]) -> Mapping[str, bool]:
        """Keep the text from each `start` on, in place of what stood there, in one transaction.

        Returns all of this process's answers without an end, each with whether it carries a cancel mark; what is not
        among them is another's now, or has ended, and nothing was kept of it. Without checkpoints it only reads.
        """


@dataclass(frozen=True, slots=True)
class Lease:
    """Another process's right to its answers. `beats` grows while it lives; `is_over`: it is known to be dead."""

    process: str
    beats: int
    is_over: bool


class Leases(Protocol):
    """Which process may write and end which answers: each answer is its claimer's until another takes it over."""

    def renew(self) -> None:
        """Say that this process lives; at first, and every few seconds."""

    def others(self) -> Sequence[Lease]:
        """The leases of all other processes."""

    def take_over(self, process: str) -> Sequence[Message]:
        """Make that process's answers without an end this one's, drop its lease, return them as `message` does.

        Its actions that are confirmed and have no result fail: nobody knows whether they were carried out.
        """

    def leave(self) -> None:
        """Drop this process's lease, unless it has answers without an end, or actions without a result.

        Those are then for others to take over.
        """
