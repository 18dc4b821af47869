"""Random faults as values: what the model says, how the line spoils it, what a person does; nothing is played here."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

PIECES = (
    "plain words ",
    "\U0001f9ed",
    "\U0001f469\u200d\U0001f692 ",
    "e\u0301",
    "\u05e9\u05dc\u05d5\u05dd ",
    "\r\n",
    "\n\n",
    "\r",
    "A sentence. ",
    "**bold** `code` ",
    "data: [DONE]\n\n",
    "</script>",
    "very very ",
    "x" * 2_000,
)
# How an answer may end: its last step, and the state and finish reason or code that are then right.
ENDS: tuple[tuple[dict[str, object] | None, str, str], ...] = (
    ({"finish": "stop"}, "completed", "stop"),
    ({"finish": "stop"}, "completed", "stop"),
    ({"finish": "length"}, "completed", "length"),
    ({"finish": "content_filter"}, "completed", "content_filter"),
    ({"fail": "provider_error"}, "failed", "provider_error"),
    (None, "failed", "provider_error"),
    ({"hang": True}, "failed", "timeout"),
)
PROPOSAL = {"action": {"name": "create_ticket", "arguments": {"subject": "Printer"}}}
ACTIONS = ("stop", "reload", "cut", "cut", "offline", "hide", "second tab", "double send")


@dataclass(frozen=True, slots=True)
class Plan:
    """One run. `actions` happen once the page shows the text of so many pieces, in their order.

    `proposes`: the model asks for an action before its end. `renews`: then a person asks for the answer anew.
    """

    seed: int
    pieces: tuple[str, ...]
    steps: tuple[dict[str, object], ...]
    state: str
    reason: str
    line: dict[str, Any] = field(default_factory=dict)
    actions: tuple[tuple[int, str], ...] = ()
    proposes: bool = False
    renews: bool = False

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def plan(seed: int) -> Plan:
    """The plan of a seed, the same on every machine."""
    dice = random.Random(seed)
    pieces = tuple(dice.choice(PIECES) for _ in range(dice.randint(3, 14)))
    end, state, reason = dice.choice(ENDS)
    steps: list[dict[str, object]] = []
    for piece in pieces:
        if dice.random() < 0.15:
            steps.append({"activity": dice.choice(("thinking", "searching", "preparing_action"))})
        steps.append({"text": piece})
        if dice.random() < 0.5:
            steps.append({"wait": round(dice.uniform(0.01, 0.2), 3)})
    numbered = sum("wait" not in step for step in steps)
    proposes = dice.random() < 0.3
    steps += [PROPOSAL] if proposes else []
    steps += [end] if end else []
    actions = sorted((dice.randint(1, len(pieces) - 1), dice.choice(ACTIONS)) for _ in range(dice.randint(0, 2)))
    line = _line(dice, numbered + 2)
    return Plan(seed, pieces, tuple(steps), state, reason, line, tuple(actions), proposes, dice.random() < 0.3)


def _line(dice: random.Random, last: int) -> dict[str, Any]:
    """Faults at events 2 to `last`: the first one names the answer, without which there is nothing to go on from."""
    line: dict[str, Any] = {}
    for fault in ("cut_after_seq", "repeat_seq", "omit_seq", "corrupt_seq"):
        if dice.random() < 0.4:
            line[fault] = sorted(dice.sample(range(2, last + 1), dice.randint(1, 2)))
    if dice.random() < 0.2:
        line |= {"stall_after_seq": dice.randint(2, last), "stall": 0.3}
    if dice.random() < 0.3:
        line["bytes_per_write"] = dice.choice((1, 7, 100))
    if dice.random() < 0.3:
        line["line_end"] = dice.choice(("crlf", "cr"))
    return line
