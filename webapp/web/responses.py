"""Responses: problem documents, JSON, event streams; the one place where errors become what a client reads."""

import json
import logging
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from urllib.parse import quote

from flask import Request, Response
from werkzeug.exceptions import HTTPException

from webapp.core.dialects import native
from webapp.core.events import Event
from webapp.core.problems import Problem, Refused, problem
from webapp.core.sse import comment
from webapp.ports.store import StoreAway

logger = logging.getLogger(__name__)

# How the bytes of one answer travel; the scripted model's scenarios can spoil them.
Wire = Callable[[str, Iterator[bytes]], Iterator[bytes]]

_BY_STATUS = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "unsupported_media_type",
    422: "validation_failed",
    429: "rate_limited",
    503: "busy",
}
_RETRY_AFTER_SECONDS = "5"


def json_response(value: object, status: int = 200, **headers: str) -> Response:
    """`value` as JSON in ASCII: any text arrives as it is, whatever reads it."""
    response = Response(json.dumps(value), status, mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    response.headers.extend(headers)
    return response


def problem_response(told: Problem) -> Response:
    """A problem document (RFC 9457)."""
    body = {"type": "about:blank", "title": told.detail, "status": told.status, **told.as_json()}
    response = Response(json.dumps(body), told.status, mimetype="application/problem+json")
    response.headers["Cache-Control"] = "no-store"
    response.headers["Content-Language"] = "en"
    if told.status in (429, 503):
        response.headers["Retry-After"] = _RETRY_AFTER_SECONDS
    return response


def problem_of(error: Exception, request: Request) -> Problem:
    """What a client is told of an exception; what happened stays in the log, under the same reference number."""
    instance = secrets.token_hex(6)
    path = quote(request.path)  # no line break or terminal code of a client's reaches the log
    if isinstance(error, Refused):
        told = problem(error.code, detail=error.detail, instance=instance)
    elif isinstance(error, HTTPException):
        code = _BY_STATUS.get(error.code or 500, "bad_request" if (error.code or 500) < 500 else "internal")
        told = problem(code, instance=instance)
    elif isinstance(error, StoreAway):
        told = problem("busy", instance=instance)
        logger.warning("%s %s: the store is away: %s reference %s", request.method, path, error, instance)
    else:
        told = problem("internal", instance=instance)
        logger.error("%s %s failed, reference %s", request.method, path, instance, exc_info=error)
        return told
    logger.info("%s %s refused: %s reference %s", request.method, path, told.code, instance)
    return told


def event_stream(message_id: str, batches: Iterable[Sequence[Event]], wire: Wire) -> Response:
    """The events of an answer as they come; what leads a proxy to hold them back is told to it."""
    response = Response(wire(message_id, _written(batches)), content_type="text/event-stream; charset=utf-8")
    response.headers["Cache-Control"] = "no-cache, no-transform"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _written(batches: Iterable[Sequence[Event]]) -> Iterator[bytes]:
    """The first comment makes the headers leave before there is any event."""
    yield comment("motamot")
    for batch in batches:
        yield b"".join(map(native.write, batch)) if batch else comment("still here")
