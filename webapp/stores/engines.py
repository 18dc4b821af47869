"""One engine per database URL, with what each database needs to keep our promises; no table is known here."""

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.pool import StaticPool

# How long a transaction waits for another process that writes to the same SQLite file.
BUSY_SECONDS = 5


def engine_for(url: str) -> Engine:
    """An engine for an SQLite or PostgreSQL URL; nothing is opened yet.

    With SQLite it has one connection, any thread may use it, and only one at a time. The connection option `writes`
    makes a transaction take SQLite's write lock at its beginning.
    """
    if not is_sqlite(url):
        return create_engine(url, pool_pre_ping=True)
    engine = create_engine(
        url, poolclass=StaticPool, connect_args={"check_same_thread": False, "timeout": BUSY_SECONDS}
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def is_sqlite(url: str) -> bool:
    return url.partition(":")[0].partition("+")[0] == "sqlite"


def file_of(url: str) -> Path | None:
    """The file of an SQLite database; None for one in memory, and for PostgreSQL."""
    name = make_url(url).database if is_sqlite(url) else None
    return Path(name) if name and name != ":memory:" else None


def _prepare(connection: Any, _record: object) -> None:
    # The driver is to begin no transaction of its own: `_begin` does, and before what defines tables too.
    connection.isolation_level = None
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    # One that reads first and wants to write later cannot wait for the lock (SQLITE_BUSY_SNAPSHOT), so it comes first.
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
