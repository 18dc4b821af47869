"""A model behind HTTP, asked over real sockets: what it is sent, and what becomes of everything that it may answer."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from webapp.core.limits import Limits
from webapp.core.prompts import Prompt, Turn
from webapp.core.signs import Finish, ModelFailure, Sign, Text, TokenUsage, ToolCall
from webapp.models.remote import RemoteModel
from webapp.qa.upstream import (
    CUT,
    DONE,
    HANG,
    RESET,
    Reply,
    Step,
    Until,
    Upstream,
    Wait,
    answer,
    delta,
    finish,
    frame,
    usage,
)

PROMPT = Prompt((Turn("user", "Why?"),))
KEY = "sk-test-123"


@pytest.fixture
def provider() -> Iterator[Upstream]:
    with Upstream() as running:
        yield running


def ask(model: RemoteModel) -> tuple[list[Sign], ModelFailure | None]:
    """All signs of an answer, and what it failed with."""
    signs: list[Sign] = []
    try:
        for sign in model.answer(PROMPT, "msg_1"):
            signs.append(sign)  # noqa: PERF402 - those before a failure count
    except ModelFailure as failure:
        return signs, failure
    return signs, None


def played(provider: Upstream, reply: Reply) -> tuple[str, bool, str | None]:
    """The text, whether the model finished, and the code of the failure."""
    provider.play(reply)
    signs, failure = ask(RemoteModel(provider.url, "m"))
    text = "".join(sign.text for sign in signs if isinstance(sign, Text))
    return text, any(isinstance(sign, Finish) for sign in signs), failure.code if failure else None


def test_the_question_is_posted_with_the_key_and_without_a_wish_for_packing(provider: Upstream) -> None:
    model = RemoteModel(provider.url, "llama", key=KEY, max_tokens=7, temperature=0.5, options={"top_p": 0.9})
    ask(model)
    exchange = provider.exchange(0)
    assert (exchange.method, exchange.path) == ("POST", "/v1/chat/completions")
    assert exchange.headers["authorization"] == f"Bearer {KEY}"
    assert exchange.headers["accept"] == "text/event-stream"
    assert exchange.headers["accept-encoding"] == "identity"
    assert exchange.headers["host"] == f"localhost:{provider.port}"
    asked = exchange.json
    assert asked["messages"] == [{"role": "user", "content": "Why?"}]
    assert (asked["model"], asked["max_tokens"], asked["temperature"], asked["top_p"]) == ("llama", 7, 0.5, 0.9)


def test_a_model_without_a_key_sends_no_authorization(provider: Upstream) -> None:
    ask(RemoteModel(provider.url, "m"))
    assert "authorization" not in provider.exchange(0).headers


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
def test_a_body_is_read_to_its_end_however_that_is_told(provider: Upstream, framing: str) -> None:
    provider.play(Reply([delta("Hi"), finish(), usage(3, 1), DONE], framing=framing))  # type: ignore[arg-type]
    signs, failure = ask(RemoteModel(provider.url, "m"))
    assert (signs, failure) == ([Text("Hi"), Finish("stop"), TokenUsage(3, 1)], None)


@pytest.mark.proves("C13")
@pytest.mark.parametrize("framing", ["chunked", "close"])
def test_a_body_in_writes_of_one_byte_is_the_same_text(provider: Upstream, framing: str) -> None:
    whole = b"".join(answer("naïve ", "雪 🧭"))
    pieces = [whole[at : at + 1] for at in range(len(whole))]
    assert played(provider, Reply(pieces, framing=framing)) == ("naïve 雪 🧭", True, None)  # type: ignore[arg-type]


def test_the_first_text_is_told_before_the_model_has_made_the_second(provider: Upstream) -> None:
    may_go_on = threading.Event()
    provider.play(Reply([delta("one"), Until(may_go_on), *answer("two")]))
    signs = iter(RemoteModel(provider.url, "m").answer(PROMPT, "msg_1"))
    assert next(signs) == Text("one")
    assert len(provider.exchange(0).sent) == 1
    may_go_on.set()
    assert list(signs) == [Text("two"), Finish("stop")]


@pytest.mark.proves("C26")
@pytest.mark.parametrize(
    ("status", "content_type", "body", "expected"),
    [
        (200, "application/json", b'{"error":"please sign in"}', ("", False, "provider_error")),
        (200, "text/html; charset=utf-8", b"<h1>Bad gateway</h1>", ("", False, "provider_error")),
        (502, "text/html", b"<h1>Bad gateway</h1>", ("", False, "provider_unavailable")),
        (200, "Text/Event-Stream;charset=UTF-8", b"".join(answer("ok")), ("ok", True, None)),
        (200, None, b"".join(answer("ok")), ("ok", True, None)),
        (200, "text/plain", b"please sign in", ("", False, None)),
        (200, "application/json", b'{"choices":[{"message":{"content":"ok"}}]}', ("ok", True, None)),
        (200, "application/json", b'{"detail":"ok"}', ("", False, "provider_error")),
        (204, None, b"", ("", False, None)),
    ],
)
def test_a_body_that_is_no_event_stream_is_never_shown_as_text(
    provider: Upstream, status: int, content_type: str | None, body: bytes, expected: object
) -> None:
    reply = Reply([body], status=status, content_type=content_type, framing="length")
    assert played(provider, reply) == expected


@pytest.mark.proves("B40", "C29")
@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        (429, {"message": "slow down"}, "provider_rate_limited"),
        (400, {"code": "content_filter", "message": "blocked"}, "content_blocked"),
        (400, {"message": "bad"}, "provider_error"),
        (401, {"message": "bad key"}, "provider_error"),
        (403, {"message": "no"}, "provider_error"),
        (404, {"message": "no such model"}, "provider_error"),
        (500, {"message": "oh"}, "provider_error"),
        (503, {"message": "Loading model"}, "provider_unavailable"),
        (504, {"message": "slow"}, "provider_unavailable"),
    ],
)
def test_a_refusal_fails_with_the_code_that_tells_what_to_do(
    provider: Upstream, status: int, error: object, code: str
) -> None:
    body = json.dumps({"error": error}).encode()
    assert played(provider, Reply([body], status=status, content_type="application/json")) == ("", False, code)


def test_a_refusal_whose_body_never_ends_is_told_all_the_same(provider: Upstream) -> None:
    provider.play(Reply([b'{"error":{"message":"a', CUT], status=429))
    assert ask(RemoteModel(provider.url, "m"))[1] is not None


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirection_is_not_followed_with_the_key(provider: Upstream, status: int) -> None:
    with Upstream() as other:
        provider.play(Reply(status=status, headers={"Location": f"{other.url}/chat/completions"}, framing="length"))
        _, failure = ask(RemoteModel(provider.url, "m", key=KEY))
        assert failure
        assert failure.code == "provider_error"
        assert other.exchanges == []


@pytest.mark.proves("C27", "C30")
@pytest.mark.parametrize(
    ("framing", "end", "code"),
    [
        ("close", CUT, None),
        ("chunked", CUT, "provider_error"),
        ("length", CUT, None),
        ("close", RESET, "provider_error"),
        ("chunked", RESET, "provider_error"),
    ],
)
def test_a_connection_that_breaks_keeps_the_text_and_is_no_finish(
    provider: Upstream, framing: str, end: Step, code: str | None
) -> None:
    # The asker reads both texts before the line breaks: a reset throws away what was not read.
    has_read = threading.Event()
    steps = [delta("one "), delta("two "), Until(has_read), end, *answer("never sent")]
    provider.play(Reply(steps, framing=framing))  # type: ignore[arg-type]
    signs = iter(RemoteModel(provider.url, "m").answer(PROMPT, "msg_1"))
    assert [next(signs), next(signs)] == [Text("one "), Text("two ")]
    has_read.set()
    with pytest.raises(ModelFailure, match=code) if code else nullcontext():
        assert list(signs) == []


def test_a_connection_that_breaks_after_the_finish_is_a_whole_answer(provider: Upstream) -> None:
    has_read = threading.Event()
    provider.play(Reply([delta("all"), finish(), Until(has_read), RESET]))
    signs = iter(RemoteModel(provider.url, "m").answer(PROMPT, "msg_1"))
    assert [next(signs), next(signs)] == [Text("all"), Finish("stop")]
    has_read.set()
    assert list(signs) == []


def test_a_line_that_stays_open_after_the_finish_ends_with_its_tool_calls(provider: Upstream) -> None:
    call = {"index": 0, "id": "t1", "function": {"name": "look", "arguments": "{}"}}
    chunk = frame({"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]})
    provider.play(Reply([chunk, *[b": still here\n\n", Wait(0.2)] * 50, HANG]))
    signs, failure = ask(RemoteModel(provider.url, "m"))
    assert failure is None
    assert signs[1:] == [Finish("stop"), ToolCall("t1", "look", "{}")]


def test_the_end_mark_closes_the_line_at_once(provider: Upstream) -> None:
    provider.play(Reply([*answer("Hi"), HANG]))
    signs, _ = ask(RemoteModel(provider.url, "m"))
    assert signs == [Text("Hi"), Finish("stop")]
    assert provider.exchange(0).gone.wait(5)


@pytest.mark.proves("C04")
def test_a_last_event_without_its_blank_line_is_read(provider: Upstream) -> None:
    last = b'data: {"choices":[{"delta":{"content":"most"},"finish_reason":"stop"}]}\n'
    assert played(provider, Reply([delta("Al"), last], framing="close")) == ("Almost", True, None)


def test_an_event_without_end_fails_after_the_text_before_it(provider: Upstream) -> None:
    endless = b"data: " + b"x" * (17 * 1024 * 1024)
    assert played(provider, Reply([delta("a"), endless], framing="close")) == ("a", False, "provider_error")


@pytest.mark.proves("C14")
def test_bytes_that_are_not_utf8_are_counted_and_logged_once(
    provider: Upstream, caplog: pytest.LogCaptureFixture
) -> None:
    provider.play(Reply([b'data: {"choices":[{"delta":{"content":"a\xffb\xffc"}}]}\n\n', *answer("d")]))
    stream = RemoteModel(provider.url, "m").answer(PROMPT, "msg_1")
    with caplog.at_level(logging.WARNING):
        signs = list(stream)
    assert signs[0] == Text("a\ufffdb\ufffdc")
    assert stream.invalid == 2
    assert len(caplog.records) == 1


@pytest.mark.proves("C69")
def test_an_unknown_finish_reason_is_logged(provider: Upstream, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert played(provider, Reply(answer("a", reason="eos\nFAKE"))) == ("a", True, None)
    assert r"eos\nFAKE" in caplog.text


def test_a_packed_body_is_refused(provider: Upstream) -> None:
    reply = Reply([b"\x1f\x8b"], headers={"Content-Encoding": "gzip"})
    assert played(provider, reply) == ("", False, "provider_error")


def test_nobody_at_the_address_is_unavailable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    _, failure = ask(RemoteModel(f"http://127.0.0.1:{port}/v1", "m"))
    assert failure
    assert failure.code == "provider_unavailable"


def test_a_name_that_does_not_exist_is_unavailable() -> None:
    _, failure = ask(RemoteModel("http://no-such-host.invalid/v1", "m"))
    assert failure
    assert failure.code == "provider_unavailable"


@pytest.mark.parametrize("before", [[CUT], [RESET], [b"SSH-2.0-OpenSSH_9.2\r\n", CUT]])
def test_somebody_who_speaks_no_http_is_unavailable(provider: Upstream, before: list[Step]) -> None:
    assert played(provider, Reply(before=before)) == ("", False, "provider_unavailable")


def test_a_connection_that_nobody_takes_is_a_timeout() -> None:
    # A full queue of connections that are not accepted: the system lets further ones wait.
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        port = full.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            model = RemoteModel(f"http://127.0.0.1:{port}/v1", "m", limits=Limits(connect=0.2))
            _, failure = ask(model)
    assert failure
    assert failure.code == "timeout"


def test_a_server_that_refuses_stream_options_is_asked_without_and_remembered(provider: Upstream) -> None:
    refusal = b'{"error":{"message":"Unrecognized request argument supplied: stream_options"}}'
    provider.play(Reply([refusal], status=400, content_type="application/json"))
    model = RemoteModel(provider.url, "m")
    assert ask(model) == ([Text("Hello."), Finish("stop")], None)
    ask(model)
    assert ["stream_options" in each.json for each in provider.exchanges] == [True, False, False]


def test_any_other_refusal_is_not_repeated(provider: Upstream) -> None:
    provider.play(Reply([b'{"error":{"message":"no"}}'], status=400, content_type="application/json"))
    ask(RemoteModel(provider.url, "m"))
    assert len(provider.exchanges) == 1


def test_a_model_without_a_name_is_the_first_that_the_provider_lists(provider: Upstream) -> None:
    provider.models = ["first", "second"]
    model = RemoteModel(provider.url, key=KEY)
    ask(model)
    ask(model)
    assert [each.method for each in provider.exchanges] == ["GET", "POST", "POST"]
    assert provider.exchange(0).headers["authorization"] == f"Bearer {KEY}"
    assert provider.exchange(2).json["model"] == "first"


@pytest.mark.proves("C118")
@pytest.mark.parametrize(
    "reply",
    [
        Reply([f'{{"error":{{"message":"bad key {KEY}"}}}}'.encode()], status=401, content_type="application/json"),
        Reply([frame({"error": {"message": f"bad key {KEY}"}})]),
        Reply([f"data: {'x' * 490}{KEY}\n\n".encode()]),
        Reply([f"event: error\ndata: {KEY}\n\n".encode()]),
        Reply(status=302, headers={"Location": f"http://elsewhere/?key={KEY}"}, framing="length"),
        Reply([], headers={"Content-Encoding": KEY}),
    ],
)
def test_the_key_is_in_no_failure_whoever_wrote_it(provider: Upstream, reply: Reply) -> None:
    provider.play(reply)
    _, failure = ask(RemoteModel(provider.url, "m", key=KEY))
    assert failure
    assert KEY[:8] not in failure.inner
    assert failure.__cause__ is None


def test_a_stream_is_read_only_once(provider: Upstream) -> None:
    stream = RemoteModel(provider.url, "m").answer(PROMPT, "msg_1")
    list(stream)
    with pytest.raises(RuntimeError):
        list(stream)
    assert len(provider.exchanges) == 1


def test_a_reader_that_stops_reading_closes_the_line(provider: Upstream) -> None:
    provider.play(Reply([delta("one"), HANG]))
    signs = iter(RemoteModel(provider.url, "m").answer(PROMPT, "msg_1"))
    next(signs)
    signs.close()  # type: ignore[attr-defined]
    assert provider.exchange(0).gone.wait(5)
