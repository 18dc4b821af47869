"""A further answer to the same question over HTTP: its own answer, once, beside the old one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.support.server import Server, start_server
from tests.support.visitor import STREAM, Visitor, events_of
from webapp.core.events import Accepted
from webapp.qa.upstream import CUT, Reply, Upstream, answer, delta

JSON = {"Content-Type": "application/json"}


def regenerate(visitor: Visitor, message_id: str, *, headers: dict[str, str] | None = None, **members: object) -> Any:
    return visitor.http.post(f"/api/v1/messages/{message_id}/regenerate", json=members, headers=headers or {})


def messages_of(visitor: Visitor, conversation: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = visitor.http.get(f"/api/v1/conversations/{conversation}").json()["messages"]
    return found


@pytest.mark.proves("B44", "B2", "B3")
def test_a_further_answer_has_its_own_id_and_leaves_the_first_as_it_is(visitor: Visitor) -> None:
    conversation = visitor.conversation()
    old = visitor.ask(visitor.scenario({"text": "half"}, {"fail": "timeout"}), conversation).json()
    before = visitor.message(old["message_id"])
    response = regenerate(visitor, old["message_id"], headers=STREAM)
    assert response.status_code == 200
    events = list(events_of(response))
    accepted, end = events[0], events[-1]
    assert isinstance(accepted, Accepted)
    assert accepted.message_id != old["message_id"]
    assert accepted.question_id == before["question_id"]
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert end.seq == visitor.message(accepted.message_id)["seq"]
    question, first, second = messages_of(visitor, conversation)
    assert first == before
    assert (second["parent_id"], second["version"]) == (question["message_id"], 2)
    assert visitor.run(accepted.message_id)["calls"] == 1


def test_it_answers_as_json_and_without_waiting_too(visitor: Visitor) -> None:
    old = visitor.ask(visitor.says(["one ", "two"])).json()
    told = regenerate(visitor, old["message_id"])
    assert (told.status_code, told.json()["text"], told.json()["version"]) == (200, "one two", 2)
    later = regenerate(visitor, old["message_id"], headers={"Prefer": "respond-async"})
    assert later.status_code == 202
    assert later.headers["Location"] == f"/api/v1/messages/{later.json()['message_id']}"
    assert later.json()["version"] == 3
    failing = visitor.ask(visitor.scenario({"text": "half"}, {"fail": "provider_error"})).json()["message_id"]
    refused = regenerate(visitor, failing)
    assert (refused.status_code, refused.json()["text"]) == (502, "half")
    assert refused.json()["message_id"] != failing


@pytest.mark.proves("B4", "C52")
@pytest.mark.parametrize("form", ["member", "header", "quoted header"])
def test_five_at_once_under_one_request_id_are_one_run(server: Server, visitor: Visitor, form: str) -> None:
    old = visitor.ask(visitor.scenario({"text": "a"}, {"wait": 0.2}, {"finish": "stop"})).json()["message_id"]
    key = f"again-{form.replace(' ', '-')}"
    body: dict[str, object] = {"request_id": key} if form == "member" else {}
    headers = {} if form == "member" else {"Idempotency-Key": f'"{key}"' if "quoted" in form else key}
    with ThreadPoolExecutor(5) as threads:
        told = list(threads.map(lambda _: regenerate(visitor, old, headers=headers, **body).json(), range(5)))
    assert len({one["message_id"] for one in told}) == 1
    assert visitor.run(told[0]["message_id"])["calls"] == 1
    assert regenerate(visitor, old, headers=headers, **body).json() == told[0]


def refusals(visitor: Visitor, running: str, ended: dict[str, Any]) -> list[tuple[httpx.Response, int, str]]:
    url, question = f"/api/v1/messages/{ended['message_id']}/regenerate", ended["question_id"]
    used = {"request_id": ended["request_id"]}
    return [
        (regenerate(visitor, ended["message_id"], **used), 409, "request_conflict"),
        (regenerate(visitor, running), 409, "conversation_busy"),
        (regenerate(visitor, question), 404, "not_found"),
        (regenerate(visitor, "msg_none"), 404, "not_found"),
        (regenerate(visitor, ended["message_id"], model="nobody"), 422, "validation_failed"),
        (regenerate(visitor, ended["message_id"], model=None), 422, "validation_failed"),
        (regenerate(visitor, ended["message_id"], request_id="a b"), 422, "validation_failed"),
        (regenerate(visitor, ended["message_id"], request_id=7), 422, "validation_failed"),
        (
            regenerate(visitor, ended["message_id"], headers={"Idempotency-Key": "x"}, request_id="y"),
            422,
            "validation_failed",
        ),
        (visitor.http.post(url, content=b"[]", headers=JSON), 400, "bad_request"),
        (visitor.http.post(url, content=b'{"request_id":"\\ud800"}', headers=JSON), 400, "bad_request"),
        (visitor.http.post(url, content=b"model=x"), 415, "unsupported_media_type"),
        (visitor.http.get(url), 405, "method_not_allowed"),
    ]


def test_what_cannot_be_answered_anew_is_refused_and_nothing_is_kept(visitor: Visitor) -> None:
    conversation = visitor.conversation()
    ended = visitor.ask(visitor.says(["done"]), conversation).json()
    running = visitor.begin(visitor.scenario({"hang": True}), visitor.conversation())
    before = messages_of(visitor, conversation)
    for response, status, code in refusals(visitor, running, ended):
        assert (response.status_code, response.json()["code"]) == (status, code), response.text
    assert messages_of(visitor, conversation) == before
    visitor.cancel(running)
    anew = regenerate(visitor, running, headers={"Prefer": "respond-async"})
    assert (anew.status_code, anew.json()["version"]) == (202, 2)
    visitor.cancel(anew.json()["message_id"])


def test_the_whole_body_may_be_left_out(visitor: Visitor) -> None:
    old = visitor.ask(visitor.says(["done"])).json()["message_id"]
    response = visitor.http.post(f"/api/v1/messages/{old}/regenerate", headers=JSON)
    assert (response.status_code, response.json()["model"]) == (200, "scripted")


@pytest.mark.proves("C54")
def test_a_retry_asks_the_provider_the_question_once_and_nothing_of_the_failed_attempt() -> None:
    with Upstream() as provider:
        service = {"OPENAI_BASE_URL": provider.url, "OPENAI_MODEL": "fake"}
        provider.play(Reply([delta("half"), CUT]), Reply(answer("Because.")))
        with start_server(environment=service) as server:
            visitor = Visitor(server)
            conversation = visitor.conversation()
            failed = visitor.http.post(visitor.asking(conversation), json={"text": "Why?"}).json()
            retried = regenerate(visitor, failed["message_id"]).json()
            roles = [message["role"] for message in messages_of(visitor, conversation)]
        assert retried["text"] == "Because."
        assert roles == ["user", "assistant", "assistant"]
        assert [provider.exchange(number).json["messages"] for number in (0, 1)] == [
            [{"role": "user", "content": "Why?"}]
        ] * 2
