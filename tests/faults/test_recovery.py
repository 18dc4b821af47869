"""The server dies in mid-answer, as by `kill -9`, and is started again on the same port with the same data."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator

import pytest

from tests.support.server import Server, start_server
from tests.support.stored_text import wait_until_kept
from tests.support.visitor import Visitor
from webapp.core.events import Delta, Error, Snapshot

WORDS = [f"d{number} " for number in range(1, 11)]
TEXT = "".join(WORDS)


@pytest.fixture
def server() -> Iterator[Server]:
    """One of its own: it will be killed."""
    with start_server(config="[limits]\ngrace = 1\n") as running:
        yield running


@pytest.fixture
def visitor(server: Server) -> Visitor:
    return Visitor(server)


def hanging(server: Server, visitor: Visitor) -> str:
    """An answer that has said its words, and whose text is kept."""
    message_id = visitor.begin(visitor.scenario(*({"text": word} for word in WORDS), {"hang": True}))
    wait_until_kept(server.database, message_id, TEXT)
    return message_id


@pytest.mark.proves("C38", "B45")
def test_after_kill_9_and_a_new_start_the_answer_is_interrupted_with_its_text(server: Server, visitor: Visitor) -> None:
    message_id = hanging(server, visitor)
    conversation_id = visitor.message(message_id)["conversation_id"]
    server.kill()
    server.start()
    message = visitor.message(message_id)
    assert (message["state"], message["error"]["code"], message["text"]) == ("failed", "interrupted", TEXT)
    assert message["error"]["retryable"] is True
    assert visitor.ask("Are you there?", conversation_id).json()["text"] == "Are you there?"


@pytest.mark.proves("B18", "B23", "C38")
@pytest.mark.parametrize("after", [None, 0, 3, 11, 1_024])
def test_who_comes_back_to_a_new_process_gets_the_kept_text_and_the_end_under_new_numbers(
    server: Server, visitor: Visitor, after: int | None
) -> None:
    message_id = hanging(server, visitor)
    sent = visitor.message(message_id)["seq"]
    server.kill()
    server.start()
    snapshot, end = visitor.follow(message_id, after=after)
    assert isinstance(snapshot, Snapshot)
    assert isinstance(end, Error)
    assert (snapshot.text, end.text, end.code) == (TEXT, TEXT, "interrupted")
    assert sent < snapshot.seq == end.seq - 1
    assert visitor.follow(message_id, after=snapshot.seq) == [end]


@pytest.mark.proves("C52", "B4")
def test_the_same_request_after_a_new_start_joins_the_interrupted_answer(server: Server, visitor: Visitor) -> None:
    conversation_id = visitor.conversation()
    question = visitor.scenario({"text": "part"}, {"hang": True})
    message_id = visitor.begin(question, conversation_id, request_id="req_1")
    server.kill()
    server.start()
    again = visitor.ask(question, conversation_id, request_id="req_1")
    assert (again.status_code, again.json()["code"]) == (503, "interrupted")
    assert again.json()["message_id"] == message_id


@pytest.mark.proves("C38")
def test_a_worker_that_dies_alone_is_replaced_and_its_answer_interrupted(server: Server, visitor: Visitor) -> None:
    message_id = hanging(server, visitor)
    (worker,) = subprocess.run(
        ["pgrep", "-P", str(server.pid)], capture_output=True, text=True, check=True
    ).stdout.split()
    os.kill(int(worker), signal.SIGKILL)
    server.wait_until_ready()
    end = visitor.follow(message_id)[-1]
    assert isinstance(end, Error)
    assert (end.code, end.text) == ("interrupted", TEXT)


def test_a_death_leaves_no_lock_files_behind_once_the_next_process_has_looked(server: Server, visitor: Visitor) -> None:
    hanging(server, visitor)
    server.kill()
    server.start()
    assert len(list(server.data_dir.glob("*.prc_*.lock"))) == 1
    assert server.terminate(seconds=20) == 0
    assert list(server.data_dir.glob("*.prc_*.lock")) == []


@pytest.mark.proves("B3")
def test_an_answer_of_many_thousand_events_keeps_its_numbers_and_its_text(server: Server, visitor: Visitor) -> None:
    words = [f"{number} " for number in range(3_000)]
    events = visitor.events(visitor.says(words))
    assert [event.seq for event in events if isinstance(event, Delta)] == list(range(2, 3_002))
    assert events[-1].text == "".join(words)  # type: ignore[union-attr]
