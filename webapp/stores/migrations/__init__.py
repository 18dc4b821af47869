"""How a database gets the tables of `tables.py`, step by step from nothing; found inside the package."""

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import ColumnClause, Connection, column, func, select, table, update

# Any number that no other user of the same PostgreSQL database takes.
_LOCK = int.from_bytes(b"motamot", "big")


def upgrade(connection: Connection) -> None:
    """Bring the database to the newest form, within the caller's transaction: both databases can undo such changes.

    Another process that does the same at the same time is waited for.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def is_current(connection: Connection) -> bool:
    """Whether the database has the newest form; writes what the caller is to roll back.

    Raises SQLAlchemyError when it cannot be written.
    """
    if MigrationContext.configure(connection).get_current_heads() != (newest(),):
        return False
    # SQLite begins a transaction that writes even where it cannot, and refuses at the first change only.
    version: ColumnClause[str] = column("version_num")
    connection.execute(update(table("alembic_version", version)).values(version_num=version))
    return True


@cache
def newest() -> str | None:
    """The name of the last step."""
    return ScriptDirectory.from_config(_config()).get_current_head()


def _config() -> Config:
    config = Config()
    # Alembic reads a percent sign in a path as the start of a variable.
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    return config
