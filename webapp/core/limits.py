"""How long an answer may take and how large it may grow; nothing here measures."""

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds, but for `answer_bytes` (UTF-8).

    `connect`: until the model's server takes the connection; `first`: until the first sign of work; `silence`: between
    two signs; `answer`: from start to end; `abandoned`: since anybody followed or asked about it, 0 for no limit.
    A sign is text, reasoning or a piece of a tool call.
    """

    connect: float = 10.0
    first: float = 120.0
    silence: float = 60.0
    answer: float = 600.0
    abandoned: float = 600.0
    answer_bytes: int = 4 * 1024 * 1024

    def with_values(self, seconds: Mapping[str, float], *, answer_bytes: int | None = None) -> "Limits":
        """These limits with the named ones replaced. Raises TypeError for a name that is no limit in seconds."""
        return replace(self, answer_bytes=answer_bytes or self.answer_bytes, **seconds)


SECONDS = ("connect", "first", "silence", "answer", "abandoned")
