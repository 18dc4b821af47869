"""What a scenario does to the bytes of a stream on their way to the reader; it changes nothing that is stored."""

import errno
import json
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

from webapp.core.scenarios import Fault, Line

_NUMBER = re.compile(rb"^id: (\d+)$", re.M)


class FaultyLines:
    """The lines of all answers, and which of their faults have struck already."""

    def __init__(self, line_of: Callable[[str], Line]) -> None:
        self._line_of = line_of
        self._spent: set[tuple[str, Fault, int]] = set()

    def __call__(self, message_id: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The pieces of one stream (whole frames and comments) as they arrive.

        Raises ConnectionResetError where the line is cut: the server then closes without ending the body.
        """
        line = self._line_of(message_id)
        return pieces if line.is_clean else self._spoilt(message_id, line, pieces)

    def _spoilt(self, message_id: str, line: Line, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for frame in chain.from_iterable(map(_frames, pieces)):
            strikes = partial(self._strikes, message_id, line, seq=_seq(frame))
            if not strikes("omit"):
                sent = _corrupted(frame) if strikes("corrupt") else frame
                yield from _written(sent * 2 if strikes("repeat") else sent, line)
            if strikes("stall"):
                time.sleep(line.stall)
            if strikes("cut"):
                raise ConnectionResetError(errno.ECONNRESET, "the scenario cuts the line here")

    def _strikes(self, message_id: str, line: Line, fault: Fault, *, seq: int) -> bool:
        strike = (message_id, fault, seq)
        if (fault, seq) not in line.faults or (strike in self._spent and not line.is_every_time):
            return False
        self._spent.add(strike)
        return True


def _frames(piece: bytes) -> list[bytes]:
    """The frames in a piece, each with its blank line; what has none, such as a comment, comes last as it is."""
    *frames, rest = piece.split(b"\n\n")
    return [frame + b"\n\n" for frame in frames] + ([rest] if rest else [])


def _seq(frame: bytes) -> int:
    """The number of the event in a frame; 0 for a comment."""
    found = _NUMBER.search(frame)
    return int(found[1]) if found else 0


def _corrupted(frame: bytes) -> bytes:
    """The frame of a delta with its first letter, or its first sign, changed; any other frame as it is."""
    head, _, data = frame.partition(b"data: ")
    if b"event: delta\n" not in head:
        return frame
    members = json.loads(data)
    text = members["text"]
    place = next((place for place, sign in enumerate(text) if sign.isalpha()), 0)
    changed = "y" if text[place] == "x" else "x"
    members["text"] = text[:place] + changed + text[place + 1 :]
    return head + b"data: " + json.dumps(members).encode("ascii") + b"\n\n"


def _written(frames: bytes, line: Line) -> Iterator[bytes]:
    """The bytes with the line's ends, in writes of its size."""
    changed = frames.replace(b"\n", line.line_end)
    size = line.bytes_per_write or len(changed)
    for start in range(0, len(changed), size):
        yield changed[start : start + size]
