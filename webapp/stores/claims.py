"""The transaction that turns a request id into a question and its answer, at most once."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, insert, select, update

from webapp.core.events import State
from webapp.core.messages import Message
from webapp.core.problems import Refused
from webapp.ports.store import RESERVED, Claim, Claimed
from webapp.stores.rows import message_columns, message_of
from webapp.stores.tables import claims, conversations, messages
from webapp.stores.titles import title_of


def make(connection: Connection, claim: Claim, process: str) -> Claimed:
    """The whole of `Answers.claim`, inside a transaction that writes; `process` is to produce the answer.

    Raises IntegrityError where another transaction wins the same request id at the same time; `find` tells then.
    """
    # The lock comes before the look: an equal claim in this conversation is then either not begun, or to be seen.
    conversation = _lock_conversation(connection, claim)
    found = find(connection, claim)
    if found is not None:
        return found
    if conversation is None:
        raise Refused("not_found")
    parent_id = _parent_of(connection, claim)
    if _is_busy(connection, claim.conversation_id):
        raise Refused("conversation_busy")
    answer = _insert(connection, claim, parent_id, process)
    _touch(connection, conversation, claim)
    return Claimed(answer, is_new=True)


def find(connection: Connection, claim: Claim) -> Claimed | None:
    """What the request id already stands for, or None. Raises Refused (`request_conflict`) for something else."""
    row = connection.execute(
        select(claims.c.fingerprint, messages)
        .join(messages, messages.c.message_id == claims.c.answer_id)
        .where(claims.c.owner == claim.owner, claims.c.request_id == claim.request_id)
    ).first()
    if row is None:
        return None
    if row.fingerprint != claim.fingerprint:
        raise Refused("request_conflict")
    return Claimed(message_of(row), is_new=False)


def _lock_conversation(connection: Connection, claim: Claim) -> Row[Any] | None:
    """The conversation, kept from other claims until the transaction ends (SQLite keeps the whole file)."""
    return connection.execute(
        select(conversations)
        .where(conversations.c.id == claim.conversation_id, conversations.c.owner == claim.owner)
        .with_for_update()
    ).first()


def _parent_of(connection: Connection, claim: Claim) -> str | None:
    here = messages.c.conversation_id == claim.conversation_id
    if not claim.is_parent_given:
        # A question never comes without its answer, so the newest answer is also the end of the newest path.
        newest = select(messages.c.message_id).where(here, messages.c.role == "assistant")
        return connection.scalar(newest.order_by(messages.c.position.desc()).limit(1))
    if claim.parent_id is None:
        return None
    role = connection.scalar(select(messages.c.role).where(here, messages.c.message_id == claim.parent_id))
    if role is None:
        raise Refused("not_found")
    if role != "assistant":
        raise Refused("validation_failed", "A question can only follow an answer.")
    return claim.parent_id


def _is_busy(connection: Connection, conversation_id: str) -> bool:
    running = select(messages.c.message_id).where(
        messages.c.conversation_id == conversation_id,
        messages.c.ended_at.is_(None),
        messages.c.cancel_requested_at.is_(None),
    )
    return connection.execute(running).first() is not None


def _insert(connection: Connection, claim: Claim, parent_id: str | None, process: str) -> Message:
    here = messages.c.conversation_id == claim.conversation_id
    siblings = (here, messages.c.parent_id == parent_id)
    position = _after(connection, messages.c.position, here)
    question = _question(claim, parent_id, _after(connection, messages.c.version, *siblings))
    answer = _answer(claim)
    rows = [message_columns(question, position, process), message_columns(answer, position + 1, process)]
    connection.execute(insert(messages), rows)
    connection.execute(
        insert(claims).values(
            owner=claim.owner,
            request_id=claim.request_id,
            fingerprint=claim.fingerprint,
            answer_id=claim.answer_id,
        )
    )
    return answer


def _after(connection: Connection, number: ColumnElement[int], *where: ColumnElement[bool]) -> int:
    """The number that follows the highest of those rows; 1 when there are none."""
    return (connection.scalar(select(func.max(number)).where(*where)) or 0) + 1


def _question(claim: Claim, parent_id: str | None, version: int) -> Message:
    return Message(
        message_id=claim.question_id,
        conversation_id=claim.conversation_id,
        parent_id=parent_id,
        question_id=None,
        request_id=claim.request_id,
        role="user",
        model=claim.model,
        version=version,
        state=State.COMPLETED,
        seq=0,
        text=claim.text,
        created_at=claim.at,
        ended_at=claim.at,
    )


def _answer(claim: Claim) -> Message:
    return Message(
        message_id=claim.answer_id,
        conversation_id=claim.conversation_id,
        parent_id=claim.question_id,
        question_id=claim.question_id,
        request_id=claim.request_id,
        role="assistant",
        model=claim.model,
        version=1,
        state=State.ACCEPTED,
        seq=RESERVED,
        text="",
        created_at=claim.at,
    )


def _touch(connection: Connection, conversation: Row[Any], claim: Claim) -> None:
    connection.execute(
        update(conversations)
        .where(conversations.c.id == claim.conversation_id)
        .values(
            title=conversation.title or title_of(claim.text),
            updated_at=max(conversation.updated_at, claim.at),
        )
    )
