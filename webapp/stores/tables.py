"""The tables as SQLite and PostgreSQL both have them; how they came to be so is told by `migrations/`."""

import json
import re

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

_ASCII_CONTROLS = bytes([*range(0x20), 0x7F])
_TO_BLANKS = bytes.maketrans(_ASCII_CONTROLS, b" " * len(_ASCII_CONTROLS))
_OTHER_CONTROLS = re.compile(rb"\xc2[\x80-\x9f]")  # U+0080 to U+009F in UTF-8


def without_controls(words: str) -> str:
    """`words` with each control character (Unicode category Cc) as a blank; what every database takes as text."""
    # As bytes this takes 2 ns a byte; a pattern over characters takes ten times that, with every other thread waiting.
    return _OTHER_CONTROLS.sub(b" ", words.encode("utf-8").translate(_TO_BLANKS)).decode("utf-8")


class ExactText(TypeDecorator[str]):
    """Text as its UTF-8 bytes: PostgreSQL's text refuses NUL, and no collation or line-end rule touches bytes."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:
        return None if value is None else value.encode("utf-8")

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> str | None:
        return None if value is None else value.decode("utf-8")


class Json(TypeDecorator[object]):
    """A value as JSON in ASCII: any text inside survives, and members keep their order (in PostgreSQL's jsonb not)."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: object, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(value, ensure_ascii=True, separators=(",", ":"))

    def process_result_value(self, value: str | None, dialect: Dialect) -> object:
        return None if value is None else json.loads(value)


# Every constraint has a name, so that a later migration can speak of it.
metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

# Times are milliseconds since 1970, UTC.
conversations = Table(
    "conversations",
    metadata,
    Column("id", String, primary_key=True),
    Column("owner", String, nullable=False),
    Column("title", String, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Index(None, "owner", "updated_at", "id"),
)

# The processes that work on answers, each under a name of its own. `beats` counts the renewals of its lease.
processes = Table(
    "processes",
    metadata,
    Column("process", String, primary_key=True),
    Column("beats", BigInteger, nullable=False),
)

# `position` counts a conversation's messages from 1 in the order of their making: times can be equal, or run backwards.
# An answer's parent is its question. `ended_at` is null while an answer has no end; a question ends when it is asked.
# `process` works on it, and it alone gives it an end. `seq` is the end's number; before the end no event has a number
# above it, and the text is in `checkpoints`.
messages = Table(
    "messages",
    metadata,
    Column("message_id", String, primary_key=True),
    Column("conversation_id", ForeignKey(conversations.c.id, ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("process", String, nullable=False, server_default=""),
    Column("parent_id", ForeignKey("messages.message_id", ondelete="CASCADE"), index=True),
    Column("request_id", String, nullable=False),
    Column("role", String, nullable=False),
    Column("model", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("state", String, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("text", ExactText, nullable=False),
    Column("search", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    Column("cancel_requested_at", BigInteger),
    Column("finish_reason", String),
    Column("cancelled_by", String),
    Column("failure", Json),
    Column("sources", Json, nullable=False),
    Column("listings", Json, nullable=False),
    Column("remaining_messages", Integer),
    Column("usage", Json),
    UniqueConstraint("conversation_id", "position"),
)

_UNFINISHED = text("ended_at IS NULL")
_RUNNING = text("ended_at IS NULL AND cancel_requested_at IS NULL")

Index("ix_messages_unfinished", messages.c.created_at, sqlite_where=_UNFINISHED, postgresql_where=_UNFINISHED)
Index("ix_messages_process", messages.c.process, sqlite_where=_UNFINISHED, postgresql_where=_UNFINISHED)
# The database itself keeps the promise that one answer runs in a conversation at a time.
Index(
    "uq_messages_running",
    messages.c.conversation_id,
    unique=True,
    sqlite_where=_RUNNING,
    postgresql_where=_RUNNING,
)

# A request id belongs to its owner, and lives as long as the answer it made.
claims = Table(
    "claims",
    metadata,
    Column("owner", String, primary_key=True),
    Column("request_id", String, primary_key=True),
    Column("fingerprint", String, nullable=False),
    Column("answer_id", ForeignKey(messages.c.message_id, ondelete="CASCADE"), nullable=False, unique=True),
)

# The text of an answer without an end, in pieces; `start` is the place of a piece in the text, in code points.
checkpoints = Table(
    "checkpoints",
    metadata,
    Column("message_id", ForeignKey(messages.c.message_id, ondelete="CASCADE"), primary_key=True),
    Column("start", Integer, primary_key=True),
    Column("text", ExactText, nullable=False),
)

# What answers propose to do; `position` counts those of one answer from 0. `process` is the one that confirmed it
# and carries it out. `expires_at` is written as RFC 3339 with milliseconds, so that earlier moments sort first.
actions = Table(
    "actions",
    metadata,
    Column("id", String, primary_key=True),
    Column("message_id", ForeignKey(messages.c.message_id, ondelete="CASCADE"), nullable=False, index=True),
    Column("position", Integer, nullable=False),
    Column("process", String, nullable=False),
    Column("name", ExactText, nullable=False),
    Column("description", ExactText, nullable=False),
    Column("arguments", Json, nullable=False),
    Column("state", String, nullable=False),
    Column("result", Json),
    Column("expires_at", String),
)

_BEING_CARRIED_OUT = text("state = 'confirmed'")

Index(
    "ix_actions_process",
    actions.c.process,
    sqlite_where=_BEING_CARRIED_OUT,
    postgresql_where=_BEING_CARRIED_OUT,
)
