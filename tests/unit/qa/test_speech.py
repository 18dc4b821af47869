"""The rules of speech name each fault and let what is right pass."""

from __future__ import annotations

import re

import pytest

from webapp.qa.speech import (
    Announcement,
    Record,
    Region,
    grows,
    not_polite,
    out_of_order,
    table,
    too_close,
    too_many,
    unsaid,
    voiceless,
)


def said(*texts: str, every: float = 1.0, region: str = "status") -> list[Announcement]:
    """One text after the other."""
    return [Announcement(number * every, "polite", region, text) for number, text in enumerate(texts)]


STATUS = Region("status", "polite")


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (Record(), "the page has had no live region"),
        (Record(regions=[Region("timer", "off")]), "the page has had no live region"),
        (Record(regions=[Region("status", "polite", "display: none")]), r"can be heard: status \(display: none\)"),
        (Record(regions=[STATUS], born=said("born")), "nothing was heard, .*status: 'born'"),
        (Record(regions=[STATUS], unheard=said("lost")), "nothing was heard, .*status: 'lost'"),
    ],
)
def test_a_page_that_proves_nothing_is_told_why(record: Record, why: str) -> None:
    assert re.search(why, voiceless(record))


@pytest.mark.parametrize(
    "record",
    [
        Record(regions=[STATUS]),
        Record(regions=[STATUS, Region("alert", "assertive", "hidden")]),
        Record(heard=said("notified")),
        Record(heard=said("one"), born=said("born")),
    ],
)
def test_a_page_that_can_be_heard_may_be_judged(record: Record) -> None:
    assert voiceless(record) == ""


def test_more_than_so_many_are_too_many() -> None:
    assert too_many(said("a", "b"), 2) == ""
    assert too_many(said("a", "b"), 1) == "too many: 2 announcements, at most 1 were expected"


def test_two_that_are_too_close_are_named() -> None:
    assert too_close(said("a", "b", every=0.5), 0.5) == ""
    assert too_close(said("a", "b", every=0.4), 0.5) == "too close: 0.400 s, not 0.5 s, between 'a' and 'b'"


@pytest.mark.parametrize(
    ("expected", "fault"),
    [
        (["start", "end"], ""),
        (["start", re.compile(r"^\d+$"), "the end"], ""),
        ([], ""),
        (["end", "start"], "'start', number 2 of 2, was heard only before"),
        (["start", "middle"], "'middle', number 2 of 2, was not heard"),
        (["12", re.compile("2")], "'2', number 2 of 2, was heard only before"),
    ],
)
def test_the_order_is_kept_with_others_between(expected: list[str | re.Pattern[str]], fault: str) -> None:
    found = out_of_order(said("start", "x", "12", "the end"), expected)
    assert found.startswith(fault) if fault else found == ""


TEXT = "# One\n\nIt is **very** short, e\u0301t\u00a0fin. Two ends it!\r\n- three\n你好。再见。"


@pytest.mark.parametrize(
    ("texts", "fault"),
    [
        (["One. It is very short, e\u0301t fin.", "Two ends it!", "three", "你好。再见。"], ""),
        (["One It is", "very short e\u0301t fin Two ends it three", "你好 再见"], ""),
        (["Answer: One. It is very short, e\u0301t fin. Two ends it! three"], "not said: '你好。'"),
        (
            ["One. It is very short, e\u0301t fin. three 你好。再见。 Two ends it!"],
            "not said at its place.*: '- three'",
        ),
        (["One. It is very shorter, e\u0301t fin. Two ends it! three 你好。再见。"], "not said: 'It is "),
        (["One. Two ends it! three 你好。再见。"], "not said: 'It is "),
        ([], "not said: '# One'"),
    ],
)
def test_every_sentence_has_to_be_said(texts: list[str], fault: str) -> None:
    found = unsaid(said(*texts), TEXT)
    assert re.match(fault, found) if fault else found == ""


@pytest.mark.parametrize(
    ("heard", "deltas", "fault"),
    [
        (said("start", "one", "two", "end", every=3), 10, ""),
        (said("start", "one", "two", "end", every=3), 1000, ""),
        (said("Generating", "Generating the answer", "Answer complete"), 9, ""),
        (said("one", "one", "one"), 1000, ""),
        (said(*map(str, range(40)), every=2), 1000, ""),
        ([], 1000, ""),
        (said(*map(str, range(40)), every=0.02), 200, "40 announcements in 0.8 s for 200 deltas"),
        (said(*map(str, range(40)), every=2), 40, "40 announcements for 40 deltas: each delta is announced"),
        (said("a b", "a b c", "a b c d", every=9), 1000, "status reads all again: 'a b c' holds 'a b'"),
        (said("You a end", "You a b end", "You a b c end", every=9), 1000, "status reads all again"),
        (said("第一", "第一句", "第一句话", every=9), 1000, "status reads all again"),
    ],
)
def test_announcements_may_not_follow_the_deltas(heard: list[Announcement], deltas: int, fault: str) -> None:
    found = grows(heard, deltas)
    assert found.startswith(fault) if fault else found == ""


def test_each_region_is_looked_at_alone_for_what_is_read_again() -> None:
    log = said("a", "a b", "a b c", region="log", every=2)
    status = said("x", "y", "z", every=2)
    assert "log reads all again" in grows([one for pair in zip(log, status, strict=True) for one in pair], 1000)


def test_what_interrupts_is_named() -> None:
    assert not_polite(said("a")) == ""
    assert not_polite([Announcement(0, "assertive", "alert", "loud")]) == "not polite: 'loud'"


def test_the_table_shows_its_beginning_and_its_end() -> None:
    assert table(Record()) == "nothing was heard"
    lines = table(Record(heard=said(*(f"text {number}" for number in range(100))))).splitlines()
    assert (lines[1].split()[-1], lines[13], lines[-1].split()[-1]) == ("0'", "… 76 more …", "99'")
    lost = table(Record(unheard=said("a\u200bb"))).splitlines()
    assert lost[1].endswith("'a\\u200bb' (silent)")
