"""Whether the client of a request has gone, told by its socket; a write would tell only the second time."""

import select
import socket
from collections.abc import Callable, Mapping
from typing import Any

LOST_SECONDS = 30


def gone_check(environ: Mapping[str, Any]) -> Callable[[], bool]:
    """A function that says whether the client has closed; never true where the server does not show its socket.

    Looks at the socket without taking anything from it, and does not block. A client that vanished without a word is
    closed for us once it has acknowledged nothing for LOST_SECONDS.
    """
    connection: socket.socket | None = environ.get("gunicorn.socket")
    if connection is None:
        return lambda: False
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # of Linux (RFC 5482)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, LOST_SECONDS * 1000)

    def is_gone() -> bool:
        try:
            if not select.select([connection], [], [], 0)[0]:
                return False
            return connection.recv(1, socket.MSG_PEEK) == b""
        except (OSError, ValueError):
            return True

    return is_gone
