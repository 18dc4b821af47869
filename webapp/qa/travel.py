"""How the body of a reply becomes what a bad line lets through; pure: pieces in, pieces and pauses out."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from webapp.qa.plans import Cut, Drip, Drop, Fault, Hold, LineEnds, Repeat, Scramble, Stall, Swap

_FRAMED = (Repeat, Drop, Swap)


@dataclass(frozen=True, slots=True)
class Pause:
    """Time that passes before what follows."""

    seconds: float


@dataclass(frozen=True, slots=True)
class BreakOff:
    """The body ends here; `rest` bytes that were announced do not come."""

    is_polite: bool
    rest: int = 0


Travel = bytes | Pause | BreakOff


def travel(body: Iterable[bytes], faults: Sequence[Fault]) -> Iterator[Travel]:
    """What a body, in the pieces in which it comes, becomes under the faults: frames first, then bytes in order."""
    moved: Iterable[Travel] = body
    if any(isinstance(fault, _FRAMED) or getattr(fault, "frames", None) is not None for fault in faults):
        moved = _framed(body, faults)
    for fault in faults:
        moved = _struck(moved, fault)
    for step in moved:
        yield step
        if isinstance(step, BreakOff):
            return


def _struck(steps: Iterable[Travel], fault: Fault) -> Iterable[Travel]:
    match fault:
        case LineEnds(ending):
            return _line_ends(steps, ending)
        case Scramble():
            return _scrambled(steps, fault)
        case Hold(size):
            return _held(steps, size)
        case Drip(size, seconds):
            return _dripped(steps, size, seconds)
        case Stall(seconds, bytes=int(place)):
            return _at(steps, place, Pause(seconds))
        case Cut(bytes=int(place), is_polite=is_polite):
            return _at(steps, place, BreakOff(is_polite))
    return steps


def frames_of(body: Iterable[bytes]) -> Iterator[bytes]:
    """The frames of a stream: up to and with a blank line, in any line ends; the rest at the end is one too."""
    rest = b""
    for piece in body:
        *whole, rest = re.split(rb"(?<=\r\n\r\n)|(?<=\n\n)|(?<=\r\r)", rest + piece)
        yield from whole
    if rest:
        yield rest


def _framed(body: Iterable[bytes], faults: Sequence[Fault]) -> Iterator[Travel]:
    waiting: bytes | None = None
    for number, frame in enumerate(frames_of(body), start=1):
        named = [fault for fault in faults if getattr(fault, "frame", None) == number]
        if any(isinstance(fault, Swap) for fault in named):
            waiting = frame
            continue
        if not any(isinstance(fault, Drop) for fault in named):
            yield frame
        if any(isinstance(fault, Repeat) for fault in named):
            yield frame
        if waiting is not None:
            yield waiting
            waiting = None
        for fault in faults:
            if isinstance(fault, Stall) and fault.frames == number:
                yield Pause(fault.seconds)
            if isinstance(fault, Cut) and fault.frames == number:
                yield BreakOff(fault.is_polite)
    if waiting is not None:
        yield waiting


def _at(steps: Iterable[Travel], place: int, what: Travel) -> Iterator[Travel]:
    """`what`, once `place` bytes have passed."""
    room: int | None = place
    for step in steps:
        if room is None or not isinstance(step, bytes) or len(step) < room:
            yield step
            room = room - len(step) if room is not None and isinstance(step, bytes) else room
            continue
        before, behind = step[:room], step[room:]
        if before:
            yield before
        yield BreakOff(what.is_polite, len(behind)) if isinstance(what, BreakOff) else what
        if behind:
            yield behind
        room = None


def _dripped(steps: Iterable[Travel], size: int, seconds: float) -> Iterator[Travel]:
    for step in steps:
        if not isinstance(step, bytes):
            yield step
            continue
        for start in range(0, len(step), size):
            if seconds:
                yield Pause(seconds)
            yield step[start : start + size]


def _held(steps: Iterable[Travel], size: int | None) -> Iterator[Travel]:
    held = b""
    for step in steps:
        if not isinstance(step, bytes):
            yield from (step,)
            continue
        held += step
        if size is not None and len(held) >= size:
            yield held
            held = b""
    if held:
        yield held


def _scrambled(steps: Iterable[Travel], fault: Scramble) -> Iterator[Travel]:
    """Needs the bytes up to the harmed place together: they leave in one piece."""
    held, is_done = b"", False
    for step in steps:
        if is_done or not isinstance(step, bytes):
            yield step
            continue
        held += step
        if len(held) >= fault.bytes + 2 * fault.size:
            start, one, two, rest = _parted(held, fault)
            yield start + (two + one if fault.is_swap else one + one + two) + rest
            is_done = True
    if not is_done and held:
        yield held


def _parted(held: bytes, fault: Scramble) -> tuple[bytes, bytes, bytes, bytes]:
    first, second = fault.bytes + fault.size, fault.bytes + 2 * fault.size
    return held[: fault.bytes], held[fault.bytes : first], held[first:second], held[second:]


def _line_ends(steps: Iterable[Travel], ending: str) -> Iterator[Travel]:
    """Whole lines are written anew; a line that is still growing waits for its end."""
    rest = b""
    for step in steps:
        if not isinstance(step, bytes):
            yield step
            continue
        *lines, rest = (rest + step).split(b"\n")
        if lines:
            yield b"".join(_ended(line, ending) for line in lines)
    if rest:
        yield rest.rstrip() if ending == "trimmed" else rest


def _ended(line: bytes, ending: str) -> bytes:
    if ending == "trimmed":
        return line.rstrip() + b"\n"
    return line.removesuffix(b"\r") + (b"\r\n" if ending == "crlf" else b"\r")
