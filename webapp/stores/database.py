"""One SQL database, SQLite or PostgreSQL, and the one way to it; it knows no table."""

import threading
from collections.abc import Callable
from typing import Protocol, TypeVar

from sqlalchemy import Connection, Engine, exc

from webapp.ports.store import StoreAway
from webapp.stores import migrations
from webapp.stores.engines import engine_for, is_sqlite

T = TypeVar("T")


class Run(Protocol):
    """Calls `work`, on any thread, waits for it, and gives back what it returns or raises."""

    def __call__(self, work: Callable[[], T], /) -> T: ...


class Database:
    """The database at `url`; opened at the first use, closed by `close`. Every store of the process shares it.

    Every touch of the database is one call of `run`. SQLite's one connection serves one caller at a time, so `run` must
    call one after the other; without a `run` of its own the database does that with a lock, on the caller's thread.
    For PostgreSQL it then calls directly: the callers have a pool of connections.
    """

    def __init__(self, url: str, run: Run | None = None) -> None:
        self._engine = engine_for(url)
        self._writing = self._engine.execution_options(writes=True)
        self._run: Run = run or (_one_at_a_time() if is_sqlite(url) else _directly)

    def read(self, work: Callable[[Connection], T]) -> T:
        """What `work` makes of one transaction that writes nothing. Raises what it raises, and StoreAway."""
        return self._transact(self._engine, work)

    def write(self, work: Callable[[Connection], T]) -> T:
        """The same of one that writes and is kept whole; when anything is raised nothing was changed."""
        return self._transact(self._writing, work)

    def _transact(self, engine: Engine, work: Callable[[Connection], T]) -> T:
        def transaction() -> T:
            with engine.begin() as connection:
                return work(connection)

        try:
            return self._run(transaction)
        except (exc.OperationalError, exc.InterfaceError, exc.TimeoutError) as error:
            raise StoreAway(str(error.__cause__ or error)) from error

    def migrate(self) -> None:
        """Bring the tables to the newest form, all or nothing; harmless again, and in two processes at once."""

        def work() -> None:
            with self._writing.begin() as connection:
                migrations.upgrade(connection)

        self._run(work)

    def is_usable(self) -> bool:
        """Whether the tables have the newest form and can be written; leaves nothing behind. Waits like any writer."""

        def work() -> bool:
            with self._writing.connect() as connection:  # left without a commit
                return migrations.is_current(connection)

        try:
            return self._run(work)
        except exc.SQLAlchemyError:
            return False

    def close(self) -> None:
        """Close every connection; only for a database that nobody uses any longer."""
        self._run(self._engine.dispose)


def _directly(work: Callable[[], T], /) -> T:
    return work()


def _one_at_a_time() -> Run:
    lock = threading.Lock()

    def run(work: Callable[[], T], /) -> T:
        with lock:
            return work()

    return run
