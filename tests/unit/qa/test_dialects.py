"""Answers read from the bytes that a page got, in every dialect of the kit, wherever the bytes were cut."""

from __future__ import annotations

import json

import pytest

from webapp.core.dialects import native
from webapp.core.digests import digest
from webapp.core.events import Accepted, Answer, Cancelled, Delta, Error, Event, Snapshot, State
from webapp.qa.dialects import Piece, Stream, Travelled, read_answers
from webapp.qa.upstream import DONE, delta, finish, frame
from webapp.qa.upstream import answer as openai_answer

TEXT = "one \U0001f9ed two\n\n"
KNOWN = digest(TEXT)
ACCEPTED = Accepted(1, "cnv", "msg_1", "msg_0", "req", "m", "2026-01-01T00:00:00.000Z")
ENDS: dict[str, Event] = {
    "completed": Answer(4, "cnv", "msg_1", TEXT, KNOWN.bytes, KNOWN.sha256, "stop"),
    "cancelled": Cancelled(4, TEXT, KNOWN.bytes, KNOWN.sha256, "user"),
    "failed": Error(4, "timeout", "d", True, "n", TEXT, KNOWN.bytes, KNOWN.sha256, "i"),
}


def stream(*parts: bytes, address: str = "/x") -> Stream:
    return Stream(address, [Piece(float(place), part) for place, part in enumerate(parts)])


def written(*events: Event) -> list[bytes]:
    return [native.write(event) for event in events]


def one(answers: list[Travelled]) -> tuple[str, str]:
    (answer,) = answers
    return answer.text, answer.end


@pytest.mark.parametrize("end", ["completed", "cancelled", "failed"])
def test_motamot_s_own_events_make_an_answer_and_its_end(end: str) -> None:
    parts = written(ACCEPTED, Delta(2, TEXT[:4]), Delta(3, TEXT[4:]), ENDS[end])
    (answer,) = read_answers("native", [stream(*parts)])
    assert (answer.text, answer.end) == (TEXT, end)
    assert [(addition.at, addition.text) for addition in answer.additions] == [(1.0, TEXT[:4]), (2.0, TEXT[4:])]
    every_byte = [bytes([byte]) for byte in b"".join(parts)]
    assert one(read_answers("native", [stream(*every_byte)])) == (TEXT, end)


def test_an_answer_that_came_in_two_streams_is_one_and_repeats_count_once() -> None:
    first = stream(*written(ACCEPTED, Delta(2, TEXT[:4]), Delta(2, TEXT[:4])))
    rest = stream(*written(Delta(2, TEXT[:4]), Delta(3, TEXT[4:]), ENDS["completed"]), address="/messages/msg_1/events")
    assert one(read_answers("native", [first, rest])) == (TEXT, "completed")


def test_a_snapshot_takes_the_place_of_the_text_and_a_cut_has_no_end() -> None:
    snapshot = Snapshot(9, State.RUNNING, "whole", "msg_1", "cnv", "msg_0", "m")
    again = stream(*written(snapshot, Delta(9, "no"), Delta(10, " text")), address="/messages/msg_1/events")
    assert one(read_answers("native", [stream(*written(ACCEPTED, Delta(2, "one"))), again])) == ("whole text", "")


def test_answers_of_motamot_stand_apart_by_their_ids() -> None:
    other = Accepted(1, "cnv", "msg_2", "msg_0", "req", "m", "2026-01-01T00:00:00.000Z")
    parts = written(ACCEPTED, Delta(2, "a")), written(other, Delta(2, "b"))
    assert [found.text for found in read_answers("native", [stream(*part) for part in parts])] == ["a", "b"]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (openai_answer("one ", "two"), ("one two", "completed")),
        ([delta("one "), delta("two")], ("one two", "")),
        ([delta("one "), DONE], ("one ", "completed")),
        ([delta("one "), finish("length")], ("one ", "completed")),
        ([delta("half"), frame({"error": {"message": "no"}}), delta("never")], ("half", "failed")),
        ([b"data: nonsense\n\n"], ("", "failed")),
    ],
)
def test_openai_s_chunks_make_an_answer(parts: list[bytes], expected: tuple[str, str]) -> None:
    assert one(read_answers("openai", [stream(*parts)])) == expected


def test_streams_without_an_answer_are_none() -> None:
    assert read_answers("openai", [stream(b": ping\n\n"), stream()]) == []


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([{"message": {"content": "one "}}, {"message": {"content": "two"}, "done": True}], ("one two", "completed")),
        ([{"message": {"content": "one"}}, {"error": "no"}], ("one", "failed")),
        ([{"message": {"content": "one"}}, {"message": [1]}, 3], ("one", "")),
    ],
)
def test_lines_of_json_make_an_answer(lines: list[object], expected: tuple[str, str]) -> None:
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    for parts in ([body], [bytes([byte]) for byte in body]):
        assert one(read_answers("ndjson", [stream(*parts)], way="message.content")) == expected


def test_a_way_leads_through_lists_and_a_line_that_is_no_json_fails() -> None:
    line = json.dumps({"choices": [{"text": "hi"}]}).encode() + b"\n"
    assert one(read_answers("ndjson", [stream(line)], way="choices.0.text")) == ("hi", "")
    assert one(read_answers("ndjson", [stream(line, b"<html>\n")], way="choices.0.text")) == ("hi", "failed")
