"""Clients that leave, workers that are watched, servers that are strict."""

import http.client
import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

import pytest

from tests.support.server import start_server
from tests.support.visitor import Visitor
from webapp.app import Motamot
from webapp.core.events import Answer
from webapp.settings import read_settings

HOP_BY_HOP = {
    "connection",
    "keep-alive",
    "transfer-encoding",
    "te",
    "trailer",
    "upgrade",
    "proxy-authenticate",
    "proxy-authorization",
}


def worker_of(arbiter: int) -> int:
    return int(Path(f"/proc/{arbiter}/task/{arbiter}/children").read_text().split()[0])


def open_files(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


@pytest.mark.proves("C103", "G15", "H19")
def test_fifty_clients_that_leave_during_silence_are_noticed() -> None:
    with start_server() as server:
        visitor = Visitor(server)
        message_id = visitor.begin(visitor.scenario({"hang": True}))
        worker = worker_of(server.pid)
        before = open_files(worker)
        with ExitStack() as streams:
            for _ in range(50):
                stream = visitor.http.stream("GET", f"/api/v1/messages/{message_id}/events")
                next(streams.enter_context(stream).iter_raw())
            assert open_files(worker) >= before + 49
        until = time.monotonic() + 25
        while open_files(worker) > before + 1:
            assert time.monotonic() < until, "streams of clients that left are still open"
        # That they left does not stop the answer.
        assert visitor.message(message_id)["state"] in ("accepted", "running")
        visitor.cancel(message_id)


@pytest.mark.proves("C104")
def test_a_stream_longer_than_the_worker_timeout_is_whole_and_the_page_is_served_meanwhile() -> None:
    words = [{"text": f"w{number} "} for number in range(12)]
    steps = [step for word in words for step in (word, {"wait": 0.5})]
    with start_server(environment={"GUNICORN_CMD_ARGS": "--timeout 2"}) as server:
        visitor = Visitor(server)
        answer: list[object] = []
        question = visitor.scenario(*steps, {"finish": "stop"})
        reading = threading.Thread(target=lambda: answer.append(visitor.events(question)[-1]))
        reading.start()
        while reading.is_alive():
            began = time.monotonic()
            assert visitor.http.get("/").status_code == 200
            assert time.monotonic() - began < 1
            reading.join(0.5)
        assert isinstance(answer[0], Answer)
        assert answer[0].text == "".join(word["text"] for word in words)
        assert "WORKER TIMEOUT" not in server.log_text()


@pytest.fixture
def motamot(tmp_path: Path) -> Iterator[Motamot]:
    settings = read_settings({"MOTAMOT_DATABASE_URL": f"sqlite:///{tmp_path / 'motamot.db'}"}, is_testing=True)
    application = Motamot(settings)
    application.start()
    yield application
    application.close()


@pytest.mark.proves("C109")
def test_a_strict_server_finds_nothing_wrong_with_a_stream(motamot: Motamot) -> None:
    """The stream's view through wsgiref's validator, which is as strict as PEP 3333."""
    seen: dict[str, object] = {}

    def call(method: str, path: str, body: bytes = b"", **extra: str) -> bytes:
        environ: dict[str, object] = {}
        setup_testing_defaults(environ)
        path, _, query = path.partition("?")
        environ |= {"REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query, "SCRIPT_NAME": ""}
        environ |= {"CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body))} | extra
        environ["wsgi.input"] = _Body(body)

        def start(status: str, headers: list[tuple[str, str]], exc_info: object = None) -> object:
            seen.update(status=status, headers=headers)
            return lambda data: None

        response = validator(motamot.wsgi)(environ, start)  # type: ignore[arg-type]
        pieces = list(response)
        response.close()  # type: ignore[attr-defined]
        assert all(type(piece) is bytes for piece in pieces)
        assert not HOP_BY_HOP & {name.lower() for name, _ in seen["headers"]}  # type: ignore[attr-defined]
        return b"".join(pieces)

    call("GET", "/")
    headers = dict(seen["headers"])  # type: ignore[call-overload]
    cookie = {"HTTP_COOKIE": headers["Set-Cookie"].partition(";")[0]}
    made = call("POST", "/api/v1/conversations", b"{}", **cookie)
    conversation = re.search(rb"cnv_[0-9a-f]+", made)
    assert conversation
    body = b'{"text": "hello", "model": "scripted"}'
    address = f"/api/v1/conversations/{conversation[0].decode()}/messages"
    stream = call("POST", address, body, **cookie, HTTP_ACCEPT="text/event-stream")
    assert b"event: answer" in stream


class _Body:
    """A body that a validator accepts: it only wants the methods to be there."""

    def __init__(self, body: bytes) -> None:
        self._rest = body

    def read(self, size: int = -1) -> bytes:
        size = len(self._rest) if size < 0 else size
        given, self._rest = self._rest[:size], self._rest[size:]
        return given

    def readline(self, size: int = -1) -> bytes:
        return self.read(size)

    def readlines(self, hint: int = -1) -> list[bytes]:
        return [self.read()]

    def __iter__(self) -> Iterator[bytes]:
        return iter([self.read()])


def test_a_body_that_stops_half_way_is_refused_and_the_server_goes_on() -> None:
    with start_server() as server:
        visitor = Visitor(server)
        host = server.url.removeprefix("http://")
        connection = http.client.HTTPConnection(host)
        connection.putrequest("POST", visitor.asking())
        connection.putheader("Content-Length", "1000")
        connection.putheader("Content-Type", "application/json")
        connection.endheaders(b'{"text"')
        connection.close()
        assert visitor.ask("still here").json()["text"] == "still here"
