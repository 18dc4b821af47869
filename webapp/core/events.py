"""The events of an answer: immutable facts, numbered from 1; how they are written on a wire is not told here."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

FinishReason = Literal["stop", "length", "content_filter"]
ActivityKind = Literal["waiting", "thinking", "searching", "preparing_action"]
CancelledBy = Literal["user", "owner_gone"]
ActionState = Literal["proposed", "confirmed", "succeeded", "failed", "declined", "expired", "refused"]


class State(StrEnum):
    """Where an answer stands. A question is always `completed`."""

    ACCEPTED = "accepted"
    RUNNING = "running"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def is_ended(self) -> bool:
        return self in (State.COMPLETED, State.CANCELLED, State.FAILED)


@dataclass(frozen=True, slots=True)
class Source:
    """A document that an answer leans on; `score`: higher is nearer, no unit."""

    title: str
    url: str
    passage: str
    score: float


@dataclass(frozen=True, slots=True)
class Listing:
    """An entry of a catalogue that an answer shows; `fields` in the order to show them."""

    title: str
    url: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Action:
    """A side effect that an answer proposes, as it stands.

    `state` `refused`: nothing was and nothing will be done. `result`: `text`, perhaps `url`. `expires_at`: RFC 3339.
    """

    id: str
    name: str
    description: str
    arguments: Mapping[str, object]
    state: ActionState
    result: Mapping[str, str] | None = None
    expires_at: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them."""

    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Accepted:
    """Always number 1: the answer exists and will be worked on. `created_at`: RFC 3339."""

    seq: int
    conversation_id: str
    message_id: str
    question_id: str
    request_id: str
    model: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Delta:
    """Text to append; never empty."""

    seq: int
    text: str


@dataclass(frozen=True, slots=True)
class Activity:
    """A sign of work without text, for the eye and the status channel; no side effect has happened."""

    seq: int
    kind: ActivityKind
    label: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole text up to and with event `seq`; replaces what a reader has. `activity`: the last label, or ""."""

    seq: int
    state: State
    text: str
    message_id: str
    conversation_id: str
    question_id: str
    model: str
    activity: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """End: completed. `text` is the whole text and wins over the joined deltas."""

    seq: int
    conversation_id: str
    message_id: str
    text: str
    bytes: int
    sha256: str
    finish_reason: FinishReason
    sources: tuple[Source, ...] = ()
    listings: tuple[Listing, ...] = ()
    actions: tuple[Action, ...] = ()
    remaining_messages: int | None = None
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Cancelled:
    """End: cancelled. `text` is what was kept."""

    seq: int
    text: str
    bytes: int
    sha256: str
    by: CancelledBy


@dataclass(frozen=True, slots=True)
class Error:
    """End: failed. `text` is the partial answer; `instance` is the number that the server's log has too."""

    seq: int
    code: str
    detail: str
    retryable: bool
    next_step: str
    text: str
    bytes: int
    sha256: str
    instance: str = ""


End = Answer | Cancelled | Error
Event = Accepted | Delta | Activity | Snapshot | Answer | Cancelled | Error
ENDS = (Answer, Cancelled, Error)
