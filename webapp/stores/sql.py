"""Conversations and answers in an SQL database, SQLite or PostgreSQL; the promises are those of `ports/store.py`."""

from collections.abc import Sequence
from contextlib import suppress

from sqlalchemy import ColumnElement, Connection, exists, insert, select, update
from sqlalchemy.exc import IntegrityError

from webapp.core.messages import Conversation, Message
from webapp.core.problems import Refused
from webapp.ports.store import Claim, Claimed, RegenerateClaim
from webapp.stores import actions, checkpoints, claims
from webapp.stores.database import Database
from webapp.stores.messages import messages_of
from webapp.stores.rows import conversation_columns, conversation_of, end_columns
from webapp.stores.tables import conversations, messages


class SqlStore:
    """Both store ports over `database`; what it claims belongs to `process`, and that process alone ends it.

    Any verb may raise StoreAway.
    """

    def __init__(self, database: Database, process: str = "") -> None:
        self._database = database
        self._process = process

    def create_conversation(self, conversation: Conversation) -> None:
        added = insert(conversations).values(conversation_columns(conversation))
        # A form that was sent twice asks for the same conversation twice, perhaps at the same moment.
        with suppress(IntegrityError):
            self._database.write(lambda connection: connection.execute(added))

    def conversation(self, owner: str, conversation_id: str) -> tuple[Conversation, Sequence[Message]]:
        head = _heads.where(conversations.c.id == conversation_id, conversations.c.owner == owner)
        inside = select(messages).where(messages.c.conversation_id == conversation_id).order_by(messages.c.position)

        def work(connection: Connection) -> tuple[Conversation, Sequence[Message]]:
            found = connection.execute(head).first()
            if found is None:
                raise Refused("not_found")
            return conversation_of(found), messages_of(connection, connection.execute(inside).all())

        return self._database.read(work)

    def conversations(self, owner: str, *, limit: int) -> Sequence[Conversation]:
        newest_first = (conversations.c.updated_at.desc(), conversations.c.id.desc())
        listed = _heads.where(conversations.c.owner == owner).order_by(*newest_first).limit(limit)
        return self._database.read(lambda connection: [conversation_of(row) for row in connection.execute(listed)])

    def claim(self, claim: Claim | RegenerateClaim) -> Claimed:
        try:
            return self._database.write(lambda connection: claims.make(connection, claim, self._process))
        except IntegrityError:
            # Another transaction won this request id after ours had looked: what it made is there now.
            found = self.find(claim)
            if found is None:
                raise
            return found

    def find(self, claim: Claim | RegenerateClaim) -> Claimed | None:
        return self._database.read(lambda connection: claims.find(connection, claim))

    def message(self, owner: str, message_id: str) -> Message:
        return self._database.read(lambda connection: _message(connection, owner, message_id))

    def finish(self, ended: Message) -> bool:
        if ended.ended_at is None or not ended.state.is_ended:
            raise ValueError(f"{ended.message_id} has not ended")
        at = ended.ended_at
        is_own = messages.c.process == self._process
        ending = update(messages).where(_has_no_end(ended.message_id), is_own).values(end_columns(ended))
        touching = (
            update(conversations)
            .where(conversations.c.id == ended.conversation_id, conversations.c.updated_at < at)
            .values(updated_at=at)
        )

        def work(connection: Connection) -> bool:
            if connection.execute(ending).rowcount == 0:
                return False
            checkpoints.drop(connection, ended.message_id)
            actions.add(connection, ended, self._process)
            connection.execute(touching)
            return True

        return self._database.write(work)

    def ended(self, message_id: str) -> Message | None:
        wanted = select(messages).where(messages.c.message_id == message_id)

        def work(connection: Connection) -> Message | None:
            row = connection.execute(wanted).first()
            if row is None:
                raise Refused("not_found")
            return None if row.ended_at is None else messages_of(connection, [row])[0]

        return self._database.read(work)

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

        return self._database.write(work)


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
    return messages_of(connection, [row])[0]


def _has_no_end(message_id: str) -> ColumnElement[bool]:
    return (messages.c.message_id == message_id) & messages.c.ended_at.is_(None)
