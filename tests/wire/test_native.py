"""Motamot's own dialect: what is written is read back, in ASCII and on one line, whatever the text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.texts import TEXTS
from tests.support.vectors import cuts
from webapp.core.dialects import native
from webapp.core.digests import digest
from webapp.core.events import (
    Accepted,
    Action,
    Activity,
    Answer,
    Cancelled,
    Delta,
    Error,
    Event,
    Listing,
    Snapshot,
    Source,
    State,
    Usage,
)
from webapp.core.sse import Frame, FrameDecoder

texts = st.text()
numbers = st.integers(min_value=1, max_value=2**53 - 1)
sizes = st.integers(min_value=0, max_value=2**32)
strings = st.dictionaries(texts, texts, max_size=3)
sources = st.builds(Source, texts, texts, texts, st.floats(allow_nan=False, allow_infinity=False))
listings = st.builds(Listing, texts, texts, strings)
actions = st.builds(Action, texts, texts, texts, strings, texts, st.none() | strings, st.none() | texts)
usages = st.builds(Usage, sizes, sizes)
kinds = st.sampled_from(["waiting", "thinking", "searching", "preparing_action"])
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(Accepted, numbers, texts, texts, texts, texts, texts, texts),
    st.builds(Delta, numbers, st.text(min_size=1)),
    st.builds(Activity, numbers, kinds, texts),
    st.builds(Snapshot, numbers, st.sampled_from(State), texts, texts, texts, texts, texts, texts),
    st.builds(
        Answer,
        numbers,
        texts,
        texts,
        texts,
        sizes,
        texts,
        st.sampled_from(["stop", "length", "content_filter"]),
        st.lists(sources, max_size=2).map(tuple),
        st.lists(listings, max_size=2).map(tuple),
        st.lists(actions, max_size=2).map(tuple),
        st.none() | sizes,
        st.none() | usages,
    ),
    st.builds(Cancelled, numbers, texts, sizes, texts, st.sampled_from(["user", "owner_gone"])),
    st.builds(Error, numbers, texts, texts, st.booleans(), texts, texts, sizes, texts, texts),
)


def read_all(pieces: list[bytes]) -> list[Event | None]:
    decoder = FrameDecoder()
    return [native.read(frame) for piece in pieces for frame in decoder.feed(piece)]


@pytest.mark.proves("B8", "G2", "H2", "H9")
@given(events)
def test_every_event_is_read_as_it_was_written(event: Event) -> None:
    assert read_all([native.write(event)]) == [event]


@pytest.mark.proves("K1", "H10")
@given(events)
def test_every_event_is_ascii_with_one_line_of_data(event: Event) -> None:
    lines = native.write(event).decode("ascii").split("\n")
    assert [line.partition(":")[0] for line in lines] == ["id", "event", "data", "", ""]
    assert lines[0] == f"id: {event.seq}"
    assert json.loads(lines[2].removeprefix("data: "))["seq"] == event.seq


@pytest.mark.proves("A13", "A31", "C13", "C17", "G3", "H1", "H6")
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
def test_every_text_survives_every_cut_and_every_line_end(name: str, line_end: bytes) -> None:
    text = TEXTS[name][:400]
    known = digest(text)
    stream: list[Event] = [Delta(2, text), Answer(3, "c", "m", text, known.bytes, known.sha256, "stop")]
    whole = b"".join(map(native.write, stream)).replace(b"\n", line_end)
    for pieces in cuts([whole]):
        assert read_all(pieces) == stream


@pytest.mark.proves("G12", "H4")
def test_an_unknown_event_is_passed_over_and_its_data_is_not_looked_at() -> None:
    assert native.read(Frame("mystery", "{no json", "7")) is None


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("delta", "{no json"),
        ("delta", "[]"),
        ("delta", '{"seq": 2}'),
        ("delta", '{"seq": 2, "text": 5}'),
        ("snapshot", '{"seq": 2, "state": "odd", "text": "a"}'),
        ("answer", '{"seq": 2, "text": "a"}'),
    ],
)
def test_a_known_event_that_does_not_hold_what_it_should_is_unreadable(name: str, data: str) -> None:
    with pytest.raises(native.Unreadable):
        native.read(Frame(name, data))
