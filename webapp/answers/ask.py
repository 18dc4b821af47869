"""Ask, or ask again: claim the request id, set a producer to work; the same request once more joins the first."""

import hashlib
import json
import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from webapp.answers.asked import Absent, Question, Regenerate, new_id, request_id_of
from webapp.answers.catalogue import Catalogue
from webapp.answers.running import Running
from webapp.core.limits import Limits
from webapp.core.messages import Conversation, Message, path_to
from webapp.core.problems import Refused
from webapp.core.prompts import prompt
from webapp.core.signs import Sign
from webapp.ports.model import Entry, ModelStream
from webapp.ports.store import Answers, Claim, Claimed, Conversations, RegenerateClaim

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asker:
    """The use case with what it needs."""

    conversations: Conversations
    answers: Answers
    catalogue: Catalogue
    running: Running

    def begin_conversation(self, owner: str, *, key: str | None = None) -> Conversation:
        """A new, empty conversation of `owner`; with the same `key` again, the same conversation.

        A `key` stands for the first question: raises Refused (`busy`) for a new one without room for its answer.
        """
        now = _now()
        conversation_id = new_id("cnv") if key is None else _id_from(owner, key)
        if key is not None and not self.running.has_room() and not self._is_known(owner, conversation_id):
            raise Refused("busy")
        conversation = Conversation(conversation_id, owner, "", now, now)
        self.conversations.create_conversation(conversation)
        return conversation

    def check(self, question: Question) -> None:
        """Raises Refused for what no conversation would take: a blank or too long text, a bad request id, no model.

        Room for another answer is not looked at: a question that was asked before needs none.
        """
        question.check()
        self._entry(question.model)

    def ask(self, owner: str, conversation_id: str, question: Question) -> Message:
        """The answer to `question`: accepted just now, or what its request id already stands for.

        Raises Refused, and keeps nothing: as `check` does, for a request id that stands for something else, for a
        conversation or parent that is not the owner's, for a busy conversation, and for a new question without room.
        """
        self.check(question)
        return self._begun(_claim(owner, conversation_id, question, self._entry(question.model)))

    def regenerate(self, owner: str, wanted: Regenerate) -> Message:
        """A new answer to the question of an ended one, beside it, or what its request id already stands for.

        Raises Refused, and keeps nothing: as `ask` does, for an answer that is not the owner's or is none
        (`not_found`), and for one that has no end yet (`conversation_busy`).
        """
        wanted.check()
        self._entry(wanted.model)
        return self._begun(_regenerate_claim(owner, wanted, [entry.id for entry in self.catalogue]))

    def _begun(self, claim: Claim | RegenerateClaim) -> Message:
        claimed = self._claimed(claim)
        if claimed.is_new:
            self._begin(claim.owner, claimed.answer, self.catalogue.find(claimed.answer.model))
        return claimed.answer

    def _claimed(self, claim: Claim | RegenerateClaim) -> Claimed:
        if self.running.has_room():
            return self.answers.claim(claim)
        found = self.answers.find(claim)
        if found is None:
            raise Refused("busy")
        return found

    def _is_known(self, owner: str, conversation_id: str) -> bool:
        try:
            self.conversations.conversation(owner, conversation_id)
        except Refused:
            return False
        return True

    def _entry(self, model: str | Absent) -> Entry:
        return self.catalogue.find(None if isinstance(model, Absent) else model)

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


def _id_from(owner: str, key: str) -> str:
    """As hard to guess as the owner's own id."""
    return f"cnv_{hashlib.sha256(json.dumps([owner, key]).encode('ascii')).hexdigest()[:32]}"


def _claim(owner: str, conversation_id: str, question: Question, entry: Entry) -> Claim:
    parent = question.parent_id
    return Claim(
        owner=owner,
        request_id=request_id_of(question),
        fingerprint=question.fingerprint(conversation_id),
        conversation_id=conversation_id,
        parent_id=None if isinstance(parent, Absent) else parent,
        is_parent_given=not isinstance(parent, Absent),
        text=question.text,
        model=entry.id,
        question_id=new_id("msg"),
        answer_id=new_id("msg"),
        at=_now(),
    )


def _regenerate_claim(owner: str, wanted: Regenerate, offered: Sequence[str]) -> RegenerateClaim:
    return RegenerateClaim(
        owner=owner,
        request_id=request_id_of(wanted),
        fingerprint=wanted.fingerprint(),
        message_id=wanted.message_id,
        model=None if isinstance(wanted.model, Absent) else wanted.model,
        offered=offered,
        answer_id=new_id("msg"),
        at=_now(),
    )


def _now() -> int:
    return time.time_ns() // 1_000_000
