"""Every call that exists, made by who may not make it: with another's ids, without a cookie, from another site."""

from __future__ import annotations

import re

import httpx
import pytest

from tests.support.routes import routes
from tests.support.server import Server
from tests.support.visitor import Visitor
from tests.wire.test_refusals import messages_kept

WITH_IDS = sorted((method, rule) for method, rule in routes() if "<" in rule)
CHANGING = sorted(rule for method, rule in routes() if method != "GET")
FORM_TOKEN = re.compile(r'name="token" value="([^"]*)"')


@pytest.fixture
def stranger(server: Server) -> Visitor:
    return Visitor(server)


class Theirs:
    """A conversation with an ended and a running answer; `ids` are what an address may name of it."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.conversation = visitor.conversation()
        ticket = {"action": {"name": "create_ticket", "arguments": {"subject": "SENTINEL"}}}
        ended = visitor.ask(
            visitor.scenario({"text": "SENTINEL"}, ticket, {"finish": "stop"}), self.conversation
        ).json()
        self.running = visitor.begin(visitor.scenario({"text": "SENTINEL"}, {"hang": True}), self.conversation)
        self.answers = [ended["message_id"], self.running]
        self.action = ended["actions"][0]["id"]
        self.before = self._messages()

    def ids(self) -> list[dict[str, str]]:
        known = {"conversation_id": self.conversation, "action_id": self.action}
        return [{**known, "message_id": answer} for answer in self.answers]

    def are_undisturbed(self) -> bool:
        return self._messages() == self.before and self.visitor.message(self.running)["state"] == "running"

    def _messages(self) -> object:
        return self.visitor.http.get(f"/api/v1/conversations/{self.conversation}").json()["messages"]


NOWHERE = {"conversation_id": "cnv_none", "message_id": "msg_none", "action_id": "act_none"}


def filled(rule: str, ids: dict[str, str]) -> str:
    """The address; an id that no test knows of is a KeyError."""
    return re.sub(r"<(\w+)>", lambda name: ids[name[1]], rule)


def call(client: httpx.Client, method: str, rule: str, ids: dict[str, str], token: str) -> tuple[int, str]:
    """Status and body, less the reference number and the ids themselves, which are the caller's own words."""
    address = filled(rule, ids)
    if rule.startswith("/api/"):
        body = {} if method == "GET" else {"json": {"text": "mine", "model": "scripted", "first_visible_ms": 1}}
    else:
        body = (
            {}
            if method == "GET"
            else {"data": {"text": "mine", "model": "scripted", "token": token, "decision": "confirm", **ids}}
        )
    response = client.request(method, address, **body)  # type: ignore[arg-type]
    text = re.sub(r'"instance": "\w+"|<code>\w+</code>', "", response.text)
    return response.status_code, text


@pytest.mark.proves("B39", "C113")
@pytest.mark.parametrize(("method", "rule"), WITH_IDS)
def test_what_belongs_to_another_is_as_if_it_had_never_existed(
    server: Server, visitor: Visitor, stranger: Visitor, method: str, rule: str
) -> None:
    theirs = Theirs(visitor)
    token = FORM_TOKEN.findall(stranger.http.get("/").text)[0]
    with httpx.Client(base_url=server.url, trust_env=False) as nobody:
        for client, expected in ((stranger.http, {404}), (nobody, {401, 404})):
            never = call(client, method, rule, NOWHERE, token)
            assert never[0] in expected
            for ids in theirs.ids():
                assert call(client, method, rule, ids, token) == never
    assert theirs.are_undisturbed()
    visitor.cancel(theirs.running)


@pytest.mark.proves("C113")
@pytest.mark.parametrize("rule", ["/c/<conversation_id>/again", "/c/<conversation_id>/stop"])
def test_anothers_message_is_not_reached_through_an_own_conversation(
    visitor: Visitor, stranger: Visitor, rule: str
) -> None:
    theirs = Theirs(visitor)
    own = stranger.conversation()
    token = FORM_TOKEN.findall(stranger.http.get("/").text)[0]
    for answer in theirs.answers:
        ids = {"conversation_id": own, "message_id": answer}
        assert call(stranger.http, "POST", rule, ids, token)[0] == 404
    assert theirs.are_undisturbed()
    visitor.cancel(theirs.running)


KINDS = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json", None]
EVIL = {"Origin": "https://evil.example"}


@pytest.mark.proves("C114")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rule", CHANGING)
def test_another_site_changes_nothing_by_any_call(
    server: Server, visitor: Visitor, rule: str, kind: str | None
) -> None:
    theirs = Theirs(visitor)
    token = FORM_TOKEN.findall(visitor.http.get("/").text)[0]
    before = messages_kept(server)
    headers = EVIL if kind is None else {"Content-Type": kind, **EVIL}
    for ids in theirs.ids():
        body = f"text=spend&token={token}&message_id={ids['message_id']}".encode()
        content = body if kind and "form" in kind else b'{"text":"spend"}'
        response = visitor.http.post(filled(rule, ids), content=content, headers=headers)
        assert response.status_code == 403, response.text
    assert messages_kept(server) == before
    assert theirs.are_undisturbed()
    visitor.cancel(theirs.running)
