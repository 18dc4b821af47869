"""The webhook that carries out actions: what it sends, and what it makes of every reply."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from tests.support.server import free_port
from tests.support.webhook import Hook, Reply
from webapp.actions import webhook
from webapp.actions.webhook import Webhook
from webapp.core.actions import DONE, NOT_CARRIED_OUT, NOT_KNOWN, Outcome
from webapp.core.events import Action
from webapp.ports.actions import Proposal

SECRET = "sécret SENTINEL"
ORDER = Proposal(Action("act_1", "create_ticket", "Opens.", {"subject": "é\u2028"}, "confirmed"), "msg_1", "llama")


@pytest.fixture
def hook() -> Iterator[Hook]:
    with Hook() as hook:
        yield hook


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits and limits as ever, only shorter."""
    monkeypatch.setattr(webhook, "WAITS", (0.01, 0.01, 0.01))
    monkeypatch.setattr(webhook, "ATTEMPT_SECONDS", 0.5)


def carry_out(hook: Hook, *replies: Reply) -> Outcome:
    hook.play(*replies)
    return Webhook(hook.url, SECRET).carry_out(ORDER)


@pytest.mark.proves("B29")
def test_the_call_says_what_is_to_be_done_and_carries_its_key(hook: Hook) -> None:
    carry_out(hook)
    (call,) = hook.calls
    assert call.json == {
        "action_id": "act_1",
        "name": "create_ticket",
        "arguments": {"subject": "é\u2028"},
        "message_id": "msg_1",
    }
    assert call.path == "/hook"
    assert (call.headers["content-type"], call.headers["idempotency-key"]) == ("application/json", "act_1")


def test_the_call_is_signed_over_its_time_and_its_very_bytes(hook: Hook) -> None:
    """Computed here without the code that signs."""
    before = int(time.time())
    carry_out(hook)
    (call,) = hook.calls
    at, signed = (part.split("=", 1)[1] for part in call.headers["motamot-signature"].split(","))
    expected = hmac.new(SECRET.encode(), at.encode() + b"." + call.body, hashlib.sha256).hexdigest()
    assert signed == expected
    assert before <= int(at) <= time.time()


def test_the_signature_is_the_one_that_everybody_computes() -> None:
    # echo -n '1700000000.{}' | openssl dgst -sha256 -hmac key
    known = "9d713ed406bb7076d4123f0dc2c39d2df5c654ed4b0cd56b52c8b4c940bd63ae"
    assert webhook.signature(b"key", 1_700_000_000, b"{}") == f"t=1700000000,v1={known}"


TOLD = {
    "text": (b'{"text": "Ticket 7"}', {"text": "Ticket 7"}),
    "text and link": (
        b'{"text": "T", "url": "https://a.example/7?x=1#y"}',
        {"text": "T", "url": "https://a.example/7?x=1#y"},
    ),
    "a link that runs": (b'{"text": "T", "url": "javascript:alert(1)"}', {"text": "T"}),
    "a link to a file": (b'{"text": "T", "url": "file:///etc/passwd"}', {"text": "T"}),
    "a link without a host": (b'{"text": "T", "url": "https:///x"}', {"text": "T"}),
    "a link with what is not seen": ('{"text": "T", "url": "https://a.example/\u202e"}'.encode(), {"text": "T"}),
    "a link with a line break": (b'{"text": "T", "url": "https://a.example/\\n"}', {"text": "T"}),
    "a link that is none": (b'{"text": "T", "url": "https://[x/"}', {"text": "T"}),
    "a link without measure": (b'{"text": "T", "url": "https://a/' + b"x" * 3_000 + b'"}', {"text": "T"}),
    "a text without measure": (json.dumps({"text": "x" * 9_000}).encode(), {"text": "x" * 2_000}),
    "half a character": (b'{"text": "a\\ud83e"}', {"text": "a\ufffd"}),
    "markup": (b'{"text": "<img src=x onerror=a>"}', {"text": "<img src=x onerror=a>"}),
    "nothing": (b"", {"text": DONE}),
    "no JSON": (b"<h1>OK</h1>", {"text": DONE}),
    "no object": (b'["text"]', {"text": DONE}),
    "a blank text": (b'{"text": " "}', {"text": DONE}),
    "a text that is none": (b'{"text": {"a": 1}, "url": 5}', {"text": DONE}),
    "depth without measure": (b'{"text": ' + b"[" * 60_000, {"text": DONE}),
    "a body without measure": (b'{"text": "' + b"x" * 5_000_000 + b'"}', {"text": DONE}),
    "no UTF-8": (b'{"text": "\xff"}', {"text": DONE}),
}


@pytest.mark.proves("B28")
@pytest.mark.parametrize(("body", "result"), TOLD.values(), ids=TOLD)
def test_what_was_taken_has_succeeded_and_tells_no_more_than_can_be_shown(
    hook: Hook, body: bytes, result: dict[str, str]
) -> None:
    assert carry_out(hook, Reply(201, body)) == Outcome("succeeded", result)
    assert len(hook.calls) == 1


@pytest.mark.parametrize("status", [400, 401, 404, 409, 422, 429])
def test_what_was_refused_is_not_tried_again_and_was_not_carried_out(hook: Hook, status: int) -> None:
    assert carry_out(hook, Reply(status, b"inner SENTINEL")) == NOT_CARRIED_OUT
    assert len(hook.calls) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirection_is_not_followed(hook: Hook, status: int) -> None:
    with Hook() as elsewhere:
        assert carry_out(hook, Reply(status, headers={"Location": elsewhere.url})) == NOT_KNOWN
        assert (len(hook.calls), elsewhere.calls) == (1, [])


LATER = {"an error": Reply(500), "too busy": Reply(503), "a lost reply": Reply(is_lost=True)}


@pytest.mark.proves("B29")
@pytest.mark.parametrize("reply", LATER.values(), ids=LATER)
def test_what_may_not_have_been_taken_is_tried_again_with_the_same_key(hook: Hook, reply: Reply) -> None:
    assert carry_out(hook, reply, reply, reply).state == "succeeded"
    assert len(hook.calls) == 4
    assert {call.headers["idempotency-key"] for call in hook.calls} == {"act_1"}
    assert {call.body for call in hook.calls} == {hook.calls[0].body}


@pytest.mark.parametrize("reply", LATER.values(), ids=LATER)
def test_after_three_further_tries_it_is_not_known(hook: Hook, reply: Reply) -> None:
    assert carry_out(hook, reply, reply, reply, reply) == NOT_KNOWN
    assert len(hook.calls) == 4


def test_a_reply_that_does_not_come_is_not_waited_for(hook: Hook) -> None:
    never = threading.Event()
    assert carry_out(hook, Reply(until=never)).state == "succeeded"
    assert len(hook.calls) == 2
    never.set()


def test_an_address_that_nobody_listens_at_leaves_it_not_known() -> None:
    assert Webhook(f"http://127.0.0.1:{free_port()}/", SECRET).carry_out(ORDER) == NOT_KNOWN


def test_what_is_no_http_leaves_it_not_known() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(5)

        def answer() -> None:
            for _ in range(4):
                line, _ = listener.accept()
                with line:
                    line.recv(65_536)
                    line.sendall(b"220 mail ready\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        assert Webhook(f"http://127.0.0.1:{listener.getsockname()[1]}/", SECRET).carry_out(ORDER) == NOT_KNOWN
        thread.join(10)


def test_neither_secret_nor_address_nor_what_was_sent_reaches_the_log(
    hook: Hook, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger="webapp"):
        hook.play(Reply(500), Reply(is_lost=True), Reply(302), Reply(400))
        Webhook(f"{hook.url}?token=SENTINEL", SECRET).carry_out(ORDER)
        Webhook(f"http://127.0.0.1:{free_port()}/?token=SENTINEL", SECRET).carry_out(ORDER)
    assert "act_1" in caplog.text
    assert "SENTINEL" not in caplog.text
    assert "subject" not in caplog.text


def test_the_environment_s_proxy_is_used_for_what_is_not_near(monkeypatch: pytest.MonkeyPatch) -> None:
    with Hook() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/hook"))
        monkeypatch.setenv("no_proxy", "inside.example")
        Webhook("http://helpdesk.example/hook", SECRET).carry_out(ORDER)
        with Hook() as near:
            Webhook(near.url, SECRET).carry_out(ORDER)
            assert len(near.calls) == 1
        assert [call.path for call in proxy.calls] == ["http://helpdesk.example/hook"]
