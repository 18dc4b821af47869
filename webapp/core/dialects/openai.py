"""OpenAI's chat-completions dialect: its request as a value, its stream's frames read into signs; no IO, no clock."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from webapp.core.actions import Offer
from webapp.core.dialects.openai_errors import failure
from webapp.core.dialects.openai_tools import ToolCallAssembler
from webapp.core.events import FinishReason
from webapp.core.prompts import Prompt
from webapp.core.signs import Finish, ModelFailure, Sign, Text, TokenUsage, Working
from webapp.core.sse import Frame

_Object = dict[str, Any]

_DONE = "[DONE]"
_THINKING = Working("thinking", "Thinking")
_PREPARING = Working("preparing_action", "Preparing an action")
_REASONING = ("reasoning_content", "reasoning", "reasoning_details", "thinking")
_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "tool_calls": "stop",
    "function_call": "stop",
}


def request_body(
    prompt: Prompt,
    name: str,
    *,
    max_tokens: int | None = None,
    temperature: float | None = None,
    with_usage: bool = True,
    offers: Sequence[Offer] = (),
) -> dict[str, object]:
    """What is posted to `…/chat/completions` for a stream from the model called `name`; what is None is not sent.

    `offers`: the actions that the model may propose, as tools.
    `with_usage` asks for a last chunk with the token counts; some servers refuse a request that has this member.
    """
    body: dict[str, object] = {
        "model": name,
        "messages": [{"role": turn.role, "content": turn.text} for turn in prompt.turns],
        "stream": True,
    }
    if with_usage:
        body["stream_options"] = {"include_usage": True}
    if max_tokens is not None:
        body["max_tokens"] = max_tokens
    if temperature is not None:
        body["temperature"] = temperature
    if offers:
        body["tools"] = [_tool(offer) for offer in offers]
    return body


def _tool(offer: Offer) -> _Object:
    about = {"name": offer.name, "description": offer.description, "parameters": offer.parameters}
    return {"type": "function", "function": about}


class OpenAIReader:
    """Reads the frames of one answer: `read` each, then `finish` once.

    `is_finished`: the model has ended by itself, and Finish was told; text that comes later is told too.
    `is_done`: the stream's last mark has come, nothing that follows is read. `unknown_reason`: a finish reason that was
    taken for `stop`, for the log.

    Each piece of reasoning and of a tool call is told as Working, every time, because each is a sign of life to who
    watches for silence; whoever shows them decides how often. Halves of surrogate pairs pass as they came.
    """

    def __init__(self) -> None:
        self.is_finished = False
        self.is_done = False
        self.unknown_reason = ""
        self._has_text = False
        self._usage: TokenUsage | None = None
        self._tools = ToolCallAssembler()

    def read(self, frame: Frame) -> Iterator[Sign]:
        """The signs of `frame`, in order; an iterator, so that text which comes with an error is told before it.

        Raises ModelFailure for an error that the provider tells inside its stream, and for data that is no JSON object.
        """
        data = frame.data.strip()
        if self.is_done:
            return
        if frame.event == "error":
            raise self._failure(told(data))
        # Gateways re-send comments as data.
        if not data or data.startswith(":"):
            return
        # Only as the whole value: an answer may speak about the mark.
        if data == _DONE:
            self.is_done = True
            yield from self._finished("stop")
            return
        chunk = _object(data)
        choices = _choices(chunk)
        yield from self._read(chunk, choices, [choice.get("delta") for choice in choices])

    def read_whole(self, body: str) -> Iterator[Sign]:
        """The signs of a chat completion in one piece, from a server that does not stream; call `finish` after it.

        Raises ModelFailure when `body` is none.
        """
        completion = _object(body)
        choices = _choices(completion)
        messages = [choice.get("message") for choice in choices]
        yield from self._read(completion, choices, messages)
        if not any(isinstance(message, dict) for message in messages):
            raise ModelFailure("provider_error", f"neither an event stream nor a chat completion: {json.dumps(body)}")
        yield from self._finished("stop")

    def finish(self, unfinished: Sequence[Frame] = ()) -> Iterator[Sign]:
        """What is known only at the end: the tool calls of a model that ended by itself, and the tokens.

        `unfinished` is what no blank line has ended. The standard drops it (WHATWG HTML §9.2.6), yet some providers'
        last words come so: a whole one is read, half of one raises ModelFailure unless the model had finished.
        """
        try:
            for frame in unfinished:
                yield from self.read(frame)
        except ModelFailure:
            if not self.is_finished:
                raise
        if self.is_finished:
            yield from self._tools.calls()
        if self._usage:
            yield self._usage

    def _read(self, chunk: _Object, choices: Sequence[_Object], deltas: Sequence[object]) -> Iterator[Sign]:
        self._count(chunk.get("usage"))
        for delta in deltas:
            if isinstance(delta, dict):
                yield from self._delta(delta)
        self._refuse_error(chunk, choices)
        for choice in choices:
            # Some servers write an empty reason into every chunk.
            if choice.get("finish_reason"):
                yield from self._finished(str(choice["finish_reason"]))

    def _delta(self, delta: _Object) -> Iterator[Sign]:
        # One chunk may end the reasoning and begin the answer.
        if any(delta.get(name) for name in _REASONING):
            yield _THINKING
        for text in (_content(delta.get("content")), _content(delta.get("refusal"))):
            if text:
                self._has_text = True
                yield Text(text)
        if self._tools.feed(delta):
            yield _PREPARING

    def _finished(self, reason: str) -> Iterator[Sign]:
        if self.is_finished:
            return
        self.is_finished = True
        if reason not in _REASONS:
            self.unknown_reason = reason
        yield Finish(_REASONS.get(reason, "stop"))

    def _count(self, usage: object) -> None:
        """Some servers count in every chunk: the last count is the one that is told."""
        if not isinstance(usage, dict):
            return
        tokens_in, tokens_out = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if type(tokens_in) is int and type(tokens_out) is int:
            self._usage = TokenUsage(tokens_in, tokens_out)

    def _refuse_error(self, chunk: _Object, choices: Sequence[_Object]) -> None:
        told = [chunk.get("error"), chunk.get("error_message"), *(choice.get("error") for choice in choices)]
        for error in told:
            if error is not None:
                raise self._failure(error)
        if chunk.get("object") == "error" or any(choice.get("finish_reason") == "error" for choice in choices):
            raise self._failure(chunk)

    def _failure(self, error: object) -> ModelFailure:
        return failure(error, has_text=self._has_text)


def _object(data: str) -> _Object:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ModelFailure("provider_error", f"data that is no JSON object: {json.dumps(data)}")
    return value


def told(data: str) -> object:
    """What an event named `error`, or the body of a refusal, says: its `error` member, its JSON, or its text."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return data
    return value["error"] if isinstance(value, dict) and value.get("error") is not None else value


def _choices(chunk: _Object) -> list[_Object]:
    """The choices of the one answer that was asked for; usage and filter reports have none."""
    choices = chunk.get("choices")
    if not isinstance(choices, list):
        return []
    return [choice for choice in choices if isinstance(choice, dict) and not _is_other(choice.get("index"))]


def _is_other(index: object) -> bool:
    return isinstance(index, int) and index > 0


def _content(content: object) -> str:
    """The text of a `content`: a string, or a list of parts of which those of type `text` are the answer's."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "".join(text for text in texts if isinstance(text, str))
