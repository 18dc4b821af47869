"""Actions in an SQL database; the promises are those of `ports/actions.py`."""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, exists, insert, select, update

from webapp.core.actions import NOT_KNOWN, WHY_REFUSED, Outcome
from webapp.core.events import Action, ActionState
from webapp.core.messages import Message
from webapp.core.problems import Refused
from webapp.core.times import rfc3339
from webapp.ports.actions import Proposal
from webapp.stores.database import Database
from webapp.stores.tables import actions, conversations, messages


class SqlActions:
    """Implements Actions over `database` for `process`. Any verb may raise StoreAway."""

    def __init__(self, database: Database, process: str) -> None:
        self._database = database
        self._process = process

    def action(self, owner: str, action_id: str) -> Proposal:
        return self._database.read(lambda connection: _owned(connection, owner, action_id))

    def confirm(self, owner: str, action_id: str) -> Proposal:
        return self._decide(owner, action_id, "confirmed", ("confirmed", "succeeded", "failed"))

    def decline(self, owner: str, action_id: str) -> Proposal:
        return self._decide(owner, action_id, "declined", ("declined",))

    def order(self, action_id: str) -> Proposal | None:
        wanted = _proposals.where(actions.c.id == action_id, _to_be_carried_out_by(self._process))
        row = self._database.read(lambda connection: connection.execute(wanted).first())
        return None if row is None else _proposal_of(row)

    def settle(self, action_id: str, outcome: Outcome) -> bool:
        own = (actions.c.id == action_id) & _to_be_carried_out_by(self._process)
        return self._database.write(lambda connection: _settle(connection, own, outcome)) > 0

    def _decide(
        self, owner: str, action_id: str, decision: Literal["confirmed", "declined"], kept: Sequence[str]
    ) -> Proposal:
        deciding = (
            update(actions)
            .where(actions.c.id == action_id, actions.c.state == "proposed", actions.c.expires_at > _now())
            .values(state=decision, process=self._process)
        )

        def work(connection: Connection) -> Proposal:
            connection.execute(deciding)
            # Not the owner's, or decided otherwise: what this raises undoes the change.
            found = _owned(connection, owner, action_id)
            if found.action.state not in kept:
                raise Refused("action_refused", WHY_REFUSED[found.action.state])
            return found

        return self._database.write(work)


def add(connection: Connection, ended: Message, process: str) -> None:
    """Keep the actions of an answer that has ended; those that wait for nobody are `process`'s to carry out."""
    rows = [
        {"message_id": ended.message_id, "position": position, "process": process, **asdict(action)}
        for position, action in enumerate(ended.actions)
    ]
    if rows:
        connection.execute(insert(actions), rows)


def of(connection: Connection, message_ids: Sequence[str]) -> Mapping[str, tuple[Action, ...]]:
    """The actions of each of those answers that has some, in their order."""
    wanted = select(actions).where(actions.c.message_id.in_(message_ids)).order_by(actions.c.position)
    found: defaultdict[str, tuple[Action, ...]] = defaultdict(tuple)
    for row in connection.execute(wanted):
        found[row.message_id] += (_action_of(row),)
    return found


def abandon(connection: Connection, process: str) -> None:
    """A dead process's confirmed actions: nobody knows how far they came, and nobody tries again."""
    _settle(connection, _to_be_carried_out_by(process), NOT_KNOWN)


def are_left(process: str) -> ColumnElement[bool]:
    """Whether actions of `process` have no result yet."""
    return exists().where(_to_be_carried_out_by(process))


def _settle(connection: Connection, which: ColumnElement[bool], outcome: Outcome) -> int:
    settling = update(actions).where(which).values(state=outcome.state, result=dict(outcome.result))
    return connection.execute(settling).rowcount


def _to_be_carried_out_by(process: str) -> ColumnElement[bool]:
    return (actions.c.process == process) & (actions.c.state == "confirmed")


_proposals = select(actions, messages.c.model).join(messages, messages.c.message_id == actions.c.message_id)


def _owned(connection: Connection, owner: str, action_id: str) -> Proposal:
    wanted = _proposals.join(conversations, conversations.c.id == messages.c.conversation_id)
    row = connection.execute(wanted.where(actions.c.id == action_id, conversations.c.owner == owner)).first()
    if row is None:
        raise Refused("not_found")
    return _proposal_of(row)


def _proposal_of(row: Row[Any]) -> Proposal:
    return Proposal(_action_of(row), row.message_id, row.model)


def _action_of(row: Row[Any]) -> Action:
    # Nobody has to write it down: the time alone makes a proposal one that expired.
    is_over = row.state == "proposed" and row.expires_at <= _now()
    state: ActionState = "expired" if is_over else row.state
    return Action(row.id, row.name, row.description, row.arguments, state, row.result, row.expires_at)


def _now() -> str:
    """In the form of `expires_at`, in which earlier moments sort first."""
    return rfc3339(time.time_ns() // 1_000_000)
