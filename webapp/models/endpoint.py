"""An OpenAI-compatible address with its key: where to post, what to send along, and what must never be logged."""

import http.client
import json
import ssl
from urllib.parse import urlsplit

from webapp.core.dialects.openai import told
from webapp.core.dialects.openai_errors import failure
from webapp.core.signs import ModelFailure
from webapp.models.connection import Connection, Origin

_INNER_CHARACTERS = 500
_LIST_BYTES = 4 * 1024 * 1024
_COMPLETIONS = "/chat/completions"


class Endpoint:
    """`url` up to `/v1` (the whole address of the completions is taken too); `connect` in seconds."""

    def __init__(self, url: str, key: str = "", connect: float = 10.0) -> None:
        """Raises ValueError for what cannot be used; its message never holds the key."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or not _is_word(url):
            raise ValueError("the address of a model is one word that begins with http:// or https:// and names a host")
        if parts.username is not None or parts.fragment:
            raise ValueError("the address of a model holds no name, password or fragment: a key has its own setting")
        if key and not _is_word(key):
            raise ValueError("the key of a model is one word of visible ASCII characters")
        # Made once: loading the machine's certificates takes longer than connecting.
        tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._origin = Origin(parts.hostname, parts.port or (443 if tls else 80), tls)
        self._path = parts.path.rstrip("/").removesuffix(_COMPLETIONS)
        self._query = f"?{parts.query}" if parts.query else ""
        self._key = key
        self._connect = connect

    def __str__(self) -> str:
        return f"{self._origin.authority}{self._path}"

    def post(self, connection: Connection, path: str, body: bytes) -> http.client.HTTPResponse:
        """The response to `body` posted under the address; waits for its headers. Raises ModelFailure."""
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        return self._request(connection, "POST", path, headers, body)

    def first_model_name(self, connection: Connection, seconds: float = 10.0) -> str:
        """The first model that the provider lists, each wait at most `seconds` long; releases `connection`.

        Raises ModelFailure.
        """
        response = self._request(connection, "GET", "/models", {"Accept": "application/json"}, None, seconds)
        try:
            body = response.read(_LIST_BYTES).decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            raise ModelFailure("provider_error", f"the list of models broke off: {error!r}") from error
        finally:
            connection.release()
        if response.status != 200:
            raise failure(told(body), status=response.status)
        name = _first_id(body)
        if not name:
            raise ModelFailure("provider_error", f"{self} lists no model: {json.dumps(body)}")
        return name

    def redacted(self, inner: str) -> str:
        """`inner` on one line, short enough for a log, and without the key, whoever wrote it there."""
        # Replaced before anything is cut off: half a key is a key given away.
        for form in {self._key, json.dumps(self._key)[1:-1]} - {""}:
            inner = inner.replace(form, "[key]")
        return inner.replace("\r", " ").replace("\n", " ")[:_INNER_CHARACTERS]

    def _request(
        self,
        connection: Connection,
        method: str,
        path: str,
        headers: dict[str, str],
        body: bytes | None,
        seconds: float | None = None,
    ) -> http.client.HTTPResponse:
        headers["User-Agent"] = "motamot"
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        target = f"{self._path}{path}{self._query}"
        try:
            return connection.request(
                self._origin, method, target, headers, body, connect=self._connect, answer=seconds
            )
        except TimeoutError as error:
            raise ModelFailure("timeout", f"{self} did not answer in time: {error}") from error
        # Whether nobody is there, or somebody who speaks no HTTP: no model has been reached.
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ModelFailure("provider_unavailable", f"{self} cannot be reached: {error!r}") from error


def first_model_name(url: str, key: str = "") -> str:
    """The name of the first model listed at `url`. Raises ValueError and ModelFailure."""
    endpoint = Endpoint(url, key)
    try:
        return endpoint.first_model_name(Connection())
    except ModelFailure as failed:
        raise ModelFailure(failed.code, endpoint.redacted(failed.inner)) from None


def _is_word(value: str) -> bool:
    """Whether `value` can stand in the head of a request as it is."""
    return value.isascii() and value.isprintable() and " " not in value


def _first_id(body: str) -> str:
    try:
        listed = json.loads(body)["data"]
        return next((str(model["id"]) for model in listed if model.get("id")), "")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return ""
