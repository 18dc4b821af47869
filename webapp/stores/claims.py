"""The transaction that turns a request id into an answer, and a new question into one too, at most once."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, insert, select, update

from webapp.core.events import State
from webapp.core.messages import Message
from webapp.core.problems import Refused
from webapp.ports.store import RESERVED, Claim, Claimed, RegenerateClaim
from webapp.stores.messages import messages_of
from webapp.stores.rows import message_columns
from webapp.stores.tables import claims, conversations, messages
from webapp.stores.titles import title_of


def make(connection: Connection, claim: Claim | RegenerateClaim, process: str) -> Claimed:
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
    if isinstance(claim, Claim):
        new = _turn(connection, claim)
        title = conversation.title or title_of(claim.text)
    else:
        new = [_next_version(connection, claim, conversation.id)]
        title = conversation.title
    _insert(connection, claim, new, process)
    updated_at = max(conversation.updated_at, claim.at)
    touched = update(conversations).where(conversations.c.id == conversation.id)
    connection.execute(touched.values(title=title, updated_at=updated_at))
    return Claimed(new[-1], is_new=True)


def find(connection: Connection, claim: Claim | RegenerateClaim) -> Claimed | None:
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
    return Claimed(messages_of(connection, [row])[0], is_new=False)


def _lock_conversation(connection: Connection, claim: Claim | RegenerateClaim) -> Row[Any] | None:
    """The conversation, kept from other claims until the transaction ends (SQLite keeps the whole file)."""
    if isinstance(claim, Claim):
        is_meant = conversations.c.id == claim.conversation_id
    else:
        old = select(messages.c.conversation_id).where(messages.c.message_id == claim.message_id)
        is_meant = conversations.c.id == old.scalar_subquery()
    return connection.execute(
        select(conversations).where(is_meant, conversations.c.owner == claim.owner).with_for_update()
    ).first()


def _turn(connection: Connection, claim: Claim) -> list[Message]:
    """The new question and its answer."""
    parent_id = _parent_of(connection, claim)
    if _is_busy(connection, claim.conversation_id):
        raise Refused("conversation_busy")
    here = messages.c.conversation_id == claim.conversation_id
    version = _after(connection, messages.c.version, here, messages.c.parent_id == parent_id)
    return [
        _question(claim, parent_id, version),
        _answer(claim, claim.conversation_id, claim.question_id, claim.model, 1),
    ]


def _next_version(connection: Connection, claim: RegenerateClaim, conversation_id: str) -> Message:
    """The new answer beside the old one."""
    old = connection.execute(select(messages).where(messages.c.message_id == claim.message_id)).one()
    if old.role != "assistant":
        raise Refused("not_found")
    # An old answer that is marked to be cancelled is still being written, though a new question may be asked.
    if old.ended_at is None or _is_busy(connection, conversation_id):
        raise Refused("conversation_busy")
    usual = old.model if old.model in claim.offered else claim.offered[0]
    version = _after(connection, messages.c.version, messages.c.parent_id == old.parent_id)
    return _answer(claim, conversation_id, old.parent_id, claim.model or usual, version)


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


def _insert(connection: Connection, claim: Claim | RegenerateClaim, new: list[Message], process: str) -> None:
    here = messages.c.conversation_id == new[0].conversation_id
    position = _after(connection, messages.c.position, here)
    rows = [message_columns(message, position + place, process) for place, message in enumerate(new)]
    connection.execute(insert(messages), rows)
    connection.execute(
        insert(claims).values(
            owner=claim.owner,
            request_id=claim.request_id,
            fingerprint=claim.fingerprint,
            answer_id=claim.answer_id,
        )
    )


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


def _answer(
    claim: Claim | RegenerateClaim, conversation_id: str, question_id: str, model: str, version: int
) -> Message:
    return Message(
        message_id=claim.answer_id,
        conversation_id=conversation_id,
        parent_id=question_id,
        question_id=question_id,
        request_id=claim.request_id,
        role="assistant",
        model=model,
        version=version,
        state=State.ACCEPTED,
        seq=RESERVED,
        text="",
        created_at=claim.at,
    )
