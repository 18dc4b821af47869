"""Conversations and their messages as values, and the JSON that every reader of them gets; no storage."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from webapp.core.digests import digest
from webapp.core.events import (
    Action,
    Answer,
    Cancelled,
    CancelledBy,
    End,
    Error,
    FinishReason,
    Listing,
    Source,
    State,
    Usage,
)
from webapp.core.times import rfc3339

Role = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class Failure:
    """How an answer failed, as people and programs are told."""

    code: str
    detail: str
    retryable: bool
    next_step: str
    instance: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of one owner; times in milliseconds since 1970, UTC."""

    id: str
    owner: str
    title: str
    created_at: int
    updated_at: int
    is_running: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One question or one answer. `seq` is the last event's number; a question has 0. Times as in Conversation."""

    message_id: str
    conversation_id: str
    parent_id: str | None
    question_id: str | None
    request_id: str
    role: Role
    model: str
    version: int
    state: State
    seq: int
    text: str
    created_at: int
    ended_at: int | None = None
    finish_reason: FinishReason | None = None
    by: CancelledBy | None = None
    failure: Failure | None = None
    sources: tuple[Source, ...] = ()
    listings: tuple[Listing, ...] = ()
    actions: tuple[Action, ...] = ()
    remaining_messages: int | None = None
    usage: Usage | None = None
    cancel_requested_at: int | None = None


def end_of(message: Message) -> End:
    """The end event of an ended answer, as it was sent. Raises ValueError while it has not ended."""
    known = digest(message.text)
    if message.state is State.COMPLETED:
        return Answer(
            message.seq,
            message.conversation_id,
            message.message_id,
            message.text,
            known.bytes,
            known.sha256,
            message.finish_reason or "stop",
            message.sources,
            message.listings,
            message.actions,
            message.remaining_messages,
            message.usage,
        )
    if message.state is State.CANCELLED:
        return Cancelled(message.seq, message.text, known.bytes, known.sha256, message.by or "user")
    if message.state is State.FAILED and message.failure is not None:
        why = message.failure
        return Error(
            message.seq,
            why.code,
            why.detail,
            why.retryable,
            why.next_step,
            message.text,
            known.bytes,
            known.sha256,
            why.instance,
        )
    raise ValueError(f"{message.message_id} has not ended")


def message_json(message: Message) -> dict[str, object]:
    """The message as the API writes it; `text` beside its length in bytes and its SHA-256."""
    known = digest(message.text)
    return {
        "message_id": message.message_id,
        "conversation_id": message.conversation_id,
        "parent_id": message.parent_id,
        "question_id": message.question_id,
        "request_id": message.request_id,
        "role": message.role,
        "model": message.model,
        "version": message.version,
        "state": message.state.value,
        "seq": message.seq,
        "text": message.text,
        "bytes": known.bytes,
        "sha256": known.sha256,
        "finish_reason": message.finish_reason,
        "by": message.by,
        "error": asdict(message.failure) if message.failure else None,
        **extras_json(message),
        "created_at": rfc3339(message.created_at),
        "ended_at": None if message.ended_at is None else rfc3339(message.ended_at),
    }


def extras_json(holder: Message | Answer) -> dict[str, object]:
    """What a completed answer carries beside its text, as the API and the `answer` event write it."""
    return {
        "sources": [asdict(source) for source in holder.sources],
        "listings": [asdict(listing) for listing in holder.listings],
        "actions": [asdict(action) for action in holder.actions],
        "remaining_messages": holder.remaining_messages,
        "usage": asdict(holder.usage) if holder.usage else None,
    }


def conversation_json(conversation: Conversation, messages: Sequence[Message] | None = None) -> dict[str, object]:
    """The conversation as the API writes it, with all its messages when they are given."""
    head: dict[str, object] = {
        "id": conversation.id,
        "title": conversation.title,
        "created_at": rfc3339(conversation.created_at),
        "updated_at": rfc3339(conversation.updated_at),
        "running": conversation.is_running,
    }
    if messages is not None:
        head["messages"] = [message_json(message) for message in messages]
    return head


def newest_path(messages: Sequence[Message]) -> list[Message]:
    """The messages from the root to the newest leaf. `messages`: all of a conversation, by creation."""
    by_id: Mapping[str, Message] = {message.message_id: message for message in messages}
    path: list[Message] = []
    step = messages[-1] if messages else None
    while step is not None:
        path.append(step)
        step = by_id.get(step.parent_id or "")
    return path[::-1]


def path_to(messages: Sequence[Message], message_id: str) -> list[Message]:
    """The messages from the root to and with `message_id`; empty when it is not among them."""
    end = [message.message_id for message in messages].index(message_id) if messages else 0
    return newest_path(messages[: end + 1])


def path_through(messages: Sequence[Message], message_id: str) -> list[Message]:
    """The messages from the root through `message_id` to the newest leaf below it; empty when it is not among them."""
    below, leaf = set[str](), -1
    for place, message in enumerate(messages):
        if message.message_id == message_id or message.parent_id in below:
            below.add(message.message_id)
            leaf = place
    return newest_path(messages[: leaf + 1])


def versions(messages: Sequence[Message]) -> Mapping[str, Sequence[str]]:
    """By message id: the ids of the message and its siblings, in the order of their `version`."""
    siblings: dict[tuple[str | None, Role], list[str]] = {}
    for message in messages:
        siblings.setdefault((message.parent_id, message.role), []).append(message.message_id)
    return {message_id: ids for ids in siblings.values() for message_id in ids}
