"""A visitor of a running server, over HTTP as a program would be one; it reads streams with our own decoder."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import httpx

from tests.support.server import Server
from webapp.core.dialects import native
from webapp.core.events import Event
from webapp.core.sse import FrameDecoder

STREAM = {"Accept": "text/event-stream"}


class Visitor:
    """Has a cookie of its own. `http` is the client for calls that no method here makes."""

    def __init__(self, server: Server) -> None:
        self.http = httpx.Client(base_url=server.url, timeout=60, trust_env=False)
        self.http.get("/").raise_for_status()

    def scenario(self, *steps: Mapping[str, object], **members: object) -> str:
        """Put a scenario; the text that plays it."""
        name = secrets.token_hex(8)
        self.http.put(f"/testing/scenarios/{name}", json={"model": steps, **members}).raise_for_status()
        return f"scenario:{name}"

    def says(self, pieces: Sequence[str], **members: object) -> str:
        """A scenario whose answer is these pieces."""
        return self.scenario(*({"text": piece} for piece in pieces), {"finish": "stop"}, **members)

    def conversation(self) -> str:
        """The id of a new conversation."""
        response = self.http.post("/api/v1/conversations", json={})
        assert response.status_code == 201, response.text
        return str(response.json()["id"])

    def ask(self, text: str, conversation: str | None = None, **members: object) -> httpx.Response:
        """Ask the scripted model and wait for the JSON answer."""
        return self.http.post(self.asking(conversation), json={"text": text, "model": "scripted", **members})

    def begin(self, text: str, conversation: str | None = None, **members: object) -> str:
        """Ask without waiting; the id of the answer."""
        body = {"text": text, "model": "scripted", **members}
        response = self.http.post(self.asking(conversation), json=body, headers={"Prefer": "respond-async"})
        assert response.status_code == 202, response.text
        return str(response.json()["message_id"])

    @contextmanager
    def stream(self, text: str, conversation: str | None = None, **members: object) -> Iterator[httpx.Response]:
        """Ask and read the stream."""
        body = {"text": text, "model": "scripted", **members}
        with self.http.stream("POST", self.asking(conversation), json=body, headers=STREAM) as response:
            yield response

    def events(self, text: str, conversation: str | None = None, **members: object) -> list[Event]:
        """Every event of the answer, from the stream of the question itself."""
        with self.stream(text, conversation, **members) as response:
            assert response.status_code == 200, response.read()
            return list(events_of(response))

    def follow(self, message_id: str, after: object = None, last_event_id: str | None = None) -> list[Event]:
        """Every event that following gives, to the end."""
        headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
        parameters = {} if after is None else {"after": str(after)}
        response = self.http.get(f"/api/v1/messages/{message_id}/events", params=parameters, headers=headers)
        assert response.status_code == 200, response.text
        return list(events_of(response))

    def message(self, message_id: str) -> dict[str, Any]:
        """The message as JSON."""
        response = self.http.get(f"/api/v1/messages/{message_id}")
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found

    def cancel(self, message_id: str) -> httpx.Response:
        """Press Stop."""
        return self.http.post(f"/api/v1/messages/{message_id}/cancel", json={})

    def decide(self, action_id: str, decision: str) -> httpx.Response:
        """Say yes (`confirm`) or no (`decline`) to what an answer proposes."""
        return self.http.post(f"/api/v1/actions/{action_id}/{decision}", json={})

    def run(self, message_id: str) -> dict[str, Any]:
        """What the scripted model did for this answer."""
        found: dict[str, Any] = self.http.get(f"/testing/runs/{message_id}").raise_for_status().json()
        return found

    def asking(self, conversation: str | None = None) -> str:
        """The address at which to ask in a conversation, or in a new one."""
        return f"/api/v1/conversations/{conversation or self.conversation()}/messages"


def events_of(response: httpx.Response) -> Iterator[Event]:
    """The events of a stream as they come."""
    decoder = FrameDecoder()
    for piece in response.iter_raw() if not response.is_closed else [response.content]:
        for frame in decoder.feed(piece):
            if (event := native.read(frame)) is not None:
                yield event
