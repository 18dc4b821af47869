"""Whether the client of a request has gone, told by its socket; a write would tell only the second time."""

import select
import socket
from collections.abc import Callable, Mapping
from typing import Any


def gone_check(environ: Mapping[str, Any]) -> Callable[[], bool]:
    """A function that says whether the client has closed; never true where the server does not show its socket.

    Looks at the socket without taking anything from it, and does not block.
    """
    connection: socket.socket | None = environ.get("gunicorn.socket")
    if connection is None:
        return lambda: False

    def is_gone() -> bool:
        try:
            if not select.select([connection], [], [], 0)[0]:
                return False
            return connection.recv(1, socket.MSG_PEEK) == b""
        except (OSError, ValueError):
            return True

    return is_gone
