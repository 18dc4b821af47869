"""Answers over HTTP: the same text in every form, numbered, once, and with one end."""

import sqlite3
import threading
import time

import pytest

from tests.support.server import Server
from tests.support.texts import LINES, LIST, TABLE, TEXTS, pieces
from tests.support.visitor import Visitor
from webapp.core.digests import digest
from webapp.core.events import Accepted, Answer, Cancelled, Delta, Error, Snapshot

COUNTS = {"one piece": 1, "500 pieces": 500}


@pytest.mark.proves("A19", "A25", "A61", "A66", "B2", "B3", "C17", "C20", "C21", "G1", "G3", "G4", "G5", "H12", "H13")
@pytest.mark.parametrize("count", COUNTS.values(), ids=COUNTS)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_stream_json_store_and_end_hold_the_same_text(server: Server, visitor: Visitor, text: str, count: int) -> None:
    events = visitor.events(visitor.says(pieces(text, count)))
    accepted, *deltas, end = events
    assert isinstance(accepted, Accepted)
    assert "".join(delta.text for delta in deltas if isinstance(delta, Delta)) == text
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    known = digest(text)
    assert isinstance(end, Answer)
    assert (end.text, end.bytes, end.sha256) == (text, known.bytes, known.sha256)
    assert end.message_id == accepted.message_id
    as_json = visitor.message(accepted.message_id)
    assert (as_json["text"], as_json["bytes"], as_json["sha256"]) == (text, known.bytes, known.sha256)
    assert stored_text(server, accepted.message_id) == text.encode()
    assert visitor.ask(visitor.says(pieces(text, count))).json()["text"] == text


def stored_text(server: Server, message_id: str) -> bytes:
    with sqlite3.connect(f"file:{server.database}?mode=ro", uri=True) as database:
        row: tuple[bytes] = database.execute("SELECT text FROM messages WHERE message_id = ?", [message_id]).fetchone()
    return row[0]


@pytest.mark.proves("A13", "A21", "H1", "H6")
@pytest.mark.parametrize(
    "line", [{}, {"bytes_per_write": 1}, {"line_end": "crlf"}, {"line_end": "cr", "bytes_per_write": 7}]
)
@pytest.mark.parametrize("text", [LIST, LINES, TABLE, TEXTS["CRLF"], TEXTS["a frame"]])
def test_the_way_the_bytes_travel_makes_no_difference(visitor: Visitor, line: dict[str, object], text: str) -> None:
    events = visitor.events(visitor.says(pieces(text, 20), line=line))
    end = events[-1]
    assert isinstance(end, Answer)
    assert end.text == text == "".join(event.text for event in events if isinstance(event, Delta))


@pytest.mark.proves("A23", "C55", "G18")
@pytest.mark.parametrize("is_resumed", [False, True])
def test_a_stream_says_what_it_is_and_that_nobody_may_hold_it_back(visitor: Visitor, is_resumed: bool) -> None:
    with visitor.stream(visitor.says(["one"])) as asked:
        headers = asked.headers
        asked.read()
    if is_resumed:
        message_id = visitor.begin(visitor.says(["one"]))
        headers = visitor.http.get(f"/api/v1/messages/{message_id}/events").headers
    assert headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert {"no-cache", "no-transform"} <= set(headers["Cache-Control"].split(", "))
    assert headers["X-Accel-Buffering"] == "no"


@pytest.mark.proves("A22", "C121", "G21", "H19")
def test_headers_and_a_comment_leave_before_the_first_word_and_it_before_the_second_is_made(visitor: Visitor) -> None:
    question = visitor.scenario({"hang": True})
    with visitor.stream(question) as response:
        assert next(response.iter_raw()).startswith(b":")
    question = visitor.scenario({"text": "one"}, {"hang": True}, {"text": "two"}, {"finish": "stop"})
    with visitor.stream(question) as response:
        seen = b""
        for piece in response.iter_raw():
            seen += piece
            if b"event: delta" in seen:
                break
        message_id = seen.partition(b'"message_id": "')[2].partition(b'"')[0].decode()
        assert visitor.run(message_id)["steps"] == 2
    assert visitor.cancel(message_id).json()["state"] == "cancelled"


@pytest.mark.proves("A26", "A27", "A32", "G6", "G8", "G9", "K2")
@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("timeout", 504),
        ("provider_unavailable", 502),
        ("provider_error", 502),
        ("provider_rate_limited", 503),
        ("content_blocked", 422),
        ("interrupted", 503),
        ("internal", 500),
    ],
)
def test_a_failure_is_an_event_in_the_stream_and_a_problem_in_json(visitor: Visitor, code: str, status: int) -> None:
    question = visitor.scenario({"text": "Half a"}, {"fail": code})
    *_, end = visitor.events(question)
    assert isinstance(end, Error)
    assert (end.code, end.text) == (code, "Half a")
    response = visitor.ask(question)
    assert (response.status_code, response.headers["Content-Type"]) == (status, "application/problem+json")
    problem = response.json()
    assert (problem["code"], problem["text"], problem["retryable"]) == (code, "Half a", end.retryable)
    assert problem["detail"] == end.detail
    assert problem["next_step"] == end.next_step
    stored = visitor.message(problem["message_id"])
    assert (stored["state"], stored["text"], stored["error"]["code"]) == ("failed", "Half a", code)


@pytest.mark.proves("B11", "B12", "C27")
def test_a_model_that_breaks_off_has_not_completed(visitor: Visitor) -> None:
    *_, end = visitor.events(visitor.scenario({"text": "The total is 4"}))
    assert isinstance(end, Error)
    assert (end.code, end.text) == ("provider_error", "The total is 4")


@pytest.mark.proves("C69")
@pytest.mark.parametrize("reason", ["stop", "length", "content_filter"])
def test_the_finish_reason_is_told_and_kept(visitor: Visitor, reason: str) -> None:
    *_, end = visitor.events(visitor.scenario({"text": "First, then"}, {"finish": reason}))
    assert isinstance(end, Answer)
    assert end.finish_reason == reason
    assert visitor.message(end.message_id)["finish_reason"] == reason


@pytest.mark.proves("B45", "T6")
def test_an_answer_cut_by_a_time_limit_is_incomplete_and_does_not_go_to_the_model(visitor: Visitor) -> None:
    question = visitor.scenario({"text": "part"}, {"hang": True}, limits={"silence": 0.3})
    *_, end = visitor.events(question)
    assert isinstance(end, Error)
    assert (end.code, end.text) == ("timeout", "part")


@pytest.mark.proves("B4", "B6", "C52")
def test_the_same_request_again_joins_the_first_answer_and_starts_nothing(visitor: Visitor) -> None:
    conversation, question = visitor.conversation(), visitor.says(["one ", "two"])
    first = visitor.events(question, conversation, request_id="r1")
    again = visitor.events(question, conversation, request_id="r1")
    assert again == first
    assert visitor.ask(question, conversation, request_id="r1").json()["text"] == "one two"
    assert isinstance(first[0], Accepted)
    assert visitor.run(first[0].message_id)["calls"] == 1
    messages = visitor.http.get(f"/api/v1/conversations/{conversation}").json()["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant"]


@pytest.mark.proves("B4", "C52")
def test_five_equal_requests_at_once_make_one_run(visitor: Visitor) -> None:
    conversation = visitor.conversation()
    question = visitor.scenario({"text": "one "}, {"wait": 0.2}, {"text": "two"}, {"finish": "stop"})
    answers: list[dict[str, object]] = []
    asking = [
        threading.Thread(target=lambda: answers.append(visitor.ask(question, conversation, request_id="r5").json()))
        for _ in range(5)
    ]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(30)
    assert {answer["text"] for answer in answers} == {"one two"}
    (message_id,) = {str(answer["message_id"]) for answer in answers}
    assert len(answers) == 5
    assert visitor.run(message_id)["calls"] == 1


@pytest.mark.proves("B5", "C52")
def test_the_same_text_under_two_request_ids_is_asked_twice(visitor: Visitor) -> None:
    conversation, question = visitor.conversation(), visitor.says(["ok"])
    visitor.ask(question, conversation, request_id="one")
    visitor.ask(question, conversation, request_id="two")
    assert len(visitor.http.get(f"/api/v1/conversations/{conversation}").json()["messages"]) == 4


@pytest.mark.proves("B4")
@pytest.mark.parametrize(
    "other",
    [{"text": "another"}, {"model": "scripted", "parent_id": None}, {"conversation": "another"}, {"without": "model"}],
    ids=["text", "parent", "conversation", "model left out"],
)
def test_a_request_id_stands_for_one_request_as_it_was_sent(visitor: Visitor, other: dict[str, object]) -> None:
    conversation, question = visitor.conversation(), visitor.says(["one"])
    visitor.ask(question, conversation, request_id="r1")
    body: dict[str, object] = {"text": question, "model": "scripted", "request_id": "r1"} | other
    if body.pop("conversation", None):
        conversation = visitor.conversation()
    if body.pop("without", None):
        del body["model"]
    response = visitor.http.post(visitor.asking(conversation), json=body)
    assert (response.status_code, response.json()["code"]) == (409, "request_conflict")


def test_a_failed_answer_is_joined_and_never_run_again(visitor: Visitor) -> None:
    conversation, question = visitor.conversation(), visitor.scenario({"fail": "provider_error"})
    first = visitor.ask(question, conversation, request_id="r1")
    again = visitor.ask(question, conversation, request_id="r1")
    assert first.json()["message_id"] == again.json()["message_id"]
    assert visitor.run(first.json()["message_id"])["calls"] == 1


@pytest.mark.parametrize("quoted", ["k1", '"k1"'])
def test_the_idempotency_key_header_is_the_request_id(visitor: Visitor, quoted: str) -> None:
    conversation, question = visitor.conversation(), visitor.says(["one"])
    body = {"text": question, "model": "scripted"}
    first = visitor.http.post(visitor.asking(conversation), json=body, headers={"Idempotency-Key": quoted})
    assert first.json()["request_id"] == "k1"
    again = visitor.ask(question, conversation, request_id="k1")
    assert again.json()["message_id"] == first.json()["message_id"]
    differing = visitor.http.post(
        visitor.asking(conversation), json=body | {"request_id": "k2"}, headers={"Idempotency-Key": quoted}
    )
    assert (differing.status_code, differing.json()["code"]) == (422, "validation_failed")


@pytest.mark.proves("C113")
def test_two_visitors_may_use_the_same_request_id(visitor: Visitor, stranger: Visitor) -> None:
    one = visitor.ask("mine", request_id="same").json()
    other = stranger.ask("theirs", request_id="same").json()
    assert (one["text"], other["text"]) == ("mine", "theirs")


def test_a_second_question_in_a_running_conversation_is_busy_and_keeps_nothing(visitor: Visitor) -> None:
    conversation = visitor.conversation()
    message_id = visitor.begin(visitor.scenario({"text": "one"}, {"hang": True}), conversation)
    response = visitor.ask("second", conversation)
    assert (response.status_code, response.json()["code"]) == (409, "conversation_busy")
    assert response.json()["detail"] + " " + response.json()["next_step"] == (
        "An answer is still being written. Stop it or wait, then send again."
    )
    visitor.cancel(message_id)
    assert visitor.ask("second", conversation).json()["text"] == "second"
    messages = visitor.http.get(f"/api/v1/conversations/{conversation}").json()["messages"]
    assert [message["text"] for message in messages[2:]] == ["second", "second"]


@pytest.mark.proves("B14", "B16", "B17", "B18", "B22", "B23", "C43")
@pytest.mark.parametrize(
    ("after", "numbers", "begins"),
    [
        (None, [1, 2, 3, 4, 5], Accepted),
        (0, [1, 2, 3, 4, 5], Accepted),
        (2, [3, 4, 5], Delta),
        (4, [5], Answer),
        (6, [4, 5], Snapshot),
        (-1, [4, 5], Snapshot),
        ("x", [4, 5], Snapshot),
        ("2.5", [4, 5], Snapshot),
        ("9" * 40, [4, 5], Snapshot),
        ("\u0663", [4, 5], Snapshot),
    ],
)
def test_following_begins_after_the_cursor_or_with_a_snapshot(
    visitor: Visitor, after: object, numbers: list[int], begins: type
) -> None:
    message_id = visitor.ask(visitor.says(["\U0001f9ed", "\u00e9", "\u96ea"])).json()["message_id"]
    events = visitor.follow(message_id, after)
    assert [event.seq for event in events] == numbers
    assert isinstance(events[0], begins)
    end = events[-1]
    assert isinstance(end, Answer)
    assert end.text == "\U0001f9ed\u00e9\u96ea"


def test_last_event_id_wins_over_after(visitor: Visitor) -> None:
    message_id = visitor.ask(visitor.says(["a", "b"])).json()["message_id"]
    assert [event.seq for event in visitor.follow(message_id, after=1, last_event_id="3")] == [4]


def test_a_follower_that_has_the_end_gets_no_content(visitor: Visitor) -> None:
    message = visitor.ask(visitor.says(["a"])).json()
    response = visitor.http.get(f"/api/v1/messages/{message['message_id']}/events?after={message['seq']}")
    assert (response.status_code, response.content) == (204, b"")


@pytest.mark.proves("B32", "B33", "B39", "C44", "C45", "C47")
def test_stop_closes_the_model_keeps_the_text_and_gives_the_same_receipt_again(visitor: Visitor) -> None:
    question = visitor.scenario(
        {"text": "keep "}, {"text": "this "}, {"hang": True}, {"text": "DROP"}, {"finish": "stop"}
    )
    message_id = visitor.begin(question)
    while visitor.message(message_id)["text"] != "keep this ":
        pass
    receipt = visitor.cancel(message_id)
    assert receipt.status_code == 200
    assert receipt.json() == {"message_id": message_id, "state": "cancelled", "seq": 4, "cancelling": False}
    assert visitor.cancel(message_id).json() == receipt.json()
    run = visitor.run(message_id)
    assert (run["stopped"], run["steps"]) == (True, 3)
    *_, end = visitor.follow(message_id)
    assert isinstance(end, Cancelled)
    assert (end.text, end.by) == ("keep this ", "user")
    assert visitor.message(message_id)["text"] == "keep this "


@pytest.mark.proves("C44")
def test_stop_before_the_first_word(visitor: Visitor) -> None:
    message_id = visitor.begin(visitor.scenario({"hang": True}))
    assert visitor.cancel(message_id).json()["state"] == "cancelled"
    assert visitor.message(message_id)["text"] == ""


@pytest.mark.proves("B39")
def test_stop_on_an_ended_answer_changes_nothing(visitor: Visitor) -> None:
    message = visitor.ask("done").json()
    assert visitor.cancel(message["message_id"]).json()["state"] == "completed"
    assert visitor.message(message["message_id"]) == message


@pytest.mark.proves("B36")
def test_a_mark_that_only_the_store_has_is_honoured(server: Server, visitor: Visitor) -> None:
    message_id = visitor.begin(visitor.scenario({"text": "one"}, {"hang": True}))
    with sqlite3.connect(server.database, timeout=10) as database:
        database.execute("UPDATE messages SET cancel_requested_at = 1 WHERE message_id = ?", [message_id])
    *_, end = visitor.follow(message_id)
    assert isinstance(end, Cancelled)


@pytest.mark.proves("B36")
def test_closing_the_stream_does_not_stop_the_answer(visitor: Visitor) -> None:
    question = visitor.scenario({"text": "one "}, {"wait": 0.3}, {"text": "two"}, {"finish": "stop"})
    with visitor.stream(question) as response:
        seen = b""
        for piece in response.iter_raw():
            seen += piece
            if b"one" in seen:
                break
    message_id = seen.partition(b'"message_id": "')[2].partition(b'"')[0].decode()
    *_, end = visitor.follow(message_id)
    assert isinstance(end, Answer)
    assert end.text == "one two"


@pytest.mark.proves("B25", "G15", "C57")
def test_a_silent_stream_sends_a_comment_line(visitor: Visitor) -> None:
    began = time.monotonic()
    with visitor.stream(visitor.scenario({"hang": True})) as response:
        lines = b""
        for piece in response.iter_raw():
            lines += piece
            if lines.count(b"\n:") + lines.startswith(b":") >= 2:
                break
    assert time.monotonic() - began < 20
    assert b"\n: still here\n" in lines


@pytest.mark.proves("G1")
@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("application/json", "application/json"),
        ("text/html", "application/json"),
        ("text/event-stream", "text/event-stream; charset=utf-8"),
        ("text/event-stream, application/json;q=0.5", "text/event-stream; charset=utf-8"),
        ("Text/Event-Stream", "text/event-stream; charset=utf-8"),
    ],
)
def test_accept_picks_the_form(visitor: Visitor, accept: str | None, kind: str) -> None:
    request = visitor.http.build_request("POST", visitor.asking(), json={"text": "hi", "model": "scripted"})
    del request.headers["Accept"]
    if accept:
        request.headers["Accept"] = accept
    assert visitor.http.send(request).headers["Content-Type"] == kind


def test_a_cancelled_answer_is_a_message_as_json(visitor: Visitor) -> None:
    conversation = visitor.conversation()
    answers: list[dict[str, object]] = []
    question = visitor.scenario({"text": "part"}, {"hang": True})
    asking = threading.Thread(target=lambda: answers.append(visitor.ask(question, conversation).json()))
    asking.start()
    while not (messages := visitor.http.get(f"/api/v1/conversations/{conversation}").json()["messages"]):
        pass
    while visitor.message(messages[1]["message_id"])["text"] != "part":
        pass
    visitor.cancel(messages[1]["message_id"])
    asking.join(10)
    assert (answers[0]["state"], answers[0]["text"], answers[0]["by"]) == ("cancelled", "part", "user")


def test_models_are_listed(visitor: Visitor) -> None:
    models = visitor.http.get("/api/v1/models").json()["models"]
    assert {"id": "scripted", "label": "Scripted", "kind": "scripted", "ready": True} in models


@pytest.mark.proves("B14")
def test_a_conversation_shows_the_newest_text_of_a_running_answer(visitor: Visitor) -> None:
    message_id = visitor.begin(visitor.scenario({"text": "so far"}, {"hang": True}))
    while (message := visitor.message(message_id))["text"] != "so far":
        pass
    shown = visitor.http.get(f"/api/v1/conversations/{message['conversation_id']}").json()["messages"][-1]
    assert (shown["state"], shown["text"], shown["seq"]) == ("running", "so far", 2)
    visitor.cancel(message_id)
