"""The event-stream format of WHATWG HTML §9.2.6, bytes in, frames out; no connection, no event of ours."""

from dataclasses import dataclass
from typing import NoReturn

MAX_EVENT_BYTES = 16 * 1024 * 1024

_CR, _LF = b"\r\n"
_BOM = b"\xef\xbb\xbf"
_REPLACEMENT = "\ufffd"
_MAX_RETRY_DIGITS = 15  # what a JavaScript number holds exactly


@dataclass(frozen=True, slots=True)
class Frame:
    """One dispatched event; `id` is the last event ID in force at its dispatch."""

    event: str = "message"
    data: str = ""
    id: str = ""


class SseError(ValueError):
    """A stream that cannot be read as server-sent events."""


class EventTooLarge(SseError):
    """An event, or a line that does not end, passed the decoder's limit.

    `frames` holds the events that were complete before it in the same piece, `limit` the bytes allowed.
    """

    def __init__(self, frames: list[Frame], limit: int) -> None:
        super().__init__(f"an event of the stream is larger than {limit} bytes")
        self.frames = frames
        self.limit = limit


def encode(frame: Frame) -> bytes:
    """Write `frame` so that a fresh decoder gives back an equal one, in UTF-8 with LF line ends.

    An empty `id` and the event `message` take no line; so an empty `id` leaves the one before it in force.

    Raises ValueError for what the format cannot carry: CR in `data`; CR, LF or NUL in `event` or `id`;
    an empty `event`; a lone surrogate anywhere.
    """
    if "\r" in frame.data:
        raise ValueError("data with a CR cannot be sent: the reader would make it a line end")
    if not frame.event:
        raise ValueError("an empty event cannot be sent: the reader would take it for 'message'")
    head = _field("id", frame.id) if frame.id else ""
    if frame.event != "message":
        head += _field("event", frame.event)
    # Only LF parts lines here: str.splitlines() would also cut at VT, FF, NEL and U+2028.
    body = frame.data.replace("\n", "\ndata: ")
    return f"{head}data: {body}\n\n".encode()


def _field(name: str, value: str) -> str:
    if "\n" in value or "\r" in value or "\0" in value:
        raise ValueError(f"{name} may not contain CR, LF or NUL")
    return f"{name}: {value}\n"


def comment(text: str = "") -> bytes:
    """Write one comment line, the heartbeat of a silent stream; readers ignore it.

    No blank line follows: some readers take one for an empty event. Raises ValueError for CR or LF in `text`.
    """
    if "\n" in text or "\r" in text:
        raise ValueError("a comment may not contain CR or LF")
    return f": {text}\n".encode() if text else b":\n"


class FrameDecoder:
    """Turns the pieces of one stream, wherever the network cut them, into its frames (WHATWG HTML §9.2.6).

    `last_event_id` is the ID to resume from; `retry` the reconnection time that the stream asked for, in
    milliseconds, or None (more than 15 digits are ignored); `invalid` the number of U+FFFD put in, in `data`,
    `event` and `id`, for bytes that are not UTF-8. `limit` counts the bytes of an event's data, and of any
    other single line. Time is linear in the bytes fed, whatever the size of the pieces.
    """

    def __init__(self, *, limit: int = MAX_EVENT_BYTES) -> None:
        self.last_event_id = ""
        self.retry: int | None = None
        self.invalid = 0
        self._limit = limit
        self._at_start = True
        self._after_cr = False
        self._failed = False
        self._rest = bytearray()  # the line that has not ended yet
        self._event = ""
        self._id = ""
        self._data: list[bytes] = []
        self._room = limit + 1  # bytes for data still to come, an LF for each line counted, the last one too

    @property
    def pending(self) -> bool:
        """Whether data, or part of a line, waits for its end: if the stream ends here it is never given.

        A reader that would rather have it feeds two line ends.
        """
        return bool(self._data or self._rest)

    def feed(self, piece: bytes) -> list[Frame]:
        """Give the frames that `piece` completes, in order.

        Raises EventTooLarge as soon as an event passes the limit, and then at every call.
        """
        if self._failed:
            raise EventTooLarge([], self._limit)
        frames: list[Frame] = []
        for line in self._ended_lines(piece):
            if line:
                self._take(line, frames)
            else:
                self._dispatch(frames)
        if len(self._rest) >= self._room and self._is_rest_too_large():
            self._refuse(frames)
        return frames

    def _ended_lines(self, piece: bytes) -> list[bytes]:
        if self._at_start:
            piece = self._after_bom(piece)
        # A CR may be half of a CRLF whose LF was still travelling: that line has ended, the LF ends no other.
        if self._after_cr and piece:
            piece = piece.removeprefix(b"\n")
            self._after_cr = False
        if not piece:
            return []
        # Of bytes, unlike of str, splitlines() knows just the three line ends of the standard.
        lines = piece.splitlines()
        last = piece[-1]
        self._after_cr = last == _CR
        growing = b"" if last in (_CR, _LF) else lines.pop()
        if lines and self._rest:
            self._rest += lines[0]
            lines[0] = bytes(self._rest)
            self._rest.clear()
        self._rest += growing
        return lines

    def _after_bom(self, piece: bytes) -> bytes:
        """Drop one byte order mark at the start of the stream; hold back what may still become one."""
        piece = bytes(self._rest) + piece
        self._rest.clear()
        if len(piece) < len(_BOM) and _BOM.startswith(piece):
            self._rest += piece
            return b""
        self._at_start = False
        return piece.removeprefix(_BOM)

    def _take(self, line: bytes, frames: list[Frame]) -> None:
        colon = line.find(b":")
        if colon < 0:
            name, value = line, b""
        else:
            name, value = line[:colon], line[colon + (2 if line.startswith(b" ", colon + 1) else 1) :]
        if name == b"data":
            self._data.append(value)
            self._room -= len(value) + 1
            if self._room < 0:
                self._refuse(frames)
        elif len(line) > self._limit:
            self._refuse(frames)
        elif name == b"id":
            if b"\0" not in value:
                self._id = self._text(value)
        elif name == b"event":
            self._event = self._text(value)
        elif name == b"retry" and value.isdigit() and len(value) <= _MAX_RETRY_DIGITS:
            self.retry = int(value)

    def _dispatch(self, frames: list[Frame]) -> None:
        self.last_event_id = self._id
        if self._data:
            data = self._text(b"\n".join(self._data))
            frames.append(Frame(self._event or "message", data, self._id))
            self._data.clear()
            self._room = self._limit + 1
        self._event = ""

    def _text(self, value: bytes) -> str:
        # No UTF-8 sequence spans a line end: a value decodes alone as it would within the whole stream.
        try:
            return value.decode()
        except UnicodeDecodeError:
            text = value.decode("utf-8", "replace")
            self.invalid += text.count(_REPLACEMENT) - value.count(_REPLACEMENT.encode())
            return text

    def _is_rest_too_large(self) -> bool:
        # Exactly what its line would be refused for at its end: the cuts decide when, never whether.
        for prefix in (b"data: ", b"data:"):
            if self._rest.startswith(prefix):
                return len(self._rest) - len(prefix) >= self._room
        return len(self._rest) > self._limit

    def _refuse(self, frames: list[Frame]) -> NoReturn:
        self._failed = True
        raise EventTooLarge(frames, self._limit)
