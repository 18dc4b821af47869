"""Conversations, claims and ends as the tests of the store make them; it asserts only that they were stored."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count

import pytest

from webapp.core.events import State
from webapp.core.messages import Conversation, Message
from webapp.core.problems import Refused
from webapp.ports.store import Claim
from webapp.stores.sql import SqlStore

ANN, BOB = "ann", "bob"
HERE, THERE = "cnv_here", "cnv_there"
numbers = count(1)


def begin(store: SqlStore, conversation_id: str = HERE, owner: str = ANN, *, title: str = "", at: int = 10) -> None:
    store.create_conversation(Conversation(conversation_id, owner, title, at, at))


def claim_of(**changes: object) -> Claim:
    """A claim under ids that no other one has; by Ann, in HERE, on the default parent."""
    number = next(numbers)
    claim = Claim(
        owner=ANN,
        request_id=f"req_{number}",
        fingerprint=f"print {number}",
        conversation_id=HERE,
        parent_id=None,
        is_parent_given=False,
        text="What now?",
        model="scripted",
        question_id=f"msg_question_{number}",
        answer_id=f"msg_answer_{number}",
        at=100,
    )
    return replace(claim, **changes)


def again(claim: Claim) -> Claim:
    """The same request once more: the caller has made new ids, and time has gone on."""
    number = next(numbers)
    return replace(claim, question_id=f"msg_question_{number}", answer_id=f"msg_answer_{number}", at=claim.at + 1)


def ended(answer: Message, **changes: object) -> Message:
    whole = replace(answer, state=State.COMPLETED, seq=7, text="Now this.", finish_reason="stop", ended_at=200)
    return replace(whole, **changes)


def ask(store: SqlStore, **changes: object) -> Message:
    """An answer that has ended."""
    answer = store.claim(claim_of(**changes)).answer
    assert store.finish(ended(answer))
    return ended(answer)


def messages(store: SqlStore, conversation_id: str = HERE, owner: str = ANN) -> list[Message]:
    return list(store.conversation(owner, conversation_id)[1])


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        call()
    return refused.value.code


def at_once(calls: list[Callable[[], object]]) -> list[object]:
    """What the calls return, or the code with which they are refused, each made in a thread of its own, all at once."""
    barrier = threading.Barrier(len(calls))

    def make(call: Callable[[], object]) -> object:
        barrier.wait()
        try:
            return call()
        except Refused as refused:
            return refused.code

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(make, calls))
