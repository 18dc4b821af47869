"""Every sentence of `ports/store.py` about conversations and claims, for every implementation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.contracts.stored import ANN, BOB, HERE, THERE, again, ask, at_once, begin, claim_of, ended, messages, refusal
from webapp.core.events import State
from webapp.core.messages import Conversation, Failure, Message, newest_path
from webapp.ports.store import RESERVED, Claimed
from webapp.stores.sql import SqlStore

# Conversations


def test_a_new_conversation_is_kept_and_empty(store: SqlStore) -> None:
    begin(store, title="Plans", at=10)
    assert store.conversation(ANN, HERE) == (Conversation(HERE, ANN, "Plans", 10, 10), [])


def test_a_conversation_that_is_made_again_stays_as_it_is(store: SqlStore) -> None:
    begin(store, title="Plans", at=10)
    ask(store)
    before = store.conversation(ANN, HERE)
    at_once([lambda: begin(store, title="Other plans", at=20)] * 4)
    assert store.conversation(ANN, HERE) == before


def test_controls_in_a_title_become_blanks(store: SqlStore) -> None:
    begin(store, title="a\0b\nc\x7fd\x85e\u2028f")
    assert store.conversation(ANN, HERE)[0].title == "a b c d e\u2028f"


def test_a_conversation_holds_its_messages_in_the_order_of_their_making(store: SqlStore) -> None:
    begin(store)
    begin(store, THERE)
    first = ask(store, at=300)
    ask(store, conversation_id=THERE, at=250)
    second = ask(store, at=200)  # a clock that was set back
    third = ask(store, at=250)
    ids = [message.message_id for message in messages(store)]
    assert ids == [one for answer in (first, second, third) for one in (answer.question_id, answer.message_id)]


@pytest.mark.parametrize("conversation_id", [THERE, "cnv_unknown"])
def test_a_conversation_of_another_or_of_nobody_is_not_found(store: SqlStore, conversation_id: str) -> None:
    begin(store, THERE, BOB)
    assert refusal(lambda: store.conversation(ANN, conversation_id)) == "not_found"


def test_conversations_are_the_owners_the_last_changed_first_up_to_the_limit(store: SqlStore) -> None:
    for conversation_id, at in [("cnv_a", 30), ("cnv_b", 10), ("cnv_c", 20)]:
        begin(store, conversation_id, at=at)
    begin(store, THERE, BOB, at=40)
    assert [one.id for one in store.conversations(ANN, limit=9)] == ["cnv_a", "cnv_c", "cnv_b"]
    store.claim(claim_of(conversation_id="cnv_b", at=50))
    assert [one.id for one in store.conversations(ANN, limit=2)] == ["cnv_b", "cnv_a"]


def test_a_conversation_is_running_while_an_answer_in_it_has_no_end(store: SqlStore) -> None:
    begin(store)

    def is_running() -> tuple[bool, bool]:
        return store.conversation(ANN, HERE)[0].is_running, store.conversations(ANN, limit=1)[0].is_running

    assert is_running() == (False, False)
    answer = store.claim(claim_of()).answer
    assert is_running() == (True, True)
    store.mark_cancelled(ANN, answer.message_id, 150)
    assert is_running() == (True, True)
    store.finish(ended(answer))
    assert is_running() == (False, False)


def test_a_conversations_time_of_change_follows_questions_and_ends_and_never_goes_back(store: SqlStore) -> None:
    begin(store, at=10)
    times = []
    for asked_at, ended_at in [(100, 200), (150, 160), (300, 250)]:
        answer = store.claim(claim_of(at=asked_at)).answer
        times.append(store.conversation(ANN, HERE)[0].updated_at)
        store.finish(ended(answer, ended_at=ended_at))
        times.append(store.conversation(ANN, HERE)[0].updated_at)
    assert times == [100, 200, 200, 200, 300, 300]
    assert store.conversation(ANN, HERE)[0].created_at == 10


# Claims


def test_a_claim_keeps_question_and_answer_under_its_request_id(store: SqlStore) -> None:
    begin(store)
    claim = claim_of(text="What now?", at=100)
    claimed = store.claim(claim)
    question = Message(
        message_id=claim.question_id,
        conversation_id=HERE,
        parent_id=None,
        question_id=None,
        request_id=claim.request_id,
        role="user",
        model="scripted",
        version=1,
        state=State.COMPLETED,
        seq=0,
        text="What now?",
        created_at=100,
        ended_at=100,
    )
    answer = replace(
        question,
        message_id=claim.answer_id,
        parent_id=claim.question_id,
        question_id=claim.question_id,
        role="assistant",
        state=State.ACCEPTED,
        seq=RESERVED,
        text="",
        ended_at=None,
    )
    assert claimed == Claimed(answer, is_new=True)
    assert messages(store) == [question, answer]


@pytest.mark.proves("C52", "B4")
def test_an_equal_claim_later_joins_the_running_answer(store: SqlStore) -> None:
    begin(store)
    claim = claim_of()
    first = store.claim(claim)
    assert store.claim(again(claim)) == Claimed(first.answer, is_new=False)
    assert len(messages(store)) == 2


@pytest.mark.proves("C52", "B4")
@pytest.mark.parametrize(
    "end",
    [
        {"state": State.COMPLETED},
        {"state": State.CANCELLED, "finish_reason": None, "by": "user"},
        {"state": State.FAILED, "finish_reason": None, "failure": Failure("timeout", "d", True, "n")},
    ],
    ids=lambda end: end["state"],
)
def test_an_equal_claim_after_the_end_joins_the_ended_answer(store: SqlStore, end: dict[str, object]) -> None:
    begin(store)
    claim = claim_of()
    finished = ended(store.claim(claim).answer, **end)
    store.finish(finished)
    ask(store)
    assert store.claim(again(claim)) == Claimed(finished, is_new=False)
    assert len(messages(store)) == 4


@pytest.mark.proves("C52", "B4")
@pytest.mark.parametrize("number", [5, 20])
def test_of_equal_claims_at_once_one_is_new(store: SqlStore, number: int) -> None:
    begin(store)
    claim = claim_of()
    claims = [again(claim) for _ in range(number)]
    claimed = at_once([lambda one=one: store.claim(one) for one in claims])
    assert [one.is_new for one in claimed].count(True) == 1
    assert len({one.answer.message_id for one in claimed}) == 1
    assert len(messages(store)) == 2


def test_of_one_request_id_for_different_things_at_once_one_is_new_and_the_others_conflict(store: SqlStore) -> None:
    places = [f"cnv_{number}" for number in range(10)]
    for place in places:
        begin(store, place)
    claims = [claim_of(request_id="req", conversation_id=place) for place in places]
    outcome = at_once([lambda one=one: store.claim(one) for one in claims])
    assert outcome.count("request_conflict") == 9
    assert sum(len(messages(store, place)) for place in places) == 2


def test_of_different_questions_at_once_in_a_conversation_one_is_new_and_the_others_find_it_busy(
    store: SqlStore,
) -> None:
    begin(store)
    claims = [claim_of() for _ in range(10)]
    outcome = at_once([lambda one=one: store.claim(one) for one in claims])
    assert outcome.count("conversation_busy") == 9
    assert len(messages(store)) == 2


@pytest.mark.proves("B6", "C52")
def test_the_same_text_in_the_same_millisecond_under_two_ids_is_two_questions(store: SqlStore) -> None:
    begin(store)
    ask(store, text="ok", at=100)
    ask(store, text="ok", at=100)
    assert [message.text for message in messages(store) if message.role == "user"] == ["ok", "ok"]


def test_a_request_id_belongs_to_its_owner(store: SqlStore) -> None:
    begin(store)
    begin(store, THERE, BOB)
    store.claim(claim_of(request_id="req", fingerprint="same"))
    theirs = claim_of(owner=BOB, request_id="req", fingerprint="same", conversation_id=THERE)
    assert store.claim(theirs).is_new


def test_a_question_follows_the_newest_answer_when_no_parent_is_given(store: SqlStore) -> None:
    begin(store)
    first = ask(store)
    second = ask(store)
    edited = ask(store, parent_id=first.message_id, is_parent_given=True)
    last = ask(store)
    questions = {message.message_id: message.parent_id for message in messages(store) if message.role == "user"}
    assert questions == {
        first.question_id: None,
        second.question_id: first.message_id,
        edited.question_id: first.message_id,
        last.question_id: edited.message_id,
    }
    path = [message.message_id for message in newest_path(messages(store))]
    assert path[1::2] == [first.message_id, edited.message_id, last.message_id]


def test_a_question_with_the_root_as_given_parent_begins_anew(store: SqlStore) -> None:
    begin(store)
    ask(store)
    second = ask(store, parent_id=None, is_parent_given=True)
    assert store.message(ANN, str(second.question_id)).parent_id is None


def test_questions_with_the_same_parent_count_versions(store: SqlStore) -> None:
    begin(store)
    first = ask(store)
    for parent_id in [first.message_id, first.message_id, None]:
        ask(store, parent_id=parent_id, is_parent_given=True)
    assert [message.version for message in messages(store) if message.role == "user"] == [1, 1, 2, 2]
    assert {message.version for message in messages(store) if message.role == "assistant"} == {1}


def test_a_conversation_without_a_title_gets_the_first_questions_first_line(store: SqlStore) -> None:
    begin(store)
    begin(store, THERE, title="Mine")
    for conversation_id in [HERE, THERE]:
        ask(store, conversation_id=conversation_id, text="\n Where \tto\0go? \r\nAnd then?")
        ask(store, conversation_id=conversation_id, text="Another")
    assert [store.conversation(ANN, place)[0].title for place in [HERE, THERE]] == ["Where to go?", "Mine"]


def busy_and_foreign(store: SqlStore) -> dict[str, str]:
    """HERE with one ended and one running answer, an idle one of Ann's, one of Bob's; ids by what they are."""
    begin(store)
    begin(store, THERE, BOB)
    begin(store, "cnv_idle")
    early = ask(store)
    theirs = ask(store, owner=BOB, conversation_id=THERE)
    idle = ask(store, conversation_id="cnv_idle")
    store.claim(claim_of(request_id="req_used", fingerprint="used"))
    return {
        "theirs": theirs.message_id,
        "idle": idle.message_id,
        "question": str(early.question_id),
        "answer": early.message_id,
        "unknown": "msg_unknown",
    }


# Each row is refused for what its code says although everything that is looked at later would refuse it too.
REFUSALS = [
    ("request_conflict", {"request_id": "req_used"}, None),
    ("request_conflict", {"request_id": "req_used", "conversation_id": THERE}, None),
    ("request_conflict", {"request_id": "req_used"}, "question"),
    ("not_found", {"conversation_id": THERE}, None),
    ("not_found", {"conversation_id": THERE}, "theirs"),
    ("not_found", {"conversation_id": "cnv_unknown"}, "question"),
    ("not_found", {}, "theirs"),
    ("not_found", {}, "idle"),
    ("not_found", {}, "unknown"),
    ("validation_failed", {}, "question"),
    ("conversation_busy", {}, "answer"),
    ("conversation_busy", {}, None),
]


@pytest.mark.parametrize(("code", "changes", "parent"), REFUSALS)
def test_a_claim_is_refused_for_the_first_that_is_wrong_and_stores_nothing(
    store: SqlStore, code: str, changes: dict[str, object], parent: str | None
) -> None:
    ids = busy_and_foreign(store)
    if parent:
        changes = {**changes, "parent_id": ids[parent], "is_parent_given": True}
    places = [(ANN, HERE), (BOB, THERE), (ANN, "cnv_idle")]
    before = [store.conversation(*place) for place in places]
    refused = claim_of(**{"request_id": "req_free", "at": 999, **changes})
    assert refusal(lambda: store.claim(refused)) == code
    assert [store.conversation(*place) for place in places] == before
    assert store.claim(claim_of(request_id="req_free", conversation_id="cnv_idle")).is_new


def test_a_claim_that_fails_half_way_stores_nothing(store: SqlStore) -> None:
    begin(store)
    taken = ask(store)
    before = store.conversation(ANN, HERE)
    claim = claim_of(answer_id=taken.message_id, at=999)
    with pytest.raises(Exception, match=r"(?i)unique"):
        store.claim(claim)
    assert store.conversation(ANN, HERE) == before
    assert store.claim(again(claim)).is_new


def test_an_answer_with_a_cancel_mark_does_not_keep_the_conversation_busy(store: SqlStore) -> None:
    begin(store)
    running = store.claim(claim_of()).answer
    store.mark_cancelled(ANN, running.message_id, 150)
    assert store.claim(claim_of()).is_new
