"""What is asked of a model in OpenAI's dialect, what its errors stand for, and what the reader says about itself."""

from __future__ import annotations

import json

import pytest

from webapp.core.actions import ARGUMENT_BYTES, Offer
from webapp.core.dialects.openai import OpenAIReader, request_body, told
from webapp.core.dialects.openai_errors import failure
from webapp.core.dialects.openai_tools import MOST_CALLS
from webapp.core.problems import KINDS
from webapp.core.prompts import Prompt, Turn
from webapp.core.signs import Finish, ModelFailure, Text, TokenUsage, ToolCall
from webapp.core.sse import Frame

PROMPT = Prompt((Turn("system", "Be brief."), Turn("user", "Hi"), Turn("assistant", "Hello."), Turn("user", "Why?")))


def test_a_request_has_the_turns_in_order_and_asks_for_a_stream_with_its_usage() -> None:
    assert request_body(PROMPT, "llama") == {
        "model": "llama",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello."},
            {"role": "user", "content": "Why?"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_a_request_has_no_member_that_was_not_set() -> None:
    bare = request_body(PROMPT, "llama", with_usage=False)
    assert set(bare) == {"model", "messages", "stream"}
    full = request_body(PROMPT, "llama", max_tokens=5, temperature=0.0)
    assert (full["max_tokens"], full["temperature"]) == (5, 0.0)


@pytest.mark.proves("B40", "C23")
@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        ({"code": 429}, 200, "provider_rate_limited"),
        ({"code": "429"}, 200, "provider_rate_limited"),
        ({"type": "rate_limit_error"}, 200, "provider_rate_limited"),
        ({"code": "rate_limit_exceeded"}, 200, "provider_rate_limited"),
        ({"status": "RESOURCE_EXHAUSTED"}, 200, "provider_rate_limited"),
        ({"code": "insufficient_quota"}, 400, "provider_rate_limited"),
        ("rate_limit_exceeded", 200, "provider_rate_limited"),
        ("anything", 429, "provider_rate_limited"),
        ({"code": "content_filter"}, 400, "content_blocked"),
        ({"code": None, "innererror": {"code": "ResponsibleAIPolicyViolation"}}, 400, "content_blocked"),
        ({"message": "the words rate_limit and content_filter in a message say nothing"}, 400, "provider_error"),
        ("the word rate_limit in a sentence says nothing", 200, "provider_error"),
        ({"message": "m", "type": "invalid_request_error", "code": None}, 401, "provider_error"),
        ({}, 403, "provider_error"),
        (None, 404, "provider_error"),
        ([1], 500, "provider_error"),
        ("<h1>Bad gateway</h1>", 502, "provider_unavailable"),
        ({"code": 503, "message": "Loading model"}, 503, "provider_unavailable"),
        ("", 504, "provider_unavailable"),
        # In the middle of a stream the model was there: that it broke off is what a person must know.
        ({"code": 502}, 200, "provider_error"),
    ],
)
def test_an_error_stands_for_one_of_our_codes(error: object, status: int, code: str) -> None:
    assert failure(error, status=status).code == code
    assert code in KINDS


@pytest.mark.proves("C118")
def test_what_a_provider_wrote_stays_on_one_line_of_the_log() -> None:
    assert "\n" not in failure({"message": "a\nFAKE LOG LINE"}).inner
    assert "\u2028" not in failure("a\u2028b").inner


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ('{"error": {"code": 1}}', {"code": 1}),
        ('{"error": "no"}', "no"),
        ('{"detail": "no"}', {"detail": "no"}),
        ("<h1>no</h1>", "<h1>no</h1>"),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_an_error_is_found_in_whatever_a_provider_says(body: str, error: object) -> None:
    assert told(body) == error


def test_json_that_is_nested_without_end_is_no_crash() -> None:
    with pytest.raises(ModelFailure, match="provider_error"):
        list(OpenAIReader().read(Frame(data='{"a":' * 100_000)))


def test_an_unknown_reason_is_kept_for_the_log() -> None:
    reader = OpenAIReader()
    list(reader.read(Frame(data='{"choices":[{"delta":{},"finish_reason":"eos"}]}')))
    assert reader.unknown_reason == "eos"


@pytest.mark.parametrize("reason", ["stop", "length", "content_filter", "tool_calls", "function_call"])
def test_a_known_reason_is_not_logged(reason: str) -> None:
    reader = OpenAIReader()
    list(reader.read(Frame(data=json.dumps({"choices": [{"delta": {}, "finish_reason": reason}]}))))
    assert reader.unknown_reason == ""


def test_the_end_mark_says_that_nothing_more_is_read() -> None:
    reader = OpenAIReader()
    list(reader.read(Frame(data='{"choices":[{"delta":{},"finish_reason":"stop"}]}')))
    assert (reader.is_finished, reader.is_done) == (True, False)
    list(reader.read(Frame(data="[DONE]")))
    assert reader.is_done


def test_a_request_offers_actions_as_tools() -> None:
    offer = Offer("ring", "Ring the bell", {"type": "object", "properties": {}})
    function = {"name": "ring", "description": "Ring the bell", "parameters": {"type": "object", "properties": {}}}
    assert request_body(PROMPT, "llama", offers=[offer])["tools"] == [{"type": "function", "function": function}]
    assert "tools" not in request_body(PROMPT, "llama")


def call_piece(index: int, arguments: str) -> Frame:
    function = {"name": "a", "arguments": arguments}
    return Frame(data=json.dumps({"choices": [{"delta": {"tool_calls": [{"index": index, "function": function}]}}]}))


def test_arguments_without_measure_are_kept_as_far_as_they_are_too_long_for_any_action() -> None:
    reader = OpenAIReader()
    for _ in range(100):
        list(reader.read(call_piece(0, "x" * 10_000)))
    list(reader.read(Frame(data="[DONE]")))
    (call,) = [sign for sign in reader.finish() if isinstance(sign, ToolCall)]
    assert ARGUMENT_BYTES < len(call.arguments) < 2 * ARGUMENT_BYTES


def test_calls_without_number_are_a_failure_of_the_model() -> None:
    reader = OpenAIReader()
    for index in range(MOST_CALLS):
        list(reader.read(call_piece(index, "{}")))
    with pytest.raises(ModelFailure, match="more than 100 actions"):
        list(reader.read(call_piece(MOST_CALLS, "{}")))


@pytest.mark.proves("C26")
def test_a_completion_in_one_piece_is_read_like_a_stream() -> None:
    reader = OpenAIReader()
    message = {
        "role": "assistant",
        "content": "Hi",
        "tool_calls": [{"id": "t", "function": {"name": "a", "arguments": {}}}],
    }
    whole = {
        "choices": [{"index": 0, "message": message, "finish_reason": "length"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    }
    signs = [*reader.read_whole(json.dumps(whole)), *reader.finish()]
    assert signs[0] == Text("Hi")
    assert signs[2:] == [Finish("length"), ToolCall("t", "a", "{}"), TokenUsage(1, 2)]


def test_a_completion_in_one_piece_is_an_end_without_a_reason_too() -> None:
    signs = list(OpenAIReader().read_whole('{"choices":[{"message":{"content":"Hi"}}]}'))
    assert signs == [Text("Hi"), Finish("stop")]


@pytest.mark.proves("C26")
@pytest.mark.parametrize(
    "body", ['{"error":"please sign in"}', '{"detail":"no"}', "<h1>no</h1>", "", "[]", '{"choices":[{"delta":{}}]}']
)
def test_json_that_is_no_completion_fails(body: str) -> None:
    with pytest.raises(ModelFailure, match="provider_error"):
        list(OpenAIReader().read_whole(body))
