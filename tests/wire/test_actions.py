"""What an answer proposes, over HTTP: who may confirm it, when, how often it is carried out, and what is told of it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import httpx
import pytest

from tests.support.server import Server, start_server
from tests.support.visitor import Visitor
from tests.support.webhook import Hook, Reply
from webapp.core.actions import NOT_DONE, UNKNOWN
from webapp.core.events import Answer
from webapp.qa.upstream import DONE, HANG, Upstream, delta, finish, frame
from webapp.qa.upstream import Reply as Stream

TICKET = {"action": {"name": "create_ticket", "arguments": {"subject": "Printer"}}}
STOP = {"finish": "stop"}
CONFIG = """
[[actions]]
name = "book_table"
description = "Book a table"
url = "{url}"
secret_env = "HOOK_SECRET"
parameters = {{ properties = {{ people = {{ type = "integer" }} }}, required = ["people"] }}

[[actions]]
name = "ring_bell"
description = "Ring the bell"
url = "{url}"
secret_env = "HOOK_SECRET"
confirm = false

[[models]]
id = "remote"
url = "{model}"
name = "fake-model"
actions = ["book_table"]
"""
BOOK = {"action": {"name": "book_table", "arguments": {"people": 4}}}
RING = {"action": {"name": "ring_bell", "arguments": {}}}


@pytest.fixture(scope="module")
def provider() -> Iterator[Upstream]:
    with Upstream() as provider:
        yield provider


@pytest.fixture
def hook(_hook: Hook) -> Hook:
    """The operator's address, without calls from before."""
    _hook.calls.clear()
    _hook.effects.clear()
    return _hook


@pytest.fixture(scope="module")
def _hook() -> Iterator[Hook]:
    with Hook() as hook:
        yield hook


@pytest.fixture(scope="module")
def hooked(_hook: Hook, provider: Upstream) -> Iterator[Server]:
    config = CONFIG.format(url=_hook.url, model=provider.url)
    with start_server(config=config, environment={"HOOK_SECRET": "SENTINEL-secret"}) as server:
        yield server


@pytest.fixture
def guest(hooked: Server) -> Visitor:
    """A visitor of the server whose actions lead to `hook`."""
    return Visitor(hooked)


def answered(visitor: Visitor, *steps: Any, **members: Any) -> dict[str, Any]:
    """The ended answer to a scenario."""
    found: dict[str, Any] = visitor.message(visitor.begin(visitor.scenario(*steps, **members)))
    visitor.follow(found["message_id"])
    return visitor.message(found["message_id"])


def action_of(visitor: Visitor, message_id: str) -> dict[str, Any]:
    (action,) = visitor.message(message_id)["actions"]
    found: dict[str, Any] = action
    return found


@pytest.mark.proves("B27", "B28")
def test_a_completed_answer_proposes_and_nothing_has_happened(visitor: Visitor) -> None:
    message = answered(visitor, {"text": "I can open a ticket."}, TICKET, STOP)
    (action,) = message["actions"]
    assert action["id"].startswith("act_")
    assert (action["name"], action["arguments"]) == ("create_ticket", {"subject": "Printer"})
    assert (action["state"], action["result"]) == ("proposed", None)
    assert action["description"]
    assert message["ended_at"][:10] < action["expires_at"][:10]
    assert visitor.run(message["message_id"])["effects"] == {}


@pytest.mark.proves("B27", "B29", "B30")
def test_a_confirmed_action_is_carried_out_once_and_its_result_stands_everywhere(visitor: Visitor) -> None:
    message_id = answered(visitor, TICKET, STOP)["message_id"]
    proposed = action_of(visitor, message_id)
    confirmed = visitor.decide(proposed["id"], "confirm")
    assert confirmed.status_code == 200
    done = confirmed.json()
    assert done == proposed | {"state": "succeeded", "result": done["result"]}
    assert "Printer" in done["result"]["text"]
    assert visitor.decide(proposed["id"], "confirm").json() == done
    assert action_of(visitor, message_id) == done
    for after in (None, 0, 1):
        end = visitor.follow(message_id, after=after)[-1]  # replayed, or told anew
        assert isinstance(end, Answer)
        assert [action.state for action in end.actions] == ["succeeded"]
        assert end.actions[0].result == done["result"]
    assert visitor.run(message_id)["effects"] == {proposed["id"]: 1}


ENDS = {
    "stopped": ([TICKET, {"text": "so"}, {"hang": True}], "cancelled"),
    "failed": ([{"text": "so"}, TICKET, {"fail": "provider_error"}], "failed"),
    "broken off": ([{"text": "so"}, TICKET], "failed"),
    "timed out": ([{"text": "so"}, TICKET, {"hang": True}], "failed"),
}


@pytest.mark.proves("B26", "B27")
@pytest.mark.parametrize("name", ENDS)
def test_an_answer_that_did_not_complete_proposes_nothing(visitor: Visitor, name: str) -> None:
    steps, state = ENDS[name]
    limits = {"limits": {"silence": 0.5}} if name == "timed out" else {}
    message_id = visitor.begin(visitor.scenario(*steps, **limits))
    if name == "stopped":
        while visitor.message(message_id)["text"] != "so":
            pass
        visitor.cancel(message_id)
    visitor.follow(message_id)
    message = visitor.message(message_id)
    assert (message["state"], message["actions"]) == (state, [])
    assert visitor.run(message_id)["effects"] == {}


@pytest.mark.proves("B26", "B27")
@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_what_a_cut_answer_asks_for_cannot_be_confirmed(visitor: Visitor, reason: str) -> None:
    message = answered(visitor, {"text": "so"}, TICKET, {"finish": reason})
    (action,) = message["actions"]
    assert (action["state"], action["result"]) == ("refused", {"text": NOT_DONE})
    refused = visitor.decide(action["id"], "confirm")
    assert (refused.status_code, refused.json()["code"]) == (409, "action_refused")
    assert visitor.run(message["message_id"])["effects"] == {}


@pytest.mark.proves("B40", "B42")
@pytest.mark.parametrize(
    "call",
    [
        {"name": "create_ticket", "arguments": {}},
        {"name": "create_ticket", "arguments": {"subject": 5}},
        {"name": "create_ticket", "arguments": '{"subject": "torn'},
        {"name": "delete_everything", "arguments": {"subject": "x"}},
    ],
)
def test_an_unknown_action_and_bad_arguments_are_refused_in_words(visitor: Visitor, call: dict[str, Any]) -> None:
    (action,) = answered(visitor, {"action": call}, STOP)["actions"]
    assert (action["name"], action["state"], action["result"]) == (call["name"], "refused", {"text": NOT_DONE})
    for decision in ("confirm", "decline"):
        refused = visitor.decide(action["id"], decision)
        assert (refused.status_code, refused.json()["code"]) == (409, "action_refused")


@pytest.mark.proves("T5")
def test_stop_while_an_action_is_prepared_has_no_effect(visitor: Visitor) -> None:
    steps = [{"text": "Let me see. "}, {"activity": "preparing_action", "wait": 60}, TICKET, STOP]
    message_id = visitor.begin(visitor.scenario(*steps))
    while visitor.message(message_id)["seq"] < 3:
        pass
    assert visitor.cancel(message_id).json()["state"] == "cancelled"
    assert visitor.message(message_id)["actions"] == []
    assert visitor.run(message_id)["effects"] == {}
    assert visitor.run(message_id)["stopped"] is True


@pytest.mark.proves("B27")
def test_declined_is_declined_and_stays_so(visitor: Visitor) -> None:
    message_id = answered(visitor, TICKET, STOP)["message_id"]
    action_id = action_of(visitor, message_id)["id"]
    for _ in range(2):
        declined = visitor.decide(action_id, "decline")
        assert (declined.status_code, declined.json()["state"]) == (200, "declined")
    refused = visitor.decide(action_id, "confirm")
    assert (refused.status_code, refused.json()["code"]) == (409, "action_refused")
    assert "declined" in refused.json()["detail"]
    assert (action_of(visitor, message_id)["state"], visitor.run(message_id)["effects"]) == ("declined", {})


def test_what_was_carried_out_cannot_be_declined(visitor: Visitor) -> None:
    action_id = action_of(visitor, answered(visitor, TICKET, STOP)["message_id"])["id"]
    visitor.decide(action_id, "confirm")
    refused = visitor.decide(action_id, "decline")
    assert (refused.status_code, refused.json()["code"]) == (409, "action_refused")
    assert visitor.decide(action_id, "confirm").json()["state"] == "succeeded"


@pytest.mark.proves("B27")
def test_a_proposal_of_yesterday_has_expired(server: Server, visitor: Visitor) -> None:
    message_id = answered(visitor, TICKET, STOP)["message_id"]
    action_id = action_of(visitor, message_id)["id"]
    with closing(sqlite3.connect(server.database, timeout=10)) as database, database:
        database.execute("UPDATE actions SET expires_at = '2026-01-01T00:00:00.000Z' WHERE id = ?", [action_id])
    assert action_of(visitor, message_id)["state"] == "expired"
    refused = visitor.decide(action_id, "confirm")
    assert (refused.status_code, refused.json()["code"]) == (409, "action_refused")
    assert visitor.run(message_id)["effects"] == {}


@pytest.mark.proves("B29", "C113")
def test_somebody_else_s_action_does_not_exist(server: Server, visitor: Visitor, stranger: Visitor) -> None:
    message_id = answered(visitor, TICKET, STOP)["message_id"]
    action_id = action_of(visitor, message_id)["id"]
    nobody = httpx.Client(base_url=server.url, trust_env=False)
    for decision in ("confirm", "decline"):
        for client in (stranger.http, nobody):
            theirs = client.post(f"/api/v1/actions/{action_id}/{decision}", json={})
            nowhere = client.post(f"/api/v1/actions/act_none/{decision}", json={})
            assert (theirs.status_code, theirs.json()["code"]) == (404, "not_found")
            assert theirs.json() | {"instance": ""} == nowhere.json() | {"instance": ""}
    assert (action_of(visitor, message_id)["state"], visitor.run(message_id)["effects"]) == ("proposed", {})


@pytest.mark.proves("C114", "C119")
def test_another_site_s_page_and_a_get_confirm_nothing(visitor: Visitor) -> None:
    message_id = answered(visitor, TICKET, STOP)["message_id"]
    address = f"/api/v1/actions/{action_of(visitor, message_id)['id']}/confirm"
    assert visitor.http.post(address, content=b"{}", headers={"Content-Type": "text/plain"}).status_code == 415
    assert visitor.http.post(address).status_code == 415
    assert visitor.http.post(address, json={}, headers={"Origin": "https://evil.example"}).status_code == 403
    assert visitor.http.get(address).status_code == 405
    assert action_of(visitor, message_id)["state"] == "proposed"


@pytest.mark.proves("B29", "B30", "C52")
def test_five_confirmations_at_once_are_one_call_with_one_result(guest: Visitor, hook: Hook) -> None:
    message_id = answered(guest, BOOK, STOP)["message_id"]
    action_id = action_of(guest, message_id)["id"]
    may_answer = threading.Event()
    hook.play(Reply(body=b'{"text": "Table 7", "url": "https://book.example/7"}', until=may_answer))
    replies: list[Any] = []
    confirming = [
        threading.Thread(target=lambda: replies.append(guest.decide(action_id, "confirm").json())) for _ in range(5)
    ]
    for thread in confirming:
        thread.start()
    (call,) = hook.wait_for_calls(1)
    may_answer.set()
    for thread in confirming:
        thread.join(30)
    assert replies == [replies[0]] * 5
    assert replies[0]["state"] == "succeeded"
    assert replies[0]["result"] == {"text": "Table 7", "url": "https://book.example/7"}
    assert call.json == {
        "action_id": action_id,
        "name": "book_table",
        "arguments": {"people": 4},
        "message_id": message_id,
    }
    assert hook.effects == {action_id: 1}
    assert len(hook.calls) == 1
    assert guest.run(message_id)["effects"] == {action_id: 1}


@pytest.mark.proves("B29", "B30")
def test_a_confirmation_whose_response_was_lost_is_carried_out_and_told_to_the_next_who_confirms(
    guest: Visitor, hook: Hook
) -> None:
    action_id = action_of(guest, answered(guest, BOOK, STOP)["message_id"])["id"]
    may_answer = threading.Event()
    hook.play(Reply(until=may_answer))
    with pytest.raises(httpx.ReadTimeout):
        guest.http.post(f"/api/v1/actions/{action_id}/confirm", json={}, timeout=0.5)
    hook.wait_for_calls(1)
    may_answer.set()
    assert guest.decide(action_id, "confirm").json()["state"] == "succeeded"
    assert (hook.effects, len(hook.calls)) == ({action_id: 1}, 1)


@pytest.mark.parametrize(
    ("reply", "state", "text", "calls"),
    [
        (Reply(404, b"SENTINEL"), "failed", NOT_DONE, 1),
        (Reply(302, headers={"Location": "/elsewhere"}), "failed", UNKNOWN, 1),
        (Reply(200, b"<html>"), "succeeded", "This action was carried out.", 1),
    ],
)
def test_what_the_hook_says_decides(
    guest: Visitor, hook: Hook, reply: Reply, state: str, text: str, calls: int
) -> None:
    action_id = action_of(guest, answered(guest, BOOK, STOP)["message_id"])["id"]
    hook.play(reply)
    for _ in range(2):
        done = guest.decide(action_id, "confirm")
        assert (done.status_code, done.json()["state"], done.json()["result"]) == (200, state, {"text": text})
    assert len(hook.calls) == calls


@pytest.mark.proves("B29")
def test_a_hook_that_fails_is_called_four_times_with_one_key_and_then_it_is_not_known(
    guest: Visitor, hook: Hook
) -> None:
    message_id = answered(guest, BOOK, STOP)["message_id"]
    action_id = action_of(guest, message_id)["id"]
    hook.play(*[Reply(503), Reply(is_lost=True)] * 2)
    done = guest.decide(action_id, "confirm").json()
    assert (done["state"], done["result"]) == ("failed", {"text": UNKNOWN})
    assert [call.headers["idempotency-key"] for call in hook.calls] == [action_id] * 4
    assert guest.run(message_id)["effects"] == {}


@pytest.mark.proves("B29")
def test_an_action_that_asks_nobody_is_carried_out_once_by_the_server_after_the_end(guest: Visitor, hook: Hook) -> None:
    may_answer = threading.Event()
    hook.play(Reply(body=b'{"text": "Ding"}', until=may_answer))
    message_id = answered(guest, RING, STOP)["message_id"]
    (call,) = hook.wait_for_calls(1)
    action = action_of(guest, message_id)
    assert (action["state"], call.headers["idempotency-key"]) == ("confirmed", action["id"])
    may_answer.set()
    assert guest.decide(action["id"], "confirm").json()["result"] == {"text": "Ding"}
    assert action_of(guest, message_id)["state"] == "succeeded"
    assert len(hook.calls) == 1


@pytest.mark.proves("B27")
def test_an_answer_that_failed_carries_out_nothing_that_asks_nobody(guest: Visitor, hook: Hook) -> None:
    message = answered(guest, RING, {"fail": "provider_error"})
    assert (message["actions"], hook.calls) == ([], [])


def pieces(*arguments: str, name: str = "book_table") -> list[bytes]:
    """A tool call in fragments."""
    first = {"index": 0, "id": "t1", "type": "function", "function": {"name": name, "arguments": ""}}
    rest = [{"index": 0, "function": {"arguments": part}} for part in arguments]
    return [frame({"choices": [{"index": 0, "delta": {"tool_calls": [part]}}]}) for part in (first, *rest)]


@pytest.mark.proves("B26", "C64")
def test_a_remote_model_is_told_of_its_actions_and_its_fragments_become_a_proposal(
    guest: Visitor, provider: Upstream
) -> None:
    asked = len(provider.exchanges)
    provider.play(Stream([delta("Shall I? "), *pieces('{"peo', 'ple": ', "4}"), finish("tool_calls"), DONE]))
    message = guest.ask("Book a table", model="remote").json()
    (action,) = message["actions"]
    assert (message["text"], action["state"], action["arguments"]) == ("Shall I? ", "proposed", {"people": 4})
    (tool,) = provider.exchange(asked).json["tools"]
    assert tool["type"] == "function"
    assert (tool["function"]["name"], tool["function"]["description"]) == ("book_table", "Book a table")
    assert tool["function"]["parameters"]["required"] == ["people"]


@pytest.mark.proves("B29")
def test_a_model_may_propose_only_what_it_is_offered(guest: Visitor, provider: Upstream, hook: Hook) -> None:
    provider.play(Stream([*pieces("{}", name="ring_bell"), finish("tool_calls"), DONE]))
    (action,) = guest.ask("Ring", model="remote").json()["actions"]
    assert (action["state"], hook.calls) == ("refused", [])


@pytest.mark.proves("B26", "T5")
def test_a_call_that_is_still_being_written_is_nothing_yet(guest: Visitor, provider: Upstream, hook: Hook) -> None:
    asked = len(provider.exchanges)
    provider.play(Stream([*pieces('{"people": 4}'), HANG]))
    message_id = guest.begin("Book a table", model="remote")
    provider.exchange(asked)
    while guest.message(message_id)["seq"] < 2:
        pass
    assert guest.message(message_id)["actions"] == []
    assert guest.cancel(message_id).json()["state"] == "cancelled"
    assert provider.exchange(asked).gone.wait(5)
    assert (guest.message(message_id)["actions"], hook.calls) == ([], [])


@pytest.mark.proves("K6")
def test_what_became_of_an_action_is_not_told_to_the_model(guest: Visitor, provider: Upstream) -> None:
    asked, conversation = len(provider.exchanges), guest.conversation()
    provider.play(Stream([delta("Shall I?"), *pieces('{"people": 4}'), finish("tool_calls"), DONE]))
    (action,) = guest.ask("Book", conversation, model="remote").json()["actions"]
    guest.decide(action["id"], "confirm")
    guest.ask("Thanks", conversation, model="remote")
    sent = provider.exchange(asked + 1).json["messages"]
    assert [(turn["role"], turn["content"]) for turn in sent] == [
        ("user", "Book"),
        ("assistant", "Shall I?"),
        ("user", "Thanks"),
    ]


def test_the_secret_is_nowhere(hooked: Server, guest: Visitor, hook: Hook) -> None:
    message = answered(guest, BOOK, STOP)
    guest.decide(message["actions"][0]["id"], "confirm")
    page = guest.http.get(f"/c/{message['conversation_id']}").text
    assert "SENTINEL-secret" not in page + guest.http.get("/").text + hooked.log_text()
    assert hook.url not in page
