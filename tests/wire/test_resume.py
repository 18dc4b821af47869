"""Going on after a fault of the line: the same events, each once, whatever became of the bytes."""

import threading
from contextlib import suppress

import httpx
import pytest

from tests.support.visitor import Visitor, events_of
from webapp.core.events import Accepted, Answer, Delta, Event, Snapshot

SIGNS = ["\U0001f9ed", "\u00e9", "\u96ea", "ab", "\U0001f9ed", "!"]


def until_cut(visitor: Visitor, question: str, **members: object) -> list[Event]:
    """The events that arrive on the stream of the question itself."""
    events: list[Event] = []
    with suppress(httpx.RemoteProtocolError), visitor.stream(question, **members) as response:
        for event in events_of(response):
            events.append(event)  # noqa: PERF402 - what came before a cut is kept
    return events


def message_id_of(events: list[Event]) -> str:
    assert isinstance(events[0], Accepted)
    return events[0].message_id


def text_of(events: list[Event]) -> str:
    """Joined by hand: a snapshot takes the place of what came before it."""
    text = ""
    for event in events:
        if isinstance(event, Snapshot):
            text = event.text
        elif isinstance(event, Delta):
            text += event.text
    return text


@pytest.mark.proves("B14", "B16", "B17", "C43")
@pytest.mark.parametrize("k", range(1, len(SIGNS) + 2))
def test_after_a_cut_behind_any_event_the_rest_comes_once(visitor: Visitor, k: int) -> None:
    first = until_cut(visitor, visitor.says(SIGNS, line={"cut_after_seq": [k]}))
    assert [event.seq for event in first] == list(range(1, k + 1))
    message_id = message_id_of(first)
    events = first + visitor.follow(message_id, last_event_id=str(k))
    assert [event.seq for event in events] == list(range(1, len(SIGNS) + 3))
    end = events[-1]
    assert isinstance(end, Answer)
    assert end.text == text_of(events) == "".join(SIGNS)
    assert visitor.run(message_id)["calls"] == 1


@pytest.mark.parametrize(
    ("fault", "first"),
    [("repeat_seq", [1, 2, 3, 3, 4, 5]), ("omit_seq", [1, 2, 4, 5]), ("corrupt_seq", [1, 2, 3, 4, 5])],
)
def test_a_fault_of_the_line_changes_the_first_stream_alone(visitor: Visitor, fault: str, first: list[int]) -> None:
    events = until_cut(visitor, visitor.says(["one ", "two ", "three"], line={fault: [3]}))
    assert [event.seq for event in events] == first
    assert text_of(events) != "one two three"
    message_id = message_id_of(events)
    assert text_of(visitor.follow(message_id, 0)) == visitor.message(message_id)["text"] == "one two three"


@pytest.mark.proves("B18", "B22")
@pytest.mark.parametrize("cursor", ["x", "-1", "99", "1.0", "3 ", "\u0663", "9" * 40])
def test_a_number_that_no_running_answer_has_is_answered_with_the_whole_text(visitor: Visitor, cursor: str) -> None:
    message_id = visitor.begin(visitor.scenario({"text": "one "}, {"text": "two"}, {"hang": True}))
    while visitor.message(message_id)["seq"] < 3:
        pass
    with visitor.http.stream("GET", f"/api/v1/messages/{message_id}/events", params={"after": cursor}) as response:
        whole = next(events_of(response))
    assert isinstance(whole, Snapshot)
    assert (whole.seq, whole.text) == (3, "one two")
    visitor.cancel(message_id)


@pytest.mark.proves("B15", "B18")
def test_a_number_that_is_no_longer_kept_is_answered_with_the_whole_text(visitor: Visitor) -> None:
    count = 4_000
    answer = visitor.ask(visitor.says(["ab"] * count)).json()
    first, *later = visitor.follow(answer["message_id"], 5)
    assert isinstance(first, Snapshot)
    assert first.text == "ab" * count
    assert [event.seq for event in later] == [count + 2]


@pytest.mark.proves("B14", "B17", "B18", "B23")
def test_many_readers_of_a_fast_answer_join_anywhere_and_miss_and_double_nothing(visitor: Visitor) -> None:
    pieces = [f"{number}\U0001f9ed " for number in range(3_000)]
    text = "".join(pieces)
    message_id = visitor.begin(visitor.says(pieces))
    wrong: list[str] = []

    def join(start: int) -> None:
        # What a page that comes back has: the text up to that number.
        known, last = "".join(pieces[: max(0, start - 1)]), start
        for event in visitor.follow(message_id, start):
            if isinstance(event, Snapshot):  # to a reader that comes too late, or falls behind
                known, last = event.text, event.seq
                continue
            if event.seq != last + 1:
                wrong.append(f"from {start}: {event.seq} after {last}")
            known, last = known + (event.text if isinstance(event, Delta) else ""), event.seq
        if known != text:
            wrong.append(f"from {start}: another text")

    readers = [threading.Thread(target=join, args=(start,)) for start in range(0, 3_000, 75)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(60)
    assert wrong == []
