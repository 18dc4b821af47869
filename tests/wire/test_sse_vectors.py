"""The Python decoder gives what each vector says, however its bytes are cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.support.vectors import Vector, cuts, parameters, reads
from webapp.core.sse import MAX_EVENT_BYTES, EventTooLarge, Frame, FrameDecoder


def read(pieces: Sequence[bytes], limit: int) -> dict[str, Any]:
    decoder = FrameDecoder(limit=limit)
    frames: list[Frame] = []
    error = None
    try:
        for piece in pieces:
            frames += decoder.feed(piece)
    except EventTooLarge as too_large:
        frames += too_large.frames
        error = type(too_large).__name__
    return {
        "frames": [[frame.event, frame.data, frame.id] for frame in frames],
        "last_event_id": decoder.last_event_id,
        "retry": decoder.retry,
        "pending": decoder.pending,
        "invalid": decoder.invalid,
        "error": error,
    }


@pytest.mark.proves("A13")
@pytest.mark.parametrize("vector", parameters("sse"))
def test_a_stream_gives_the_same_frames_and_state_however_it_is_cut(vector: Vector) -> None:
    for pieces in cuts(reads(vector)):
        found = read(pieces, vector.get("limit", MAX_EVENT_BYTES))
        expected = {name: value for name, value in vector.items() if name in found}
        assert {name: found[name] for name in expected} == expected, f"in the pieces {pieces}"
