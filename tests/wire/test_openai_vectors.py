"""OpenAI's dialect is read as each vector says, however its bytes are cut, and wherever they end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.support.vectors import Vector, cuts, load, parameters, reads
from webapp.core.dialects.openai import OpenAIReader
from webapp.core.signs import Finish, ModelFailure, Sign, Text, TokenUsage, ToolCall, Working
from webapp.core.sse import FrameDecoder


def read(pieces: Sequence[bytes]) -> tuple[list[Sign], str | None]:
    """The signs of a stream of these network reads that ends after the last, and the code of its failure."""
    decoder, reader = FrameDecoder(), OpenAIReader()
    signs: list[Sign] = []
    try:
        for piece in pieces:
            for frame in decoder.feed(piece):
                for sign in reader.read(frame):
                    signs.append(sign)  # noqa: PERF402 - those before a failure count
        signs.extend(reader.finish(decoder.feed(b"\n\n") if decoder.pending else ()))
    except ModelFailure as failure:
        return signs, failure.code
    return signs, None


def written(sign: Sign) -> list[Any]:
    match sign:
        case Text(text):
            return ["Text", text]
        case Working(kind, _):
            return ["Working", kind]
        case ToolCall(id_, name, arguments):
            return ["ToolCall", id_, name, arguments]
        case TokenUsage(input_tokens, output_tokens):
            return ["TokenUsage", input_tokens, output_tokens]
        case Finish(reason):
            return ["Finish", reason]


def has_text_last(vector: Vector) -> bool:
    """Whether the model finishes, and no text comes behind that."""
    kinds = [sign[0] for sign in vector["signs"]]
    return "Finish" in kinds and "Text" not in kinds[kinds.index("Finish") :]


@pytest.mark.proves("C13")
@pytest.mark.parametrize("vector", parameters("openai"))
def test_a_stream_gives_the_same_signs_however_it_is_cut(vector: Vector) -> None:
    for pieces in cuts(reads(vector)):
        signs, failure = read(pieces)
        assert ([written(sign) for sign in signs], failure) == (vector["signs"], vector["failure"]), f"in {pieces}"


@pytest.mark.proves("C04", "C27")
@pytest.mark.parametrize(
    "vector", [pytest.param(each, id=each["name"]) for each in load("openai") if has_text_last(each)]
)
def test_a_stream_that_ends_anywhere_is_complete_only_with_all_of_its_text(vector: Vector) -> None:
    whole = b"".join(reads(vector))
    texts = [sign[1] for sign in vector["signs"] if sign[0] == "Text"]
    for end in range(len(whole)):
        signs, failure = read([whole[:end]])
        told = [sign.text for sign in signs if isinstance(sign, Text)]
        assert told == texts[: len(told)]
        if any(isinstance(sign, Finish) for sign in signs) and failure is None:
            assert told == texts, f"complete after {end} bytes"
