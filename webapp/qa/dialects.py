"""Answers read from the bytes of streams, in the dialects that the kit knows; pure: pieces in, answers out."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from webapp.core.dialects import native
from webapp.core.dialects.openai import OpenAIReader
from webapp.core.events import ENDS, Accepted, Answer, Cancelled, Delta, Event, Snapshot
from webapp.core.signs import Finish, ModelFailure, Text
from webapp.core.sse import FrameDecoder
from webapp.core.surrogates import SurrogateJoiner
from webapp.qa.profiles import Dialect

End = Literal["", "completed", "cancelled", "failed"]


class Piece(NamedTuple):
    """Bytes as the browser got them. `at`: seconds since the epoch, by the browser's clock."""

    at: float
    data: bytes


class Stream(NamedTuple):
    """The reply to one request, as far as it came."""

    address: str
    pieces: Sequence[Piece]


class Addition(NamedTuple):
    """Text that came to an answer. `at`: seconds since the epoch; several of one piece have the same time."""

    at: float
    text: str


@dataclass(slots=True)
class Travelled:
    """An answer as the wire carried it: its text, its end as its stream said it ("" without one), what came when."""

    text: str = ""
    end: End = ""
    additions: list[Addition] = field(default_factory=list)

    def add(self, at: float, text: str) -> None:
        """Text that came at a time."""
        self.text += text
        self.additions.append(Addition(at, text))


def read_answers(dialect: Dialect, streams: Sequence[Stream], *, way: str = "") -> list[Travelled]:
    """The answers that these streams carried, in order; `way` leads to the text in a line's object (`ndjson`).

    In Motamot's own dialect an answer may come in several streams, which its numbers join; in the others each stream
    that has text, or an end, is an answer.
    """
    if dialect == "native":
        return _native(streams)
    read: Callable[[Stream], Travelled] = _openai if dialect == "openai" else lambda stream: _ndjson(stream, way)
    return [found for found in map(read, streams) if found.text or found.end]


def _native(streams: Sequence[Stream]) -> list[Travelled]:
    known: dict[str, _Numbered] = {}
    for stream in streams:
        named = re.search(r"/messages/(msg_\w+)/events", stream.address)
        message_id = named[1] if named else ""
        is_first = True
        for at, event in _events(stream):
            if isinstance(event, Accepted | Snapshot):
                message_id = event.message_id
            known.setdefault(message_id, _Numbered()).take(at, event, is_first=is_first)
            is_first = False
    return [numbered.travelled for numbered in known.values()]


def _events(stream: Stream) -> Iterator[tuple[float, Event]]:
    decoder = FrameDecoder()
    for at, data in stream.pieces:
        for frame in decoder.feed(data):
            try:
                event = native.read(frame)
            except native.Unreadable:
                continue
            if event is not None:
                yield at, event


class _Numbered:
    """One answer in Motamot's dialect: each number once, a snapshot takes the text's place, the end's text stands."""

    def __init__(self) -> None:
        self.travelled = Travelled()
        self._last = 0

    def take(self, at: float, event: Event, *, is_first: bool) -> None:
        if self.travelled.end:
            return
        if isinstance(event, ENDS):
            self._replace(at, event.text)
            is_stopped = isinstance(event, Cancelled)
            self.travelled.end = "completed" if isinstance(event, Answer) else "cancelled" if is_stopped else "failed"
        elif isinstance(event, Snapshot) and (is_first or event.seq > self._last):
            self._last = event.seq
            self._replace(at, event.text)
        elif event.seq == self._last + 1:
            self._last = event.seq
            if isinstance(event, Delta):
                self.travelled.add(at, event.text)

    def _replace(self, at: float, text: str) -> None:
        if text.startswith(self.travelled.text):
            rest = text[len(self.travelled.text) :]
            if rest:
                self.travelled.add(at, rest)
        else:
            self.travelled.text = text
            self.travelled.additions.append(Addition(at, text))


def _openai(stream: Stream) -> Travelled:
    found, decoder, reader, joiner = Travelled(), FrameDecoder(), OpenAIReader(), SurrogateJoiner()
    for at, data in stream.pieces:
        for frame in decoder.feed(data):
            try:
                for sign in reader.read(frame):
                    if isinstance(sign, Text):
                        found.add(at, joiner.feed(sign.text))
                    elif isinstance(sign, Finish):
                        found.end = "completed"
            except ModelFailure:
                found.end = "failed"
                return found
    return found


def _ndjson(stream: Stream, way: str) -> Travelled:
    """Lines of JSON; a member `error` fails the answer, a true `done` ends it, and so does the end of the stream."""
    found, rest = Travelled(), b""
    for at, data in stream.pieces:
        *lines, rest = (rest + data).split(b"\n")
        for line in filter(bytes.strip, lines):
            try:
                told = json.loads(line)
            except ValueError:
                found.end = "failed"
                return found
            if text := _at(told, way):
                found.add(at, text)
            if isinstance(told, Mapping) and told.get("error"):
                found.end = "failed"
            elif isinstance(told, Mapping) and told.get("done") is True:
                found.end = "completed"
    return found


def _at(told: object, way: str) -> str:
    """The text at the end of the way; "" where it leads nowhere."""
    for step in way.split(".") if way else ():
        if isinstance(told, Mapping):
            told = told.get(step)
        elif isinstance(told, Sequence) and step.isdigit() and int(step) < len(told):
            told = told[int(step)]
        else:
            return ""
    return told if isinstance(told, str) else ""
