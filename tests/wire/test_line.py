"""The line between a client and a server: what no plan names travels as it came, and what one names is harmed so."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from time import monotonic
from urllib.parse import urlsplit

import httpx
import pytest

from tests.support.server import Server
from tests.support.visitor import STREAM, Visitor, events_of
from webapp.core.events import Answer
from webapp.qa.line import Line
from webapp.qa.plans import Cut, LoseReply, Plan, Refuse, SendTwice, Stall
from webapp.qa.upstream import CUT, HANG, Reply, Until, Upstream, Wait

BODY = bytes(range(256)) * 40


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with Upstream() as upstream:
        yield upstream


@pytest.fixture
def line(upstream: Upstream) -> Iterator[Line]:
    with Line(upstream.url) as line:
        yield line


def get(line: Line, path: str = "/x", **headers: str) -> httpx.Response:
    return httpx.get(line.url + path, headers=headers, trust_env=False)


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
def test_what_no_plan_names_travels_as_it_came(upstream: Upstream, line: Line, framing: str) -> None:
    upstream.play(Reply([BODY[:100], BODY[100:]], status=203, headers={"X-Own": "a, b"}, framing=framing))  # type: ignore[arg-type]
    reply = httpx.post(f"{line.url}/x?y=%20", content=BODY, headers={"X-Mine": "1"}, trust_env=False)
    asked = upstream.exchange(0)
    assert (asked.method, asked.path, asked.body) == ("POST", "/x?y=%20", BODY)
    assert (asked.headers["x-mine"], asked.headers["host"]) == ("1", urlsplit(upstream.url).netloc)
    assert (reply.status_code, reply.content, reply.headers["X-Own"]) == (203, BODY, "a, b")
    assert line.struck == []


def test_a_piece_travels_when_it_comes(upstream: Upstream, line: Line) -> None:
    goes_on = threading.Event()
    upstream.play(Reply([b"one", Until(goes_on), b"two"]))
    with httpx.stream("GET", f"{line.url}/x", trust_env=False) as reply:
        pieces = reply.iter_raw()
        assert next(pieces) == b"one"
        goes_on.set()
        assert next(pieces) == b"two"


@pytest.mark.parametrize("framing", ["chunked", "length"])
def test_a_server_that_breaks_off_is_not_made_whole(upstream: Upstream, line: Line, framing: str) -> None:
    steps = [b"half", CUT, b"never"]
    upstream.play(Reply(steps, framing=framing))  # type: ignore[arg-type]
    with pytest.raises(httpx.RemoteProtocolError):
        get(line)


def test_the_server_sees_a_client_that_leaves(upstream: Upstream, line: Line) -> None:
    upstream.play(Reply([b"one", HANG]))
    with httpx.stream("GET", f"{line.url}/x", trust_env=False) as reply:
        next(reply.iter_raw())
    assert upstream.exchange(0).gone.wait(5)


@pytest.mark.parametrize("way", ["cut", "go_down", "end_politely"])
def test_what_is_open_can_be_harmed_at_any_time(upstream: Upstream, line: Line, way: str) -> None:
    upstream.play(Reply([b"one", HANG]))
    with httpx.stream("GET", f"{line.url}/x", trust_env=False) as reply:
        pieces = reply.iter_raw()
        assert next(pieces) == b"one"
        getattr(line, way)()
        if way == "cut":
            with pytest.raises(httpx.RemoteProtocolError):
                next(pieces)
        elif way == "end_politely":
            assert next(pieces, None) is None
        else:
            with pytest.raises(httpx.TransportError):
                get(line)
            line.mend()
            assert get(line).status_code == 200


def test_plans_strike_the_requests_that_they_name(upstream: Upstream, line: Line) -> None:
    refused, lost = Plan([Refuse(502)], path="/a", after=1, times=1), Plan([LoseReply()], path="/b", method="GET")
    line.plan(refused, lost)
    assert [get(line, "/a").status_code for _ in range(3)] == [200, 502, 200]
    with pytest.raises(httpx.TransportError):
        get(line, "/b")
    assert len(upstream.exchanges) == 3
    assert line.struck == [refused, lost]


def test_a_request_can_reach_the_server_twice(upstream: Upstream, line: Line) -> None:
    line.plan(Plan([SendTwice()]))
    assert httpx.post(f"{line.url}/x", content=b"once", trust_env=False).status_code == 200
    assert [upstream.exchange(number).body for number in range(2)] == [b"once", b"once"]


def test_time_cuts_and_holds_a_silent_stream(upstream: Upstream, line: Line) -> None:
    line.plan(Plan([Cut(seconds=0.3)]), Plan([Stall(0.5, bytes=2)]))
    upstream.play(Reply([b"one", HANG]), Reply([b"one", Wait(0.0), b"two"]))
    with pytest.raises(httpx.RemoteProtocolError):
        get(line)
    began = monotonic()
    assert get(line).content == b"onetwo"
    assert monotonic() - began >= 0.5


def test_a_page_behind_it_keeps_its_origin_and_its_cookie(server: Server) -> None:
    with Line(server.url) as line:
        first = httpx.get(line.url, trust_env=False)
        client = httpx.Client(base_url=line.url, cookies=first.cookies, trust_env=False)
        made = client.post("/api/v1/conversations", json={}, headers={"Origin": line.url})
        assert made.status_code == 201, made.text
        stranger = client.post("/api/v1/conversations", json={}, headers={"Origin": "http://elsewhere.example"})
        assert stranger.status_code == 403


def test_what_is_not_http_is_refused(line: Line) -> None:
    address = urlsplit(line.url)
    with socket.create_connection((address.hostname or "", address.port or 0)) as raw:
        raw.sendall(b"\x16\x03\x01 this is no HTTP\r\n\r\n")
        assert b"400" in b"".join(iter(lambda: raw.recv(4_096), b""))


def test_a_websocket_is_carried_both_ways() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    with Line(f"http://127.0.0.1:{listener.getsockname()[1]}") as line:
        address = urlsplit(line.url)
        client = http.client.HTTPConnection(address.hostname or "", address.port)
        client.putrequest("GET", "/ws")
        for name, value in (("Connection", "Upgrade"), ("Upgrade", "websocket")):
            client.putheader(name, value)
        client.endheaders()
        server, _ = listener.accept()
        assert b"Upgrade: websocket" in server.recv(4_096)
        server.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello")
        assert client.sock.recv(4_096).endswith(b"hello")
        client.sock.sendall(b"there")
        assert server.recv(100) == b"there"
        client.close()
        server.close()
    listener.close()


@pytest.mark.proves("B4", "B6", "C52")
def test_a_question_that_reaches_the_server_twice_is_one_run(server: Server) -> None:
    visitor = Visitor(server)
    with Line(server.url) as line:
        line.plan(Plan([SendTwice()], method="POST"))
        client = httpx.Client(base_url=line.url, cookies=visitor.http.cookies, timeout=60, trust_env=False)
        conversation = visitor.conversation()
        body = {"text": visitor.says(["one ", "two"]), "model": "scripted", "request_id": "req_1"}
        with client.stream("POST", visitor.asking(conversation), json=body, headers=STREAM) as reply:
            end = list(events_of(reply))[-1]
    assert isinstance(end, Answer)
    assert visitor.run(end.message_id)["calls"] == 1
    kept = visitor.http.get(f"/api/v1/conversations/{conversation}").json()["messages"]
    assert [(message["role"], message["text"]) for message in kept] == [
        ("user", body["text"]),
        ("assistant", "one two"),
    ]
