"""Carries out an action by one signed POST to an operator's address; what that address does is not known here."""

import hashlib
import hmac
import json
import logging
import time
import urllib.request
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

import urllib3

from webapp.core.actions import DONE, NOT_CARRIED_OUT, NOT_KNOWN, Outcome
from webapp.core.surrogates import well_formed
from webapp.ports.actions import Proposal

logger = logging.getLogger(__name__)

ATTEMPT_SECONDS = 10.0  # to connect and to get the head of a reply
WAITS = (0.5, 1.0, 2.0)  # seconds before each further attempt
_REPLY_BYTES = 64 * 1024
_TEXT_CHARACTERS = 2_000
_URL_CHARACTERS = 2_000


class Webhook:
    """Implements Carrier. What it sends carries the action's id, and a signature with `secret`, which goes nowhere."""

    def __init__(self, url: str, secret: str) -> None:
        """Raises ValueError for an address that cannot be used."""
        self._url = url
        self._secret = secret.encode("utf-8")
        try:
            self._pool = _pool(url)
        except urllib3.exceptions.HTTPError as error:
            raise ValueError(str(error)) from error

    def carry_out(self, proposal: Proposal) -> Outcome:
        body = _body(proposal)
        for wait in (*WAITS, None):
            outcome = self._try(proposal.action.id, body)
            if outcome is not None:
                return outcome
            if wait is not None:
                time.sleep(wait)
        return NOT_KNOWN

    def _try(self, action_id: str, body: bytes) -> Outcome | None:
        """The outcome, or None where the same call may be made once more: whoever gets it knows it by its key."""
        try:
            reply = self._pool.request(
                "POST",
                self._url,
                body=body,
                headers=self._headers(action_id, body),
                timeout=urllib3.Timeout(total=ATTEMPT_SECONDS),
                retries=False,  # redirections are not followed either
                preload_content=False,
            )
        except (urllib3.exceptions.HTTPError, OSError) as error:
            # The error itself names the address, which may hold what is nobody's business.
            logger.warning("action %s: no reply (%s)", action_id, type(error).__name__)
            return None
        try:
            return _outcome(action_id, reply)
        finally:
            reply.close()

    def _headers(self, action_id: str, body: bytes) -> Mapping[str, str]:
        return {
            "Content-Type": "application/json",
            "Idempotency-Key": action_id,
            "Motamot-Signature": signature(self._secret, int(time.time()), body),
            "User-Agent": "motamot",
        }


def signature(secret: bytes, at: int, body: bytes) -> str:
    """`t=<at>,v1=<hex HMAC-SHA256 of "at.body">`; `at` in seconds since 1970, so that an old call can be refused."""
    signed = hmac.new(secret, b"%d.%b" % (at, body), hashlib.sha256)
    return f"t={at},v1={signed.hexdigest()}"


def _body(proposal: Proposal) -> bytes:
    action = proposal.action
    members = {
        "action_id": action.id,
        "name": action.name,
        "arguments": action.arguments,
        "message_id": proposal.message_id,
    }
    return json.dumps(members).encode("ascii")


def _outcome(action_id: str, reply: urllib3.BaseHTTPResponse) -> Outcome | None:
    if 200 <= reply.status < 300:
        return Outcome("succeeded", _told(reply))
    logger.warning("action %s: the reply has status %d", action_id, reply.status)
    if 400 <= reply.status < 500:
        return NOT_CARRIED_OUT
    # What was moved may have been done before (303) or not (308); elsewhere it is not sent.
    return NOT_KNOWN if 300 <= reply.status < 400 else None


def _told(reply: urllib3.BaseHTTPResponse) -> Mapping[str, str]:
    """`text` and `url` of a reply, as far as they can be shown. It is done by then, whatever the body is like."""
    try:
        told = json.loads(reply.read(_REPLY_BYTES))
    except (urllib3.exceptions.HTTPError, OSError, ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        return {"text": DONE}
    text, url = told.get("text"), told.get("url")
    result = {"text": DONE}
    if isinstance(text, str) and text.strip():
        result["text"] = well_formed(text)[:_TEXT_CHARACTERS]
    if isinstance(url, str) and _is_link(url):
        result["url"] = url
    return result


def _is_link(url: str) -> bool:
    """Whether a person can be led there: nothing but http, and nothing in it that is not seen."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    is_visible = all("!" <= character <= "~" for character in url)
    return is_visible and len(url) <= _URL_CHARACTERS and parts.scheme in ("http", "https") and bool(parts.hostname)


def _pool(url: str) -> urllib3.PoolManager:
    """Leads through the proxy that the environment names for this address, if it names one, as models do."""
    parts = urlsplit(url)
    known = urllib.request.getproxies()
    proxy = known.get(parts.scheme) or known.get("all")
    if not proxy or not parts.hostname or _is_near(parts.hostname):
        return urllib3.PoolManager()
    login = urlsplit(proxy)
    given = f"{unquote(login.username)}:{unquote(login.password or '')}" if login.username else None
    headers = urllib3.make_headers(proxy_basic_auth=given) if given else None
    return urllib3.ProxyManager(proxy, proxy_headers=headers)


def _is_near(host: str) -> bool:
    is_own = host in ("localhost", "::1") or host.startswith("127.")
    return is_own or bool(urllib.request.proxy_bypass(host))
