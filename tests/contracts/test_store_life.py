"""What `Database` promises to the stores, over each database: tables from nothing, readiness, what outlives it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Engine, create_engine, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from webapp.core.events import Action
from webapp.core.messages import Conversation
from webapp.ports.store import Claim
from webapp.stores import migrations
from webapp.stores.database import Database
from webapp.stores.sql import SqlStore
from webapp.stores.tables import metadata

CONVERSATION = Conversation("cnv_1", "ann", "Plans", 10, 10)
CLAIM = Claim("ann", "req_1", "print", "cnv_1", None, False, "What\0now?", "scripted", "msg_q", "msg_a", 20)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """The same database, seen past the store."""
    engine = create_engine(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def empty(database_url: str) -> Iterator[Database]:
    """Without tables."""
    database = Database(database_url)
    yield database
    database.close()


def tables(connection: Connection) -> set[str]:
    return set(inspect(connection).get_table_names())


def test_a_database_without_tables_is_not_usable_and_gets_none_by_the_question(empty: Database, engine: Engine) -> None:
    assert empty.is_usable() is False
    with engine.connect() as connection:
        assert tables(connection) == set()


def test_migrating_makes_an_empty_database_usable(empty: Database) -> None:
    empty.migrate()
    assert empty.is_usable() is True
    SqlStore(empty).create_conversation(CONVERSATION)
    assert SqlStore(empty).claim(CLAIM).is_new


def test_migrating_again_keeps_everything(empty: Database) -> None:
    empty.migrate()
    SqlStore(empty).create_conversation(CONVERSATION)
    SqlStore(empty).claim(CLAIM)
    before = SqlStore(empty).conversation("ann", "cnv_1")
    empty.migrate()
    assert SqlStore(empty).conversation("ann", "cnv_1") == before
    assert empty.is_usable() is True


def test_actions_of_a_database_from_before_they_had_a_table_stay(empty: Database, engine: Engine) -> None:
    kept = Action("act_1", "look?", "", {"q": "sea"}, "refused", {"text": "no"})
    _stored_at("0002", engine, [{**asdict(kept), "name": "look\ud800"}])
    empty.migrate()
    assert SqlStore(empty).message("ann", "msg_1").actions == (kept,)


def _stored_at(step: str, engine: Engine, actions: list[dict[str, object]]) -> None:
    """A database as it was after `step`, with one completed answer."""
    config = migrations._config()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, step)
        columns = {
            "message_id": "msg_1",
            "conversation_id": "cnv_1",
            "position": 1,
            "request_id": "r",
            "role": "assistant",
        }
        columns |= {
            "model": "m",
            "version": 1,
            "state": "completed",
            "seq": 2,
            "text": b"",
            "search": "",
            "created_at": 1,
        }
        columns |= {"ended_at": 2, "sources": "[]", "listings": "[]", "actions": json.dumps(actions)}
        names = ", ".join(columns)
        connection.execute(text("INSERT INTO conversations VALUES ('cnv_1', 'ann', '', 1, 1)"))
        marks = ", ".join(f":{name}" for name in columns)
        connection.execute(text(f"INSERT INTO messages ({names}) VALUES ({marks})"), columns)


def test_what_the_steps_make_is_what_the_tables_say(empty: Database, engine: Engine) -> None:
    empty.migrate()
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_what_the_steps_make_has_the_constraints_and_partial_indexes_of_the_tables(
    empty: Database, engine: Engine
) -> None:
    empty.migrate()
    made = _fine_print(engine)
    with engine.begin() as connection:
        metadata.drop_all(connection)
        metadata.create_all(connection)
    assert made == _fine_print(engine)


def _fine_print(engine: Engine) -> set[str]:
    """What a comparison of columns does not look at."""
    seen = inspect(engine)
    kinds = (seen.get_foreign_keys, seen.get_unique_constraints, seen.get_indexes)
    return {
        json.dumps([name, part], default=str, sort_keys=True)
        for name in metadata.tables
        for part in [seen.get_pk_constraint(name), *(part for kind in kinds for part in kind(name))]
    }


def test_migrating_at_once_through_several_stores_does_no_harm(database_url: str) -> None:
    databases = [Database(database_url) for _ in range(4)]
    with ThreadPoolExecutor(len(databases)) as threads:
        list(threads.map(Database.migrate, databases))
    assert [database.is_usable() for database in databases] == [True] * 4
    for database in databases:
        database.close()


def test_a_step_that_fails_leaves_no_part_of_itself(empty: Database, engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE claims (mine INTEGER)"))
    with pytest.raises(SQLAlchemyError):
        empty.migrate()
    with engine.begin() as connection:
        assert tables(connection) == {"claims"}
        connection.execute(text("DROP TABLE claims"))
    empty.migrate()
    assert empty.is_usable() is True


def test_a_database_of_a_later_version_is_not_usable(empty: Database, engine: Engine) -> None:
    empty.migrate()
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'later'"))
    assert empty.is_usable() is False


def test_a_database_that_is_open_for_reading_only_is_not_usable(
    database_url: str, empty: Database, engine: Engine
) -> None:
    empty.migrate()
    assert empty.is_usable() is True
    if engine.dialect.name == "sqlite":
        reading = Database(database_url.replace("sqlite:///", "sqlite:///file:") + "?mode=ro&uri=true")
    else:
        reading = Database(database_url + "%20-cdefault_transaction_read_only%3Don")
    assert reading.is_usable() is False
    reading.close()


def test_what_was_stored_is_there_after_the_store_was_closed(database_url: str, empty: Database) -> None:
    empty.migrate()
    SqlStore(empty).create_conversation(CONVERSATION)
    SqlStore(empty).claim(CLAIM)
    before = SqlStore(empty).conversation("ann", "cnv_1")
    empty.close()
    reopened = Database(database_url)
    assert SqlStore(reopened).conversation("ann", "cnv_1") == before
    reopened.close()


@pytest.mark.proves("C52", "B4")
def test_of_equal_claims_at_once_through_several_stores_one_is_new(database_url: str) -> None:
    databases = [Database(database_url) for _ in range(4)]
    databases[0].migrate()
    stores = [SqlStore(database) for database in databases]
    stores[0].create_conversation(CONVERSATION)
    claims = [replace(CLAIM, question_id=f"msg_q{number}", answer_id=f"msg_a{number}") for number in range(20)]
    with ThreadPoolExecutor(len(claims)) as threads:
        claimed = list(threads.map(lambda number: stores[number % 4].claim(claims[number]), range(20)))
    assert [one.is_new for one in claimed].count(True) == 1
    assert len({one.answer.message_id for one in claimed}) == 1
    for database in databases:
        database.close()


def test_the_exact_text_is_bytes_and_the_text_to_search_has_blanks_for_controls(
    empty: Database, engine: Engine
) -> None:
    empty.migrate()
    SqlStore(empty).create_conversation(CONVERSATION)
    SqlStore(empty).claim(CLAIM)
    with engine.connect() as connection:
        row = connection.execute(text("SELECT text, search FROM messages WHERE role = 'user'")).one()
    assert (bytes(row.text), row.search) == (b"What\0now?", "What now?")


def test_deleting_a_conversation_takes_its_messages_and_claims_along(empty: Database, engine: Engine) -> None:
    """A claim lives as long as its message; the databases themselves keep that."""
    empty.migrate()
    SqlStore(empty).create_conversation(CONVERSATION)
    SqlStore(empty).claim(CLAIM)
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(text("DELETE FROM conversations"))
    SqlStore(empty).create_conversation(CONVERSATION)
    assert SqlStore(empty).conversation("ann", "cnv_1") == (CONVERSATION, [])
    assert SqlStore(empty).claim(CLAIM).is_new
