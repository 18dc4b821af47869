"""What a bad line makes of a body: bytes in, bytes and pauses out."""

from __future__ import annotations

import pytest

from webapp.qa.plans import Cut, Drip, Drop, Fault, Hold, LineEnds, Repeat, Scramble, Stall, Swap, random_plan
from webapp.qa.travel import BreakOff, Pause, Travel, frames_of, travel

BODY = [b"id: 1\ndata: a\n\nid: 2\nda", b"ta: b \n\nid: 3\ndata: c\n\n"]
ONE, TWO, THREE = b"id: 1\ndata: a\n\n", b"id: 2\ndata: b \n\n", b"id: 3\ndata: c\n\n"
WHOLE = ONE + TWO + THREE


def came(*faults: Fault) -> list[Travel]:
    """What travels, bytes that follow each other joined."""
    steps: list[Travel] = []
    for step in travel(BODY, faults):
        if isinstance(step, bytes) and steps and isinstance(steps[-1], bytes):
            steps[-1] += step
        else:
            steps.append(step)
    return steps


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Repeat(2), [ONE + TWO + TWO + THREE]),
        (Drop(2), [ONE + THREE]),
        (Swap(1), [TWO + ONE + THREE]),
        (Swap(3), [WHOLE]),
        (Cut(frames=2), [ONE + TWO, BreakOff(False)]),
        (Cut(frames=2, is_polite=True), [ONE + TWO, BreakOff(True)]),
        (Cut(bytes=len(ONE)), [ONE, BreakOff(False, 8)]),
        (Cut(bytes=len(WHOLE) + 1), [WHOLE]),
        (Stall(2.0, frames=1), [ONE, Pause(2.0), TWO + THREE]),
        (Stall(2.0, bytes=3), [WHOLE[:3], Pause(2.0), WHOLE[3:]]),
        (Drip(1), [WHOLE]),
        (Hold(), [WHOLE]),
        (Hold(5), [WHOLE]),
        (LineEnds("crlf"), [WHOLE.replace(b"\n", b"\r\n")]),
        (LineEnds("cr"), [WHOLE.replace(b"\n", b"\r")]),
        (LineEnds("trimmed"), [WHOLE.replace(b"b \n", b"b\n")]),
        (Scramble(2, 3), [WHOLE[:5] + WHOLE[2:]]),
        (Scramble(2, 3, is_swap=True), [WHOLE[:2] + WHOLE[5:8] + WHOLE[2:5] + WHOLE[8:]]),
        (Scramble(1_000, 3), [WHOLE]),
    ],
    ids=repr,
)
def test_a_body_is_harmed_where_the_fault_says_and_nowhere_else(fault: Fault, expected: list[Travel]) -> None:
    assert came(fault) == expected


def test_a_body_that_nothing_strikes_keeps_its_pieces() -> None:
    assert list(travel(BODY, [])) == BODY


def test_a_slow_drip_pauses_before_every_write() -> None:
    assert list(travel([b"abc"], [Drip(2, 0.1)])) == [Pause(0.1), b"ab", Pause(0.1), b"c"]


def test_a_buffer_lets_go_of_what_has_come_together() -> None:
    assert list(travel([b"ab", b"cd", b"e"], [Hold(3)])) == [b"abcd", b"e"]


def test_faults_of_frames_come_before_those_of_bytes() -> None:
    assert came(Drip(1), Drop(1), Cut(bytes=4)) == [TWO[:4], BreakOff(False)]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
def test_frames_end_with_a_blank_line_in_any_line_ends(ending: bytes) -> None:
    body = WHOLE.replace(b"\n", ending)
    frames = [part.replace(b"\n", ending) for part in (ONE, TWO, THREE)]
    assert list(frames_of([body])) == frames
    assert b"".join(frames_of([bytes([byte]) for byte in body])) == body
    assert list(frames_of([*BODY, b"rest"]))[-1] == b"rest"


def test_a_seed_makes_one_plan_that_its_print_makes_again() -> None:
    plans = [random_plan(seed) for seed in range(200)]
    assert plans == [random_plan(seed) for seed in range(200)]
    assert len({repr(plan) for plan in plans}) > 150
    names = {kind.__name__: kind for kind in Fault.__args__}  # type: ignore[attr-defined]
    assert eval(repr(plans[7]), {"Plan": type(plans[7]), **names}) == plans[7]
