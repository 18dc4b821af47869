"""Any bytes, in any pieces: the decoder against a slow one that follows the standard's text step by step."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.vectors import Vector, run_in_node
from webapp.core.sse import EventTooLarge, Frame, FrameDecoder, encode

TOKENS = [
    *(b"data", b"data:", b"data: ", b"event: ", b"event:", b"id: ", b"id:", b"id", b"retry: ", b":", b": "),
    *(b"\r", b"\n", b"\r\n", b"\n\n", b"\r\r", b"\r\n\r\n", b" ", b"\t", b"\0", b"7", b"250", b"a", b"{}"),
    *(b"\xef\xbb\xbf", b"\xef", b"\xbb", b"\xbf", b"\xff", b"\xed\xa0\x80", b"\xf0\x9f", b"\xa7\xad", b"\xc3"),
    *("é".encode(), "🧭".encode(), "\u2028".encode(), "\x85".encode(), b"\x0b", b"\xef\xbf\xbd"),
]

token_streams = st.lists(st.sampled_from(TOKENS), max_size=40).map(b"".join)
streams = token_streams | st.binary(max_size=200)
places = st.lists(st.integers(min_value=0, max_value=400), max_size=12)
# What the format can carry: no line ends or NUL in names and ids, no CR in data, no halves of surrogate pairs.
names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"))
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"))
frames = st.builds(Frame, event=names.filter(bool), data=texts, id=names)


def cut(stream: bytes, at: Sequence[int]) -> list[bytes]:
    edges = [0, *sorted(min(place, len(stream)) for place in at), len(stream)]
    return [stream[start:end] for start, end in pairwise(edges)]


def decode(pieces: Sequence[bytes], **options: int) -> tuple[list[Frame], str, int | None, int, bool]:
    """Frames, last event ID, retry, the number of U+FFFD put in, and whether the limit was passed."""
    decoder = FrameDecoder(**options)
    found: list[Frame] = []
    try:
        for piece in pieces:
            found += decoder.feed(piece)
    except EventTooLarge as too_large:
        return found + too_large.frames, decoder.last_event_id, decoder.retry, decoder.invalid, True
    return found, decoder.last_event_id, decoder.retry, decoder.invalid, False


def decode_by_the_standard(stream: bytes) -> tuple[list[Frame], str, int | None]:
    """Frames, last event ID and retry, as WHATWG HTML §9.2.6 says, of the whole stream at once."""
    text = stream.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    lines = re.split("\r\n|\n|\r", text)[:-1]  # what follows the last line end is no line
    found: list[Frame] = []
    data = event = id_buffer = last_event_id = ""
    retry = None
    for line in lines:
        if line == "":
            last_event_id = id_buffer
            if data != "":
                found.append(Frame(event or "message", data.removesuffix("\n"), last_event_id))
            data = event = ""
            continue
        if line.startswith(":"):
            continue
        name, value = line.split(":", 1) if ":" in line else (line, "")
        if value.startswith(" "):
            value = value[1:]
        if name == "event":
            event = value
        elif name == "data":
            data += value + "\n"
        elif name == "id" and "\0" not in value:
            id_buffer = value
        elif name == "retry" and re.fullmatch("[0-9]{1,15}", value):
            retry = int(value)
    return found, last_event_id, retry


@pytest.mark.proves("A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A11", "A12", "A13")
@given(streams, places)
@example(b"\xef\xbb\xbf\r\ndata\r\r\n", [1, 4, 10])
def test_any_bytes_in_any_pieces_are_read_as_the_standard_says(stream: bytes, at: list[int]) -> None:
    found, last_event_id, retry, _, _ = decode(cut(stream, at))
    assert (found, last_event_id, retry) == decode_by_the_standard(stream)


@pytest.mark.proves("A13", "C14")
@given(streams, places)
def test_the_cuts_change_neither_the_frames_nor_the_count_of_bad_bytes(stream: bytes, at: list[int]) -> None:
    assert decode(cut(stream, at)) == decode([stream])


@pytest.mark.proves("A13", "C11")
@given(token_streams, places, st.integers(min_value=5, max_value=20))
def test_the_cuts_do_not_decide_whether_an_event_is_too_large(stream: bytes, at: list[int], limit: int) -> None:
    assert decode(cut(stream, at), limit=limit) == decode([stream], limit=limit)


@pytest.mark.proves("A9", "A13", "H10")
@given(frames, places)
@example(Frame("answer", "a\n\nb\x0b\x0c\x1c\x85\u2028\u2029c\n", "7"), [])
@example(Frame("message", " \ufeff", ""), [1])
def test_what_encode_wrote_is_read_back_in_any_pieces(frame: Frame, at: list[int]) -> None:
    assert decode(cut(encode(frame), at))[0] == [frame]


def random_vectors(count: int) -> list[Vector]:
    chance = random.Random(2)
    vectors = []
    for number in range(count):
        stream = b"".join(chance.choices(TOKENS, k=chance.randrange(30)))
        limit = chance.choice([8, 30, 1000])
        found, last_event_id, retry, _, is_too_large = decode([stream], limit=limit)
        vectors.append(
            {
                "name": f"random stream {number}",
                "chunks": [stream.decode("latin-1")],
                "limit": limit,
                "frames": [[frame.event, frame.data, frame.id] for frame in found],
                "last_event_id": last_event_id,
                "retry": retry,
                "error": "EventTooLarge" if is_too_large else None,
            }
        )
    return vectors


@pytest.mark.proves("A13")
def test_both_decoders_read_any_stream_alike(node: str) -> None:
    vectors = random_vectors(500)
    found = run_in_node(node, "sse", vectors)
    assert found["mismatches"] == []
    assert found["runs"] > len(vectors)
