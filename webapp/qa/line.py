"""A line between a browser and any server that a test can harm: it carries requests, and harms those that plans name.

    with Line("https://chat.example") as line:
        line.plan(Plan([Cut(frames=3)], path="/messages", method="POST"))
        page.goto(line.url)
        line.cut()              # and what is open now breaks off

It changes no byte that no plan names but the headers of the connection and the names of the two hosts.
"""

import http.client
import select
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import SplitResult, urlsplit

from webapp.qa.plans import Cut, Fault, LoseReply, Plan, Refuse, SendTwice
from webapp.qa.travel import BreakOff, Pause, travel

READ_BYTES = 65_536
POLL_SECONDS = 0.05
# Between two connections, and never passed on (RFC 9110, section 7.6.1).
OF_THE_CONNECTION = {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}
LAST_CHUNK = b"0\r\n\r\n"


class Line:
    """Listens on a free port of loopback while its `with` block runs; `url` leads to `target`, an http(s) address.

    Every request has a connection of its own, in which the line speaks to the server under the server's own name.
    Plans strike in the order in which they were given, each request at most one of them; `struck` says which did.
    """

    def __init__(self, target: str) -> None:
        self.target = urlsplit(target)
        self.struck: list[Plan] = []
        self._plans: list[_Counted] = []
        self._lock = threading.Lock()
        self._open: set[_Carrier] = set()
        self._is_down = False
        line = self

        class Handler(_Carrier):
            owner = line

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def plan(self, *plans: Plan) -> None:
        """Harm requests that come from now on."""
        with self._lock:
            self._plans += [_Counted(plan) for plan in plans]

    def clear(self) -> None:
        """Harm none of those that come from now on."""
        with self._lock:
            self._plans.clear()

    def cut(self, *, stays_down: bool = False) -> None:
        """Close every connection in the middle of what it carries; with `stays_down` also those that come."""
        with self._lock:
            self._is_down = self._is_down or stays_down
            carriers = list(self._open)
        for carrier in carriers:
            carrier.close_both()

    def go_down(self) -> None:
        """Close every connection that comes from now on; those that are there stay."""
        self._is_down = True

    def end_politely(self) -> None:
        """End every reply as if it were whole."""
        with self._lock:
            carriers = list(self._open)
        for carrier in carriers:
            with suppress(OSError):
                carrier.connection.sendall(LAST_CHUNK)
            carrier.close_both()

    def mend(self) -> None:
        """New connections reach the server again."""
        self._is_down = False

    def faults_of(self, method: str, address: str) -> tuple[Fault, ...]:
        """What strikes the request that comes now."""
        with self._lock:
            for counted in self._plans:
                if counted.plan.matches(method, address) and counted.strikes():
                    self.struck.append(counted.plan)
                    return tuple(counted.plan.faults)
        return ()

    @property
    def is_down(self) -> bool:
        return self._is_down

    def opened(self, carrier: "_Carrier") -> None:
        """A connection came."""
        with self._lock:
            self._open.add(carrier)

    def closed(self, carrier: "_Carrier") -> None:
        """It went."""
        with self._lock:
            self._open.discard(carrier)

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(POLL_SECONDS,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self.cut(stays_down=True)


class _Counted:
    """How often a plan was met."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._met = 0

    def strikes(self) -> bool:
        self._met += 1
        return self._met > self.plan.after and (self.plan.times == 0 or self._met <= self.plan.after + self.plan.times)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """A connection that broke off is what a line is for."""


class _Carrier(BaseHTTPRequestHandler):
    """One request of the browser and its reply."""

    owner: Line
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    _upward: http.client.HTTPConnection | None = None

    def log_message(self, *_: object) -> None:
        """Silence: what travels is the test's to tell."""

    def handle_one_request(self) -> None:
        if self.owner.is_down:
            self.close_connection = True
            return
        self.raw_requestline = self.rfile.readline(READ_BYTES)
        self.close_connection = True
        if not self.raw_requestline or not self.parse_request():
            return
        self.owner.opened(self)
        try:
            self._carry()
        except (OSError, http.client.HTTPException):
            pass
        finally:
            self.owner.closed(self)
            self.close_both()

    def close_both(self) -> None:
        """Close both sides; a thread that waits in one of them wakes."""
        sockets = [self.connection, self._upward.sock if self._upward else None]
        for one in sockets:
            if one is not None:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def _carry(self) -> None:
        faults = self.owner.faults_of(self.command, self.path)
        body = self._body()
        for fault in faults:
            if isinstance(fault, Refuse):
                self._refuse(fault.status)
                return
        if "upgrade" in self.headers.get("Connection", "").lower():
            self._tunnel(body)
            return
        if any(isinstance(fault, SendTwice) for fault in faults):
            threading.Thread(target=self._send_again, args=(body,), daemon=True).start()
        reply = self._ask(self._connect(), body)
        threading.Thread(target=self._watch, daemon=True).start()
        if any(isinstance(fault, LoseReply) for fault in faults):
            reply.read()
            return
        self._pass_on(reply, faults)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return body

    def _connect(self) -> http.client.HTTPConnection:
        self._upward = _connection(self.owner.target)
        return self._upward

    def _ask(self, upward: http.client.HTTPConnection, body: bytes) -> http.client.HTTPResponse:
        upward.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self._headers().items():
            upward.putheader(name, value)
        if body or self.command not in ("GET", "HEAD"):
            upward.putheader("Content-Length", str(len(body)))
        upward.putheader("Connection", "close")
        upward.endheaders(body)
        return upward.getresponse()

    def _headers(self) -> Mapping[str, str]:
        """The request's, with the server's own name in place of the line's."""
        target = self.owner.target
        own, theirs = urlsplit(self.owner.url).netloc, f"{target.scheme}://{target.netloc}"
        kept = {
            name: value.replace(f"http://{own}", theirs) if name.lower() in ("origin", "referer") else value
            for name, value in self.headers.items()
            if name.lower() not in OF_THE_CONNECTION | {"host", "content-length"}
        }
        return {"Host": target.netloc, **kept}

    def _send_again(self, body: bytes) -> None:
        with suppress(OSError, http.client.HTTPException):
            self._ask(_connection(self.owner.target), body).read()

    def _pass_on(self, reply: http.client.HTTPResponse, faults: tuple[Fault, ...]) -> None:
        target, own = self.owner.target, self.owner.url
        has_body = self.command != "HEAD" and reply.status >= 200 and reply.status not in (204, 304)
        self.send_response_only(reply.status, reply.reason)
        for name, value in reply.getheaders():
            if name.lower() not in OF_THE_CONNECTION | ({"content-length"} if has_body else set()):
                theirs = f"{target.scheme}://{target.netloc}"
                self.send_header(name, value.replace(theirs, own) if name.lower() == "location" else value)
        self.send_header("Connection", "close")
        if has_body:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if has_body:
            self._send(reply, faults)

    def _send(self, reply: http.client.HTTPResponse, faults: tuple[Fault, ...]) -> None:
        for fault in faults:
            if isinstance(fault, Cut) and fault.seconds is not None:
                timer = threading.Timer(fault.seconds, self._end_now, [fault.is_polite])
                timer.daemon = True
                timer.start()
        for step in travel(_pieces(reply), faults):
            match step:
                case Pause(seconds):
                    threading.Event().wait(seconds)
                case BreakOff(is_polite, rest):
                    if is_polite:
                        self.wfile.write(LAST_CHUNK)
                    elif rest:
                        self.wfile.write(b"%x\r\n" % rest)
                    return
                case bytes():
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(step), step))
        self.wfile.write(LAST_CHUNK)

    def _end_now(self, is_polite: bool) -> None:
        if is_polite:
            with suppress(OSError):
                self.connection.sendall(LAST_CHUNK)
        self.close_both()

    def _refuse(self, status: int) -> None:
        body = b"<html><body><h1>Bad Gateway</h1></body></html>"
        self.send_response_only(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def _watch(self) -> None:
        """A browser that goes takes its request with it: the server is to see that."""
        with suppress(OSError, ValueError):
            while not self.wfile.closed:
                if select.select([self.connection], [], [], POLL_SECONDS)[0]:
                    self.close_both()
                    return

    def _tunnel(self, body: bytes) -> None:
        """A WebSocket: bytes both ways, unharmed."""
        upward = self._connect()
        upward.connect()
        lines = [f"{self.command} {self.path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in self._headers().items()]
        lines += ["Connection: Upgrade", f"Upgrade: {self.headers.get('Upgrade', 'websocket')}", "", ""]
        upward.sock.sendall("\r\n".join(lines).encode("latin-1") + body)
        back = threading.Thread(target=_pump, args=(upward.sock, self.connection), daemon=True)
        back.start()
        _pump(self.connection, upward.sock)
        self.close_both()
        back.join()


def _connection(target: SplitResult) -> http.client.HTTPConnection:
    host, port = str(target.hostname), target.port
    if target.scheme == "https":
        return http.client.HTTPSConnection(host, port, context=ssl.create_default_context())
    return http.client.HTTPConnection(host, port)


def _pieces(reply: http.client.HTTPResponse) -> Iterator[bytes]:
    while piece := reply.read1(READ_BYTES):
        yield piece
    if reply.length:
        raise http.client.IncompleteRead(b"", reply.length)


def _pump(source: Any, sink: Any) -> None:
    with suppress(OSError):
        while piece := source.recv(READ_BYTES):
            sink.sendall(piece)
