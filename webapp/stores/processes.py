"""What one process keeps in an SQL database while it works: its lease, and checkpoints of its answers."""

from collections.abc import Mapping, Sequence

from sqlalchemy import ColumnElement, Connection, delete, exists, insert, select, update

from webapp.core.messages import Message
from webapp.ports.store import Checkpoint, Lease
from webapp.stores import actions, checkpoints
from webapp.stores.database import Database
from webapp.stores.lock_files import LockFiles
from webapp.stores.messages import messages_of
from webapp.stores.tables import messages, processes


class SqlProcess:
    """Implements Checkpoints and Leases for `process`; `locks`: where a process's death can be seen at once.

    Any verb may raise StoreAway.
    """

    def __init__(self, database: Database, process: str, locks: LockFiles | None = None) -> None:
        self._database = database
        self._process = process
        self._locks = locks

    def keep(self, kept: Sequence[Checkpoint]) -> Mapping[str, bool]:
        own = select(messages.c.message_id, messages.c.cancel_requested_at).where(_open_answers_of(self._process))

        def read(connection: Connection) -> Mapping[str, bool]:
            return {row.message_id: row.cancel_requested_at is not None for row in connection.execute(own)}

        def write(connection: Connection) -> Mapping[str, bool]:
            # Locked, they can neither end nor be taken over before their pieces are there.
            found = connection.execute(own.with_for_update())
            marks = {row.message_id: row.cancel_requested_at is not None for row in found}
            checkpoints.add(connection, [each for each in kept if each.message_id in marks])
            return marks

        return self._database.write(write) if kept else self._database.read(read)

    def renew(self) -> None:
        if self._locks:
            self._locks.hold(self._process)
        here = processes.c.process == self._process

        def work(connection: Connection) -> None:
            beating = update(processes).where(here).values(beats=processes.c.beats + 1)
            if connection.execute(beating).rowcount == 0:
                connection.execute(insert(processes).values(process=self._process, beats=0))

        self._database.write(work)

    def others(self) -> Sequence[Lease]:
        leases = select(processes).where(processes.c.process != self._process)
        found = self._database.read(lambda connection: connection.execute(leases).all())
        return [Lease(row.process, row.beats, self._is_dead(row.process)) for row in found]

    def take_over(self, process: str) -> Sequence[Message]:
        taking = update(messages).where(_open_answers_of(process)).values(process=self._process)

        def work(connection: Connection) -> Sequence[Message]:
            taken = connection.scalars(taking.returning(messages.c.message_id)).all()
            actions.abandon(connection, process)
            connection.execute(delete(processes).where(processes.c.process == process))
            rows = connection.execute(select(messages).where(messages.c.message_id.in_(taken)))
            return messages_of(connection, rows.all())

        answers = self._database.write(work)
        if self._locks:
            self._locks.remove(process)
        return answers

    def leave(self) -> None:
        is_needed = exists().where(_open_answers_of(self._process)) | actions.are_left(self._process)
        leaving = delete(processes).where(processes.c.process == self._process, ~is_needed)
        self._database.write(lambda connection: connection.execute(leaving))
        if self._locks:
            self._locks.remove(self._process)

    def _is_dead(self, process: str) -> bool:
        return self._locks is not None and self._locks.is_free(process)


def _open_answers_of(process: str) -> ColumnElement[bool]:
    return (messages.c.process == process) & messages.c.ended_at.is_(None)
