"""One HTTP exchange that any thread can end while it connects, waits or reads; it knows no dialect.

The standard library's client, given a socket that is made here: the well-kept others cost as much per piece or more
(`tests/bench/http_clients.py`), and keep the socket to themselves while they connect.
"""

import http.client
import ipaddress
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any

from webapp.models.proxies import Proxy, proxy_for

_Address = tuple[socket.AddressFamily, Any]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where requests go: `host` is a name or an address without brackets; `tls` is None for plain HTTP."""

    host: str
    port: int
    tls: ssl.SSLContext | None

    @property
    def authority(self) -> str:
        """`host:port` as HTTP writes it, the port left out where the scheme implies it (RFC 9110 §4.2)."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"


class Connection:
    """`request`, read the response, `release`, all in one thread; `close` from any.

    After `close` whatever waits in here fails with an OSError or finds the response at its end; `is_closed` tells why.
    """

    def __init__(self) -> None:
        self.is_closed = False
        self._lock = threading.Lock()
        self._woken = threading.Event()
        self._socket: socket.socket | None = None
        self._response: http.client.HTTPResponse | None = None

    def request(
        self,
        origin: Origin,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes | None,
        *,
        connect: float,
        answer: float | None = None,
    ) -> http.client.HTTPResponse:
        """Connect within `connect` seconds, TLS included; send; wait for the response's headers.

        No later wait is longer than `answer` seconds; None: however long it takes.

        Raises TimeoutError, another OSError (ssl.SSLError is one) or http.client.HTTPException.
        """
        proxy = proxy_for(origin.host, is_tls=origin.tls is not None)
        line = self._connect(origin, proxy, monotonic() + connect)
        line.settimeout(answer)
        exchange = http.client.HTTPConnection(origin.host, origin.port)
        exchange.sock = line
        headers = {"Host": origin.authority, "Connection": "close", "Accept-Encoding": "identity", **headers}
        if proxy and not origin.tls:
            path = f"http://{origin.authority}{path}"
            headers |= proxy.headers
        exchange.request(method, path, body, headers)
        self._response = exchange.getresponse()
        return self._response

    def limit(self, seconds: float | None) -> None:
        """From now on a single read fails with TimeoutError after `seconds`; None: never."""
        if self._socket:
            self._socket.settimeout(seconds)

    def close(self) -> None:
        """End the exchange; harmless when it has ended, or has not begun: then it never will."""
        with self._lock:
            self.is_closed = True
            self._woken.set()
            if self._socket:
                # Shutting wakes whoever waits on the socket, closing would not. The plain socket's method: the one of
                # TLS would let the reader go on with bytes that nobody deciphers.
                with suppress(OSError):
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def release(self) -> None:
        """Free the socket; only for the thread that uses the connection, which may then `request` again."""
        # Under the lock: after this the number of the descriptor may belong to somebody else.
        with self._lock:
            for held in (self._response, self._socket):
                if held:
                    held.close()
            self._response = self._socket = None

    def _connect(self, origin: Origin, proxy: Proxy | None, deadline: float) -> socket.socket:
        host, port = (proxy.host, proxy.port) if proxy else (origin.host, origin.port)
        line = self._dial(self._addresses(host, port, deadline), deadline)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not origin.tls:
            return line
        line.settimeout(_until(deadline))
        if proxy:
            proxy.open_tunnel(line, f"{origin.host}:{origin.port}")
        # The handshake is a step of its own so that the socket it waits on is already known to `close`.
        secure = origin.tls.wrap_socket(line, server_hostname=origin.host, do_handshake_on_connect=False)
        self._hold(secure)
        secure.settimeout(_until(deadline))
        secure.do_handshake()
        return secure

    def _addresses(self, host: str, port: int, deadline: float) -> list[_Address]:
        """The addresses of `host`; nothing can end a look-up, so a thread makes it that nobody needs to wait for."""
        found: list[list[_Address] | OSError] = []

        def look_up() -> None:
            try:
                found.append([(each[0], each[4]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)])
            except (OSError, UnicodeError) as error:
                found.append(error if isinstance(error, OSError) else OSError(str(error)))
            self._woken.set()

        if _is_address(host):
            look_up()
        else:
            self._woken.clear()
            threading.Thread(target=look_up, daemon=True).start()
            # A close that came before the clearing is seen here; one that comes later sets it again.
            if not self.is_closed:
                self._woken.wait(_until(deadline))
        if not found:
            raise TimeoutError(f"no address for {host} in time")
        if isinstance(found[0], OSError):
            raise found[0]
        return found[0]

    def _dial(self, addresses: list[_Address], deadline: float) -> socket.socket:
        """Connect to the first address that answers; each gets its share of the time, so that none eats all of it."""
        for number, (family, address) in enumerate(addresses):
            line = socket.socket(family, socket.SOCK_STREAM)
            self._hold(line)
            try:
                line.settimeout(_until(deadline) / (len(addresses) - number))
                line.connect(address)
                break
            except OSError:
                self.release()
                if self.is_closed or number == len(addresses) - 1:
                    raise
        return line

    def _hold(self, line: socket.socket) -> None:
        with self._lock:
            self._socket = line
            if self.is_closed:
                raise ConnectionAbortedError("closed by ourselves")


def _until(deadline: float) -> float:
    """The seconds left; never 0, which would mean not to block at all."""
    return max(deadline - monotonic(), 0.001)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True
