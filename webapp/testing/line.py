"""What a scenario does to the bytes of a stream on their way to the reader."""

from collections.abc import Iterator

from webapp.core.scenarios import Line


def spoil(pieces: Iterator[bytes], line: Line) -> Iterator[bytes]:
    """The same stream with other line ends, or in writes of a given size."""
    for piece in pieces:
        changed = piece.replace(b"\n", line.line_end)
        size = line.bytes_per_write or len(changed)
        for start in range(0, len(changed), size):
            yield changed[start : start + size]
