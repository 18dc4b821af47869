"""Another process holds the database while answers are written: no stream waits for it, and no text is lost."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.support.server import Server, start_server
from tests.support.visitor import Visitor, events_of
from webapp.core.events import Answer, Delta, Event

STREAMS = 20
WORDS = [f"w{number} " for number in range(100)]
LOCKS = 5
LOCK_SECONDS = 1.0


@pytest.fixture
def server() -> Iterator[Server]:
    with start_server(config="[limits]\ngrace = 1\n") as running:
        yield running


class Held:
    """The write lock of the database, held while the `with` block runs."""

    def __init__(self, database: Path) -> None:
        self._connection = sqlite3.connect(database, timeout=30, isolation_level=None)

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, *_: object) -> None:
        self._connection.execute("ROLLBACK")
        self._connection.close()


def threads_of(pid: int) -> int:
    """The threads of the server's processes."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return sum(len(list(Path(f"/proc/{process}/task").iterdir())) for process in [str(pid), *children])


@pytest.mark.proves("C106")
def test_streams_go_on_while_the_database_is_locked_again_and_again(server: Server) -> None:
    visitors = [Visitor(server) for _ in range(STREAMS)]
    question = visitors[0].scenario(
        *(step for word in WORDS for step in ({"text": word}, {"wait": 0.05})), {"finish": "stop"}
    )
    visitors[0].ask("warm")
    before = threads_of(server.pid)
    events: list[list[Event]] = [[] for _ in visitors]
    gaps: list[float] = []

    def read(number: int) -> None:
        with visitors[number].stream(question) as response:
            last = None
            for event in events_of(response):
                events[number].append(event)
                now = monotonic()
                if isinstance(event, Delta):
                    if last is not None:
                        gaps.append(now - last)
                    last = now

    readers = [threading.Thread(target=read, args=[number]) for number in range(STREAMS)]
    for reader in readers:
        reader.start()
    for _ in range(LOCKS):
        with Held(server.database):
            sleep(LOCK_SECONDS)  # the case itself: how long the lock is held
        assert threads_of(server.pid) < before + STREAMS  # none waits in a thread of its own
        assert visitors[0].conversation()  # the store had its turn before the next lock
    for reader in readers:
        reader.join()
    for one in events:
        assert [event.text for event in one if isinstance(event, Delta)] == WORDS
        assert isinstance(one[-1], Answer)
        assert one[-1].text == "".join(WORDS)
    # Text that waited for the store would have a gap as long as the lock, in every stream at every lock.
    assert sum(gap > 0.9 * LOCK_SECONDS for gap in gaps) < STREAMS * LOCKS / 4
    assert "database is locked" not in server.log_text()


@pytest.mark.proves("C106", "C38")
def test_an_end_that_meets_a_lock_longer_than_the_store_waits_is_stored_once_it_is_free(server: Server) -> None:
    visitor = Visitor(server)
    question = visitor.scenario({"text": "one "}, {"wait": 0.5}, {"text": "two"}, {"finish": "stop"})
    with visitor.stream(question) as response:
        events = events_of(response)
        accepted = next(events)
        with Held(server.database):
            while "is not stored yet" not in server.log_text():
                sleep(0.1)
            busy = visitor.http.post("/api/v1/conversations", json={})
        assert (busy.status_code, busy.json()["code"]) == (503, "busy")
        *_, end = events
    assert isinstance(end, Answer)
    assert end.text == "one two"
    assert visitor.message(accepted.message_id)["state"] == "completed"  # type: ignore[union-attr]
