"""Between the values of `core` and the rows of the tables; asks the database nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Row

from webapp.core.events import Listing, Source, State, Usage
from webapp.core.messages import Conversation, Failure, Message
from webapp.stores.tables import without_controls

Columns = dict[str, object]


def conversation_columns(conversation: Conversation) -> Columns:
    """The columns of a new conversation; controls in its title become blanks."""
    return {
        "id": conversation.id,
        "owner": conversation.owner,
        "title": without_controls(conversation.title),
        "created_at": conversation.created_at,
        "updated_at": conversation.updated_at,
    }


def conversation_of(row: Row[Any]) -> Conversation:
    """The conversation in a row of `conversations` with `is_running` beside it."""
    return Conversation(row.id, row.owner, row.title, row.created_at, row.updated_at, bool(row.is_running))


def message_columns(message: Message, position: int, process: str) -> Columns:
    """All columns of a new message that `process` is to produce, or to do nothing about."""
    return {
        "message_id": message.message_id,
        "conversation_id": message.conversation_id,
        "position": position,
        "process": process,
        "parent_id": message.parent_id,
        "request_id": message.request_id,
        "role": message.role,
        "model": message.model,
        "version": message.version,
        "created_at": message.created_at,
        "cancel_requested_at": message.cancel_requested_at,
        **end_columns(message),
    }


def end_columns(message: Message) -> Columns:
    """The columns that an answer's end settles, whichever end it is."""
    return {
        "state": message.state.value,
        "seq": message.seq,
        "text": message.text,
        "search": without_controls(message.text),
        "ended_at": message.ended_at,
        "finish_reason": message.finish_reason,
        "cancelled_by": message.by,
        "failure": message.failure and asdict(message.failure),
        "sources": _members(message.sources),
        "listings": _members(message.listings),
        "remaining_messages": message.remaining_messages,
        "usage": message.usage and asdict(message.usage),
    }


def message_of(row: Row[Any]) -> Message:
    """The message in a row of `messages`, without what other tables hold of it."""
    return Message(
        message_id=row.message_id,
        conversation_id=row.conversation_id,
        parent_id=row.parent_id,
        question_id=row.parent_id if row.role == "assistant" else None,
        request_id=row.request_id,
        role=row.role,
        model=row.model,
        version=row.version,
        state=State(row.state),
        seq=row.seq,
        text=row.text,
        created_at=row.created_at,
        ended_at=row.ended_at,
        finish_reason=row.finish_reason,
        by=row.cancelled_by,
        failure=row.failure and Failure(**row.failure),
        sources=tuple(Source(**source) for source in row.sources),
        listings=tuple(Listing(**listing) for listing in row.listings),
        remaining_messages=row.remaining_messages,
        usage=row.usage and Usage(**row.usage),
        cancel_requested_at=row.cancel_requested_at,
    )


def _members(values: Sequence[Source | Listing]) -> list[Mapping[str, object]]:
    return [asdict(value) for value in values]
