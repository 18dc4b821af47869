"""The server is asked to stop while it answers: what runs may end, nothing new begins, nothing cut looks whole."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from time import monotonic

import httpx
import pytest

from tests.support.server import Server, start_server
from tests.support.visitor import Visitor, events_of
from webapp.core.events import Answer, Delta, Error, Event

GRACE = 3
STOPS = {
    "SIGTERM": [signal.SIGTERM],
    "Ctrl+C": [signal.SIGINT],
    "impatience": [signal.SIGTERM, signal.SIGINT, signal.SIGTERM],
}
WORDS = [f"w{number} " for number in range(40)]
TEXT = "".join(WORDS)


@pytest.fixture
def server() -> Iterator[Server]:
    with start_server(config=f"[limits]\ngrace = {GRACE}\n") as running:
        yield running


class Reading:
    """A reader of a whole stream, in a thread of its own."""

    def __init__(self, visitor: Visitor, message_id: str) -> None:
        self.events: list[Event] = []
        self.has_words = threading.Event()
        self._visitor, self._message_id = visitor, message_id
        self._thread = threading.Thread(target=self._read)
        self._thread.start()
        assert self.has_words.wait(20)

    def _read(self) -> None:
        with self._visitor.http.stream("GET", f"/api/v1/messages/{self._message_id}/events") as response:
            for event in events_of(response):
                self.events.append(event)
                if sum(isinstance(each, Delta) for each in self.events) >= 10:
                    self.has_words.set()

    def end(self) -> Event:
        self._thread.join(20)
        assert not self._thread.is_alive()
        return self.events[-1]


def spoken(visitor: Visitor, *, wait: float = 0.03, hangs: bool = False) -> str:
    steps = [step for word in WORDS for step in ({"text": word}, {"wait": wait})]
    return visitor.begin(visitor.scenario(*steps, {"hang": True} if hangs else {"finish": "stop"}))


@pytest.mark.proves("C107")
def test_an_answer_that_ends_in_time_is_whole_and_everything_but_questions_is_served_meanwhile(server: Server) -> None:
    visitor = Visitor(server)
    known = {"text": "known", "request_id": "req_known"}
    conversation_id = visitor.conversation()
    first = visitor.ask(**known, conversation=conversation_id).json()  # type: ignore[arg-type]
    message_id = spoken(visitor)
    reading = Reading(visitor, message_id)
    server.process.send_signal(signal.SIGTERM)
    while visitor.http.get("/health/ready").status_code == 200:
        pass
    refused = visitor.ask("new", visitor.conversation())
    assert (refused.status_code, refused.json()["code"]) == (503, "busy")
    assert refused.json()["retryable"] is True
    assert visitor.ask(**known, conversation=conversation_id).json() == first  # type: ignore[arg-type]
    assert visitor.http.get("/").status_code == 200
    assert visitor.message(message_id)["state"] == "running"
    end = reading.end()
    assert isinstance(end, Answer)
    assert end.text == TEXT
    assert server.process.wait(GRACE + 5) == 0
    server.start()
    assert visitor.message(message_id)["text"] == TEXT
    assert visitor.ask("new").json()["text"] == "new"


@pytest.mark.proves("C107")
@pytest.mark.parametrize("signals", STOPS.values(), ids=STOPS)
def test_an_answer_that_does_not_end_in_time_is_interrupted_with_its_text_and_its_readers_are_told(
    server: Server, signals: list[signal.Signals]
) -> None:
    visitor = Visitor(server)
    message_id = spoken(visitor, wait=0.01, hangs=True)
    reading = Reading(visitor, message_id)
    began = monotonic()
    for number in signals:
        os.killpg(server.pid, number)
        while visitor.http.get("/health/ready").status_code == 200:
            pass
    end = reading.end()
    assert isinstance(end, Error)
    assert (end.code, end.text) == ("interrupted", TEXT)
    assert [event.seq for event in reading.events] == list(range(1, end.seq + 1))
    assert server.process.wait(20) == 0
    assert GRACE <= monotonic() - began < GRACE + 6
    server.start()
    message = visitor.message(message_id)
    assert (message["state"], message["text"], message["seq"]) == ("failed", TEXT, end.seq)


@pytest.mark.proves("C107")
def test_connections_without_a_request_do_not_keep_the_server(server: Server) -> None:
    visitor = Visitor(server)
    visitor.http.get("/health/live")  # its connection is kept
    silent = socket.create_connection(("127.0.0.1", server.port))
    visitor.http.get("/health/live")
    began = monotonic()
    assert server.terminate(seconds=15) == 0
    assert monotonic() - began < 4
    silent.close()


def test_a_server_that_was_stopped_in_a_hurry_leaves_no_process(server: Server) -> None:
    Visitor(server)
    server.terminate(seconds=15)
    left = subprocess.run(["pgrep", "-g", str(server.pid)], capture_output=True, check=False)
    assert left.stdout == b""
    with pytest.raises(httpx.ConnectError):
        httpx.get(server.url, trust_env=False)
