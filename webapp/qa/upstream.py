"""A model's server that a test scripts: plays chosen bytes and pauses over real sockets, and keeps what was asked.

    with Upstream() as upstream:
        upstream.play(Reply([delta("one "), HANG]))
        ...                                     # something asks upstream.url
        upstream.exchange(0).gone.wait(5)       # until the asker closed its connection

Every request but `GET …/models` takes the next reply, or a short whole answer when none is left. It writes bytes,
whatever they mean; what stands at the end of this file makes those of OpenAI's dialect. It knows nothing of who asks.
"""

from __future__ import annotations

import json
import select
import socket
import ssl
import struct
import threading
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from types import TracebackType
from typing import Any, Literal, Self

READ_BYTES = 65_536
WAIT_SECONDS = 30.0
POLL_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Wait:
    """A pause in the middle of a reply; it ends early when the asker goes."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Until:
    """The reply goes on once the event is set: a pause without a clock."""

    event: threading.Event


@dataclass(frozen=True, slots=True)
class Break:
    """How a connection ends before its time: `cut` politely, `reset` by a crash, `hang` not before the asker goes."""

    how: Literal["cut", "reset", "hang"]


CUT = Break("cut")
RESET = Break("reset")
HANG = Break("hang")
Step = bytes | Wait | Until | Break


@dataclass(frozen=True, slots=True)
class Reply:
    """What is played: `before` ahead of the head, then `steps` as the body, each piece of bytes one write.

    `content_type` None sends no such header. `framing`: how the body's end is told; a body that breaks has none.
    """

    steps: Sequence[Step] = ()
    status: int = 200
    content_type: str | None = "text/event-stream"
    headers: Mapping[str, str] = field(default_factory=dict)
    framing: Literal["chunked", "length", "close"] = "chunked"
    before: Sequence[Step] = ()

    @classmethod
    def recorded(cls, pieces: Iterable[tuple[float, bytes]], *, content_type: str = "text/event-stream") -> Self:
        """Play again what came once, with its pauses: pairs of a time (seconds, from any beginning) and bytes."""
        steps: list[Step] = []
        before = None
        for at, data in pieces:
            if before is not None and at > before:
                steps.append(Wait(at - before))
            steps.append(data)
            before = at
        return cls(steps, content_type=content_type)

    def head(self) -> bytes:
        """The status line and the headers."""
        lines = [f"HTTP/1.1 {self.status} Fake", *(f"{name}: {value}" for name, value in self.headers.items())]
        if self.content_type is not None:
            lines.append(f"Content-Type: {self.content_type}")
        if self.framing == "chunked":
            lines.append("Transfer-Encoding: chunked")
        elif self.framing == "length":
            lines.append(f"Content-Length: {sum(len(step) for step in self.steps if isinstance(step, bytes))}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1")


class Exchange:
    """One request, and what became of it. Header names are in lower case; `sent`: when which piece was written.

    `gone` is set once the asker has closed its side, `ended` once this side is closed.
    """

    def __init__(self, head: bytes, body: bytes) -> None:
        request_line, *lines = head.decode("latin-1").split("\r\n")
        self.method, self.path, _ = request_line.split(" ")
        self.headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        self.body = body
        self.sent: list[tuple[float, bytes]] = []
        self.gone = threading.Event()
        self.ended = threading.Event()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Upstream:
    """Serves on a port of loopback (0: a free one) while its `with` block runs; `tls` makes it https."""

    def __init__(
        self, *, tls: ssl.SSLContext | None = None, models: Iterable[str] = ("fake-model",), port: int = 0
    ) -> None:
        self.models = list(models)
        self.exchanges: list[Exchange] = []
        self._tls = tls
        self._replies: deque[Reply] = deque()
        self._changed = threading.Condition()
        self._stopped = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", port), backlog=512)
        self._listener.settimeout(POLL_SECONDS)

    @property
    def port(self) -> int:
        port: int = self._listener.getsockname()[1]
        return port

    @property
    def url(self) -> str:
        """What belongs into `OPENAI_BASE_URL`, or a model's `url`."""
        return f"{'https' if self._tls else 'http'}://localhost:{self.port}/v1"

    def play(self, *replies: Reply) -> None:
        """Add replies for the next requests."""
        self._replies.extend(replies)

    def forget(self) -> None:
        """Begin anew: no reply waits, and no request has come."""
        self._replies.clear()
        self.exchanges.clear()

    def exchange(self, number: int) -> Exchange:
        """The request with this number, from 0 in the order of arrival; waits for it."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.exchanges) > number, WAIT_SECONDS):
                raise AssertionError(f"only {len(self.exchanges)} requests came")
            return self.exchanges[number]

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._listener.close()

    def _accept(self) -> None:
        while not self._stopped.is_set():
            try:
                line, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line: socket.socket) -> None:
        try:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls:
                line = self._tls.wrap_socket(line, server_side=True)
            exchange = _read_request(line)
        except OSError:
            line.close()
            return
        is_list = exchange.method == "GET" and exchange.path.partition("?")[0].endswith("/models")
        with self._changed:
            reply = self._models() if is_list and not self._replies else self._next()
            self.exchanges.append(exchange)
            self._changed.notify_all()
        threading.Thread(target=self._watch, args=(line, exchange), daemon=True).start()
        try:
            _Player(line, exchange, self._stopped).play(reply)
            if reply.framing == "length":
                exchange.gone.wait(1)  # who knows the length closes first, and is to be seen doing so
        except OSError:
            exchange.gone.set()
        finally:
            exchange.ended.set()
            line.close()

    def _next(self) -> Reply:
        return self._replies.popleft() if self._replies else Reply(answer("Hello."))

    def _models(self) -> Reply:
        listed = {"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]}
        return Reply([json.dumps(listed).encode()], content_type="application/json", framing="length")

    def _watch(self, line: socket.socket, exchange: Exchange) -> None:
        """See the asker go: after its request it has nothing to send but the end of its side."""
        while not (exchange.ended.is_set() or self._stopped.is_set()):
            try:
                if select.select([line], [], [], POLL_SECONDS)[0]:
                    exchange.gone.set()
                    return
            except (OSError, ValueError):
                return


class _Player:
    """Plays one reply on one connection."""

    def __init__(self, line: socket.socket, exchange: Exchange, stopped: threading.Event) -> None:
        self._line = line
        self._exchange = exchange
        self._stopped = stopped

    def play(self, reply: Reply) -> None:
        for step in reply.before:
            if not self._step(step, "close"):
                return
        self._line.sendall(reply.head())
        for step in reply.steps:
            if not self._step(step, reply.framing):
                return
        if reply.framing == "chunked":
            self._line.sendall(b"0\r\n\r\n")

    def _step(self, step: Step, framing: str) -> bool:
        """Whether the connection goes on."""
        match step:
            case Wait(seconds):
                self._exchange.gone.wait(seconds)
            case Until(event):
                while not (event.wait(POLL_SECONDS) or self._exchange.gone.is_set() or self._stopped.is_set()):
                    pass
            case Break("cut"):
                return False
            case Break("reset"):
                # No lingering: the system answers the close with a reset.
                self._line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return False
            case Break():
                while not (self._exchange.gone.wait(POLL_SECONDS) or self._stopped.is_set()):
                    pass
                return False
            case bytes():
                self._exchange.sent.append((monotonic(), step))
                self._line.sendall(b"%x\r\n%b\r\n" % (len(step), step) if framing == "chunked" else step)
        return True


def _read_request(line: socket.socket) -> Exchange:
    received = b""
    while b"\r\n\r\n" not in received:
        received += _some(line)
        if not received[:1].isalpha():
            line.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            raise ConnectionAbortedError("this is no HTTP")
    head, _, body = received.partition(b"\r\n\r\n")
    exchange = Exchange(head, b"")
    while len(body) < int(exchange.headers.get("content-length", "0")):
        body += _some(line)
    exchange.body = body
    return exchange


def _some(line: socket.socket) -> bytes:
    piece = line.recv(READ_BYTES)
    if not piece:
        raise ConnectionAbortedError("the asker went before its request was whole")
    return piece


DONE = b"data: [DONE]\n\n"


def frame(value: object) -> bytes:
    """One event of OpenAI's dialect."""
    return f"data: {json.dumps(value)}\n\n".encode()


def delta(text: str) -> bytes:
    """A piece of the answer's text."""
    return frame({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})


def finish(reason: str = "stop") -> bytes:
    """The end that the model makes by itself."""
    return frame({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})


def usage(input_tokens: int, output_tokens: int) -> bytes:
    """The last chunk, with the token counts."""
    counts = {"prompt_tokens": input_tokens, "completion_tokens": output_tokens}
    return frame({"choices": [], "usage": {**counts, "total_tokens": input_tokens + output_tokens}})


def answer(*texts: str, reason: str = "stop") -> list[bytes]:
    """A whole answer in these pieces."""
    return [*(delta(text) for text in texts), finish(reason), DONE]
