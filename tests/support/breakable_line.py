"""A line between a browser and the server that a test can break: it passes bytes on, and reads none of them."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

READ_BYTES = 65_536
# The end of a body in chunks (RFC 9112, section 7.1): what follows it is not missed by anybody who counts bytes.
LAST_CHUNK = b"0\r\n\r\n"


class BreakableLine:
    """Listens on a free port of loopback while its `with` block runs. `url` leads to the server at `target`."""

    def __init__(self, target: str) -> None:
        address = urlsplit(target)
        self._target = (str(address.hostname), address.port or 80)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._lock = threading.Lock()
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._is_down = False
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def cut(self, *, stays_down: bool = False) -> None:
        """Close every connection in the middle of what it carries; with `stays_down` also those that come."""
        with self._lock:
            self._is_down = self._is_down or stays_down
            for pair in self._pairs:
                _close(*pair)

    def go_down(self) -> None:
        """Refuse every connection that comes from now on; those that are there stay."""
        with self._lock:
            self._is_down = True

    def end_politely(self) -> None:
        """End every response as if it were whole, and close."""
        with self._lock:
            for browser, server in self._pairs:
                with suppress(OSError):
                    browser.sendall(LAST_CHUNK)
                _close(browser, server)

    def mend(self) -> None:
        """New connections reach the server again."""
        with self._lock:
            self._is_down = False

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _close(self._listener)
        self.cut(stays_down=True)

    def _accept(self) -> None:
        while True:
            try:
                browser, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                if self._is_down:
                    _close(browser)
                    continue
                server = socket.create_connection(self._target)
                pair = (browser, server)
                self._pairs.add(pair)
            for source, sink in (pair, pair[::-1]):
                threading.Thread(target=self._pass_on, args=(source, sink, pair), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket, pair: tuple[socket.socket, socket.socket]) -> None:
        with suppress(OSError):
            while piece := source.recv(READ_BYTES):
                sink.sendall(piece)
        with self._lock:
            self._pairs.discard(pair)
            _close(*pair)


def _close(*sockets: socket.socket) -> None:
    for one in sockets:
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits in it; closing alone does not
        one.close()
