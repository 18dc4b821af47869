"""What can go wrong, by stable code: status, whether to try again, what a person reads; makes no response."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem. `status`: of HTTP, before a stream has begun; `retryable`: it may succeed later."""

    code: str
    status: int
    retryable: bool
    detail: str
    next_step: str


_KINDS = (
    Kind("bad_request", 400, False, "The request could not be read.", "Check what was sent, then send it again."),
    Kind("unauthorized", 401, False, "It is not known who is asking.", "Open the page again, then send once more."),
    Kind("forbidden", 403, False, "This request is not allowed from here.", "Open the page itself and ask from there."),
    Kind("not_found", 404, False, "There is nothing here.", "Check the address, or start a new conversation."),
    Kind("method_not_allowed", 405, False, "This address does not take such a request.", "Check the method."),
    Kind("too_large", 413, False, "The question is too long.", "Shorten it, or send it in parts."),
    Kind(
        "unsupported_media_type", 415, False, "This form of request is not read here.", "Send JSON as application/json."
    ),
    Kind(
        "validation_failed", 422, False, "Something in the request is missing or wrong.", "Correct it, then send again."
    ),
    Kind(
        "request_conflict",
        409,
        False,
        "This request id was already used for something else.",
        "Send with a new request id.",
    ),
    Kind(
        "conversation_busy",
        409,
        True,
        "An answer is still being written.",
        "Stop it or wait, then send again.",
    ),
    Kind("rate_limited", 429, True, "Too many requests came in a short time.", "Wait a moment, then send again."),
    Kind("quota_exceeded", 429, True, "The allowance for now is used up.", "Try again later."),
    Kind("busy", 503, True, "The server has no room for another answer right now.", "Wait a moment, then send again."),
    Kind("timeout", 504, True, "The model took too long, so the answer is incomplete.", "Try again, or ask for less."),
    Kind(
        "provider_unavailable",
        502,
        True,
        "The model cannot be reached.",
        "Try again in a moment, or choose another model.",
    ),
    Kind(
        "provider_error",
        502,
        True,
        "The model broke off, so the answer is incomplete.",
        "Try again, or choose another model.",
    ),
    Kind(
        "provider_rate_limited", 503, True, "The model is asked too often right now.", "Wait a moment, then try again."
    ),
    Kind(
        "content_blocked",
        422,
        False,
        "A safety filter let no answer through.",
        "Ask in other words.",
    ),
    Kind(
        "interrupted",
        503,
        True,
        "The server stopped while it was answering, so the answer is incomplete.",
        "Ask again.",
    ),
    Kind("action_refused", 409, False, "This action was not carried out.", "Check what it would do, then ask anew."),
    Kind(
        "internal",
        500,
        False,
        "Something went wrong on the server.",
        "Try again; if it stays, give the reference number to the operator.",
    ),
    Kind("cancelled", 200, False, "The answer was stopped.", "Ask again for a new answer."),
)

KINDS: dict[str, Kind] = {kind.code: kind for kind in _KINDS}


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem as a client is told of it. `instance` is a reference number that the server's log has too.

    `members` are further facts for programs (never inner details): the message a failed answer left, for instance.
    """

    code: str
    detail: str
    retryable: bool
    next_step: str
    status: int
    instance: str = ""
    members: Mapping[str, object] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """The members of a problem document (RFC 9457) beside its status."""
        return {
            "code": self.code,
            "detail": self.detail,
            "retryable": self.retryable,
            "next_step": self.next_step,
            "instance": self.instance,
            **self.members,
        }


def problem(code: str, *, detail: str = "", instance: str = "", members: Mapping[str, object] | None = None) -> Problem:
    """The problem of kind `code`; `detail` says more exactly what a person may know. Raises KeyError for no code."""
    kind = KINDS[code]
    detail = detail or kind.detail
    return Problem(code, detail, kind.retryable, kind.next_step, kind.status, instance, members or {})


class Refused(Exception):
    """A request that is refused before anything began; nothing was stored."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code = code
        self.detail = detail
