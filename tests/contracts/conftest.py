"""The implementations that each contract is held against, empty for every test. It asserts nothing."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url
from sqlalchemy.schema import CreateSchema, DropSchema

from webapp.stores.database import Database
from webapp.stores.sql import SqlStore

POSTGRESQL_URL = os.environ.get("MOTAMOT_TEST_POSTGRESQL_URL", "")
# The product runs on SQLite so far; a database to try the other one on is taken where somebody names one.
POSTGRESQL = ["postgresql"] if POSTGRESQL_URL else []


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """A file that does not exist yet."""
    return f"sqlite:///{tmp_path / 'store.db'}"


@pytest.fixture
def postgresql_url() -> Iterator[str]:
    """An empty schema of its own in the database that MOTAMOT_TEST_POSTGRESQL_URL names."""
    schema = f"motamot_{secrets.token_hex(8)}"
    engine = create_engine(POSTGRESQL_URL, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(CreateSchema(schema))
        own = make_url(POSTGRESQL_URL).update_query_dict({"options": f"-csearch_path={schema}"})
        yield own.render_as_string(hide_password=False)
        connection.execute(DropSchema(schema, cascade=True))
    engine.dispose()


@pytest.fixture(params=["sqlite", *POSTGRESQL])
def database_url(request: pytest.FixtureRequest) -> str:
    """An empty database that several may open."""
    return request.getfixturevalue(f"{request.param}_url")


@pytest.fixture(params=["memory_sqlite", "file_sqlite", "one_thread_sqlite", *POSTGRESQL])
def store(request: pytest.FixtureRequest) -> SqlStore:
    """An empty store that has its tables."""
    return request.getfixturevalue(f"{request.param}_store")


@pytest.fixture
def memory_sqlite_store() -> Iterator[SqlStore]:
    yield from _ready(Database("sqlite://"))


@pytest.fixture
def file_sqlite_store(sqlite_url: str) -> Iterator[SqlStore]:
    yield from _ready(Database(sqlite_url))


@pytest.fixture
def one_thread_sqlite_store(sqlite_url: str) -> Iterator[SqlStore]:
    """As the server has it: made in one thread, used in another one only."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        yield from _ready(Database(sqlite_url, run=lambda work: thread.submit(work).result()))


@pytest.fixture
def postgresql_store(postgresql_url: str) -> Iterator[SqlStore]:
    yield from _ready(Database(postgresql_url))


def _ready(database: Database) -> Iterator[SqlStore]:
    database.migrate()
    yield SqlStore(database)
    database.close()
