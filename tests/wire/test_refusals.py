"""What is refused before anything began: a problem document that says what to do, and nothing kept."""

import re
import sqlite3

import httpx
import pytest

from tests.support.routes import routes
from tests.support.server import Server
from tests.support.visitor import STREAM, Visitor

JSON = {"Content-Type": "application/json"}


def messages_kept(server: Server) -> int:
    with sqlite3.connect(f"file:{server.database}?mode=ro", uri=True) as database:
        count: tuple[int] = database.execute("SELECT count(*) FROM messages").fetchone()
    return count[0]


def check_problem(response: httpx.Response, status: int, code: str) -> None:
    assert response.status_code == status, response.text
    assert response.headers["Content-Type"] == "application/problem+json"
    problem = response.json()
    assert problem["code"] == code
    assert problem["status"] == status
    assert problem["detail"].endswith(".")
    assert problem["next_step"].endswith(".")
    assert problem["instance"]
    assert isinstance(problem["retryable"], bool)


BODIES = {
    "no JSON": (b"{", 400, "bad_request"),
    "no object": (b"[1]", 400, "bad_request"),
    "text alone": (b'"hi"', 400, "bad_request"),
    "null": (b"null", 400, "bad_request"),
    "broken UTF-8": (b'{"text":"\xff"}', 400, "bad_request"),
    "deeply nested": (b"[" * 100_000, 400, "bad_request"),
    "lone surrogate": (b'{"text":"cut \\ud83e here"}', 400, "bad_request"),
    "lone surrogate in an id": (b'{"text":"a","request_id":"\\udc00"}', 400, "bad_request"),
    "empty": (b"", 422, "validation_failed"),
    "no text": (b"{}", 422, "validation_failed"),
    "text of a wrong type": (b'{"text":5}', 422, "validation_failed"),
    "text null": (b'{"text":null}', 422, "validation_failed"),
    "blank text": (b'{"text":" \\n\\t "}', 422, "validation_failed"),
    "unknown model": (b'{"text":"a","model":"nobody"}', 422, "validation_failed"),
    "model of a wrong type": (b'{"text":"a","model":1}', 422, "validation_failed"),
    "model null": (b'{"text":"a","model":null}', 422, "validation_failed"),
    "request id empty": (b'{"text":"a","request_id":""}', 422, "validation_failed"),
    "request id too long": (b'{"text":"a","request_id":"%s"}' % (b"x" * 129), 422, "validation_failed"),
    "request id with a blank": (b'{"text":"a","request_id":"a b"}', 422, "validation_failed"),
    "request id beyond ASCII": ('{"text":"a","request_id":"é"}'.encode(), 422, "validation_failed"),
    "parent of a wrong type": (b'{"text":"a","parent_id":1}', 422, "validation_failed"),
    "parent unknown": (b'{"text":"a","parent_id":"msg_none"}', 404, "not_found"),
    "too long": (b'{"text":"%s"}' % (b"x" * (32 * 1024 + 1)), 413, "too_large"),
    "too many bytes in few signs": (b'{"text":"%s"}' % ("雪".encode() * 11_000), 413, "too_large"),
    "body too large": (b'{"text":"a","pad":"%s"}' % (b"x" * 256 * 1024), 413, "too_large"),
}


@pytest.mark.proves("A32", "C19", "G8")
@pytest.mark.parametrize("form", [{}, STREAM], ids=["as JSON", "as a stream"])
@pytest.mark.parametrize(("body", "status", "code"), BODIES.values(), ids=BODIES)
def test_a_bad_question_is_a_problem_and_keeps_nothing(
    server: Server, visitor: Visitor, body: bytes, status: int, code: str, form: dict[str, str]
) -> None:
    asking = visitor.asking()
    before = messages_kept(server)
    check_problem(visitor.http.post(asking, content=body, headers=JSON | form), status, code)
    assert messages_kept(server) == before


@pytest.mark.proves("C19")
def test_after_half_a_character_the_conversation_loads_and_goes_on(visitor: Visitor) -> None:
    conversation = visitor.conversation()
    visitor.http.post(visitor.asking(conversation), content=b'{"text":"cut \\ud83e here"}', headers=JSON)
    assert visitor.ask("next", conversation).json()["text"] == "next"
    assert visitor.http.get(f"/c/{conversation}").status_code == 200


def test_the_longest_question_is_taken(visitor: Visitor) -> None:
    text = "x" * 32 * 1024
    assert visitor.ask(text).json()["text"] == text


@pytest.mark.parametrize("request_id", ["!", "~" * 128])
def test_the_shortest_and_the_longest_request_id_are_taken(visitor: Visitor, request_id: str) -> None:
    assert visitor.ask("hi", request_id=request_id).json()["request_id"] == request_id


def test_a_question_cannot_follow_a_question(visitor: Visitor) -> None:
    conversation = visitor.conversation()
    question_id = visitor.ask("one", conversation).json()["question_id"]
    check_problem(visitor.ask("two", conversation, parent_id=question_id), 422, "validation_failed")


@pytest.mark.proves("B39", "C113")
def test_what_belongs_to_somebody_else_does_not_exist(visitor: Visitor, stranger: Visitor) -> None:
    conversation = visitor.conversation()
    question = visitor.scenario({"text": "secret"}, {"hang": True})
    message_id = visitor.begin(question, conversation)
    own = stranger.conversation()
    for theirs, nowhere in (
        (f"/api/v1/conversations/{conversation}", "/api/v1/conversations/cnv_none"),
        (f"/api/v1/messages/{message_id}", "/api/v1/messages/msg_none"),
        (f"/api/v1/messages/{message_id}/events?after=1", "/api/v1/messages/msg_none/events"),
    ):
        for client in (stranger.http, httpx.Client(base_url=stranger.http.base_url, trust_env=False)):
            check_problem(client.get(theirs), 404, "not_found")
            assert without_reference(client.get(theirs)) == without_reference(client.get(nowhere))
    check_problem(stranger.cancel(message_id), 404, "not_found")
    check_problem(stranger.ask("mine", conversation), 404, "not_found")
    check_problem(stranger.ask("mine", own, parent_id=message_id), 404, "not_found")
    assert stranger.http.get(f"/c/{conversation}").status_code == 404
    assert conversation not in stranger.http.get("/api/v1/conversations").text
    assert visitor.message(message_id)["state"] == "running"
    visitor.cancel(message_id)


def without_reference(response: httpx.Response) -> dict[str, object]:
    problem: dict[str, object] = response.json()
    del problem["instance"]
    return problem


def test_without_a_cookie_nothing_can_be_made(server: Server, visitor: Visitor) -> None:
    nobody = httpx.Client(base_url=server.url, trust_env=False)
    check_problem(nobody.post("/api/v1/conversations", json={}), 401, "unauthorized")
    check_problem(nobody.post(visitor.asking(), json={"text": "a"}), 401, "unauthorized")


@pytest.mark.parametrize("value", ["", "x", "InZpc2l0b3Ii.AAAA", '"visitor"'])
def test_a_cookie_that_we_did_not_sign_is_no_cookie(server: Server, value: str) -> None:
    forger = httpx.Client(base_url=server.url, trust_env=False, cookies={"motamot_visitor": value})
    check_problem(forger.post("/api/v1/conversations", json={}), 401, "unauthorized")


FOREIGN = {
    "a foreign origin": ({"Origin": "https://evil.example", **JSON}, 403),
    "no origin at all": ({"Origin": "null", **JSON}, 403),
    "our name on another port": ({"Origin": "http://127.0.0.1:1", **JSON}, 403),
    "another site": ({"Sec-Fetch-Site": "cross-site", **JSON}, 403),
    "the same site": ({"Sec-Fetch-Site": "same-site", **JSON}, 403),
    "typed by hand": ({"Sec-Fetch-Site": "none", **JSON}, 403),
    "plain text": ({"Content-Type": "text/plain"}, 415),
    "a form": ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    "a form with files": ({"Content-Type": "multipart/form-data; boundary=x"}, 415),
    "no kind": ({}, 415),
    "plain text from a foreign origin": ({"Content-Type": "text/plain", "Origin": "https://evil.example"}, 403),
}


@pytest.mark.proves("C114")
@pytest.mark.parametrize(("headers", "status"), FOREIGN.values(), ids=FOREIGN)
def test_another_page_can_change_nothing(
    server: Server, visitor: Visitor, headers: dict[str, str], status: int
) -> None:
    asking = visitor.asking()
    message_id = visitor.begin(visitor.scenario({"text": "one"}, {"hang": True}))
    before = messages_kept(server)
    for address in (asking, "/api/v1/conversations", f"/api/v1/messages/{message_id}/cancel"):
        response = visitor.http.post(address, content=b'{"text":"spend"}', headers=headers)
        assert response.status_code == status, address
    assert messages_kept(server) == before
    assert visitor.message(message_id)["state"] == "running"
    visitor.cancel(message_id)


@pytest.mark.proves("C114")
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
def test_our_own_page_must_send_json_too(visitor: Visitor, kind: str) -> None:
    headers = {"Sec-Fetch-Site": "same-origin", "Content-Type": kind}
    check_problem(
        visitor.http.post(visitor.asking(), content=b'{"text":"a"}', headers=headers), 415, "unsupported_media_type"
    )


@pytest.mark.proves("C114")
def test_our_own_page_can(server: Server, visitor: Visitor) -> None:
    headers = {"Origin": server.url, "Sec-Fetch-Site": "same-origin", **JSON}
    body = b'{"text":"mine","model":"scripted"}'
    assert visitor.http.post(visitor.asking(), content=body, headers=headers).json()["text"] == "mine"


SPEND = dict.fromkeys(("text", "message", "prompt", "q", "request_id"), "spend") | {"model": "scripted", "live": "1"}


@pytest.mark.proves("C119")
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
@pytest.mark.parametrize("rule", sorted({rule for _, rule in routes()}))
def test_no_get_makes_anything(server: Server, visitor: Visitor, method: str, rule: str) -> None:
    message = visitor.ask("one").json()
    before = messages_kept(server), visitor.http.get("/api/v1/conversations").json()
    address = re.sub("<([a-z_]+)>", lambda found: message.get(found[1], "act_none"), rule)
    for _ in range(2):
        assert visitor.http.request(method, address, params=SPEND).status_code < 500
    assert (messages_kept(server), visitor.http.get("/api/v1/conversations").json()) == before
    assert visitor.run(message["message_id"])["calls"] == 1


def test_asking_for_the_head_of_a_stream_does_not_wait_for_its_end(visitor: Visitor) -> None:
    message_id = visitor.begin(visitor.scenario({"hang": True}))
    reply = visitor.http.head(f"/api/v1/messages/{message_id}/events")
    assert (reply.status_code, reply.content) == (200, b"")
    visitor.cancel(message_id)


@pytest.mark.parametrize(
    ("method", "address", "status", "code"),
    [
        ("GET", "/api/v1/nothing", 404, "not_found"),
        ("DELETE", "/api/v1/models", 405, "method_not_allowed"),
        ("GET", "/testing/runs/msg_none", 404, "not_found"),
    ],
)
def test_every_error_of_the_interface_is_a_problem(
    visitor: Visitor, method: str, address: str, status: int, code: str
) -> None:
    check_problem(visitor.http.request(method, address, headers=JSON), status, code)


def test_following_a_question_is_not_found(visitor: Visitor) -> None:
    question_id = visitor.ask("one").json()["question_id"]
    check_problem(visitor.http.get(f"/api/v1/messages/{question_id}/events"), 404, "not_found")
