"""Recovery: a lease is over when its lock is free or its beats stand still, and then its answers are ended."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from tests.support.answers import OWNER, store_with_answer
from tests.support.figures import ToldMetrics
from webapp.answers.recover import LEASE_SECONDS, RENEW_SECONDS, Recovery
from webapp.core.events import State
from webapp.core.messages import Message
from webapp.event_logs.memory import MemoryEventLog
from webapp.ports.store import Checkpoint, Lease, Leases, StoreAway
from webapp.stores.database import Database
from webapp.stores.processes import SqlProcess
from webapp.stores.sql import SqlStore


@dataclass
class ToldLeases:
    """Implements Leases: one other process, as the test says."""

    inner: SqlProcess
    other: Lease = field(default=Lease("", 0, False))
    is_away: bool = False

    def renew(self) -> None:
        if self.is_away:
            raise StoreAway("no")

    def others(self) -> Sequence[Lease]:
        return [self.other]

    def take_over(self, process: str) -> Sequence[Message]:
        return self.inner.take_over(process)

    def leave(self) -> None:
        pass


class Desk:
    """A dead process's answer with some text, and another process that looks; `pass_time` makes it look."""

    def __init__(self) -> None:
        database = Database("sqlite:///:memory:")
        store_with_answer(database)
        SqlProcess(database, "").keep([Checkpoint("msg", 0, "kept", 2_000)])
        self.store = SqlStore(database, "living")
        self.leases = ToldLeases(SqlProcess(database, "living"))
        self.time = 0.0
        leases: Leases = self.leases
        self.metrics = ToldMetrics()
        self.recovery = Recovery(
            leases=leases, answers=self.store, log=MemoryEventLog(), metrics=self.metrics, now=lambda: self.time
        )
        self.recovery.look()

    def pass_time(self, seconds: float, *, beats: bool = False) -> None:
        """Time goes by, with a look every RENEW_SECONDS; the other process renews its lease or does not."""
        for _ in range(round(seconds / RENEW_SECONDS)):
            self.time += RENEW_SECONDS
            if beats:
                self.leases.other = replace(self.leases.other, beats=self.leases.other.beats + 1)
            self.recovery.look()

    @property
    def stored(self) -> Message:
        return self.store.message(OWNER, "msg")


@pytest.mark.proves("C38")
def test_an_answer_of_a_dead_process_ends_as_interrupted_with_its_text_above_every_number_it_gave() -> None:
    desk = Desk()
    desk.leases.other = replace(desk.leases.other, is_over=True)
    assert desk.recovery.look() == 1
    assert desk.stored.failure is not None
    assert (desk.stored.state, desk.stored.failure.code) == (State.FAILED, "interrupted")
    assert (desk.stored.text, desk.stored.seq) == ("kept", 2_001)


def test_what_another_process_began_is_counted_as_ended_without_times() -> None:
    desk = Desk()
    desk.leases.other = replace(desk.leases.other, is_over=True)
    desk.recovery.look()
    ((ended, timing),) = desk.metrics.ends
    assert (ended.message_id, ended.state, timing) == ("msg", State.FAILED, None)


def test_a_lease_whose_beats_stand_still_is_over_after_its_time() -> None:
    desk = Desk()
    desk.pass_time(LEASE_SECONDS - RENEW_SECONDS)
    assert not desk.stored.state.is_ended
    desk.pass_time(RENEW_SECONDS)
    assert desk.stored.state is State.FAILED


def test_a_lease_that_beats_is_never_over() -> None:
    desk = Desk()
    desk.pass_time(10 * LEASE_SECONDS, beats=True)
    assert not desk.stored.state.is_ended


def test_after_the_store_was_away_the_others_get_a_whole_lease_to_come_back() -> None:
    desk = Desk()
    desk.pass_time(LEASE_SECONDS - RENEW_SECONDS)
    desk.leases.is_away = True
    for _ in range(3):
        desk.time += RENEW_SECONDS
        with pytest.raises(StoreAway):
            desk.recovery.look()
    desk.leases.is_away = False
    desk.pass_time(RENEW_SECONDS)
    assert not desk.stored.state.is_ended
    desk.pass_time(LEASE_SECONDS)
    assert desk.stored.state is State.FAILED


def test_an_end_that_the_store_did_not_take_is_given_at_the_next_look() -> None:
    desk = Desk()
    answers = AwayOnce(desk.store)
    recovery = Recovery(leases=desk.leases, answers=answers, log=MemoryEventLog(), now=lambda: desk.time)  # type: ignore[arg-type]
    desk.leases.other = replace(desk.leases.other, is_over=True)
    with pytest.raises(StoreAway):
        recovery.look()
    assert recovery.look() == 1
    assert desk.stored.seq == 2_001


@dataclass
class AwayOnce:
    """A store whose first `finish` fails."""

    inner: SqlStore
    is_away: bool = True

    def finish(self, ended: Message) -> bool:
        if self.is_away:
            self.is_away = False
            raise StoreAway("no")
        return self.inner.finish(ended)
