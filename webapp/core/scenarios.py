"""Scenarios of the scripted model: what it says, step by step, and what is done to the line; parsed, not played."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from webapp.core.events import ActivityKind, FinishReason
from webapp.core.limits import SECONDS
from webapp.core.problems import KINDS

_LINE_ENDS = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}
_FAULTS: Mapping[str, "Fault"] = {
    "cut_after_seq": "cut",
    "repeat_seq": "repeat",
    "omit_seq": "omit",
    "corrupt_seq": "corrupt",
}
_LINE_MEMBERS = {*_FAULTS, "stall_after_seq", "stall", "bytes_per_write", "line_end", "every_time"}


@dataclass(frozen=True, slots=True)
class Say:
    """Send `text` as one delta."""

    text: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Be silent for `seconds`; None is for ever."""

    seconds: float | None


@dataclass(frozen=True, slots=True)
class Work:
    """Send an activity of `kind`."""

    kind: ActivityKind


@dataclass(frozen=True, slots=True)
class Fail:
    """End with a problem of `code`."""

    code: str


@dataclass(frozen=True, slots=True)
class End:
    """End by itself."""

    reason: FinishReason


@dataclass(frozen=True, slots=True)
class Call:
    """Ask for an action of this name; `arguments` as the model writes them."""

    name: str
    arguments: str


Step = Say | Wait | Work | Fail | End | Call


Fault = Literal["cut", "repeat", "omit", "corrupt", "stall"]


@dataclass(frozen=True, slots=True)
class Line:
    """What happens to the bytes between server and reader.

    `bytes_per_write` 0 leaves the writes as they are. `faults`: what strikes at which number of an event, for the first
    reader that reaches it, or for every one with `is_every_time`. `stall`: seconds.
    """

    bytes_per_write: int = 0
    line_end: bytes = b"\n"
    faults: frozenset[tuple[Fault, int]] = frozenset()
    stall: float = 0.0
    is_every_time: bool = False

    @property
    def is_clean(self) -> bool:
        return self == Line()


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scripted answer. `is_merged`: texts may be merged into one delta; `limits`: seconds, by name."""

    steps: tuple[Step, ...]
    is_merged: bool = False
    limits: Mapping[str, float] = field(default_factory=dict)
    line: Line = Line()


class BadScenario(ValueError):
    """The JSON is no scenario; the message says where and what would be right."""


def parse(data: object) -> Scenario:
    """The scenario in a JSON value. Raises BadScenario for members or values that mean nothing here."""
    if not isinstance(data, dict):
        raise BadScenario("a scenario is an object with `model`, a list of steps")
    _only(data, {"model", "merge", "limits", "line"}, "scenario")
    raw_steps = data.get("model")
    if not isinstance(raw_steps, list):
        raise BadScenario("`model` must be a list of steps")
    steps = tuple(step for place, raw in enumerate(raw_steps) for step in _steps(raw, f"model[{place}]"))
    limits = _object(data.get("limits", {}), "limits")
    _only(limits, set(SECONDS), "limits")
    seconds = {name: _seconds(value, f"limits.{name}") for name, value in limits.items()}
    return Scenario(steps, _flag(data.get("merge", False), "merge"), seconds, _line(data.get("line", {})))


def _steps(raw: object, place: str) -> tuple[Step, ...]:
    step = _object(raw, place)
    if "activity" in step and "wait" in step:
        _only(step, {"activity", "wait"}, place)
        return (_work(step["activity"], place), Wait(_seconds(step["wait"], place)))
    if len(step) != 1:
        raise BadScenario(f"{place}: one of {', '.join(_STEPS)} (an activity may also wait)")
    ((name, value),) = step.items()
    if name not in _STEPS:
        raise BadScenario(f"{place}: {name!r} is no step; there are {', '.join(_STEPS)}")
    return (_STEPS[name](value, f"{place}.{name}"),)


def _say(value: object, place: str) -> Step:
    if not isinstance(value, str) or not value:
        raise BadScenario(f"{place}: text that is not empty")
    return Say(value)


def _work(value: object, place: str) -> Step:
    for kind in get_args(ActivityKind):
        if value == kind:
            return Work(kind)
    raise BadScenario(f"{place}: one of {', '.join(get_args(ActivityKind))}")


def _fail(value: object, place: str) -> Step:
    if not isinstance(value, str) or value not in KINDS:
        raise BadScenario(f"{place}: an error code")
    return Fail(value)


def _end(value: object, place: str) -> Step:
    for reason in get_args(FinishReason):
        if value == reason:
            return End(reason)
    raise BadScenario(f"{place}: one of {', '.join(get_args(FinishReason))}")


def _call(value: object, place: str) -> Step:
    call = _object(value, place)
    _only(call, {"name", "arguments"}, place)
    name, arguments = call.get("name"), call.get("arguments", {})
    if not isinstance(name, str) or not name:
        raise BadScenario(f"{place}.name: the name of an action")
    if not isinstance(arguments, str | dict):
        raise BadScenario(f"{place}.arguments: an object, or the text that the model writes in its place")
    return Call(name, arguments if isinstance(arguments, str) else json.dumps(arguments))


_STEPS: Mapping[str, Callable[[object, str], Step]] = {
    "text": _say,
    "wait": lambda value, place: Wait(_seconds(value, place)),
    "activity": _work,
    "action": _call,
    "fail": _fail,
    "finish": _end,
    "hang": lambda value, place: Wait(None),
}


def _line(raw: object) -> Line:
    line = _object(raw, "line")
    _only(line, _LINE_MEMBERS, "line")
    end = line.get("line_end", "lf")
    if end not in _LINE_ENDS:
        raise BadScenario(f"line.line_end: one of {', '.join(_LINE_ENDS)}")
    if ("stall" in line) != ("stall_after_seq" in line):
        raise BadScenario("line: stall (seconds) and stall_after_seq (a number of an event) go together")
    faults = {
        (fault, number) for name, fault in _FAULTS.items() for number in _numbers(line.get(name, []), f"line.{name}")
    }
    if "stall" in line:
        faults.add(("stall", _whole(line["stall_after_seq"], "line.stall_after_seq", least=1)))
    return Line(
        _whole(line.get("bytes_per_write", 0), "line.bytes_per_write", least=0),
        _LINE_ENDS[end],
        frozenset(faults),
        _seconds(line.get("stall", 0), "line.stall"),
        _flag(line.get("every_time", False), "line.every_time"),
    )


def _numbers(value: object, place: str) -> list[int]:
    if not isinstance(value, list):
        raise BadScenario(f"{place}: a list of numbers of events")
    return [_whole(number, f"{place}[{index}]", least=1) for index, number in enumerate(value)]


def _whole(value: object, place: str, *, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise BadScenario(f"{place}: a whole number from {least}")
    return value


def _object(raw: object, place: str) -> Mapping[str, Any]:
    if not isinstance(raw, dict):
        raise BadScenario(f"{place}: an object")
    return raw


def _only(data: Mapping[str, Any], known: set[str], place: str) -> None:
    if unknown := sorted(set(data) - known):
        raise BadScenario(f"{place}: {', '.join(unknown)} means nothing here; there are {', '.join(sorted(known))}")


def _seconds(value: object, place: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 86_400:
        raise BadScenario(f"{place}: seconds from 0")
    return float(value)


def _flag(value: object, place: str) -> bool:
    if not isinstance(value, bool):
        raise BadScenario(f"{place}: true or false")
    return value
