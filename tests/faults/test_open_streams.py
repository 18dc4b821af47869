"""A server with few open files, all its streams taken: what it says, and that it serves everything else."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.support.server import PROGRAM, Server, start_server
from tests.support.visitor import STREAM, Visitor

# Spared are 300 files; a stream counts as two.
OPEN_FILES = 340
STREAMS = 20
BUSY = (503, "busy")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    program = tmp_path_factory.mktemp("small") / "motamot"
    program.write_text(f'#!/bin/sh\nulimit -n {OPEN_FILES}\nexec "{PROGRAM}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    with start_server(program=Path(program)) as running:
        assert f"up to {STREAMS} streams" in running.log_text()
        yield running


@pytest.fixture
def visitor(server: Server) -> Visitor:
    return Visitor(server)


@pytest.fixture
def streams(server: Server, visitor: Visitor) -> Iterator[ExitStack]:
    """Readers of one answer that take all the room there is; closed, they give it back."""
    message_id = visitor.begin(visitor.scenario({"text": "one"}, {"hang": True}))
    readers = httpx.Client(base_url=server.url, cookies=visitor.http.cookies, timeout=60, trust_env=False)
    with readers, ExitStack() as opened:
        for _ in range(STREAMS):
            reply = opened.enter_context(readers.stream("GET", f"/api/v1/messages/{message_id}/events"))
            assert reply.status_code == 200
        yield opened
    visitor.cancel(message_id)
    wait_until(lambda: has_room(visitor, message_id))


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


def has_room(visitor: Visitor, message_id: str) -> bool:
    return visitor.http.get(f"/api/v1/messages/{message_id}/events").status_code == 200


def told(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


@pytest.mark.proves("C110")
@pytest.mark.parametrize("headers", [STREAM, {}], ids=["stream", "json"])
def test_who_would_have_to_wait_is_refused_and_nothing_begins(
    visitor: Visitor, streams: ExitStack, headers: dict[str, str]
) -> None:
    conversation = visitor.conversation()
    body = {"text": visitor.says(["two"]), "model": "scripted"}
    assert told(visitor.http.post(visitor.asking(conversation), json=body, headers=headers)) == BUSY
    assert visitor.http.get(f"/api/v1/conversations/{conversation}").json()["messages"] == []
    streams.close()
    wait_until(lambda: visitor.http.post(visitor.asking(conversation), json=body).status_code == 200)


@pytest.mark.proves("C110")
def test_a_further_answer_is_refused_and_does_not_begin(visitor: Visitor, streams: ExitStack) -> None:
    conversation = visitor.conversation()
    old = visitor.begin(visitor.says(["two"]), conversation)
    assert told(visitor.http.post(f"/api/v1/messages/{old}/regenerate", json={})) == BUSY
    assert len(visitor.http.get(f"/api/v1/conversations/{conversation}").json()["messages"]) == 2


@pytest.mark.proves("C110")
def test_pages_stop_and_questions_that_wait_for_nothing_are_served(visitor: Visitor, streams: ExitStack) -> None:
    message_id = visitor.begin(visitor.scenario({"hang": True}))
    assert told(visitor.http.get(f"/api/v1/messages/{message_id}/events")) == BUSY
    assert visitor.http.get("/").status_code == 200
    assert visitor.cancel(message_id).json()["state"] == "cancelled"
    assert visitor.message(message_id)["text"] == ""


def ask_by_form(visitor: Visitor, text: str) -> httpx.Response:
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', visitor.http.get("/").text))
    return visitor.http.post("/ask", data=fields | {"text": text, "model": "scripted"}, follow_redirects=True)


@pytest.mark.proves("C110")
def test_a_page_that_cannot_be_written_as_the_answer_comes_shows_it_so_far(
    visitor: Visitor, streams: ExitStack
) -> None:
    page = ask_by_form(visitor, visitor.scenario({"text": "so far"}, {"hang": True}))
    assert page.status_code == 200
    assert "Show what has come since" in page.text
    (message_id,) = set(re.findall(r'data-message-id="(msg_\w+)"[^>]*data-role="assistant"', page.text))
    visitor.cancel(message_id)


@pytest.mark.proves("C110")
def test_a_page_that_is_being_written_takes_room(visitor: Visitor) -> None:
    conversation = visitor.conversation()
    message_id = visitor.begin(visitor.scenario({"text": "one"}, {"hang": True}), conversation)
    with ExitStack() as pages:
        for _ in range(STREAMS):
            pages.enter_context(visitor.http.stream("GET", f"/c/{conversation}", params={"live": "1"}))
        assert told(visitor.http.get(f"/api/v1/messages/{message_id}/events")) == BUSY
    visitor.cancel(message_id)
    wait_until(lambda: has_room(visitor, message_id))


@pytest.mark.proves("C110")
def test_a_first_question_without_room_for_its_answer_leaves_no_empty_conversation(visitor: Visitor) -> None:
    hanging = visitor.scenario({"hang": True})
    running = [visitor.begin(hanging) for _ in range(STREAMS)]
    before = visitor.http.get("/api/v1/conversations").json()
    refused = ask_by_form(visitor, "kept words")
    assert refused.status_code == 503
    assert "kept words" in refused.text
    assert visitor.http.get("/api/v1/conversations").json() == before
    for message_id in running:
        visitor.cancel(message_id)
