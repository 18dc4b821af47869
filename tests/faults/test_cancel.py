"""Stop at the server, whatever the model is doing, and however badly the request for it fares on the way."""

from __future__ import annotations

import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from time import monotonic
from typing import Any

import pytest

from tests.support.server import Server, start_server
from tests.support.visitor import Visitor
from webapp.core.events import Activity, Cancelled
from webapp.qa.upstream import HANG, Reply, Until, Upstream, delta, frame

MODELS = """
[limits]
grace = 1

[[models]]
id = "remote"
kind = "remote"
url = "{url}"
name = "m"

[[models]]
id = "one at a time"
kind = "remote"
url = "{url}"
name = "m"
parallel = 1

[[models]]
id = "far away"
kind = "remote"
url = "http://127.0.0.1:{full}/v1"
name = "m"
"""


@pytest.fixture(scope="module")
def provider() -> Iterator[Upstream]:
    with Upstream() as running:
        yield running


@pytest.fixture(scope="module")
def server(provider: Upstream) -> Iterator[Server]:
    """Its model `far away` is a listener whose queue is full: connecting to it takes for ever."""
    with ExitStack() as stack:
        full = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        stack.enter_context(socket.create_connection(full.getsockname()))
        config = MODELS.format(url=provider.url, full=full.getsockname()[1])
        yield stack.enter_context(start_server(config=config))


@pytest.fixture
def visitor(server: Server) -> Visitor:
    return Visitor(server)


def stop(visitor: Visitor, message_id: str) -> dict[str, Any]:
    """Press Stop; the receipt, which must tell of the end and come within a second."""
    began = monotonic()
    response = visitor.cancel(message_id)
    assert monotonic() - began < 1
    assert (response.status_code, response.json()["cancelling"]) == (200, False)
    receipt: dict[str, Any] = response.json()
    return receipt


@pytest.mark.proves("B33", "C44")
@pytest.mark.parametrize("is_answering", [False, True], ids=["before its headers", "before its first word"])
def test_stop_while_the_model_has_said_nothing(provider: Upstream, visitor: Visitor, is_answering: bool) -> None:
    asked = len(provider.exchanges)
    provider.play(Reply([HANG]) if is_answering else Reply(before=[HANG]))
    message_id = visitor.begin("why?", model="remote")
    exchange = provider.exchange(asked)
    receipt = stop(visitor, message_id)
    assert (receipt["state"], receipt["seq"]) == ("cancelled", 2)
    assert exchange.gone.wait(2)
    conversation_id = visitor.message(message_id)["conversation_id"]
    assert visitor.ask("again", conversation_id, model="remote").json()["state"] == "completed"
    assert stop(visitor, message_id) == receipt


@pytest.mark.proves("C44")
def test_stop_while_the_model_cannot_be_reached(visitor: Visitor) -> None:
    message_id = visitor.begin("why?", model="far away")
    assert stop(visitor, message_id)["state"] == "cancelled"


@pytest.mark.proves("C44")
def test_stop_while_others_are_answered_first(provider: Upstream, visitor: Visitor) -> None:
    asked = len(provider.exchanges)
    provider.play(Reply([delta("busy"), HANG]))
    first = visitor.begin("first", model="one at a time")
    provider.exchange(asked)
    waiting = visitor.begin("second", model="one at a time")
    assert stop(visitor, waiting)["state"] == "cancelled"
    assert [type(event) for event in visitor.follow(waiting)][1:] == [Activity, Cancelled]
    assert len(provider.exchanges) == asked + 1
    stop(visitor, first)


@pytest.mark.proves("B33", "B34", "C45", "C47")
def test_stop_in_mid_answer_closes_the_model_and_nothing_is_added(provider: Upstream, visitor: Visitor) -> None:
    asked, may_go_on = len(provider.exchanges), threading.Event()
    provider.play(Reply([delta("keep "), delta("this"), Until(may_go_on), *[delta(" DROP")] * 50, HANG]))
    message_id = visitor.begin("why?", model="remote")
    while visitor.message(message_id)["text"] != "keep this":
        pass
    receipt = stop(visitor, message_id)
    may_go_on.set()
    assert provider.exchange(asked).gone.wait(2)
    message = visitor.message(message_id)
    assert (message["state"], message["text"], message["by"]) == ("cancelled", "keep this", "user")
    assert message["seq"] == receipt["seq"]


@pytest.mark.proves("B33")
def test_stop_while_a_tool_call_is_written_proposes_nothing(provider: Upstream, visitor: Visitor) -> None:
    asked = len(provider.exchanges)
    call = {"index": 0, "id": "t1", "function": {"name": "create_ticket", "arguments": "{}"}}
    provider.play(Reply([frame({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}), HANG]))
    message_id = visitor.begin("why?", model="remote")
    while visitor.message(message_id)["seq"] < 2:
        pass
    stop(visitor, message_id)
    assert provider.exchange(asked).gone.wait(2)
    message = visitor.message(message_id)
    assert (message["state"], message["actions"]) == ("cancelled", [])


@pytest.mark.proves("B32", "B39")
def test_a_stop_whose_response_is_lost_has_stopped_the_answer_and_can_be_repeated(
    server: Server, visitor: Visitor
) -> None:
    message_id = visitor.begin(visitor.scenario({"text": "part"}, {"hang": True}))
    cookies = "; ".join(f"{name}={value}" for name, value in visitor.http.cookies.items())
    head = (
        f"POST /api/v1/messages/{message_id}/cancel HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nCookie: {cookies}\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        line.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}".encode())
    *_, end = visitor.follow(message_id)
    assert isinstance(end, Cancelled)
    assert stop(visitor, message_id) == {
        "message_id": message_id,
        "state": "cancelled",
        "seq": end.seq,
        "cancelling": False,
    }


@pytest.mark.proves("B32", "B39")
def test_many_stops_at_once_are_one_and_have_one_receipt(server: Server, visitor: Visitor) -> None:
    message_id = visitor.begin(visitor.scenario({"text": "part"}, {"hang": True}))
    receipts: list[Any] = []
    stops = [threading.Thread(target=lambda: receipts.append(visitor.cancel(message_id).json())) for _ in range(5)]
    for each in stops:
        each.start()
    for each in stops:
        each.join()
    assert receipts == [receipts[0]] * 5
    assert receipts[0]["state"] == "cancelled"


@pytest.mark.proves("B36")
def test_a_mark_in_the_store_alone_is_seen_within_a_second_or_so_though_the_model_is_silent_and_nobody_follows(
    server: Server, provider: Upstream, visitor: Visitor
) -> None:
    asked = len(provider.exchanges)
    provider.play(Reply([delta("one"), HANG]))
    message_id = visitor.begin("why?", model="remote")
    exchange = provider.exchange(asked)
    with closing(sqlite3.connect(server.database, timeout=10)) as database, database:
        database.execute("UPDATE messages SET cancel_requested_at = 1 WHERE message_id = ?", [message_id])
    assert exchange.gone.wait(2.5)
    assert stop(visitor, message_id)["state"] == "cancelled"


@pytest.mark.proves("B39")
@pytest.mark.parametrize("message_id", ["msg_unknown", "x" * 300, "%00"])
def test_stop_of_what_does_not_exist_is_not_found(visitor: Visitor, message_id: str) -> None:
    assert visitor.cancel(message_id).status_code == 404
