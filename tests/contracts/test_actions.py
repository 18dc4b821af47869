"""Every sentence of `ports/actions.py` about where actions are kept, for every implementation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest

from tests.contracts.stored import ANN, BOB, at_once, begin, claim_of, ended, refusal
from webapp.core.actions import NOT_KNOWN, Outcome
from webapp.core.events import Action
from webapp.core.messages import Message
from webapp.stores.actions import SqlActions
from webapp.stores.database import Database
from webapp.stores.processes import SqlProcess
from webapp.stores.sql import SqlStore

LATER, BEFORE = "9999-12-31T00:00:00.000Z", "2026-01-01T00:00:00.000Z"
DONE = Outcome("succeeded", {"text": "Done.", "url": "https://a.example/"})
PROPOSED = Action("act_1", "create", "Creates.", {"n": [1, {"z": "\0", "a": None}]}, "proposed", None, LATER)
EXPIRED = replace(PROPOSED, expires_at=BEFORE)
REFUSED = Action("act_1", "create\0", "", {}, "refused", {"text": "no"})
CONFIRMED = replace(PROPOSED, state="confirmed")


@dataclass
class Process:
    """A process with a connection of its own."""

    name: str
    database: Database

    def __post_init__(self) -> None:
        self.store = SqlStore(self.database, self.name)
        self.actions = SqlActions(self.database, self.name)
        self.own = SqlProcess(self.database, self.name)

    def end(self, *actions: Action) -> Message:
        """An answer of Ann's that has ended with these."""
        begin(self.store)
        answer = ended(self.store.claim(claim_of()).answer, actions=actions)
        assert self.store.finish(answer)
        return answer

    def state(self) -> str:
        return self.actions.action(ANN, "act_1").action.state


@pytest.fixture
def processes(database_url: str) -> Iterator[list[Process]]:
    Database(database_url).migrate()
    both = [Process(name, Database(database_url)) for name in ("one", "two")]
    yield both
    for process in both:
        process.database.close()


@pytest.fixture
def one(processes: list[Process]) -> Process:
    return processes[0]


@pytest.fixture
def two(processes: list[Process]) -> Process:
    return processes[1]


def test_an_action_is_as_it_was_stored_with_the_end_of_its_answer(one: Process) -> None:
    answer = one.end(PROPOSED, replace(REFUSED, id="act_2"))
    kept = one.actions.action(ANN, "act_1")
    assert (kept.action, kept.message_id, kept.model) == (PROPOSED, answer.message_id, answer.model)
    assert one.store.message(ANN, answer.message_id).actions == answer.actions


def test_a_proposal_whose_time_is_over_has_expired_everywhere(one: Process) -> None:
    answer = one.end(EXPIRED)
    assert one.state() == "expired"
    assert [action.state for action in one.store.message(ANN, answer.message_id).actions] == ["expired"]


VERBS: dict[str, Callable[[SqlActions, str, str], object]] = {
    "action": SqlActions.action,
    "confirm": SqlActions.confirm,
    "decline": SqlActions.decline,
}


@pytest.mark.proves("C113")
@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_what_is_not_the_owners_is_not_found_and_stays_as_it_is(
    one: Process, verb: Callable[[SqlActions, str, str], object]
) -> None:
    one.end(PROPOSED)
    assert refusal(lambda: verb(one.actions, BOB, "act_1")) == "not_found"
    assert refusal(lambda: verb(one.actions, ANN, "act_unknown")) == "not_found"
    assert one.state() == "proposed"


def test_a_confirmed_action_is_this_process_s_to_carry_out_until_it_has_a_result(one: Process, two: Process) -> None:
    one.end(PROPOSED)
    assert one.actions.order("act_1") is None
    assert one.actions.confirm(ANN, "act_1").action.state == "confirmed"
    assert one.actions.order("act_1") == one.actions.action(ANN, "act_1")
    assert two.actions.order("act_1") is None
    assert two.actions.settle("act_1", NOT_KNOWN) is False
    assert one.actions.settle("act_1", DONE) is True
    assert one.actions.order("act_1") is None
    assert one.actions.settle("act_1", NOT_KNOWN) is False
    done = one.actions.action(ANN, "act_1").action
    assert (done.state, done.result) == ("succeeded", DONE.result)


@pytest.mark.proves("B29")
def test_confirmed_again_an_action_stays_as_it_is(one: Process, two: Process) -> None:
    one.end(PROPOSED)
    one.actions.confirm(ANN, "act_1")
    assert two.actions.confirm(ANN, "act_1").action.state == "confirmed"
    assert two.actions.order("act_1") is None
    one.actions.settle("act_1", DONE)
    assert two.actions.confirm(ANN, "act_1").action.result == DONE.result
    assert one.actions.order("act_1") is None


def test_an_action_that_asks_nobody_is_the_process_s_that_ended_the_answer(one: Process, two: Process) -> None:
    one.end(CONFIRMED)
    assert two.actions.order("act_1") is None
    assert one.actions.order("act_1") is not None


def test_declined_again_an_action_stays_declined(one: Process) -> None:
    one.end(PROPOSED)
    for _ in range(2):
        assert one.actions.decline(ANN, "act_1").action.state == "declined"


def decline(process: Process) -> None:
    process.actions.decline(ANN, "act_1")


def confirm(process: Process) -> None:
    process.actions.confirm(ANN, "act_1")


def settle(process: Process) -> None:
    confirm(process)
    process.actions.settle("act_1", DONE)


@pytest.mark.parametrize(
    ("stored", "before", "other"),
    [
        (PROPOSED, decline, confirm),
        (PROPOSED, confirm, decline),
        (PROPOSED, settle, decline),
        (EXPIRED, None, confirm),
        (EXPIRED, None, decline),
        (REFUSED, None, confirm),
        (REFUSED, None, decline),
    ],
)
def test_what_is_decided_or_over_stays_so(
    one: Process, stored: Action, before: Callable[[Process], None] | None, other: Callable[[Process], None]
) -> None:
    one.end(stored)
    if before:
        before(one)
    state = one.state()
    assert refusal(lambda: other(one)) == "action_refused"
    assert one.state() == state


@pytest.mark.proves("B29")
def test_of_decisions_at_once_one_holds(one: Process) -> None:
    one.end(PROPOSED)
    calls: list[Callable[[], object]] = [lambda: one.actions.decline(ANN, "act_1").action.state] * 5
    calls += [lambda: one.actions.confirm(ANN, "act_1").action.state] * 5
    assert sorted({str(one) for one in at_once(calls)}) in (
        ["action_refused", "confirmed"],
        ["action_refused", "declined"],
    )


@pytest.mark.proves("B30")
def test_what_a_dead_process_was_carrying_out_fails_as_not_known_and_is_nobody_s_order(
    one: Process, two: Process
) -> None:
    one.own.renew()
    one.end(PROPOSED, replace(PROPOSED, id="act_2"))
    confirm(one)
    two.own.take_over("one")
    failed = two.actions.action(ANN, "act_1").action
    assert (failed.state, failed.result) == (NOT_KNOWN.state, NOT_KNOWN.result)
    assert (one.actions.order("act_1"), two.actions.order("act_1")) == (None, None)
    assert one.actions.settle("act_1", DONE) is False  # it lives after all, and comes too late
    assert two.actions.action(ANN, "act_2").action.state == "proposed"


def test_a_process_that_leaves_in_the_middle_of_an_action_leaves_its_lease_to_others(
    one: Process, two: Process
) -> None:
    one.own.renew()
    one.end(PROPOSED)
    confirm(one)
    one.own.leave()
    assert "one" in [lease.process for lease in two.own.others()]
    one.actions.settle("act_1", DONE)
    one.own.leave()
    assert "one" not in [lease.process for lease in two.own.others()]
