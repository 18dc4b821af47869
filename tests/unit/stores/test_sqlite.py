"""What only an SQLite file needs: its modes, its lock, its one connection, and one way to it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from webapp.core.events import State
from webapp.core.messages import Conversation, Message
from webapp.ports.store import Checkpoint, Claim, StoreAway
from webapp.stores.database import Database
from webapp.stores.engines import engine_for, is_sqlite
from webapp.stores.processes import SqlProcess
from webapp.stores.sql import SqlStore

T = TypeVar("T")

CLAIM = Claim("ann", "req_1", "print", "cnv_1", None, False, "What now?", "scripted", "msg_q", "msg_a", 20)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqlStore]:
    database = Database(f"sqlite:///{path}")
    database.migrate()
    yield SqlStore(database)
    database.close()


@pytest.mark.parametrize(
    ("pragma", "value"),
    [("journal_mode", "wal"), ("synchronous", 1), ("foreign_keys", 1), ("busy_timeout", 5_000)],
)
def test_a_connection_has_the_modes_that_the_store_leans_on(path: Path, pragma: str, value: object) -> None:
    engine = engine_for(f"sqlite:///{path}")
    with engine.connect() as connection:
        assert connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one() == value
    engine.dispose()


@pytest.mark.proves("C106")
def test_a_write_waits_for_another_process_that_writes(store: SqlStore, path: Path) -> None:
    store.create_conversation(Conversation("cnv_1", "ann", "", 10, 10))
    other = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    letting_go = threading.Timer(0.2, other.execute, ["ROLLBACK"])
    letting_go.start()
    assert store.claim(CLAIM).is_new
    letting_go.join()
    other.close()


def test_a_database_that_cannot_be_used_is_away(tmp_path: Path) -> None:
    store = SqlStore(Database(f"sqlite:///{tmp_path / 'nowhere' / 'store.db'}"))
    with pytest.raises(StoreAway, match="unable to open"):
        store.message("ann", "msg_a")


def test_a_read_does_not_wait_for_another_process_that_writes(store: SqlStore, path: Path) -> None:
    conversation = Conversation("cnv_1", "ann", "", 10, 10)
    store.create_conversation(conversation)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute("UPDATE conversations SET title = 'other'")
    assert store.conversation("ann", "cnv_1") == (conversation, [])
    other.close()


def test_a_file_that_is_no_database_is_not_usable(path: Path) -> None:
    path.write_bytes(b"This is no database, only a file that is long enough to be looked at. " * 20)
    database = Database(f"sqlite:///{path}")
    assert database.is_usable() is False
    database.close()


def test_a_folder_that_does_not_exist_is_not_usable(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'nowhere' / 'store.db'}")
    assert database.is_usable() is False
    database.close()


def test_every_verb_goes_through_the_given_way_once(path: Path) -> None:
    passed: list[str] = []
    naming = threading.local()

    def run(work: Callable[[], T], /) -> T:
        passed.append(naming.verb)
        return work()

    database = Database(f"sqlite:///{path}", run=run)
    store, process = SqlStore(database, "prc_1"), SqlProcess(database, "prc_1")
    answer = Message("msg_a", "cnv_1", "msg_q", "msg_q", "req_1", "assistant", "scripted", 1, State.ACCEPTED, 0, "", 20)
    assert (passed, path.exists()) == ([], False)
    verbs: dict[str, Callable[[], object]] = {
        "migrate": database.migrate,
        "is_usable": database.is_usable,
        "create_conversation": lambda: store.create_conversation(Conversation("cnv_1", "ann", "", 10, 10)),
        "claim": lambda: store.claim(CLAIM),
        "find": lambda: store.find(CLAIM),
        "conversation": lambda: store.conversation("ann", "cnv_1"),
        "conversations": lambda: store.conversations("ann", limit=1),
        "message": lambda: store.message("ann", "msg_a"),
        "mark_cancelled": lambda: store.mark_cancelled("ann", "msg_a", 30),
        "renew": process.renew,
        "others": process.others,
        "keep": lambda: process.keep([Checkpoint("msg_a", 0, "text", 9)]),
        "take_over": lambda: process.take_over(""),
        "leave": process.leave,
        "ended": lambda: store.ended("msg_a"),
        "finish": lambda: store.finish(replace(answer, state=State.CANCELLED, by="user", seq=2, ended_at=40)),
        "close": database.close,
    }
    for naming.verb, verb in verbs.items():
        verb()
    assert passed == list(verbs)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("sqlite://", True),
        ("sqlite:////data/store.db", True),
        ("sqlite+pysqlite:///store.db", True),
        ("postgresql://host/motamot", False),
        ("postgresql+psycopg://host/sqlite", False),
    ],
)
def test_the_scheme_of_the_url_tells_the_database(url: str, expected: bool) -> None:
    assert is_sqlite(url) is expected
