"""Who asks, and whether a changing request comes from our own page; the headers that keep a page to itself."""

import logging
import secrets
from collections.abc import Sequence
from urllib.parse import urlsplit

from flask import Request, Response
from itsdangerous import BadSignature, URLSafeSerializer

from webapp.core.problems import Refused

logger = logging.getLogger(__name__)

COOKIE = "motamot_visitor"
_COOKIE_SECONDS = 400 * 24 * 3600  # the longest that browsers keep one

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
_EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_IN_DOCUMENTS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    # With "no-referrer" browsers post the page's forms with `Origin: null` (Fetch §3.2), which is refused as foreign.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
# A browser shows these as text at most, so that a page's thirty files need not say it thirty times.
_PARTS_OF_PAGES = ("text/javascript", "text/css")


class Visitors:
    """Visitors by their signed cookie. `public_urls`: our addresses beside the request's own."""

    def __init__(self, secret_key: str, public_urls: Sequence[str] = ()) -> None:
        self._cookies = URLSafeSerializer(secret_key, salt="visitor")
        self._forms = URLSafeSerializer(secret_key, salt="form")
        self._public = {_origin(url) for url in public_urls}

    def owner(self, request: Request) -> str | None:
        """The owner that the request's cookie proves, or None."""
        try:
            visitor = self._cookies.loads(request.cookies.get(COOKIE, ""))
        except BadSignature:
            return None
        return f"visitor:{visitor}"

    def welcome(self, response: Response, *, is_https: bool) -> str:
        """Give the response a new visitor's cookie; the owner it proves from now on."""
        visitor = secrets.token_hex(16)
        response.set_cookie(
            COOKIE,
            str(self._cookies.dumps(visitor)),
            max_age=_COOKIE_SECONDS,
            httponly=True,
            samesite="Lax",
            secure=is_https,
        )
        return f"visitor:{visitor}"

    def form_token(self, owner: str) -> str:
        """What a form without script must send back."""
        return str(self._forms.dumps(owner))

    def check_form(self, owner: str, request: Request) -> None:
        """Raises Refused (`forbidden`) for a form of another page: without the token that was made for this owner."""
        self._check_origin(request)
        try:
            meant = self._forms.loads(request.form.get("token", ""))
        except BadSignature:
            meant = None
        if meant != owner:
            raise Refused("forbidden")

    def check_changing(self, request: Request) -> None:
        """Raises Refused unless a request that can change something comes from our own page, or says that it is JSON.

        A foreign page can send a cookie along, but not JSON without being asked for leave first (Fetch Standard,
        CORS-preflight).
        """
        if request.method in ("GET", "HEAD", "OPTIONS"):
            return
        is_known = self._check_origin(request)
        if not is_known and request.mimetype != "application/json":
            raise Refused("unsupported_media_type")

    def _check_origin(self, request: Request) -> bool:
        """Whether the browser says that our own page asks. Raises Refused (`forbidden`) when it says another."""
        site = request.headers.get("Sec-Fetch-Site")
        origin = request.headers.get("Origin")
        if site is not None and site != "same-origin":
            raise Refused("forbidden")
        if origin is not None and not self._is_ours(origin, request):
            if site is not None:  # its own page asks, says the browser: only the address is another
                logger.warning(
                    "refused a page of another address; if it is ours, set MOTAMOT_PUBLIC_URL=%s", _shown(origin)
                )
            raise Refused("forbidden")
        return site is not None or origin is not None

    def _is_ours(self, origin: str, request: Request) -> bool:
        return origin == _origin(request.host_url) or origin in self._public


def _shown(origin: str) -> str:
    """For the log: what a client sent, in visible signs and no more of them than an address has."""
    return "".join(sign for sign in origin if "!" <= sign <= "~")[:255]


def _origin(url: str) -> str:
    """The origin of an address as browsers write it (RFC 6454, section 6.2): no default port."""
    parts = urlsplit(url)
    default = {"http": 80, "https": 443}.get(parts.scheme)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = f":{parts.port}" if parts.port not in (None, default) else ""
    return f"{parts.scheme}://{host}{port}"


def protect(response: Response) -> Response:
    """Add the headers that every response carries; those that only a document heeds, to what can be one."""
    is_part_of_page = response.mimetype in _PARTS_OF_PAGES
    for name, value in (_EVERYWHERE if is_part_of_page else _EVERYWHERE | _IN_DOCUMENTS).items():
        response.headers.setdefault(name, value)
    return response
