"""Ask: claim the request id, keep the question, set a producer to work; the same request again joins the first."""

import hashlib
import json
import logging
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from webapp.answers.catalogue import Catalogue
from webapp.answers.running import Running
from webapp.core.limits import Limits
from webapp.core.messages import Conversation, Message, path_to
from webapp.core.problems import Refused
from webapp.core.prompts import prompt
from webapp.core.signs import Sign
from webapp.ports.model import Entry, ModelStream
from webapp.ports.store import Answers, Claim, Claimed, Conversations

logger = logging.getLogger(__name__)

QUESTION_BYTES = 32 * 1024
_LONGEST_REQUEST_ID = 128


class Absent:
    """A member that was not sent, which is not the same as one that was sent as null."""


ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it was sent; a member that was left out is ABSENT."""

    text: str
    request_id: str | Absent = ABSENT
    model: str | Absent = ABSENT
    parent_id: str | Absent | None = ABSENT


@dataclass(frozen=True, slots=True)
class Asker:
    """The use case with what it needs."""

    conversations: Conversations
    answers: Answers
    catalogue: Catalogue
    running: Running

    def begin_conversation(self, owner: str, *, key: str | None = None) -> Conversation:
        """A new, empty conversation of `owner`; with the same `key` again, the same conversation."""
        now = _now()
        conversation_id = new_id("cnv") if key is None else _id_from(owner, key)
        conversation = Conversation(conversation_id, owner, "", now, now)
        self.conversations.create_conversation(conversation)
        return conversation

    def check(self, question: Question) -> None:
        """Raises Refused for what no conversation would take: a blank or too long text, a bad request id, no model.

        Room for another answer is not looked at: a question that was asked before needs none.
        """
        if not question.text.strip():
            raise Refused("validation_failed", "The question is empty.")
        if len(question.text.encode("utf-8")) > QUESTION_BYTES:
            raise Refused("too_large", f"The question is longer than {QUESTION_BYTES // 1024} KiB.")
        if not isinstance(question.request_id, Absent):
            _check_request_id(question.request_id)
        self._entry(question)

    def ask(self, owner: str, conversation_id: str, question: Question) -> Message:
        """The answer to `question`: accepted just now, or what its request id already stands for.

        Raises Refused, and keeps nothing: as `check` does, for a request id that stands for something else, for a
        conversation or parent that is not the owner's, for a busy conversation, and for a new question without room.
        """
        self.check(question)
        entry = self._entry(question)
        claimed = self._claimed(_claim(owner, conversation_id, question, entry))
        if claimed.is_new:
            self._begin(owner, claimed.answer, entry)
        return claimed.answer

    def _claimed(self, claim: Claim) -> Claimed:
        if self.running.has_room():
            return self.answers.claim(claim)
        found = self.answers.find(claim)
        if found is None:
            raise Refused("busy")
        return found

    def _entry(self, question: Question) -> Entry:
        return self.catalogue.find(None if isinstance(question.model, Absent) else question.model)

    def _begin(self, owner: str, answer: Message, entry: Entry) -> None:
        stream: ModelStream
        dropped = 0
        try:
            _, messages = self.conversations.conversation(owner, answer.conversation_id)
            path = path_to(messages, answer.question_id or "")
            asked = prompt(path, system=entry.system, context=entry.context)
            stream, dropped = entry.model.answer(asked, answer.message_id), asked.dropped
        except Exception as error:
            # The answer is claimed: left as it is, it would keep its conversation busy for ever.
            logger.exception("the model of answer %s could not be asked", answer.message_id)
            stream = FailedStream(error)
        self.running.start(answer, stream, dropped=dropped)


@dataclass(frozen=True, slots=True)
class FailedStream:
    """Implements ModelStream for a model that could not even be asked: its answer ends with the reason."""

    error: Exception
    limits: Limits = field(default_factory=Limits)
    is_merged: bool = False

    def __iter__(self) -> Iterator[Sign]:
        raise self.error

    def close(self) -> None:
        """There is no work to end."""


def new_id(prefix: str) -> str:
    """An id that nobody can guess: 128 random bits."""
    return f"{prefix}_{secrets.token_hex(16)}"


def _id_from(owner: str, key: str) -> str:
    """As hard to guess as the owner's own id."""
    return f"cnv_{hashlib.sha256(json.dumps([owner, key]).encode('ascii')).hexdigest()[:32]}"


def _check_request_id(request_id: str) -> None:
    is_visible = all("!" <= character <= "~" for character in request_id)
    if not 1 <= len(request_id) <= _LONGEST_REQUEST_ID or not is_visible:
        raise Refused("validation_failed", "A request id is 1 to 128 visible ASCII characters.")


def _claim(owner: str, conversation_id: str, question: Question, entry: Entry) -> Claim:
    parent = question.parent_id
    request_id = new_id("req") if isinstance(question.request_id, Absent) else question.request_id
    return Claim(
        owner=owner,
        request_id=request_id,
        fingerprint=_fingerprint(conversation_id, question),
        conversation_id=conversation_id,
        parent_id=None if isinstance(parent, Absent) else parent,
        is_parent_given=not isinstance(parent, Absent),
        text=question.text,
        model=entry.id,
        question_id=new_id("msg"),
        answer_id=new_id("msg"),
        at=_now(),
    )


def _fingerprint(conversation_id: str, question: Question) -> str:
    """Equal for equal requests as sent: a member left out equals only a member left out."""
    sent: dict[str, object] = {"operation": "ask", "conversation": conversation_id, "text": question.text}
    if not isinstance(question.model, Absent):
        sent["model"] = question.model
    if not isinstance(question.parent_id, Absent):
        sent["parent"] = question.parent_id
    return hashlib.sha256(json.dumps(sent, sort_keys=True).encode("ascii")).hexdigest()


def _now() -> int:
    return time.time_ns() // 1_000_000
