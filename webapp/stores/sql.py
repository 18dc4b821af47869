"""Conversations and answers in an SQL database, SQLite or PostgreSQL; the promises are those of `ports/store.py`."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol, TypeVar

from sqlalchemy import ColumnElement, Connection, exists, insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from webapp.core.messages import Conversation, Message
from webapp.core.problems import Refused
from webapp.ports.store import Claim, Claimed
from webapp.stores import claims, migrations
from webapp.stores.engines import engine_for, is_sqlite
from webapp.stores.rows import conversation_columns, conversation_of, end_columns, message_of
from webapp.stores.tables import conversations, messages

T = TypeVar("T")


class Run(Protocol):
    """Calls `work`, on any thread, waits for it, and gives back what it returns or raises."""

    def __call__(self, work: Callable[[], T], /) -> T: ...


class SqlStore:
    """Both store ports over the database at `url`; opened at the first use, closed by `close`.

    Every touch of the database is one call of `run`. SQLite's one connection serves one caller at a time, so `run` must
    call one after the other; without a `run` of its own the store does that with a lock, on the caller's thread.
    For PostgreSQL it then calls directly: the callers have a pool of connections. Any verb may raise SQLAlchemyError
    when the database cannot be used; nothing was changed then.
    """

    def __init__(self, url: str, run: Run | None = None) -> None:
        self._engine = engine_for(url)
        self._writing = self._engine.execution_options(writes=True)
        self._run: Run = run or (_one_at_a_time() if is_sqlite(url) else _directly)

    def migrate(self) -> None:
        """Bring the tables to the newest form, all or nothing; harmless again, and in two processes at once."""
        self._write(migrations.upgrade)

    def is_usable(self) -> bool:
        """Whether the tables have the newest form and can be written; leaves nothing behind. Waits like any writer."""

        def work() -> bool:
            with self._writing.connect() as connection:  # left without a commit
                return migrations.is_current(connection)

        try:
            return self._run(work)
        except SQLAlchemyError:
            return False

    def close(self) -> None:
        """Close every connection; only for a store that nobody uses any longer."""
        self._run(self._engine.dispose)

    def create_conversation(self, conversation: Conversation) -> None:
        added = insert(conversations).values(conversation_columns(conversation))

        def work() -> None:
            # A form that was sent twice asks for the same conversation twice, perhaps at the same moment.
            with suppress(IntegrityError), self._writing.begin() as connection:
                connection.execute(added)

        self._run(work)

    def conversation(self, owner: str, conversation_id: str) -> tuple[Conversation, Sequence[Message]]:
        head = _heads.where(conversations.c.id == conversation_id, conversations.c.owner == owner)
        inside = select(messages).where(messages.c.conversation_id == conversation_id).order_by(messages.c.position)

        def work(connection: Connection) -> tuple[Conversation, Sequence[Message]]:
            found = connection.execute(head).first()
            if found is None:
                raise Refused("not_found")
            return conversation_of(found), [message_of(row) for row in connection.execute(inside)]

        return self._read(work)

    def conversations(self, owner: str, *, limit: int) -> Sequence[Conversation]:
        newest_first = (conversations.c.updated_at.desc(), conversations.c.id.desc())
        listed = _heads.where(conversations.c.owner == owner).order_by(*newest_first).limit(limit)
        return self._read(lambda connection: [conversation_of(row) for row in connection.execute(listed)])

    def claim(self, claim: Claim) -> Claimed:
        def work() -> Claimed:
            try:
                with self._writing.begin() as connection:
                    return claims.make(connection, claim)
            except IntegrityError:
                # Another transaction won this request id after ours had looked: what it made is there now.
                with self._engine.begin() as connection:
                    found = claims.find(connection, claim)
                if found is None:
                    raise
                return found

        return self._run(work)

    def message(self, owner: str, message_id: str) -> Message:
        return self._read(lambda connection: _message(connection, owner, message_id))

    def finish(self, ended: Message) -> bool:
        if ended.ended_at is None or not ended.state.is_ended:
            raise ValueError(f"{ended.message_id} has not ended")
        at = ended.ended_at
        ending = update(messages).where(_has_no_end(ended.message_id)).values(end_columns(ended))
        touching = (
            update(conversations)
            .where(conversations.c.id == ended.conversation_id, conversations.c.updated_at < at)
            .values(updated_at=at)
        )

        def work(connection: Connection) -> bool:
            if connection.execute(ending).rowcount == 0:
                return False
            connection.execute(touching)
            return True

        return self._write(work)

    def mark_cancelled(self, owner: str, message_id: str, at: int) -> Message:
        marking = (
            update(messages)
            .where(_has_no_end(message_id), messages.c.cancel_requested_at.is_(None))
            .values(cancel_requested_at=at)
        )

        def work(connection: Connection) -> Message:
            connection.execute(marking)
            # Not the owner's: this refuses, and so undoes the mark.
            return _message(connection, owner, message_id)

        return self._write(work)

    def cancel_marks(self, message_ids: Sequence[str]) -> Sequence[str]:
        marked = select(messages.c.message_id).where(
            messages.c.message_id.in_(message_ids), messages.c.cancel_requested_at.is_not(None)
        )
        return self._read(lambda connection: connection.scalars(marked).all())

    def unfinished(self) -> Sequence[Message]:
        open_answers = select(messages).where(messages.c.ended_at.is_(None)).order_by(messages.c.created_at)
        return self._read(lambda connection: [message_of(row) for row in connection.execute(open_answers)])

    def _read(self, work: Callable[[Connection], T]) -> T:
        def transaction() -> T:
            with self._engine.begin() as connection:
                return work(connection)

        return self._run(transaction)

    def _write(self, work: Callable[[Connection], T]) -> T:
        def transaction() -> T:
            with self._writing.begin() as connection:
                return work(connection)

        return self._run(transaction)


_heads = select(
    conversations,
    exists().where(messages.c.conversation_id == conversations.c.id, messages.c.ended_at.is_(None)).label("is_running"),
)


def _message(connection: Connection, owner: str, message_id: str) -> Message:
    row = connection.execute(
        select(messages)
        .join(conversations, conversations.c.id == messages.c.conversation_id)
        .where(messages.c.message_id == message_id, conversations.c.owner == owner)
    ).first()
    if row is None:
        raise Refused("not_found")
    return message_of(row)


def _has_no_end(message_id: str) -> ColumnElement[bool]:
    return (messages.c.message_id == message_id) & messages.c.ended_at.is_(None)


def _directly(work: Callable[[], T], /) -> T:
    return work()


def _one_at_a_time() -> Run:
    lock = threading.Lock()

    def run(work: Callable[[], T], /) -> T:
        with lock:
            return work()

    return run
