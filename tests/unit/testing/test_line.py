"""A faulty line: which bytes arrive of a stream, reader after reader."""

from collections.abc import Iterator
from contextlib import suppress

import pytest

from webapp.core.dialects import native
from webapp.core.events import Delta, Event
from webapp.core.scenarios import Line
from webapp.core.sse import FrameDecoder, comment
from webapp.testing.line import FaultyLines

DELTAS = [Delta(seq, f"letter {seq}") for seq in range(2, 7)]


def arrived(lines: FaultyLines, message_id: str = "msg_1") -> list[Event]:
    """What a reader gets of the deltas, up to a cut; they are sent after a comment, in two pieces."""
    pieces = [comment("hello"), b"".join(map(native.write, DELTAS[:3])), b"".join(map(native.write, DELTAS[3:]))]
    decoder, events = FrameDecoder(), list[Event]()
    with suppress(ConnectionResetError):
        for piece in lines(message_id, iter(pieces)):
            events += [event for frame in decoder.feed(piece) if (event := native.read(frame)) is not None]
    return events


def numbers(lines: FaultyLines, message_id: str = "msg_1") -> list[int]:
    return [event.seq for event in arrived(lines, message_id)]


@pytest.mark.parametrize(
    ("line", "first"),
    [
        (Line(faults=frozenset({("cut", 3)})), [2, 3]),
        (Line(faults=frozenset({("repeat", 4)})), [2, 3, 4, 4, 5, 6]),
        (Line(faults=frozenset({("omit", 2), ("omit", 5)})), [3, 4, 6]),
        (Line(1, b"\n", frozenset({("cut", 4), ("repeat", 4)})), [2, 3, 4, 4]),
        (Line(0, b"\r", frozenset({("cut", 4), ("omit", 4)})), [2, 3]),
    ],
)
def test_a_fault_strikes_the_first_reader_of_each_answer_and_no_later_one(line: Line, first: list[int]) -> None:
    lines = FaultyLines(lambda _: line)
    assert [numbers(lines), numbers(lines)] == [first, [2, 3, 4, 5, 6]]
    assert numbers(lines, "msg_2") == first


def test_a_fault_waits_for_the_reader_that_reaches_its_event() -> None:
    lines = FaultyLines(lambda _: Line(faults=frozenset({("cut", 2), ("cut", 5)})))
    assert [numbers(lines), numbers(lines), numbers(lines)] == [[2], [2, 3, 4, 5], [2, 3, 4, 5, 6]]


def test_every_reader_can_be_struck() -> None:
    lines = FaultyLines(lambda _: Line(faults=frozenset({("cut", 3)}), is_every_time=True))
    assert [numbers(lines) for _ in range(3)] == [[2, 3]] * 3


def test_one_letter_of_a_delta_is_changed() -> None:
    lines = FaultyLines(lambda _: Line(faults=frozenset({("corrupt", 4)})))
    got = arrived(lines)
    assert [event for event, sent in zip(got, DELTAS, strict=True) if event != sent] == [Delta(4, "xetter 4")]
    assert arrived(lines) == DELTAS


@pytest.mark.parametrize("text", ["x", "\u96ea", "\U0001f9ed", "\r\n", '"', "1x"])
def test_a_changed_text_keeps_its_length_and_differs_in_one_sign(text: str) -> None:
    lines = FaultyLines(lambda _: Line(faults=frozenset({("corrupt", 2)})))
    (event,) = FrameDecoder().feed(b"".join(lines("msg_1", iter([native.write(Delta(2, text))]))))
    changed = native.read(event)
    assert isinstance(changed, Delta)
    assert [one == other for one, other in zip(changed.text, text, strict=True)].count(False) == 1


def test_a_stall_comes_between_two_events(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("webapp.testing.line.time.sleep", slept.append)
    lines = FaultyLines(lambda _: Line(faults=frozenset({("stall", 3)}), stall=2.0))
    pieces = lines("msg_1", iter([b"".join(map(native.write, DELTAS))]))
    assert [list(slept) for _ in pieces] == [[], [], [2.0], [2.0], [2.0]]


def test_a_line_without_faults_passes_the_very_pieces_on() -> None:
    pieces: Iterator[bytes] = iter([b"one"])
    assert FaultyLines(lambda _: Line())("msg_1", pieces) is pieces
