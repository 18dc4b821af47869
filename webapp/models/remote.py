"""A model behind HTTP that speaks OpenAI's dialect: asks, reads, and turns whatever goes wrong into a ModelFailure.

It retries nothing that a model may have worked on, and watches no clock but that of connecting: the producer does.
"""

import http.client
import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from time import monotonic

from webapp.core.actions import Offer
from webapp.core.dialects.openai import OpenAIReader, request_body, told
from webapp.core.dialects.openai_errors import failure
from webapp.core.limits import Limits
from webapp.core.prompts import Prompt
from webapp.core.signs import ModelFailure, Sign
from webapp.core.sse import EventTooLarge, FrameDecoder
from webapp.models.connection import Connection
from webapp.models.endpoint import Endpoint

_READ_BYTES = 65_536
_WHOLE_BYTES = 16 * 1024 * 1024
_REFUSAL_BYTES = 65_536
_REFUSAL_SECONDS = 5.0
# A model that has ended may still send its usage; one that then holds the line open must not hold the answer. Shorter
# than the producer waits, so that it hears of the tool calls too.
_AFTER_FINISH_SECONDS = 1.0
_USUAL = Limits()

logger = logging.getLogger(__name__)


class RemoteModel:
    """A model at an OpenAI-compatible address. `is_ready` is always true: only a question can tell."""

    is_ready = True

    def __init__(
        self,
        url: str,
        name: str = "",
        *,
        key: str = "",
        limits: Limits = _USUAL,
        max_tokens: int | None = None,
        temperature: float | None = None,
        offers: Sequence[Offer] = (),
        options: Mapping[str, object] | None = None,
        on_replaced: Callable[[int], object] = lambda _: None,
    ) -> None:
        """`url` as the provider documents it, up to `/v1`; without `name` the first model that it lists.

        Of the `limits` only `connect` is held here, for name, TCP and TLS together. `offers`: the actions that the
        model may propose. `options` are more members of the request. `on_replaced` is told how many U+FFFD of an answer
        stand for bytes that were not UTF-8.
        Raises ValueError for an `url` or `key` that cannot be used; its message never holds the key.
        """
        self.endpoint = Endpoint(url, key, limits.connect)
        self.limits = limits
        self.name = name
        self.takes_usage = True
        self.on_replaced = on_replaced
        self._max_tokens = max_tokens
        self._temperature = temperature
        self._offers = offers
        self._options = dict(options or {})

    def answer(self, prompt: Prompt, message_id: str) -> "RemoteStream":
        """A stream for one answer; nothing is asked before its first sign is wanted."""
        return RemoteStream(self, prompt)

    def body(self, prompt: Prompt) -> bytes:
        """The request for `prompt`, in ASCII."""
        members = request_body(
            prompt,
            self.name,
            max_tokens=self._max_tokens,
            temperature=self._temperature,
            with_usage=self.takes_usage,
            offers=self._offers,
        )
        return json.dumps(members | self._options).encode("ascii")


class RemoteStream:
    """One answer. `invalid`: how many U+FFFD stand for bytes that were not UTF-8."""

    is_merged = True

    def __init__(self, model: RemoteModel, prompt: Prompt) -> None:
        self.limits = model.limits
        self._model = model
        self._prompt = prompt
        self._connection = Connection()
        self._decoder = FrameDecoder()
        self._reader = OpenAIReader()
        self._is_begun = False

    @property
    def invalid(self) -> int:
        return self._decoder.invalid

    def close(self) -> None:
        """End the work at the model: it sees its connection closed."""
        self._connection.close()

    def __iter__(self) -> Iterator[Sign]:
        """The signs; can be iterated once, since each time would ask again. Raises ModelFailure."""
        if self._is_begun:
            raise RuntimeError("an answer can be read only once")
        self._is_begun = True
        try:
            if not self._connection.is_closed:
                yield from self._signs()
        except ModelFailure as failed:
            if not self._connection.is_closed:
                raise ModelFailure(failed.code, self._model.endpoint.redacted(failed.inner)) from None
        finally:
            self._connection.release()
            self._log_oddities()

    def _signs(self) -> Iterator[Sign]:
        response = self._ask()
        kind = response.headers.get_content_type()
        _refuse_unreadable(response, kind)
        if kind == "application/json":
            body = b"".join(self._pieces(response, at_most=_WHOLE_BYTES))
            yield from self._reader.read_whole(body.decode("utf-8", "replace"))
        else:
            for piece in self._pieces(response):
                yield from self._read(piece)
        if not self._connection.is_closed:
            yield from self._reader.finish(self._decoder.feed(b"\n\n") if self._decoder.pending else ())

    def _read(self, piece: bytes) -> Iterator[Sign]:
        try:
            frames = self._decoder.feed(piece)
        except EventTooLarge as error:
            for frame in error.frames:
                yield from self._reader.read(frame)
            raise ModelFailure("provider_error", str(error)) from error
        for frame in frames:
            yield from self._reader.read(frame)

    def _ask(self) -> http.client.HTTPResponse:
        """The response to the question; one with a refusal becomes a ModelFailure."""
        endpoint = self._model.endpoint
        if not self._model.name:
            self._model.name = endpoint.first_model_name(self._connection)
        while True:
            body = self._model.body(self._prompt)
            response = endpoint.post(self._connection, "/chat/completions", body)
            if 200 <= response.status < 300:
                return response
            refusal = self._refusal(response)
            if not (self._model.takes_usage and response.status in (400, 422) and b"stream_options" in refusal):
                raise _refused(response, refusal)
            # A server that refuses this member has not asked its model; from now on it is asked without.
            self._model.takes_usage = False
            self._connection.release()

    def _refusal(self, response: http.client.HTTPResponse) -> bytes:
        """What comes of a refusal's body without much waiting: the status alone would do."""
        self._connection.limit(_REFUSAL_SECONDS)
        body = bytearray()
        with suppress(ModelFailure):
            for piece in self._pieces(response, at_most=_REFUSAL_BYTES):
                body += piece
        return bytes(body)

    def _pieces(self, response: http.client.HTTPResponse, at_most: int | None = None) -> Iterator[bytes]:
        """The body as it comes, up to its end, ours, or that of the answer."""
        deadline = None
        size = 0
        while not self._reader.is_done and (at_most is None or size < at_most):
            if self._reader.is_finished:
                deadline = deadline or monotonic() + _AFTER_FINISH_SECONDS
                self._connection.limit(max(deadline - monotonic(), 0.001))
            try:
                piece = response.read1(_READ_BYTES)
            except (OSError, http.client.HTTPException) as error:
                if self._reader.is_finished or self._connection.is_closed:
                    return
                raise ModelFailure("provider_error", f"the model broke off: {error!r}") from error
            if not piece or self._connection.is_closed:
                return
            size += len(piece)
            yield piece

    def _log_oddities(self) -> None:
        if self.invalid:
            self._model.on_replaced(self.invalid)
            logger.warning("%s sent bytes that are not UTF-8, replaced %d times", self._model.endpoint, self.invalid)
        if self._reader.unknown_reason:
            reason = json.dumps(self._reader.unknown_reason[:100])
            logger.warning("%s finished with the unknown reason %s", self._model.endpoint, reason)


def _refuse_unreadable(response: http.client.HTTPResponse, kind: str) -> None:
    """What can only be a page for people, or packed against our wish, holds no answer; other types are tried."""
    if kind in ("text/html", "application/xhtml+xml"):
        raise ModelFailure("provider_error", f"a page of type {kind} instead of an event stream")
    encoding = response.headers.get("Content-Encoding", "identity")
    if encoding.lower() != "identity":
        raise ModelFailure("provider_error", f"the body came in the encoding {encoding!r}, which was not asked for")


def _refused(response: http.client.HTTPResponse, body: bytes) -> ModelFailure:
    where = response.headers.get("Location")
    # The key must not travel to wherever an answer points.
    error = f"a redirection to {where}, which is not followed" if where else told(body.decode("utf-8", "replace"))
    return failure(error, status=response.status)
