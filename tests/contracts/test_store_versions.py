"""Every sentence of `ports/store.py` about further answers to the same question, for every implementation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.contracts.stored import (
    ANN,
    BOB,
    HERE,
    THERE,
    again,
    ask,
    at_once,
    begin,
    claim_of,
    ended,
    messages,
    numbers,
    refusal,
)
from webapp.core.events import State
from webapp.core.messages import Message, newest_path
from webapp.ports.store import RESERVED, Claimed, RegenerateClaim
from webapp.stores.sql import SqlStore


def regenerate(old: Message | str, **changes: object) -> RegenerateClaim:
    """A claim of Ann's for a further answer beside `old`, under ids that no other one has."""
    number = next(numbers)
    claim = RegenerateClaim(
        owner=ANN,
        request_id=f"req_{number}",
        fingerprint=f"print {number}",
        message_id=old if isinstance(old, str) else old.message_id,
        model=None,
        offered=("first", "scripted"),
        answer_id=f"msg_answer_{number}",
        at=300,
    )
    return replace(claim, **changes)


@pytest.mark.proves("B44", "B2")
def test_a_further_answer_stands_beside_the_old_one_under_the_same_question(store: SqlStore) -> None:
    begin(store)
    old = ask(store)
    before = messages(store)
    claim = regenerate(old)
    claimed = store.claim(claim)
    new = replace(
        old,
        message_id=claim.answer_id,
        request_id=claim.request_id,
        version=2,
        state=State.ACCEPTED,
        seq=RESERVED,
        text="",
        finish_reason=None,
        created_at=300,
        ended_at=None,
    )
    assert claimed == Claimed(new, is_new=True)
    assert messages(store) == [*before, new]


@pytest.mark.proves("B4", "C52")
def test_of_equal_claims_at_once_one_is_new_and_later_ones_join_it(store: SqlStore) -> None:
    begin(store)
    claim = regenerate(ask(store))
    claimed = at_once([lambda: store.claim(replace(claim, answer_id=f"msg_answer_{next(numbers)}"))] * 8)
    assert sorted(one.is_new for one in claimed) == [False] * 7 + [True]
    (new,) = {one.answer.message_id for one in claimed}
    finished = ended(store.message(ANN, new), text="Other")
    assert store.finish(finished)
    assert store.claim(replace(claim, answer_id="msg_late")) == Claimed(finished, is_new=False)
    assert [message.version for message in messages(store)] == [1, 1, 2]


@pytest.mark.parametrize(
    ("wanted", "offered", "model"),
    [
        (None, ("first", "scripted"), "scripted"),
        (None, ("first", "second"), "first"),
        ("second", ("first", "second", "scripted"), "second"),
    ],
)
def test_the_model_is_the_wanted_the_old_answers_or_the_first_that_is_offered(
    store: SqlStore, wanted: str | None, offered: tuple[str, ...], model: str
) -> None:
    begin(store)
    assert store.claim(regenerate(ask(store), model=wanted, offered=offered)).answer.model == model


@pytest.mark.parametrize(
    "end", [{"state": State.CANCELLED, "finish_reason": None, "by": "user"}, {"text": ""}], ids=["cancelled", "empty"]
)
def test_any_end_can_be_answered_anew(store: SqlStore, end: dict[str, object]) -> None:
    begin(store)
    answer = store.claim(claim_of()).answer
    store.finish(ended(answer, **end))
    assert store.claim(regenerate(answer)).is_new


def test_the_next_question_follows_the_further_answer_and_versions_count_per_question(store: SqlStore) -> None:
    begin(store)
    first = ask(store)
    second = ask(store)
    again_first = store.claim(regenerate(first)).answer
    store.finish(ended(again_first))
    third = ask(store)
    assert [one.message_id for one in newest_path(messages(store))] == [
        first.question_id,
        again_first.message_id,
        third.question_id,
        third.message_id,
    ]
    store.finish(ended(store.claim(regenerate(second)).answer))
    answers = [one for one in messages(store) if one.role == "assistant"]
    assert [(one.question_id, one.version) for one in answers] == [
        (first.question_id, 1),
        (second.question_id, 1),
        (first.question_id, 2),
        (third.question_id, 1),
        (second.question_id, 2),
    ]


def test_the_title_stays_and_the_time_of_change_follows(store: SqlStore) -> None:
    begin(store, title="")
    answer = ask(store, text="First line")
    store.claim(regenerate(answer, at=900))
    conversation, _ = store.conversation(ANN, HERE)
    assert (conversation.title, conversation.updated_at) == ("First line", 900)


def test_refusals_come_in_their_order_and_store_nothing(store: SqlStore) -> None:
    begin(store)
    begin(store, THERE, BOB)
    begin(store, "cnv_idle")
    theirs = ask(store, owner=BOB, conversation_id=THERE)
    idle = ask(store, conversation_id="cnv_idle")
    early = ask(store)
    running = store.claim(claim_of(request_id="req_used", fingerprint="used")).answer
    before = [store.conversation(*place) for place in [(ANN, HERE), (BOB, THERE), (ANN, "cnv_idle")]]

    def refused(old: Message | str, **changes: object) -> str:
        return refusal(lambda: store.claim(regenerate(old, **changes)))

    assert refused("msg_unknown", request_id="req_used") == "request_conflict"
    assert refused(theirs, request_id="req_used") == "request_conflict"
    assert refused(early, request_id="req_used") == "request_conflict"
    assert [refused(one) for one in (theirs, str(theirs.question_id), str(early.question_id), "msg_unknown")] == [
        "not_found"
    ] * 4
    assert [refused(early), refused(running)] == ["conversation_busy"] * 2
    store.mark_cancelled(ANN, running.message_id, 150)
    assert refused(running) == "conversation_busy"
    before[0] = store.conversation(ANN, HERE)
    assert store.claim(regenerate(idle)).is_new
    assert store.claim(regenerate(early)).is_new
    assert store.conversation(ANN, HERE)[1][:-1] == before[0][1]
    assert store.conversation(BOB, THERE) == before[1]


def test_of_a_question_and_a_further_answer_at_once_one_finds_the_conversation_busy(store: SqlStore) -> None:
    begin(store)
    old = ask(store)
    outcome = at_once([lambda: store.claim(claim_of()), lambda: store.claim(regenerate(old))])
    assert outcome.count("conversation_busy") == 1


def test_a_question_and_a_further_answer_never_share_a_request_id(store: SqlStore) -> None:
    begin(store)
    claim = claim_of()
    store.finish(ended(store.claim(claim).answer))
    assert refusal(lambda: store.claim(regenerate(claim.answer_id, request_id=claim.request_id))) == "request_conflict"
    assert store.claim(again(claim)).is_new is False
