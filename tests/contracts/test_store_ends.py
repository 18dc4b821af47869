"""Every sentence of `ports/store.py` about messages, ends and cancel marks, for every implementation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.contracts.stored import ANN, BOB, HERE, THERE, ask, at_once, begin, claim_of, ended, messages, refusal
from webapp.core.events import Action, Listing, Source, State, Usage
from webapp.core.messages import Failure
from webapp.stores.sql import SqlStore

# Messages and their ends


@pytest.mark.parametrize("which", ["question", "answer"])
def test_a_message_is_as_it_was_stored(store: SqlStore, which: str) -> None:
    begin(store)
    ask(store)
    stored = {message.role: message for message in messages(store)}
    wanted = stored["user" if which == "question" else "assistant"]
    assert store.message(ANN, wanted.message_id) == wanted


def test_a_message_of_another_or_of_nobody_is_not_found(store: SqlStore) -> None:
    begin(store, THERE, BOB)
    theirs = ask(store, owner=BOB, conversation_id=THERE)
    for message_id in [theirs.message_id, str(theirs.question_id), "msg_unknown"]:
        assert refusal(lambda wanted=message_id: store.message(ANN, wanted)) == "not_found"


ENDS = {
    "completed": {
        "finish_reason": "length",
        "sources": (Source("A\0", "https://a.example/", "\u2028passage", 0.1), Source("B", "", "", 1e-30)),
        "listings": (Listing("Boat", "https://b.example/", {"z": "1", "a": "\ud800"}),),
        "actions": (
            Action("act_1", "create", "d", {"n": [1, None, {"x": 2.5}]}, "refused", {"text": "no"}, "2026-11-30"),
            Action("act_2", "drop", "\0", {}, "proposed", None, "9999-12-31T00:00:00.000Z"),
        ),
        "remaining_messages": 58,
        "usage": Usage(12, 345),
    },
    "completed without a word": {"text": ""},
    "cancelled": {"state": State.CANCELLED, "finish_reason": None, "by": "owner_gone"},
    "failed": {
        "state": State.FAILED,
        "finish_reason": None,
        "failure": Failure("timeout", "Took\0long.", True, "Try again.", "abc"),
    },
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_finish_stores_all_of_the_end(store: SqlStore, end: dict[str, object]) -> None:
    begin(store)
    finished = ended(store.claim(claim_of()).answer, **end)
    assert store.ended(finished.message_id) is None
    assert store.finish(finished) is True
    assert store.ended(finished.message_id) == finished
    assert store.message(ANN, finished.message_id) == finished


def test_an_answer_that_nobody_asked_for_has_no_end_to_be_found(store: SqlStore) -> None:
    assert refusal(lambda: store.ended("msg_unknown")) == "not_found"


def test_finish_of_an_ended_answer_changes_nothing(store: SqlStore) -> None:
    begin(store)
    first = ask(store)
    before = store.conversation(ANN, HERE)
    assert store.finish(replace(first, state=State.CANCELLED, by="user", text="other", seq=9, ended_at=999)) is False
    assert store.conversation(ANN, HERE) == before


def test_finish_of_a_question_or_of_an_unknown_answer_changes_nothing(store: SqlStore) -> None:
    begin(store)
    answer = ask(store)
    before = store.conversation(ANN, HERE)
    for message_id in [str(answer.question_id), "msg_unknown"]:
        assert store.finish(replace(answer, message_id=message_id, text="other", ended_at=999)) is False
    assert store.conversation(ANN, HERE) == before


def test_of_ends_at_once_one_is_stored_whole(store: SqlStore) -> None:
    begin(store)
    answer = store.claim(claim_of()).answer
    ends = [ended(answer, text=f"text {number}", seq=number) for number in range(10)]
    won = at_once([lambda one=one: store.finish(one) for one in ends])
    assert won.count(True) == 1
    assert store.message(ANN, answer.message_id) == ends[won.index(True)]


def test_finish_refuses_what_has_not_ended(store: SqlStore) -> None:
    begin(store)
    answer = store.claim(claim_of()).answer
    for unended in [answer, ended(answer, ended_at=None), ended(answer, state=State.RUNNING)]:
        with pytest.raises(ValueError, match="has not ended"):
            store.finish(unended)
    assert store.message(ANN, answer.message_id) == answer


EXACT = {
    "NUL": "a\0b\0",
    "every control": "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0)])),
    "CR, LF and CRLF": "\r one\rtwo\ntwo\r\nthree\n\r\n\r",
    "blanks at both ends": " \t\n  padded  \n\t ",
    "separators": "\u2028line\u2029paragraph\x85next\x0b\x0c",
    "emoji": "\U0001f9ed \U0001f469\u200d\U0001f692 \U0001f44d\U0001f3fd \U0001f1ee\U0001f1f9",
    "not normalised": "e\u0301 \u00e9 \ufb01 \u212b",
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u202eabc\u202c \u0627\u0644",
    "byte order mark and non-characters": "\ufeffx\ufffe\uffff\U0010ffff\ufffd",
    "what looks like a statement": '\'; DROP TABLE messages; -- %s ? :name {"a": 1} \\',
}


@pytest.mark.proves("C17", "C20")
@pytest.mark.parametrize("text", EXACT.values(), ids=EXACT)
def test_every_text_comes_back_code_point_for_code_point(store: SqlStore, text: str) -> None:
    begin(store)
    answer = ask(store, text=text)
    store.finish(ended(store.claim(claim_of()).answer, text=text))
    asked, _, _, answered = messages(store)
    assert (asked.text, answered.text) == (text, text)
    assert store.message(ANN, str(answer.question_id)).text == text


def test_an_answer_of_four_mebibytes_comes_back_whole(store: SqlStore) -> None:
    text = "\U0001f9ed\r\n\0é " * (4 * 1024 * 1024 // 10)
    begin(store)
    answer = store.claim(claim_of()).answer
    store.finish(ended(answer, text=text))
    assert store.message(ANN, answer.message_id).text == text


# Cancel marks


def test_a_running_answer_is_marked_once(store: SqlStore) -> None:
    begin(store)
    answer = store.claim(claim_of()).answer
    marked = replace(answer, cancel_requested_at=150)
    assert store.mark_cancelled(ANN, answer.message_id, 150) == marked
    assert store.mark_cancelled(ANN, answer.message_id, 160) == marked
    assert store.message(ANN, answer.message_id) == marked


@pytest.mark.proves("B39")
def test_an_ended_answer_is_not_marked(store: SqlStore) -> None:
    begin(store)
    answer = ask(store)
    assert store.mark_cancelled(ANN, answer.message_id, 250) == answer


@pytest.mark.proves("B39")
def test_an_answer_of_another_or_of_nobody_cannot_be_marked(store: SqlStore) -> None:
    begin(store, THERE, BOB)
    theirs = store.claim(claim_of(owner=BOB, conversation_id=THERE)).answer
    for message_id in [theirs.message_id, "msg_unknown"]:
        assert refusal(lambda wanted=message_id: store.mark_cancelled(ANN, wanted, 150)) == "not_found"
    assert store.message(BOB, theirs.message_id).cancel_requested_at is None


def test_a_mark_stays_when_the_answer_ends(store: SqlStore) -> None:
    begin(store)
    answer = store.claim(claim_of()).answer
    store.mark_cancelled(ANN, answer.message_id, 150)
    store.finish(ended(answer, state=State.CANCELLED, finish_reason=None, by="user"))
    assert store.message(ANN, answer.message_id).cancel_requested_at == 150
