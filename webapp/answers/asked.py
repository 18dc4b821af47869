"""What people ask for, as it was sent, and what of it can be judged without looking anything up."""

import hashlib
import json
import secrets
from dataclasses import dataclass

from webapp.core.problems import Refused

QUESTION_BYTES = 32 * 1024
_LONGEST_REQUEST_ID = 128


class Absent:
    """A member that was not sent, which is not the same as one that was sent as null."""


ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it was sent; a member that was left out is ABSENT."""

    text: str
    request_id: str | Absent = ABSENT
    model: str | Absent = ABSENT
    parent_id: str | Absent | None = ABSENT

    def check(self) -> None:
        """Raises Refused for a blank or too long text, and for a bad request id."""
        if not self.text.strip():
            raise Refused("validation_failed", "The question is empty.")
        if len(self.text.encode("utf-8")) > QUESTION_BYTES:
            raise Refused("too_large", f"The question is longer than {QUESTION_BYTES // 1024} KiB.")
        _check_request_id(self.request_id)

    def fingerprint(self, conversation_id: str) -> str:
        """Equal for equal questions as sent: a member left out equals only a member left out."""
        return _digest(
            operation="ask", conversation=conversation_id, text=self.text, model=self.model, parent=self.parent_id
        )


@dataclass(frozen=True, slots=True)
class Regenerate:
    """A further answer to the question of an answer that has ended, as it was asked for; left out is ABSENT."""

    message_id: str
    request_id: str | Absent = ABSENT
    model: str | Absent = ABSENT

    def check(self) -> None:
        """Raises Refused for a bad request id."""
        _check_request_id(self.request_id)

    def fingerprint(self) -> str:
        """As of a question; no question has the same."""
        return _digest(operation="regenerate", message=self.message_id, model=self.model)


def new_id(prefix: str) -> str:
    """An id that nobody can guess: 128 random bits."""
    return f"{prefix}_{secrets.token_hex(16)}"


def request_id_of(asked: Question | Regenerate) -> str:
    """The request id that was sent, else a new one."""
    return new_id("req") if isinstance(asked.request_id, Absent) else asked.request_id


def _check_request_id(request_id: str | Absent) -> None:
    if isinstance(request_id, Absent):
        return
    is_visible = all("!" <= character <= "~" for character in request_id)
    if not 1 <= len(request_id) <= _LONGEST_REQUEST_ID or not is_visible:
        raise Refused("validation_failed", "A request id is 1 to 128 visible ASCII characters.")


def _digest(**sent: object) -> str:
    members = {name: value for name, value in sent.items() if not isinstance(value, Absent)}
    return hashlib.sha256(json.dumps(members, sort_keys=True).encode("ascii")).hexdigest()
