"""What travelled between a chat page and its server, piece by piece with times, seen from inside the browser.

Chromium tells of it over its DevTools protocol (domain Network); the page is not touched and nothing is held back.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webapp.qa.dialects import Piece, Stream, Travelled, read_answers
from webapp.qa.texts import as_seen, difference, word_difference

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

    from webapp.qa.chat import Chat
    from webapp.qa.profiles import Profile

STREAMS = ("text/event-stream", "application/x-ndjson", "application/ndjson", "application/jsonl", "text/plain")


@dataclass(slots=True)
class Exchange:
    """One request of the page and its reply, as far as it came. Times: seconds since the epoch.

    `failure` is the browser's word for a reply that broke off, "" for one that came to its end or still comes.
    """

    method: str
    address: str
    sent: str
    began: float
    status: int = 0
    content_type: str = ""
    pieces: list[Piece] = field(default_factory=list)
    ended: float | None = None
    failure: str = ""

    @property
    def body(self) -> bytes:
        return b"".join(piece.data for piece in self.pieces)

    @property
    def is_stream(self) -> bool:
        return self.status == 200 and self.content_type in STREAMS


class Wire:
    """Records from the moment it is made; make it before the page is opened."""

    def __init__(self, page: "Page", profile: "Profile") -> None:
        self._page = page
        self._profile = profile
        self._exchanges: dict[str, Exchange] = {}
        self._session: CDPSession = page.context.new_cdp_session(page)
        # The protocol's own clock begins anywhere: each request says what it means in seconds since the epoch.
        self._epoch = 0.0
        for name, take in (
            ("requestWillBeSent", self._requested),
            ("responseReceived", self._responded),
            ("dataReceived", self._received),
            ("loadingFinished", self._finished),
            ("loadingFailed", self._failed),
        ):
            self._session.on(f"Network.{name}", take)
        self._session.send("Network.enable")

    def exchanges(self) -> Sequence[Exchange]:
        """Every request to the profile's address for answers, in order."""
        self._page.evaluate("() => 0")  # lets what the browser has told so far arrive
        return list(self._exchanges.values())

    def streams(self) -> Sequence[Exchange]:
        """Those whose reply is an answer as it grows."""
        return [exchange for exchange in self.exchanges() if exchange.is_stream]

    def asked(self, question: str) -> Sequence[Exchange]:
        """The requests that carried this question to the server."""
        written = {question, json.dumps(question)[1:-1], json.dumps(question, ensure_ascii=False)[1:-1]}
        return [
            exchange
            for exchange in self.exchanges()
            if exchange.method == "POST" and any(text in exchange.sent for text in written)
        ]

    def answers(self) -> Sequence[Travelled]:
        """Every answer that travelled, in order, whatever number of streams each came in."""
        about = self._profile.wire
        streams = [Stream(one.address, one.pieces) for one in self.streams()]
        return read_answers(about.dialect, streams, way=about.text)

    def expect_exact(self, chat: "Chat", number: int | None = None) -> None:
        """The page shows the newest answer (or the one with this number) as the wire carried it, and its end as it was.

        Raises AssertionError with the first difference, or where nothing travelled.
        """
        answers = self.answers()
        place = number or len(answers)
        if not 0 < place <= len(answers):
            raise AssertionError(self._nothing(chat))
        travelled, state = answers[place - 1], chat.state(number)
        compare = word_difference if self._profile.is_formatted else difference
        if fault := compare(travelled.text, chat.text(number)):
            raise AssertionError(f"not exact: {fault}")
        if state in ("completed", "running", "none") and travelled.end != state:
            ended = f"ended as {travelled.end}" if travelled.end else "broke off without an end"
            raise AssertionError(f"not honest: the stream {ended}, and the page shows the answer as {state}")

    def _nothing(self, chat: "Chat") -> str:
        refused = [one for one in self.exchanges() if one.status >= 400]
        if not refused:
            seen = ", ".join(sorted({f"{one.method} {one.address}" for one in self.exchanges()})) or "no request at all"
            return f"nothing travelled as an answer; the page made {seen}"
        body = refused[-1].body.decode("utf-8", "replace")
        shown = chat.text()
        if body.strip() and (body.strip() in shown or (shown.strip() and shown.strip() in body)):
            return f"an error is shown as the answer: {as_seen(shown[:120])}"
        return f"no answer travelled: the server replied {refused[-1].status} with {as_seen(body[:120])}"

    def _requested(self, told: Mapping[str, Any]) -> None:
        request = told["request"]
        if self._profile.wire.address not in request["url"]:
            return
        self._epoch = told["wallTime"] - told["timestamp"]
        exchange = Exchange(request["method"], request["url"], request.get("postData", ""), told["wallTime"])
        self._exchanges[told["requestId"]] = exchange

    def _responded(self, told: Mapping[str, Any]) -> None:
        exchange = self._exchanges.get(told["requestId"])
        if exchange is None:
            return
        exchange.status = told["response"]["status"]
        exchange.content_type = told["response"]["mimeType"].lower()
        before = self._ask("Network.streamResourceContent", told["requestId"], "bufferedData")
        if before:
            exchange.pieces.insert(0, Piece(told["timestamp"] + self._epoch, before))

    def _received(self, told: Mapping[str, Any]) -> None:
        exchange = self._exchanges.get(told["requestId"])
        if exchange is not None and told.get("data"):
            exchange.pieces.append(Piece(told["timestamp"] + self._epoch, base64.b64decode(told["data"])))

    def _finished(self, told: Mapping[str, Any]) -> None:
        exchange = self._exchanges.get(told["requestId"])
        if exchange is None:
            return
        exchange.ended = told["timestamp"] + self._epoch
        if not exchange.pieces and told.get("encodedDataLength"):
            # It had ended before it could be asked for its pieces: they come in one.
            body = self._ask("Network.getResponseBody", told["requestId"], "body")
            exchange.pieces.append(Piece(exchange.ended, body))

    def _failed(self, told: Mapping[str, Any]) -> None:
        exchange = self._exchanges.get(told["requestId"])
        if exchange is not None:
            exchange.ended = told["timestamp"] + self._epoch
            exchange.failure = told["errorText"]

    def _ask(self, method: str, request_id: str, member: str) -> bytes:
        """Bytes that the browser holds of a request; none where it holds nothing of it any more."""
        from playwright.sync_api import Error

        try:
            told = self._session.send(method, {"requestId": request_id})
        except Error:
            return b""
        text: str = told[member]
        is_plain = told.get("base64Encoded") is False
        return text.encode() if is_plain else base64.b64decode(text)
