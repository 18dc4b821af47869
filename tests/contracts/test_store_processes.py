"""Every sentence of `ports/store.py` about checkpoints and leases, for every implementation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.contracts.stored import ANN, HERE, THERE, begin, claim_of, ended
from webapp.core.events import State
from webapp.core.messages import Message
from webapp.ports.store import RESERVED, Checkpoint, Lease
from webapp.stores.database import Database
from webapp.stores.lock_files import LockFiles
from webapp.stores.processes import SqlProcess
from webapp.stores.sql import SqlStore


@dataclass
class Process:
    """A process that claims answers and keeps their text, with a connection of its own."""

    name: str
    database: Database

    def __post_init__(self) -> None:
        self.store = SqlStore(self.database, self.name)
        self.own = SqlProcess(self.database, self.name)

    def claim(self, conversation_id: str = HERE) -> Message:
        begin(self.store, conversation_id)
        return self.store.claim(claim_of(conversation_id=conversation_id)).answer


@pytest.fixture
def processes(database_url: str) -> Iterator[list[Process]]:
    Database(database_url).migrate()
    databases = [Database(database_url) for _ in range(2)]
    yield [Process(name, database) for name, database in zip(("one", "two"), databases, strict=True)]
    for database in databases:
        database.close()


@pytest.fixture
def one(processes: list[Process]) -> Process:
    return processes[0]


@pytest.fixture
def two(processes: list[Process]) -> Process:
    return processes[1]


PIECES = ["Caf", "é \U0001f9ed", "\r\n\0 end", "\u2028"]


def keep(process: Process, answer: Message, *pieces: str, start: int = 0, seq: int = 2_000) -> None:
    for piece in pieces:
        assert answer.message_id in process.own.keep([Checkpoint(answer.message_id, start, piece, seq)])
        start += len(piece)


@pytest.mark.proves("C38")
def test_a_running_answer_has_the_text_of_its_checkpoints_and_the_highest_number(one: Process) -> None:
    answer = one.claim()
    assert (answer.seq, answer.text) == (RESERVED, "")
    keep(one, answer, *PIECES, seq=5_000)
    wanted = replace(answer, state=State.RUNNING, text="".join(PIECES), seq=5_000)
    assert one.store.message(ANN, answer.message_id) == wanted
    assert one.store.conversation(ANN, HERE)[1][-1] == wanted


def test_numbers_alone_can_be_reserved(one: Process) -> None:
    answer = one.claim()
    keep(one, answer, "one")
    keep(one, answer, "", start=3, seq=9_000)
    assert one.store.message(ANN, answer.message_id).text == "one"
    assert one.store.message(ANN, answer.message_id).seq == 9_000


def test_text_from_a_place_on_takes_the_place_of_what_stood_there(one: Process) -> None:
    answer = one.claim()
    keep(one, answer, "one ", "two ")
    keep(one, answer, "two three", start=4)
    assert one.store.message(ANN, answer.message_id).text == "one two three"


def test_one_checkpoint_is_for_many_answers_and_each_keeps_its_own_text(one: Process) -> None:
    answers = [one.claim(f"cnv_{number}") for number in range(3)]
    one.own.keep([Checkpoint(answer.message_id, 0, answer.message_id, 2_000) for answer in answers])
    for answer in answers:
        assert one.store.message(ANN, answer.message_id).text == answer.message_id


@pytest.mark.proves("B10")
def test_an_end_takes_the_place_of_the_checkpoints_and_nothing_is_kept_after_it(one: Process) -> None:
    answer = one.claim()
    keep(one, answer, "one")
    assert one.store.finish(ended(answer))
    assert one.own.keep([Checkpoint(answer.message_id, 3, "late", 3_000)]) == {}
    assert one.store.message(ANN, answer.message_id) == ended(answer)


@pytest.mark.proves("B36")
@pytest.mark.parametrize("has_text", [True, False])
def test_keeping_tells_which_answers_are_this_process_own_and_which_carry_a_mark(
    one: Process, two: Process, has_text: bool
) -> None:
    marked, free = one.claim("cnv_1"), one.claim("cnv_2")
    two.claim("cnv_3")
    one.store.mark_cancelled(ANN, marked.message_id, 150)
    kept = [Checkpoint(free.message_id, 0, "text", 2_000)] if has_text else []
    assert one.own.keep(kept) == {marked.message_id: True, free.message_id: False}


def test_a_lease_beats_with_each_renewal_and_is_seen_by_the_others(one: Process, two: Process) -> None:
    one.own.renew()
    two.own.renew()
    before = {lease.process: lease.beats for lease in two.own.others()}
    assert set(before) == {"one", ""}
    one.own.renew()
    assert [lease.beats for lease in two.own.others() if lease.process == "one"] == [before["one"] + 1]


@pytest.mark.proves("C38")
def test_what_is_taken_over_has_its_text_and_can_be_ended_by_the_new_process_alone(one: Process, two: Process) -> None:
    one.own.renew()
    answer = one.claim()
    one.store.finish(ended(one.claim(THERE)))
    keep(one, answer, "one")
    (taken,) = two.own.take_over("one")
    assert (taken.message_id, taken.text, taken.seq) == (answer.message_id, "one", 2_000)
    assert one.own.keep([Checkpoint(answer.message_id, 3, " two", 3_000)]) == {}
    assert one.store.finish(ended(answer)) is False
    assert one.store.message(ANN, answer.message_id) == taken
    assert two.store.finish(ended(taken)) is True
    assert "one" not in [lease.process for lease in two.own.others()]
    assert two.own.take_over("one") == []


def test_a_process_that_was_given_up_can_come_back(one: Process, two: Process) -> None:
    one.own.renew()
    two.own.take_over("one")
    one.own.renew()
    answer = one.claim()
    assert one.own.keep([]) == {answer.message_id: False}
    assert "one" in [lease.process for lease in two.own.others()]


@pytest.mark.proves("C38")
def test_a_process_that_leaves_an_answer_behind_keeps_its_lease_for_others_to_end(one: Process, two: Process) -> None:
    one.own.renew()
    answer = one.claim()
    one.own.leave()
    assert [taken.message_id for taken in two.own.take_over("one")] == [answer.message_id]


def test_a_process_that_leaves_has_no_lease(one: Process, two: Process) -> None:
    one.own.renew()
    one.own.leave()
    assert "one" not in [lease.process for lease in two.own.others()]


@pytest.mark.proves("C38")
def test_a_lease_whose_lock_is_free_is_over_at_once(sqlite_url: str, tmp_path: Path) -> None:
    database = Database(sqlite_url)
    database.migrate()
    files = [LockFiles(tmp_path / "store.db") for _ in range(3)]
    living, dying, looking = (
        SqlProcess(database, name, lock) for name, lock in zip(("living", "dying", "looking"), files, strict=True)
    )
    living.renew()
    dying.renew()
    looking.take_over("")
    assert looking.others() == [Lease("living", 0, False), Lease("dying", 0, False)]
    files[1].__dict__["_held"].close()  # as the system does with the files of a dead process
    assert looking.others() == [Lease("living", 0, False), Lease("dying", 0, True)]
    looking.take_over("dying")
    living.leave()
    assert list(tmp_path.glob("*.lock")) == []
    database.close()
