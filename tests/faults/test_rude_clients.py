"""Clients that are slow, wrong, greedy or mad: each is refused or served, and nobody else waits for it."""

from __future__ import annotations

import json
import re
import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from urllib.parse import urlsplit

import httpx
import pytest

from tests.support.routes import routes
from tests.support.server import Server, start_server
from tests.support.visitor import Visitor
from tests.wire.test_refusals import messages_kept
from webapp.qa.upstream import Reply, Upstream, answer

NO_IDS = {"conversation_id": "cnv_none", "message_id": "msg_none", "action_id": "act_none"}
MORE = ("HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "GET")
JSON = "Content-Type: application/json"
CHUNKED = "Transfer-Encoding: chunked"
PIECE = 4_096
BIG = 256 * PIECE


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """One of its own: what such clients leave in its log is looked at."""
    with start_server() as running:
        yield running
        log = running.log_text()
    assert "Traceback" not in log, log[-4_000:]
    assert " 500 " not in log


@pytest.fixture
def visitor(server: Server) -> Visitor:
    return Visitor(server)


@contextmanager
def raw(server: Server, *sent: bytes, buffer: int = 0) -> Iterator[socket.socket]:
    """A connection with these bytes sent; `buffer`: how many that nobody reads the system keeps for it."""
    address = urlsplit(server.url)
    with socket.socket() as line:
        line.settimeout(30)
        if buffer:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        line.connect((address.hostname, address.port))
        for piece in sent:
            with suppress(BrokenPipeError, ConnectionResetError):  # refused before it was whole
                line.sendall(piece)
        yield line


def leave(line: socket.socket) -> None:
    """Say that nothing more will be sent; the server may have closed already."""
    with suppress(OSError):
        line.shutdown(socket.SHUT_WR)


def document(line: socket.socket) -> bytes:
    """A reply with a problem document, whole, in however many pieces it comes."""
    reply = b""
    while not reply.endswith(b"}"):
        with suppress(ConnectionResetError):
            if piece := line.recv(65_536):
                reply += piece
                continue
        break
    return reply


def all_of(line: socket.socket) -> bytes:
    """What comes until the server closes."""
    pieces = []
    while True:
        try:
            piece = line.recv(65_536)
        except ConnectionResetError:
            break
        if not piece:
            break
        pieces.append(piece)
    return b"".join(pieces)


def head(visitor: Visitor, method: str, address: str, *lines: str, version: str = "1.1") -> bytes:
    cookie = f"Cookie: motamot_visitor={visitor.http.cookies['motamot_visitor']}"
    return "\r\n".join([f"{method} {address} HTTP/{version}", "Host: localhost", cookie, *lines, "", ""]).encode()


@pytest.mark.proves("C110")
def test_who_sends_a_request_byte_by_byte_and_stops_holds_nobody_up(server: Server, visitor: Visitor) -> None:
    asking = head(visitor, "POST", visitor.asking(), JSON, "Content-Length: 1000")
    with ExitStack() as slow:
        for length in (1, 30, 90, len(asking)):
            slow.enter_context(raw(server, *[bytes([byte]) for byte in asking[:length]]))
        assert visitor.ask("still here").json()["text"] == "still here"
        assert visitor.http.get("/").status_code == 200


@pytest.mark.proves("C110")
def test_who_does_not_end_a_request_is_let_go() -> None:
    """A server with little patience; it has 60 seconds for a body, and 5 for a head, unless it is told otherwise."""
    with start_server(environment={"GUNICORN_CMD_ARGS": "--timeout 2 --keep-alive 1"}) as server:
        visitor = Visitor(server)
        asking = head(visitor, "POST", visitor.asking(), JSON, "Content-Length: 1000")
        with raw(server, b"GET / HT") as silent, raw(server, asking, b"{") as slow:
            while not select.select([slow], [], [], 0.1)[0]:
                with suppress(OSError):  # the server may have closed already
                    slow.sendall(b" ")
            assert document(slow).startswith(b"HTTP/1.1 400")
            assert all_of(silent) == all_of(slow) == b""
        log = server.log_text()
    assert "Traceback" not in log, log


QUESTION = b'{"text": "spend", "model": "scripted"}'
CUT = {
    "length": ([JSON, "Content-Length: 1000"], QUESTION),
    "chunk": ([JSON, CHUNKED], b"26\r\n" + QUESTION),
    "chunk of no size": ([JSON, CHUNKED], b"26\r\n" + QUESTION + b"\r\nzz\r\n"),
}


@pytest.mark.proves("G8")
@pytest.mark.parametrize(("lines", "body"), CUT.values(), ids=CUT)
def test_a_question_that_broke_off_on_its_way_is_not_asked(
    server: Server, visitor: Visitor, lines: list[str], body: bytes
) -> None:
    asking = head(visitor, "POST", visitor.asking(), *lines)
    before = messages_kept(server)
    with raw(server, asking, body) as line:
        leave(line)
        reply = all_of(line)
    assert reply.startswith(b"HTTP/1.1 400"), reply
    assert b"application/problem+json" in reply
    assert b'"bad_request"' in reply
    assert messages_kept(server) == before


@pytest.mark.proves("G8")
def test_a_form_that_broke_off_on_its_way_asks_no_part_of_its_question(server: Server, visitor: Visitor) -> None:
    token = re.findall(r'name="token" value="([^"]*)"', visitor.http.get("/").text)[0]
    body = f"token={token}&model=scripted&text=Do+not+spend".encode()
    kind = "Content-Type: application/x-www-form-urlencoded"
    before = messages_kept(server)
    for sent, status in ((body[:-10], b"400"), (body, b"303")):
        with raw(server, head(visitor, "POST", "/ask", kind, f"Content-Length: {len(body)}"), sent) as line:
            leave(line)
            assert all_of(line).split(b" ")[1] == status
        assert messages_kept(server) == before + (2 if status == b"303" else 0)


def test_no_address_forges_a_line_of_the_log(server: Server, visitor: Visitor) -> None:
    visitor.http.get("/api/v1/x%0A%0Dforged%1B[2J")
    log = server.log_text()
    assert "\nforged" not in log
    assert "\x1b" not in log
    assert "%0A%0Dforged%1B" in log


@pytest.mark.parametrize("is_chunked", [True, False])
def test_a_body_that_is_too_large_is_refused_before_it_has_come(
    server: Server, visitor: Visitor, is_chunked: bool
) -> None:
    address = visitor.asking()
    if is_chunked:
        chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        sent = [head(visitor, "POST", address, JSON, CHUNKED), *[chunk] * 5]
    else:
        sent = [head(visitor, "POST", address, JSON, "Content-Length: 999999999"), b"x" * 1_000]
    with raw(server, *sent) as line:
        reply = document(line)
    assert reply.startswith(b"HTTP/1.1 413"), reply
    assert b"application/problem+json" in reply
    assert b'"too_large"' in reply


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\x00\n\n\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET  HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /ask HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /ask HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 70_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * 2_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nBad Header : y\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nPrefer: a\x00b\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
    ids=lambda sent: repr(sent[:24]),
)
def test_what_is_no_http_is_refused_and_closed(server: Server, visitor: Visitor, sent: bytes) -> None:
    with raw(server, sent) as line:
        leave(line)
        reply = all_of(line)
    assert reply == b"" or reply.startswith((b"HTTP/1.1 4", b"HTTP/1.0 4", b"HTTP/1.1 505")), reply[:200]
    assert visitor.ask("still here").status_code == 200


@pytest.mark.proves("G8", "C119")
@pytest.mark.parametrize(("method", "rule"), sorted({(method, rule) for _, rule in routes() for method in MORE}))
def test_methods_that_an_address_does_not_have_are_refused_and_make_nothing(
    server: Server, visitor: Visitor, method: str, rule: str
) -> None:
    address = rule
    for name, value in NO_IDS.items():
        address = address.replace(f"<{name}>", value)
    before = messages_kept(server)
    reply = visitor.http.request(method, address, params={"text": "spend", "q": "spend"})
    is_there = ("GET" if method == "HEAD" else method, rule) in routes()
    if method == "OPTIONS":
        assert reply.status_code in (200, 204, 404)
    elif not is_there:
        assert reply.status_code in (403, 404, 405), reply.text
        assert reply.status_code != 405 or reply.headers["Allow"]
    if rule.startswith("/api/") and reply.status_code >= 400 and method != "HEAD":
        assert reply.headers["Content-Type"] == "application/problem+json"
        assert reply.json()["code"] in ("not_found", "method_not_allowed", "forbidden")
    assert messages_kept(server) == before


def test_an_old_client_asks_and_streams(server: Server, visitor: Visitor) -> None:
    body = json.dumps({"text": visitor.says(["one ", "two"]), "model": "scripted"}).encode()
    size = f"Content-Length: {len(body)}"
    asking = visitor.asking()
    for accept, ending in (("*/*", b'"one two"'), ("text/event-stream", b"event: answer")):
        with raw(server, head(visitor, "POST", asking, JSON, size, f"Accept: {accept}", version="1.0") + body) as line:
            reply = all_of(line)
        assert reply.split(b" ")[1] == b"200", reply[:200]
        assert ending in reply
        assert b"Transfer-Encoding" not in reply


def test_requests_that_come_together_are_answered_in_order(server: Server, visitor: Visitor) -> None:
    with raw(
        server,
        head(visitor, "GET", "/api/v1/models") + head(visitor, "GET", "/api/v1/messages/msg_none", "Connection: close"),
    ) as line:
        reply = all_of(line)
    assert 0 < reply.index(b'"models"') < reply.index(b'"not_found"')


@pytest.mark.proves("B14", "B15", "C103")
def test_who_stops_reading_a_long_answer_holds_nobody_up_and_misses_nothing() -> None:
    text = "\u96ea" * PIECE
    with Upstream() as model:
        model.play(Reply(answer(*[text] * (BIG // PIECE))))
        with start_server(environment={"OPENAI_BASE_URL": model.url, "OPENAI_MODEL": "fake"}) as server:
            visitor = Visitor(server)
            message_id = visitor.begin("Say it", model="fake")
            following = head(visitor, "GET", f"/api/v1/messages/{message_id}/events", "Connection: close")
            with raw(server, following, buffer=4_096) as line:
                assert line.recv(100)
                until = time.monotonic() + 60
                while visitor.message(message_id)["state"] != "completed":
                    assert time.monotonic() < until
                assert visitor.ask("still here").json()["text"] == "still here"
                rest = all_of(line)
    assert rest.count(b"event: answer") == 1
    assert rest.count(b"\\u96ea") >= 2 * BIG  # once as it grew, or in a snapshot, and once in the end


DEEP = "[" * 100_000
BODIES = {
    "deep": '{"text": ' + DEEP,
    "closed deep": '{"x": ' + DEEP + "]" * 100_000 + "}",
    "a little deep": '{"text": "a", "model": "scripted", "x": ' + "[" * 900 + "]" * 900 + "}",
    "deep objects": '{"a":' * 5_000 + "1" + "}" * 5_000,
    "a number of many digits": '{"text": ' + "9" * 5_000 + "}",
    "infinite": '{"text": "a", "model": "scripted", "x": 1e999}',
    "no number": '{"text": "a", "model": "scripted", "x": NaN}',
    "twice": '{"text": "one", "text": 7}',
    "half a character": '{"text": "\\ud83d"}',
    "half a character in a name": '{"\\ud83d": "x", "text": "a"}',
    "NUL": '{"text": "a", "model": "\\u0000"}',
    "a list": "[]",
    "empty": "",
    "latin": b'{"text": "\xe9"}',
    "utf-16": '{"text": "a"}'.encode("utf-16"),
    "a mark at the start": b'\xef\xbb\xbf{"text": "a", "model": "scripted"}',
}


@pytest.mark.proves("C19", "G8", "A32")
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("rule", sorted(rule for method, rule in routes() if method == "POST" and "/api/" in rule))
def test_no_body_breaks_a_call(server: Server, visitor: Visitor, rule: str, name: str) -> None:
    message = visitor.ask("one").json()
    ids = NO_IDS | {key: message[key] for key in ("conversation_id", "message_id")}
    address = rule
    for key, value in ids.items():
        address = address.replace(f"<{key}>", value)
    body = BODIES[name]
    content = body if isinstance(body, bytes) else body.encode()
    reply = visitor.http.post(address, content=content, headers={"Content-Type": "application/json"})
    assert reply.status_code < 500, reply.text
    if reply.status_code >= 400:
        assert reply.headers["Content-Type"] == "application/problem+json"
        assert reply.json()["code"]


HEADERS = {
    "Idempotency-Key": ["", '"', "a" * 200, "a b", '"\\"', "é"],
    "Last-Event-ID": ["", "-1", "1e3", "9" * 400, "é", "NaN"],
    "Prefer": ["", "=", "respond-async;q=", "wait=-1", "é", ",,,,", '"'],
    "Accept": ["", "é", "text/event-stream;q=x", "*/*;q=0", "a" * 4_000, ",", "text/event-stream;q=0"],
    "Accept-Language": ["", "é", "x" * 4_000, "*;q=9", "de;q=,"],
    "Accept-Encoding": ["", "é", "gzip;q=x", "br;q=0, *;q=0"],
    "Content-Type": ["", "é", "application/json; charset=utf-16", "application/json; charset=nonsense", "application/"],
    "Cookie": ["", "motamot_visitor", "motamot_visitor=\xe9", "motamot_visitor=a.b.c", "=;=;" * 200],
    "Origin": ["", "null", "é", "http://", "http://[", "http://localhost:99999"],
    "X-Forwarded-For": ["é", "1.2.3.4, , x"],
    "Host": ["é", "[", "a:b", ""],
}


@pytest.mark.proves("G8")
@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, values in HEADERS.items() for value in values],
    ids=lambda text: text[:20],
)
def test_no_header_breaks_a_call(server: Server, visitor: Visitor, name: str, value: str) -> None:
    message = visitor.ask("one").json()
    asking = f"/api/v1/conversations/{message['conversation_id']}/messages"
    for method, address in (
        ("POST", asking),
        ("GET", f"/api/v1/messages/{message['message_id']}/events"),
        ("GET", "/"),
        ("GET", f"/c/{message['conversation_id']}"),
    ):
        sent = [
            ("Content-Type", "application/json"),
            ("Cookie", f"motamot_visitor={visitor.http.cookies['motamot_visitor']}"),
        ]
        headers = [(key, text) for key, text in sent if key != name] + [(name, value)]
        content = b'{"text": "two", "model": "scripted"}' if method == "POST" else None
        with httpx.Client(base_url=server.url, trust_env=False, timeout=30) as client:
            encoded = [(key.encode(), text.encode("latin-1")) for key, text in headers]
            reply = client.request(method, address, content=content, headers=encoded)
        assert reply.status_code < 500, reply.text
        if reply.status_code >= 400 and address.startswith("/api/") and name != "Host":
            assert reply.headers["Content-Type"] == "application/problem+json"


@pytest.mark.proves("G8", "C113")
@pytest.mark.parametrize(
    "part",
    ["%00", "%ff", "%ED%A0%80", "..%2f..", ".%2e%2f", "a" * 3_000, "%F0%9F%A7%AD", "'%20OR%201=1--", "<b>", "\u0661"],
)
def test_no_part_of_an_address_breaks_a_call(visitor: Visitor, part: str) -> None:
    for address in (f"/api/v1/messages/{part}", f"/api/v1/conversations/{part}", f"/api/v1/messages/{part}/events"):
        reply = visitor.http.get(address)
        assert reply.status_code in (400, 404), reply.text
        assert reply.json()["code"] in ("bad_request", "not_found")
    assert visitor.http.get(f"/c/{part}").status_code in (400, 404)
    assert visitor.http.get(f"/static/{part}").status_code in (400, 404)
    message_id = visitor.ask("one").json()["message_id"]
    assert visitor.http.get(f"/api/v1/messages/{message_id}/events?after={part}").status_code == 200
