"""What a request's body and headers say, parsed at the rim: typed values, or a refusal."""

import json
from collections.abc import Mapping
from typing import Any

from flask import Request

from webapp.answers.asked import ABSENT, Absent, Question, Regenerate
from webapp.answers.follow import NOWHERE
from webapp.core.problems import Refused
from webapp.core.surrogates import has_lone_surrogate
from webapp.ports.metrics import Sight

# What a page can tell of one answer at most.
FIRST_VISIBLE_MS = 3_600_000
COUNT = 100_000


def read_body(request: Request) -> None:
    """Read the whole body, so that nothing acts on a part of one; it is parsed from what was read here.

    Raises Refused: `too_large`, or `bad_request` for one that the client did not finish.
    """
    body = request.get_data()
    if request.content_length is None:
        request.stream.read(1)  # a body in chunks is cut at the limit, and the next read alone refuses it (`too_large`)
    elif len(body) < request.content_length:
        raise Refused("bad_request", "The body is shorter than its Content-Length.")


def json_object(request: Request) -> Mapping[str, Any]:
    """The body, a JSON object; an empty body is an empty one.

    Raises Refused: `unsupported_media_type` for a body that does not say it is JSON, `bad_request` for one that is
    no JSON object or holds a lone surrogate.
    """
    body = request.get_data()
    if not body:
        return {}
    if request.mimetype != "application/json":
        raise Refused("unsupported_media_type")
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused("bad_request", "The body is no JSON.") from None
    if not isinstance(value, dict):
        raise Refused("bad_request", "The body is no JSON object.")
    if _holds_surrogate(value):
        raise Refused("bad_request", "The text holds half of a character.")
    return value


def _holds_surrogate(value: object) -> bool:
    # ensure_ascii writes each half as it came in, so that a pair is a pair again when it is read.
    return has_lone_surrogate(json.dumps(value, ensure_ascii=False))


def question(request: Request) -> Question:
    """The question in the body. Raises Refused (`validation_failed`) for a member that is missing or mistyped."""
    body = json_object(request)
    text = body.get("text")
    if not isinstance(text, str):
        raise Refused("validation_failed", "The member text must be text.")
    return Question(
        text=text,
        request_id=_request_id(body, request),
        model=_optional_text(body, "model"),
        parent_id=_parent(body),
    )


def regenerate(request: Request, message_id: str) -> Regenerate:
    """What the body asks for beside the answer `message_id`. Raises Refused as `question` does."""
    body = json_object(request)
    return Regenerate(message_id, _request_id(body, request), _optional_text(body, "model"))


def sight(request: Request) -> Sight:
    """What a page saw. Raises Refused (`validation_failed`) for a number out of its bounds, and for none at all."""
    body = json_object(request)
    counts = {name: _number(body, name, COUNT) for name in ("repeats", "holes", "mismatches", "reconnects")}
    first_visible = _number(body, "first_visible_ms", FIRST_VISIBLE_MS)
    if first_visible is None and not any(counts.values()):
        raise Refused("validation_failed", "The body tells nothing of what was seen.")
    return Sight(
        first_visible=None if first_visible is None else first_visible / 1000,
        **{name: count or 0 for name, count in counts.items()},
    )


def _number(body: Mapping[str, Any], name: str, most: int) -> int | None:
    value = body.get(name)
    if value is None or (type(value) is int and 0 <= value <= most):
        return value
    raise Refused("validation_failed", f"The member {name} must be a whole number from 0 to {most}.")


def _request_id(body: Mapping[str, Any], request: Request) -> str | Absent:
    member = _optional_text(body, "request_id")
    header = request.headers.get("Idempotency-Key")
    if header is None:
        return member
    if len(header) > 1 and header[0] == header[-1] == '"':
        header = header[1:-1]  # a structured field string (RFC 8941, section 3.3.3), as the header's draft wants it
    if not isinstance(member, Absent) and member != header:
        raise Refused("validation_failed", "Idempotency-Key and request_id differ.")
    return header


def _optional_text(body: Mapping[str, Any], name: str) -> str | Absent:
    value = body.get(name, ABSENT)
    if isinstance(value, str | Absent):
        return value
    raise Refused("validation_failed", f"The member {name} must be text.")


def _parent(body: Mapping[str, Any]) -> str | Absent | None:
    return None if body.get("parent_id", ABSENT) is None else _optional_text(body, "parent_id")


def cursor(request: Request) -> int | None:
    """The number after which to follow: `Last-Event-ID`, else `after`; NOWHERE for one that no log can hold."""
    raw = request.headers.get("Last-Event-ID") or request.args.get("after")
    if raw is None or raw == "":
        return None
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 19 else NOWHERE


def wants_stream(request: Request) -> bool:
    """Whether `Accept` prefers an event stream; JSON where it is missing or takes anything."""
    return request.accept_mimetypes.best_match(["application/json", "text/event-stream"]) == "text/event-stream"


def wants_no_wait(request: Request) -> bool:
    """Whether `Prefer` asks for an answer at once (RFC 7240, section 4.1)."""
    preferences = request.headers.get("Prefer", "").lower().replace(";", ",").split(",")
    return any(preference.strip() == "respond-async" for preference in preferences)
