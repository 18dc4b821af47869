"""Messages as they are read: rows of `messages` with what other tables hold of them; inside others' transactions."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row

from webapp.core.events import State
from webapp.core.messages import Message
from webapp.stores import actions, checkpoints
from webapp.stores.rows import message_of


def messages_of(connection: Connection, rows: Sequence[Row[Any]]) -> list[Message]:
    """The messages in rows of `messages`; those without an end with the text that is kept, others with actions."""
    open_ids = [row.message_id for row in rows if row.ended_at is None]
    completed_ids = [row.message_id for row in rows if row.role == "assistant" and row.state == State.COMPLETED]
    texts = checkpoints.texts(connection, open_ids) if open_ids else {}
    proposed = actions.of(connection, completed_ids) if completed_ids else {}
    return [
        replace(
            message,
            text=texts.get(message.message_id, message.text),
            actions=proposed.get(message.message_id, ()),
        )
        for message in map(message_of, rows)
    ]
