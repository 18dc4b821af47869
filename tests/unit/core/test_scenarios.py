"""Scenarios: what is one, and what is refused with a word on what would be right."""

import pytest

from webapp.core.scenarios import BadScenario, Call, End, Fail, Line, Say, Wait, Work, parse


def test_every_step_is_read() -> None:
    made = parse(
        {
            "model": [
                {"text": "a"},
                {"wait": 0.5},
                {"activity": "thinking"},
                {"activity": "preparing_action", "wait": 1},
                {"action": {"name": "create_ticket", "arguments": {"subject": "x"}}},
                {"action": {"name": "create_ticket", "arguments": "{torn"}},
                {"hang": True},
                {"fail": "timeout"},
                {"finish": "length"},
            ],
            "merge": True,
            "limits": {"silence": 2},
            "line": {"bytes_per_write": 1, "line_end": "crlf"},
        }
    )
    assert made.steps == (
        Say("a"),
        Wait(0.5),
        Work("thinking"),
        Work("preparing_action"),
        Wait(1.0),
        Call("create_ticket", '{"subject": "x"}'),
        Call("create_ticket", "{torn"),
        Wait(None),
        Fail("timeout"),
        End("length"),
    )
    assert (made.is_merged, made.limits, made.line) == (True, {"silence": 2.0}, Line(1, b"\r\n"))


def test_every_fault_of_the_line_is_read() -> None:
    faults: dict[str, object] = {"cut_after_seq": [3], "repeat_seq": [4, 6], "omit_seq": [5], "corrupt_seq": [2]}
    made = parse({"model": [], "line": faults | {"stall_after_seq": 6, "stall": 2.0, "every_time": True}})
    struck = {("cut", 3), ("repeat", 4), ("repeat", 6), ("omit", 5), ("corrupt", 2), ("stall", 6)}
    assert made.line == Line(faults=frozenset(struck), stall=2.0, is_every_time=True)


def test_a_line_without_faults_is_clean() -> None:
    assert parse({"model": [], "line": {}}).line.is_clean


@pytest.mark.parametrize(
    "data",
    [
        [],
        {},
        {"model": "text"},
        {"model": [{}]},
        {"model": [{"text": ""}]},
        {"model": [{"text": "a", "wait": 1}]},
        {"model": [{"wait": -1}]},
        {"model": [{"wait": True}]},
        {"model": [{"activity": "dancing"}]},
        {"model": [{"fail": "nothing"}]},
        {"model": [{"finish": "end"}]},
        {"model": [{"sing": 1}]},
        {"model": [{"action": "create_ticket"}]},
        {"model": [{"action": {"arguments": {}}}]},
        {"model": [{"action": {"name": "a", "arguments": []}}]},
        {"model": [{"action": {"name": "a", "when": "now"}}]},
        {"model": [], "merge": 1},
        {"model": [], "limits": {"patience": 1}},
        {"model": [], "line": {"bytes_per_write": -1}},
        {"model": [], "line": {"line_end": "nel"}},
        {"model": [], "line": {"cut_after_seq": 3}},
        {"model": [], "line": {"omit_seq": [0]}},
        {"model": [], "line": {"repeat_seq": [True]}},
        {"model": [], "line": {"corrupt_seq": [1.5]}},
        {"model": [], "line": {"stall_after_seq": 2}},
        {"model": [], "line": {"stall": 2}},
        {"model": [], "line": {"stall_after_seq": 2, "stall": -1}},
        {"model": [], "line": {"every_time": 1}},
        {"model": [], "extra": 1},
    ],
)
def test_what_means_nothing_is_refused(data: object) -> None:
    with pytest.raises(BadScenario):
        parse(data)
