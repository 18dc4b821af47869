"""The text of answers that have no end yet, in pieces, inside the transactions of others."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from webapp.core.events import State
from webapp.ports.store import Checkpoint
from webapp.stores.tables import checkpoints, messages

# From a place on, whatever was kept there: a transaction whose confirmation was lost is simply made again.
_DROPPING = delete(checkpoints).where(
    checkpoints.c.message_id == bindparam("of"), checkpoints.c.start >= bindparam("from_place")
)
_RESERVING = (
    update(messages)
    .where(messages.c.message_id == bindparam("of"))
    .values(seq=bindparam("reserved"), state=State.RUNNING.value)
)


def add(connection: Connection, kept: Sequence[Checkpoint]) -> None:
    """Keep these; the caller knows that their answers have no end and are its own."""
    pieces = [{"message_id": each.message_id, "start": each.start, "text": each.text} for each in kept if each.text]
    if pieces:
        connection.execute(_DROPPING, [{"of": piece["message_id"], "from_place": piece["start"]} for piece in pieces])
        connection.execute(insert(checkpoints), pieces)
    if kept:
        connection.execute(_RESERVING, [{"of": each.message_id, "reserved": each.seq} for each in kept])


def drop(connection: Connection, message_id: str) -> None:
    """Forget what was kept of an answer: its end has the text."""
    connection.execute(delete(checkpoints).where(checkpoints.c.message_id == message_id))


def texts(connection: Connection, message_ids: Sequence[str]) -> Mapping[str, str]:
    """What is kept of each of those answers of which something is kept."""
    kept = select(checkpoints).where(checkpoints.c.message_id.in_(message_ids)).order_by(checkpoints.c.start)
    pieces: defaultdict[str, list[str]] = defaultdict(list)
    for row in connection.execute(kept):
        pieces[row.message_id].append(row.text)
    return {message_id: "".join(found) for message_id, found in pieces.items()}
