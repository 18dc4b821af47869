"""Motamot's own dialect: every event one SSE frame, its data one line of ASCII JSON; both writer and reader."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from webapp.core.events import (
    Accepted,
    Action,
    Activity,
    Answer,
    Cancelled,
    Delta,
    Error,
    Event,
    Listing,
    Snapshot,
    Source,
    State,
    Usage,
)
from webapp.core.messages import extras_json
from webapp.core.sse import Frame, encode


class Unreadable(ValueError):
    """A frame with a known name whose data is not what that event carries."""


def write(event: Event) -> bytes:
    """The frame of `event` as bytes on the wire, its number both `id` and `seq`."""
    if type(event) is Delta:
        # Every delta of every reader passes here: no dict, no frame value.
        text = json.dumps(event.text)
        return b'id: %d\nevent: delta\ndata: {"seq": %d, "text": %s}\n\n' % (event.seq, event.seq, text.encode("ascii"))
    return encode(frame(event))


def frame(event: Event) -> Frame:
    """The frame of `event`."""
    name, members = _NAMES[type(event)], _members(event)
    return Frame(name, json.dumps({"seq": event.seq, **members}), str(event.seq))


def _members(event: Event) -> dict[str, object]:
    if isinstance(event, Answer):
        plain = ("conversation_id", "message_id", "text", "bytes", "sha256", "finish_reason")
        return {name: getattr(event, name) for name in plain} | extras_json(event)
    return {name: getattr(event, name) for name in type(event).__slots__ if name != "seq"}


def read(got: Frame) -> Event | None:
    """The event in a frame, or None for a name that is not known: its data is not looked at.

    Raises Unreadable when the data of a known name is no JSON object, or lacks or mistypes a member.
    """
    reader = _READERS.get(got.event)
    if reader is None:
        return None
    try:
        data = json.loads(got.data)
        return reader(data)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise Unreadable(f"{got.event}: {error}") from error


def _text(data: Mapping[str, Any], *names: str) -> list[str]:
    values = [data[name] for name in names]
    if not all(isinstance(value, str) for value in values):
        raise TypeError(f"{', '.join(names)} must be text")
    return values


def _accepted(data: Mapping[str, Any]) -> Event:
    names = ("conversation_id", "message_id", "question_id", "request_id", "model", "created_at")
    return Accepted(int(data["seq"]), *_text(data, *names))


def _delta(data: Mapping[str, Any]) -> Event:
    return Delta(int(data["seq"]), *_text(data, "text"))


def _activity(data: Mapping[str, Any]) -> Event:
    return Activity(int(data["seq"]), data["kind"], *_text(data, "label"))


def _snapshot(data: Mapping[str, Any]) -> Event:
    names = ("text", "message_id", "conversation_id", "question_id", "model", "activity")
    return Snapshot(int(data["seq"]), State(data["state"]), *_text(data, *names))


def _answer(data: Mapping[str, Any]) -> Event:
    conversation_id, message_id, text, sha256 = _text(data, "conversation_id", "message_id", "text", "sha256")
    return Answer(
        int(data["seq"]),
        conversation_id,
        message_id,
        text,
        int(data["bytes"]),
        sha256,
        data["finish_reason"],
        tuple(Source(**source) for source in data["sources"]),
        tuple(Listing(**listing) for listing in data["listings"]),
        tuple(Action(**action) for action in data["actions"]),
        data["remaining_messages"],
        None if data["usage"] is None else Usage(**data["usage"]),
    )


def _cancelled(data: Mapping[str, Any]) -> Event:
    text, sha256 = _text(data, "text", "sha256")
    return Cancelled(int(data["seq"]), text, int(data["bytes"]), sha256, data["by"])


def _error(data: Mapping[str, Any]) -> Event:
    code, detail, next_step, text, sha256, instance = _text(
        data, "code", "detail", "next_step", "text", "sha256", "instance"
    )
    is_retryable = bool(data["retryable"])
    return Error(int(data["seq"]), code, detail, is_retryable, next_step, text, int(data["bytes"]), sha256, instance)


_READERS: dict[str, Callable[[Mapping[str, Any]], Event]] = {
    "accepted": _accepted,
    "delta": _delta,
    "activity": _activity,
    "snapshot": _snapshot,
    "answer": _answer,
    "cancelled": _cancelled,
    "error": _error,
}
_NAMES: dict[type, str] = {
    Accepted: "accepted",
    Delta: "delta",
    Activity: "activity",
    Snapshot: "snapshot",
    Answer: "answer",
    Cancelled: "cancelled",
    Error: "error",
}
