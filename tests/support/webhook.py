"""An operator's address that carries out actions, in a thread of its own: it plays chosen replies and keeps every call.

    with Hook() as hook:
        hook.play(Reply(503), Reply(200, b'{"text": "Done"}'))
        ...                                     # something posts to hook.url
        assert hook.effects == {"act_1": 1}

It knows nothing of Motamot. It does what it is called for each time that it says so with 2xx, known key or not.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

WAIT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Reply:
    """`until`: the reply leaves once this is set. `is_lost`: the call is carried out, then the line breaks."""

    status: int = 200
    body: bytes = b'{"text": "Done by the hook."}'
    headers: Mapping[str, str] = field(default_factory=dict)
    until: threading.Event | None = None
    is_lost: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """One request as it came. Header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Hook:
    """Serves on a free port of loopback while its `with` block runs; without a reply to play it takes every call."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.effects: Counter[str] = Counter()
        self._replies: deque[Reply] = deque()
        self._changed = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/hook"

    def play(self, *replies: Reply) -> None:
        """Add replies for the next calls."""
        self._replies.extend(replies)

    def wait_for_calls(self, count: int) -> Sequence[Call]:
        """The calls, once there are so many."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.calls) >= count, WAIT_SECONDS), len(self.calls)
            return list(self.calls)

    def take(self, call: Call) -> Reply:
        """Keep the call, carry it out where the reply says so; what to reply."""
        with self._changed:
            reply = self._replies.popleft() if self._replies else Reply()
            key = call.headers.get("idempotency-key", "")
            if reply.is_lost or 200 <= reply.status < 300:
                self.effects[key] += 1
            self.calls.append(call)
            self._changed.notify_all()
        return reply

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(hook: Hook) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = hook.take(Call(self.path, headers, body))
            if reply.until is not None:
                reply.until.wait(WAIT_SECONDS)
            if reply.is_lost:
                # Closed with a reset, as by a crash.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                return
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        do_GET = do_POST  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:
            pass

        def handle(self) -> None:
            with suppress(OSError):  # the caller has gone
                super().handle()

    return Handler
