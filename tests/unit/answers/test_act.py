"""Confirming and declining what an answer proposes: once, by its owner, with one result for everybody."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.support.answers import OWNER, ToldModel, store_with_answer
from webapp.answers import act
from webapp.answers.act import Actor
from webapp.answers.catalogue import Catalogue
from webapp.core.actions import NOT_CARRIED_OUT, NOT_KNOWN, Offer, Outcome
from webapp.core.events import Action, FinishReason, State
from webapp.core.messages import Message
from webapp.core.problems import Refused
from webapp.core.signs import ToolCall
from webapp.ports.actions import Proposal
from webapp.ports.model import Entry
from webapp.ports.store import StoreAway
from webapp.stores.actions import SqlActions
from webapp.stores.database import Database

TICKET = Offer("create_ticket", "Open a ticket", {"properties": {"subject": {"type": "string"}}})
CALL = ToolCall("t1", "create_ticket", '{"subject": "x"}')
TAKEN = Outcome("succeeded", {"text": "Taken."})


@dataclass
class CountingCarrier:
    """Implements Carrier: keeps its orders; waits until `may_end`, if there is such; then says `outcome`."""

    outcome: Outcome | Exception = TAKEN
    may_end: threading.Event | None = None
    orders: list[Proposal] = field(default_factory=list)
    begun: threading.Event = field(default_factory=threading.Event)

    def carry_out(self, proposal: Proposal) -> Outcome:
        self.orders.append(proposal)
        self.begun.set()
        if self.may_end is not None:
            assert self.may_end.wait(30)
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


@dataclass
class Work:
    """An actor with everything around it, and one answer."""

    actor: Actor
    actions: SqlActions
    carrier: CountingCarrier
    answer: Message
    store: Any

    def end(self, *calls: ToolCall, finish_reason: FinishReason = "stop") -> str:
        """End the answer with these calls; the first action's id."""
        completed = replace(
            self.answer, state=State.COMPLETED, finish_reason=finish_reason, seq=2, ended_at=time.time_ns() // 1_000_000
        )
        proposed = tuple(self.actor.propose(completed, call) for call in calls)
        self.answer = replace(completed, actions=proposed)
        assert self.store.finish(self.answer)
        return proposed[0].id

    def state(self, action_id: str) -> str:
        return self.actions.action(OWNER, action_id).action.state


class FailingActions(SqlActions):
    """Is away as often as `failures` says, after the work was done where `is_late`."""

    failures = 0
    is_late = False

    def _maybe(self, verb: Callable[[], Any]) -> Any:
        if self.failures == 0:
            return verb()
        self.failures -= 1
        if self.is_late:
            verb()
        raise StoreAway("away")

    def confirm(self, owner: str, action_id: str) -> Proposal:
        return self._maybe(lambda: super(FailingActions, self).confirm(owner, action_id))

    def settle(self, action_id: str, outcome: Outcome) -> bool:
        return self._maybe(lambda: super(FailingActions, self).settle(action_id, outcome))


def work(*offers: Offer, carrier: CountingCarrier | None = None, model: str = "told") -> Work:
    carrier = carrier or CountingCarrier()
    database = Database("sqlite:///:memory:")
    store, answer = store_with_answer(database)
    actions = FailingActions(database, "")
    catalogue = Catalogue([Entry(model, "Told", "scripted", ToldModel(), offers=offers or (TICKET,))])
    return Work(Actor(actions, catalogue, {"create_ticket": carrier}), actions, carrier, answer, store)


@pytest.mark.proves("B28", "B29")
def test_a_confirmed_action_is_carried_out_and_its_result_is_kept() -> None:
    done = work()
    action_id = done.end(CALL)
    confirmed = done.actor.confirm(OWNER, action_id)
    assert (confirmed.state, confirmed.result) == ("succeeded", {"text": "Taken."})
    (order,) = done.carrier.orders
    assert (order.action.arguments, order.message_id) == ({"subject": "x"}, "msg")
    assert done.actions.action(OWNER, action_id).action == confirmed


@pytest.mark.proves("B29", "B30")
def test_confirmed_again_it_gives_the_first_result() -> None:
    done = work()
    action_id = done.end(CALL)
    results = [done.actor.confirm(OWNER, action_id) for _ in range(3)]
    assert results == [results[0]] * 3
    assert len(done.carrier.orders) == 1


@pytest.mark.proves("B29", "B30")
def test_five_confirmations_at_once_are_one_and_all_get_its_result() -> None:
    may_end = threading.Event()
    done = work(carrier=CountingCarrier(may_end=may_end))
    action_id = done.end(CALL)
    results: list[Action] = []
    confirming = [
        threading.Thread(target=lambda: results.append(done.actor.confirm(OWNER, action_id))) for _ in range(5)
    ]
    for thread in confirming:
        thread.start()
    assert done.carrier.begun.wait(10)
    may_end.set()
    for thread in confirming:
        thread.join(10)
    assert [result.state for result in results] == ["succeeded"] * 5
    assert len(done.carrier.orders) == 1


def test_a_result_that_does_not_come_in_time_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(act, "WAIT_SECONDS", 0.05)
    may_end = threading.Event()
    done = work(carrier=CountingCarrier(may_end=may_end))
    action_id = done.end(CALL)
    assert done.actor.confirm(OWNER, action_id).state == "confirmed"
    may_end.set()
    done.actor.close(10)
    assert done.actor.confirm(OWNER, action_id).state == "succeeded"
    assert len(done.carrier.orders) == 1


@pytest.mark.parametrize(
    ("outcome", "kept"),
    [(NOT_CARRIED_OUT, NOT_CARRIED_OUT), (NOT_KNOWN, NOT_KNOWN), (ZeroDivisionError("SENTINEL"), NOT_KNOWN)],
)
def test_a_failure_is_kept_as_one(outcome: Outcome | Exception, kept: Outcome) -> None:
    done = work(carrier=CountingCarrier(outcome))
    failed = done.actor.confirm(OWNER, done.end(CALL))
    assert (failed.state, failed.result) == (kept.state, kept.result)


def test_a_declined_action_is_never_carried_out() -> None:
    done = work()
    action_id = done.end(CALL)
    assert [done.actor.decline(OWNER, action_id).state for _ in range(2)] == ["declined"] * 2
    with pytest.raises(Refused, match="action_refused"):
        done.actor.confirm(OWNER, action_id)
    assert done.carrier.orders == []


@pytest.mark.proves("B27")
@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_an_answer_that_was_cut_proposes_nothing(reason: FinishReason) -> None:
    done = work()
    action_id = done.end(CALL, finish_reason=reason)
    assert done.state(action_id) == "refused"
    with pytest.raises(Refused, match="action_refused"):
        done.actor.confirm(OWNER, action_id)
    assert done.carrier.orders == []


@pytest.mark.proves("B29")
def test_what_this_model_is_not_offered_is_refused() -> None:
    done = work(replace(TICKET, name="other"))
    assert done.state(done.end(CALL)) == "refused"


@pytest.mark.proves("B29")
def test_what_is_offered_no_longer_when_it_is_confirmed_is_refused_and_stays_a_proposal() -> None:
    done = work()
    action_id = done.end(CALL)
    later = Actor(done.actions, Catalogue([]), {"create_ticket": done.carrier})
    with pytest.raises(Refused, match="action_refused"):
        later.confirm(OWNER, action_id)
    assert (done.state(action_id), done.carrier.orders) == ("proposed", [])


def test_a_stranger_confirms_and_declines_nothing() -> None:
    done = work()
    action_id = done.end(CALL)
    for call in (done.actor.confirm, done.actor.decline):
        with pytest.raises(Refused, match="not_found"):
            call("visitor:2", action_id)
    assert (done.state(action_id), done.carrier.orders) == ("proposed", [])


def test_what_asks_nobody_is_carried_out_once_after_the_end() -> None:
    done = work(replace(TICKET, asks=False))
    action_id = done.end(CALL)
    assert done.state(action_id) == "confirmed"
    for _ in range(2):
        done.actor.on_ended(done.answer)
    done.actor.close(10)
    assert done.actor.confirm(OWNER, action_id).result == TAKEN.result
    assert len(done.carrier.orders) == 1


def test_what_asks_nobody_is_not_carried_out_for_an_answer_that_was_deleted() -> None:
    done = work(replace(TICKET, asks=False))
    done.end(CALL)
    done.store._database.write(lambda connection: connection.exec_driver_sql("DELETE FROM messages"))
    done.actor.on_ended(done.answer)
    done.actor.close(10)
    assert done.carrier.orders == []


@pytest.mark.proves("C106", "B30")
def test_a_confirmation_that_broke_while_it_was_stored_can_be_repeated_and_is_carried_out_once() -> None:
    done = work()
    action_id = done.end(CALL)
    done.actions.failures, done.actions.is_late = 1, True  # type: ignore[attr-defined]
    with pytest.raises(StoreAway):
        done.actor.confirm(OWNER, action_id)
    assert done.actor.confirm(OWNER, action_id).state == "succeeded"
    assert len(done.carrier.orders) == 1


@pytest.mark.proves("C106")
def test_a_result_waits_for_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(act, "STORE_SECONDS", 0.01)
    done = work()
    action_id = done.end(CALL)

    def fail_later(order: Proposal) -> Outcome:
        done.carrier.orders.append(order)
        done.actions.failures = 2  # type: ignore[attr-defined]
        return TAKEN

    monkeypatch.setattr(done.carrier, "carry_out", fail_later)
    assert done.actor.confirm(OWNER, action_id).result == TAKEN.result
    assert len(done.carrier.orders) == 1


def test_a_stopping_process_waits_for_results_but_not_for_ever() -> None:
    may_end = threading.Event()
    done = work(replace(TICKET, asks=False), carrier=CountingCarrier(may_end=may_end))
    action_id = done.end(CALL)
    done.actor.on_ended(done.answer)
    done.actor.close(0.05)
    assert done.state(action_id) == "confirmed"
    may_end.set()
    done.actor.close(10)
    assert done.state(action_id) == "succeeded"
