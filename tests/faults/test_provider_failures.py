"""What the failure of a real provider leaves on our wire, on the page, in the store and in the next request to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest

from tests.support.server import Server, start_server
from tests.support.visitor import Visitor, events_of
from webapp.core.events import Error, Event
from webapp.qa.upstream import CUT, DONE, HANG, RESET, Reply, Upstream, delta, frame

INNER = "SENTINEL key sk-test-123 at /srv/app/x.py SELECT * FROM users Traceback"
MUST_NOT_BE_TOLD = ("SENTINEL", "sk-test-123", "/srv/", "SELECT", "Traceback")
# The same provider twice: only what is meant to take too long is asked with a short limit.
MODELS = """
[[models]]
id = "patient"
kind = "remote"
url = "{url}"
name = "m"

[[models]]
id = "impatient"
kind = "remote"
url = "{url}"
name = "m"
limits = {{ silence = 0.5 }}
"""


@dataclass(frozen=True, slots=True)
class Failure:
    """A reply that fails, the text that had come, and the code that it ends with."""

    code: str
    reply: Reply
    text: str = ""
    model: str = "patient"


HALF = (delta("one "), delta("two "))
FAILURES = {
    "status 503": Failure(
        "provider_unavailable", Reply([INNER.encode()], status=503, content_type="text/plain", framing="length")
    ),
    "an error as the first event": Failure(
        "provider_rate_limited", Reply([frame({"error": {"message": INNER, "code": 429}}), DONE])
    ),
    "a filter before the first word": Failure(
        "content_blocked", Reply([frame({"error": {"message": INNER, "code": "content_filter"}})])
    ),
    "an empty stream": Failure("provider_error", Reply([], framing="length")),
    "nobody answers": Failure("provider_unavailable", Reply(before=[RESET])),
    "an error in mid-answer": Failure(
        "provider_error", Reply([*HALF, frame({"choices": [], "error": {"message": INNER, "code": 500}})]), "one two "
    ),
    "the stream closes": Failure("provider_error", Reply([*HALF, CUT], framing="close"), "one two "),
    "data that is no JSON": Failure("provider_error", Reply([*HALF, f"data: {INNER}\n\n".encode(), DONE]), "one two "),
    "silence over the limit": Failure("timeout", Reply([*HALF, HANG]), "one two ", "impatient"),
}
each_failure = pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)


@pytest.fixture(scope="module")
def provider() -> Iterator[Upstream]:
    with Upstream() as running:
        yield running


@pytest.fixture(scope="module")
def server(provider: Upstream) -> Iterator[Server]:
    with start_server(config=MODELS.format(url=provider.url)) as running:
        yield running


@pytest.fixture
def visitor(server: Server) -> Visitor:
    return Visitor(server)


def asked(visitor: Visitor, conversation: str, model: str) -> tuple[httpx.Response, list[Event]]:
    """The whole stream of a question to the provider, and its events."""
    with visitor.stream("first", conversation, model=model) as response:
        response.read()
    return response, list(events_of(response))


def message_of(events: list[Event]) -> str:
    """The id of the answer that these events tell of."""
    return str(next(event.message_id for event in events if hasattr(event, "message_id")))


@pytest.mark.proves("A26", "A27", "B11", "B40", "B45", "C23", "C24", "C27", "C29", "C30", "G6", "G9", "G10")
@each_failure
def test_the_stream_ends_with_one_error_that_has_the_text(
    provider: Upstream, visitor: Visitor, failure: Failure
) -> None:
    provider.play(failure.reply)
    response, events = asked(visitor, visitor.conversation(), failure.model)
    assert response.status_code == 200
    assert [event for event in events if isinstance(event, Error)] == [events[-1]]
    assert isinstance(events[-1], Error)
    assert (events[-1].code, events[-1].text) == (failure.code, failure.text)
    stored = visitor.message(message_of(events))
    assert (stored["state"], stored["error"]["code"], stored["text"]) == ("failed", failure.code, failure.text)


@pytest.mark.proves("B41", "C118")
@each_failure
def test_no_inner_detail_reaches_the_visitor_and_the_reference_number_is_in_the_log(
    provider: Upstream, server: Server, visitor: Visitor, failure: Failure
) -> None:
    """In no event, no problem document, no stored message and no page; each says what can be done."""
    conversation = visitor.conversation()
    provider.play(failure.reply, failure.reply)
    response, events = asked(visitor, conversation, failure.model)
    problem = visitor.ask("second", conversation, model=failure.model)
    page = visitor.http.get(f"/c/{conversation}")
    stored = visitor.message(message_of(events))
    told = [response.text, problem.text, page.text, str(stored)]
    assert [(word, one) for word in MUST_NOT_BE_TOLD for one in told if word in one] == []
    for error in (stored["error"], problem.json()):
        assert error["detail"].endswith(".")
        assert error["next_step"].endswith(".")
        assert error["instance"] in server.log_text()


@pytest.mark.proves("A30", "A65", "K6", "T6")
@each_failure
def test_the_next_question_is_answered_and_the_failed_turn_is_not_sent(
    provider: Upstream, visitor: Visitor, failure: Failure
) -> None:
    conversation, before = visitor.conversation(), len(provider.exchanges)
    provider.play(failure.reply)
    asked(visitor, conversation, failure.model)
    assert visitor.ask("second", conversation, model="patient").json()["text"] == "Hello."
    assert provider.exchange(before + 1).json["messages"] == [{"role": "user", "content": "second"}]
