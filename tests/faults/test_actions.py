"""An action while the server dies or stops, and the receiver that the documentation shows."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.server import free_port, start_server
from tests.support.visitor import Visitor
from tests.support.webhook import Hook, Reply
from webapp.core.actions import UNKNOWN

SECRET = {"TICKET_SECRET": "sécret with spaces"}
CONFIG = """
[[actions]]
name = "create_ticket"
description = "Open a support ticket"
url = "{url}"
secret_env = "TICKET_SECRET"
confirm = {confirm}
parameters = {{ properties = {{ subject = {{ type = "string" }} }}, required = ["subject"] }}

[limits]
grace = 5
"""
TICKET = {"action": {"name": "create_ticket", "arguments": {"subject": "Printer"}}}


@pytest.fixture
def hook() -> Iterator[Hook]:
    with Hook() as hook:
        yield hook


def serving(url: str, *, confirm: bool = True) -> Any:
    return start_server(config=CONFIG.format(url=url, confirm=str(confirm).lower()), environment=SECRET)


def confirming(visitor: Visitor, action_id: str) -> threading.Thread:
    """A confirmation whose reply nobody waits for."""

    def confirm() -> None:
        with suppress(httpx.HTTPError):
            visitor.decide(action_id, "confirm")

    thread = threading.Thread(target=confirm)
    thread.start()
    return thread


def proposed(visitor: Visitor) -> tuple[str, str]:
    """The ids of an answer and of its one action."""
    message = visitor.ask(visitor.scenario({"text": "So."}, TICKET, {"finish": "stop"})).json()
    return message["message_id"], message["actions"][0]["id"]


def action(visitor: Visitor, message_id: str) -> tuple[str, object]:
    (found,) = visitor.message(message_id)["actions"]
    return found["state"], found["result"]


@pytest.mark.proves("B30", "C38")
@pytest.mark.parametrize("confirm", [True, False], ids=["confirmed", "asks nobody"])
def test_after_kill_9_in_mid_action_it_is_not_known_and_never_tried_again(hook: Hook, confirm: bool) -> None:
    never = threading.Event()
    hook.play(Reply(until=never))
    with serving(hook.url, confirm=confirm) as server:
        visitor = Visitor(server)
        message_id, action_id = proposed(visitor)
        thread = confirming(visitor, action_id)
        hook.wait_for_calls(1)
        server.kill()
        thread.join(30)
        server.start()
        assert action(visitor, message_id) == ("failed", {"text": UNKNOWN})
        again = visitor.decide(action_id, "confirm")
        assert (again.status_code, again.json()["state"]) == (200, "failed")
    never.set()
    assert len(hook.calls) == 1


@pytest.mark.proves("B30")
def test_a_proposal_outlives_the_server_and_is_carried_out_by_the_next_one(hook: Hook) -> None:
    with serving(hook.url) as server:
        visitor = Visitor(server)
        message_id, action_id = proposed(visitor)
        server.kill()
        server.start()
        assert action(visitor, message_id) == ("proposed", None)
        assert visitor.decide(action_id, "confirm").json()["state"] == "succeeded"
        server.kill()
        server.start()
        assert visitor.decide(action_id, "confirm").json()["state"] == "succeeded"
    assert len(hook.calls) == 1


@pytest.mark.proves("B30")
def test_a_server_that_stops_waits_for_the_result_of_an_action_that_nobody_waits_for(hook: Hook) -> None:
    may_answer = threading.Event()
    hook.play(Reply(until=may_answer))
    with serving(hook.url, confirm=False) as server:
        visitor = Visitor(server)
        message_id, _ = proposed(visitor)
        hook.wait_for_calls(1)
        stopping = threading.Thread(target=server.terminate, kwargs={"seconds": 20})
        stopping.start()
        with pytest.raises(subprocess.TimeoutExpired):
            server.process.wait(2)  # with nothing to wait for it is gone in half of that
        may_answer.set()
        stopping.join(30)
        server.start()
        assert action(visitor, message_id) == ("succeeded", {"text": "Done by the hook."})
    assert len(hook.calls) == 1


@pytest.fixture
def documented_url(tmp_path: Path, pytestconfig: pytest.Config) -> Iterator[str]:
    """Where the receiver of the documentation listens, run as it stands there."""
    page = (pytestconfig.rootpath / "docs" / "actions.md").read_text(encoding="utf-8")
    [source] = re.findall(r"```python\n(.*?)```", page, re.S)
    path, port = tmp_path / "receiver.py", free_port()
    path.write_text(source, encoding="utf-8")
    environment = {**os.environ, **SECRET, "PORT": str(port)}
    process = subprocess.Popen([sys.executable, str(path)], env=environment, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            break
    yield f"http://127.0.0.1:{port}/"
    process.kill()
    process.wait()


@pytest.mark.proves("B28", "B29")
def test_the_documented_receiver_takes_what_the_server_sends(documented_url: str) -> None:
    with serving(documented_url) as server:
        visitor = Visitor(server)
        results = [visitor.decide(proposed(visitor)[1], "confirm").json()["result"] for _ in range(2)]
    assert results == [
        {"text": f"Ticket {number} is open.", "url": f"https://helpdesk.example/{number}"} for number in (1, 2)
    ]


@pytest.mark.parametrize("signature", ["", "t=1,v1=", "t=x,v1=é", "v1=00", "t=9999999999,v1=00", "nonsense"])
def test_the_documented_receiver_refuses_what_others_send(documented_url: str, signature: str) -> None:
    headers = {"Idempotency-Key": "act_1", "Motamot-Signature": signature.encode("utf-8")}
    assert httpx.post(documented_url, content=b"{}", headers=headers, trust_env=False).status_code == 401


def test_actions_that_cannot_be_are_named_at_the_start(tmp_path: Path) -> None:
    config = CONFIG.format(url="ftp://x", confirm="true").replace("create_ticket", "create ticket")
    with (
        pytest.raises(AssertionError) as refused,
        start_server(config=config, data_dir=tmp_path, environment={}),
    ):
        pass
    told = "".join(refused.value.__notes__)
    assert "needs a name" in told
    assert "needs a url" in told
    assert "TICKET_SECRET, which is not in the environment" in told
