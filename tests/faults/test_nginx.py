"""Behind Debian's nginx: streams come as they are made, clients that go are noticed, and strangers change nothing."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import httpx
import pytest

from tests.support.nginx import PLAIN, start_nginx, start_nginx_as_configured
from tests.support.server import Server, free_port, start_server
from tests.support.visitor import STREAM, Visitor
from webapp.core.dialects import native
from webapp.core.events import Answer, Delta, Event
from webapp.core.sse import FrameDecoder

# By default nginx speaks HTTP/1.0 to a service, one connection for each request.
LATER_HTTP = 'location / {{ proxy_pass {upstream}; proxy_http_version 1.1; proxy_set_header Connection ""; }}'
PRESSED = f"gzip on; gzip_min_length 0; gzip_types *; gzip_proxied any; gzip_http_version 1.0; {PLAIN}"
TELLING = "location / {{ proxy_pass {upstream}; proxy_pass_header X-Accel-Buffering; }}"


def one(inside: str) -> Callable[[str, ExitStack], str]:
    return lambda upstream, stack: stack.enter_context(start_nginx(upstream, inside=inside))


def two(upstream: str, stack: ExitStack) -> str:
    """The first one passes on that nothing is to be collected, or the second would not know."""
    return one(PLAIN)(one(TELLING)(upstream, stack), stack)


CHAINS = {"plain": one(PLAIN), "HTTP/1.1": one(LATER_HTTP), "gzip for everything": one(PRESSED), "two in a row": two}


@dataclass(frozen=True, slots=True)
class Behind:
    """A server as it is reached through a proxy; enough of one for a visitor."""

    url: str


@pytest.fixture(params=CHAINS.values(), ids=CHAINS)
def visitor(request: pytest.FixtureRequest, server: Server) -> Iterator[Visitor]:
    with ExitStack() as stack:
        yield Visitor(Behind(request.param(server.url, stack)))  # type: ignore[arg-type]


SIX = [step for number in range(6) for step in ({"text": f"w{number} "}, {"wait": 0.5})]


def timed(response: httpx.Response) -> list[tuple[float, Event]]:
    """The events as they came, each with the time at which it could be read."""
    decoder, found = FrameDecoder(), []
    for piece in response.iter_bytes():  # what nginx compressed is unpacked as it comes
        now = time.monotonic()
        found += [(now, event) for frame in decoder.feed(piece) if (event := native.read(frame))]
    return found


def assert_came_as_it_was_made(events: list[tuple[float, Event]]) -> None:
    deltas = [(at, event) for at, event in events if isinstance(event, Delta)]
    end = events[-1][1]
    assert isinstance(end, Answer)
    assert end.text == "w0 w1 w2 w3 w4 w5 "
    assert len(deltas) == 6
    assert deltas[-1][0] - deltas[0][0] >= 2
    for (before, _), (after, _) in pairwise(deltas):
        assert after - before > 0.2, "deltas came together"


@pytest.mark.proves("C55", "C56", "G18")
@pytest.mark.parametrize("coding", ["identity", "gzip, deflate, br"])
def test_every_delta_is_read_when_it_is_made(visitor: Visitor, coding: str) -> None:
    visitor.http.headers["Accept-Encoding"] = coding
    with visitor.stream(visitor.scenario(*SIX, {"finish": "stop"})) as response:
        assert response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        assert {"no-cache", "no-transform"} <= set(response.headers["Cache-Control"].split(", "))
        assert_came_as_it_was_made(timed(response))


@pytest.mark.proves("C55")
def test_a_resumed_stream_is_not_held_back_either(visitor: Visitor) -> None:
    message_id = visitor.begin(visitor.scenario({"text": "before "}, *SIX, {"finish": "stop"}))
    with visitor.http.stream("GET", f"/api/v1/messages/{message_id}/events?after=2", headers=STREAM) as response:
        assert response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        deltas = [at for at, event in timed(response) if isinstance(event, Delta)]
    assert deltas[-1] - deltas[0] >= 2


@pytest.mark.proves("C55")
def test_the_page_without_script_is_written_as_the_answer_comes(visitor: Visitor) -> None:
    conversation = visitor.conversation()
    message_id = visitor.begin(visitor.scenario({"text": "First words. "}, {"hang": True}), conversation)
    seen = ""
    with visitor.http.stream("GET", f"/c/{conversation}?live=1") as response:
        assert response.headers["Cache-Control"] == "no-store, no-transform"
        pieces = response.iter_text()
        while "First words. " not in seen:
            seen += next(pieces)
        assert visitor.message(message_id)["state"] == "running"
        visitor.cancel(message_id)
        seen += "".join(pieces)
    assert seen.rstrip().endswith("</html>")


@pytest.mark.proves("C103", "G15")
def test_a_client_that_goes_is_noticed_through_the_proxy(server: Server, visitor: Visitor) -> None:
    """nginx closes its own connection then, even while nothing is sent."""
    message_id = visitor.begin(visitor.scenario({"text": "one"}, {"hang": True}))
    followers = re.compile(r"^motamot_followers (\S+)$", re.MULTILINE)

    def open_followers() -> float:
        told = followers.search(httpx.get(f"{server.url}/metrics", trust_env=False).text)
        assert told
        return float(told[1])

    before = open_followers()
    with visitor.http.stream("GET", f"/api/v1/messages/{message_id}/events", headers=STREAM) as response:
        next(response.iter_raw())
        assert open_followers() == before + 1
    until = time.monotonic() + 15
    while open_followers() > before:
        assert time.monotonic() < until, "the stream is still open"
    assert visitor.message(message_id)["state"] == "running"
    visitor.cancel(message_id)


@pytest.mark.proves("C56", "G21")
def test_a_long_answer_is_whole_through_the_proxy(visitor: Visitor) -> None:
    visitor.http.headers["Accept-Encoding"] = "identity"
    text = "\u96ea" * 30_000
    end = visitor.events(visitor.says([text[:10_000], text[10_000:]]))[-1]
    assert isinstance(end, Answer)
    assert end.text == text


EXAMPLE = (Path(__file__).parents[2] / "deploy" / "nginx.conf").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def example() -> Iterator[tuple[Server, str]]:
    """The example as it is shipped, but for the ports; the server is told of it as the example says."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    environment = {"MOTAMOT_PUBLIC_URL": address, "MOTAMOT_TRUSTED_PROXIES": "127.0.0.1"}
    with start_server(environment=environment) as server:
        http = EXAMPLE.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}").replace("listen 80", f"listen {port}")
        with start_nginx_as_configured(http, port) as url:
            yield server, url


@pytest.mark.proves("C55")
def test_the_shipped_example_streams(example: tuple[Server, str]) -> None:
    visitor = Visitor(Behind(example[1]))  # type: ignore[arg-type]
    with visitor.stream(visitor.scenario(*SIX, {"finish": "stop"})) as response:
        assert response.headers["X-Accel-Buffering"] == "no"
        assert_came_as_it_was_made(timed(response))


@pytest.mark.proves("C114")
def test_behind_the_shipped_example_our_own_page_can_and_another_cannot(example: tuple[Server, str]) -> None:
    visitor = Visitor(Behind(example[1]))  # type: ignore[arg-type]
    conversation = visitor.conversation()
    body = {"text": "mine", "model": "scripted"}
    own = {"Origin": example[1], "Sec-Fetch-Site": "same-origin"}
    assert visitor.http.post(visitor.asking(conversation), json=body, headers=own).json()["text"] == "mine"
    evil = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert visitor.http.post(visitor.asking(conversation), json=body, headers=evil).status_code == 403


@pytest.mark.proves("C114")
def test_what_a_stranger_says_of_the_address_does_not_count(example: tuple[Server, str]) -> None:
    visitor = Visitor(Behind(example[1]))  # type: ignore[arg-type]
    conversation = visitor.conversation()
    evil = {"Origin": "https://evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https"}
    assert visitor.http.post(visitor.asking(conversation), json={"text": "spend"}, headers=evil).status_code == 403


@pytest.mark.proves("C114")
def test_a_server_that_does_not_know_its_public_address_says_so_in_the_log(server: Server) -> None:
    with start_nginx(server.url) as url:
        visitor = Visitor(Behind(url))  # type: ignore[arg-type]
        headers = {"Origin": url, "Sec-Fetch-Site": "same-origin"}
        response = visitor.http.post("/api/v1/conversations", json={}, headers=headers)
        assert response.status_code == 403
        assert f"MOTAMOT_PUBLIC_URL={url}" in server.log_text()
