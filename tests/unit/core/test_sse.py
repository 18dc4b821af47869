"""What is written as an event stream, the decoder's limit, and what its work costs."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import pytest

from webapp.core.sse import MAX_EVENT_BYTES, EventTooLarge, Frame, FrameDecoder, SseError, comment, encode


def test_a_frame_is_written_as_id_event_and_one_data_line() -> None:
    frame = Frame(event="delta", data='{"seq":3}', id="3")
    assert encode(frame) == b'id: 3\nevent: delta\ndata: {"seq":3}\n\n'


def test_an_empty_id_and_the_event_message_take_no_line() -> None:
    assert encode(Frame(data="a")) == b"data: a\n\n"


@pytest.mark.proves("A9")
def test_an_empty_line_of_text_is_written_as_a_data_line() -> None:
    assert encode(Frame(data="a\n\nb\n")) == b"data: a\ndata: \ndata: b\ndata: \n\n"


@pytest.mark.proves("H10")
def test_only_lf_parts_the_lines_that_are_written() -> None:
    text = "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g"
    assert encode(Frame(data=text)) == f"data: {text}\n\n".encode()


@pytest.mark.parametrize(
    "frame",
    [
        Frame(data="a\rb"),
        Frame(data="a\r\nb"),
        *(Frame(event=f"a{sign}") for sign in "\r\n\0"),
        *(Frame(id=f"{sign}1") for sign in "\r\n\0"),
        Frame(event=""),
        Frame(data="\ud83e"),
    ],
    ids=repr,
)
def test_what_the_format_cannot_carry_is_refused(frame: Frame) -> None:
    with pytest.raises(ValueError, match=r"cannot be sent|may not contain|surrogates not allowed"):
        encode(frame)


@pytest.mark.proves("A6")
def test_a_heartbeat_is_one_comment_line_without_a_blank_line() -> None:
    assert comment() == b":\n"
    assert comment("still here") == b": still here\n"


@pytest.mark.parametrize("text", ["a\nb", "a\r"])
def test_a_comment_of_two_lines_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="may not contain"):
        comment(text)


@pytest.mark.proves("C02")
def test_a_frame_is_given_at_its_cr_without_waiting_for_an_lf() -> None:
    decoder = FrameDecoder()
    assert decoder.feed(b"data: a\r\r") == [Frame(data="a")]
    assert decoder.feed(b"\ndata: b\r\n\r") == [Frame(data="b")]


@pytest.mark.proves("C04", "A8")
@pytest.mark.parametrize("rest", [b"data: b", b"data: b\n", b"data: b\r", b"data: b\r\n"])
def test_an_event_without_its_blank_line_is_told_and_two_line_ends_give_it(rest: bytes) -> None:
    decoder = FrameDecoder()
    assert decoder.feed(b"data: a\n\n" + rest) == [Frame(data="a")]
    assert decoder.pending
    assert decoder.feed(b"\n\n") == [Frame(data="b")]
    assert not decoder.pending


@pytest.mark.proves("C11")
def test_an_event_of_16_mib_is_read_and_one_byte_more_is_refused() -> None:
    text = "x" * MAX_EVENT_BYTES
    assert MAX_EVENT_BYTES == 16 * 1024 * 1024
    assert FrameDecoder().feed(f"data: {text}\n\n".encode()) == [Frame(data=text)]
    with pytest.raises(EventTooLarge) as caught:
        FrameDecoder().feed(f"data: {text}x".encode())
    assert isinstance(caught.value, SseError)
    assert caught.value.limit == MAX_EVENT_BYTES


@pytest.mark.proves("C11")
def test_an_event_of_three_megabytes_comes_whole_from_reads_of_1000_bytes() -> None:
    text = "x" * 3_000_000
    event = encode(Frame(data=text))
    decoder = FrameDecoder()
    found = [decoder.feed(event[at : at + 1000]) for at in range(0, len(event), 1000)]
    assert [frame for given in found for frame in given] == [Frame(data=text)]


@pytest.mark.proves("C11")
def test_after_an_event_that_was_too_large_nothing_is_read() -> None:
    decoder = FrameDecoder(limit=10)
    with pytest.raises(EventTooLarge) as first:
        decoder.feed(b"data: a\n\ndata: 0123456789a\n\ndata: b\n\n")
    with pytest.raises(EventTooLarge) as second:
        decoder.feed(b"\n\ndata: c\n\n")
    assert (first.value.frames, second.value.frames) == ([Frame(data="a")], [])


def timed(length: int, piece_length: int, line: bytes) -> Callable[[], float]:
    """What reads an event of `length` bytes once, and gives the CPU time that took."""
    event = b"data: " + line * (length // len(line)) + b"\n\n"
    pieces = [event[at : at + piece_length] for at in range(0, len(event), piece_length)]

    def once() -> float:
        decoder = FrameDecoder()
        start = process_time()
        for piece in pieces:
            decoder.feed(piece)
        return process_time() - start

    return once


@pytest.mark.proves("C11")
@pytest.mark.parametrize(
    ("length", "piece_length", "line"),
    [(2_000_000, 200, b"x"), (60_000, 1, b"x"), (60_000, 1, b"\ndata:"), (600_000, 1000, b"\ndata:")],
    ids=["short reads", "reads of one byte", "empty lines in reads of one byte", "empty lines"],
)
def test_an_event_three_times_as_large_takes_about_three_times_as_long(
    length: int, piece_length: int, line: bytes
) -> None:
    large, small = timed(3 * length, piece_length, line), timed(length, piece_length, line)
    # Time that grew with the square would be nine times as long. Both are measured in each round, so that a slow while
    # of the machine strikes both.
    assert min(large() / small() for _ in range(7)) < 4.5
