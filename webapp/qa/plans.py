"""What a bad line does to one request and its reply, as values.

A plan's `repr` is the plan: what a failing test prints can be pasted into the next one.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Cut:
    """The reply breaks off after so many bytes of its body, or whole frames, or seconds from its head.

    `is_polite`: it ends as if it were whole, as from a proxy that has an end mark of its own.
    """

    bytes: int | None = None
    frames: int | None = None
    seconds: float | None = None
    is_polite: bool = False


@dataclass(frozen=True, slots=True)
class Stall:
    """Nothing comes for `seconds` after so many bytes, or frames, of the body."""

    seconds: float
    bytes: int | None = None
    frames: int | None = None


@dataclass(frozen=True, slots=True)
class Drip:
    """The body comes in writes of `bytes`, each `seconds` after the one before."""

    bytes: int = 1
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Repeat:
    """The frame with this number (from 1) comes twice."""

    frame: int


@dataclass(frozen=True, slots=True)
class Drop:
    """The frame with this number (from 1) does not come."""

    frame: int


@dataclass(frozen=True, slots=True)
class Swap:
    """The frame with this number (from 1) comes after the one behind it."""

    frame: int


@dataclass(frozen=True, slots=True)
class Scramble:
    """Raw bytes, wherever a frame begins: `size` of them after `bytes` come twice, or change places with the next."""

    bytes: int
    size: int
    is_swap: bool = False


@dataclass(frozen=True, slots=True)
class LineEnds:
    """Lines end in CRLF or CR; or `trimmed`: they lose their blanks at the end, and the body its last line ends."""

    ending: Literal["crlf", "cr", "trimmed"]


@dataclass(frozen=True, slots=True)
class Hold:
    """A careless proxy's buffer: nothing leaves before so many bytes have come together, or before the end."""

    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Refuse:
    """The request does not reach the server: a reply of the line's own, as from a proxy in front of a dead server."""

    status: int = 502


@dataclass(frozen=True, slots=True)
class SendTwice:
    """The request reaches the server twice at the same time; the reply is that of the first one."""


@dataclass(frozen=True, slots=True)
class LoseReply:
    """The server does all its work, and nothing of its reply arrives."""


Fault = Cut | Stall | Drip | Repeat | Drop | Swap | Scramble | LineEnds | Hold | Refuse | SendTwice | LoseReply


@dataclass(frozen=True, slots=True)
class Plan:
    """Faults of the requests whose method and address match: `path` is looked for in the address (a pattern).

    The first `after` of them pass unharmed, then `times` are struck (0: all that come).
    """

    faults: Sequence[Fault]
    path: str = ""
    method: str = ""
    after: int = 0
    times: int = 1

    def matches(self, method: str, address: str) -> bool:
        """Whether this request is one of those."""
        return self.method in ("", method) and re.search(self.path, address) is not None


def random_plan(seed: int, *, path: str = "", size: int = 4_000, frames: int = 40) -> Plan:
    """A plan by chance, the same for the same seed: one to three faults of a reply of about that size."""
    chance = random.Random(seed)
    kinds: list[Fault] = [
        Cut(bytes=chance.randrange(1, size), is_polite=chance.random() < 0.3),
        Cut(frames=chance.randrange(1, frames)),
        Stall(round(chance.uniform(0.1, 1.5), 2), bytes=chance.randrange(1, size)),
        Drip(chance.choice((1, 7, 64))),
        Repeat(chance.randrange(1, frames)),
        Drop(chance.randrange(2, frames)),
        Swap(chance.randrange(2, frames)),
        LineEnds(chance.choice(("crlf", "cr"))),
        Hold(chance.choice((None, 512, 2_048))),
    ]
    return Plan(tuple(chance.sample(kinds, chance.randint(1, 3))), path=path)
