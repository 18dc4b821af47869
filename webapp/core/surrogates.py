"""Surrogate halves, which JSON can carry and UTF-8 cannot: joined across pieces, replaced when alone."""

import re

_HALF = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def has_lone_surrogate(text: str) -> bool:
    """Whether `text` holds a code point that has no UTF-8 form."""
    return _HALF.search(text) is not None


def well_formed(text: str) -> str:
    """`text` with each pair of halves as its character and each lone half as U+FFFD."""
    if not has_lone_surrogate(text):
        return text
    joined = _PAIR.sub(lambda pair: pair.group().encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return _HALF.sub("\ufffd", joined)


class SurrogateJoiner:
    """Makes a sequence of text pieces well formed: a first half waits for the piece that brings its second."""

    def __init__(self) -> None:
        self._waiting = ""

    def feed(self, piece: str) -> str:
        """The well-formed text that can be told so far; may be empty."""
        if not self._waiting and piece.isascii():
            return piece
        text = self._waiting + piece
        self._waiting = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
        return well_formed(text[: len(text) - len(self._waiting)])

    def finish(self) -> str:
        """What still waits, as U+FFFD, or nothing: call once after the last piece."""
        rest, self._waiting = self._waiting, ""
        return well_formed(rest)
