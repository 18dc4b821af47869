"""Health and figures, for whoever runs the server; sets no cookie."""

import hmac
import ipaddress
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from flask import Blueprint, Request, Response, request

from webapp.answers.catalogue import Catalogue
from webapp.core.problems import Refused
from webapp.web.responses import json_response

_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via")


@dataclass(frozen=True, slots=True)
class Figures:
    """What `/metrics` gives, `content_type`, and to whom: this machine's own programs, and who has the key.

    An empty `key` is nobody's; `trusted_proxies` are addresses from which others ask.
    """

    write: Callable[[], bytes]
    content_type: str
    key: str = field(repr=False)
    trusted_proxies: Sequence[str] = ()

    def check(self, request: Request) -> None:
        """Raises Refused (`forbidden`)."""
        if not (self._has_key(request) or self._is_of_this_machine(request)):
            raise Refused("forbidden")

    def _has_key(self, request: Request) -> bool:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        is_right = hmac.compare_digest(given.strip().encode("utf-8"), self.key.encode("utf-8"))
        return scheme.lower() == "bearer" and is_right and self.key != ""

    def _is_of_this_machine(self, request: Request) -> bool:
        """Whether nothing says that another machine asks through a proxy on this one."""
        # nginx passes on in HTTP/1.0, with its own address and nothing of the client's, unless it is told otherwise.
        is_direct = request.environ.get("SERVER_PROTOCOL") != "HTTP/1.0" and not any(
            name in request.headers for name in _FORWARDED
        )
        # A foreign page can reach this machine by a name of its own (DNS rebinding), but not by ours.
        name = request.host.rsplit(":", 1)[0].strip("[]")
        peer = request.remote_addr or ""
        return is_direct and peer not in self.trusted_proxies and _is_loopback(peer) and _is_loopback(name)


def _is_loopback(name: str) -> bool:
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name == "localhost"
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def blueprint(
    catalogue: Catalogue, is_store_usable: Callable[[], bool], is_draining: Callable[[], bool], figures: Figures
) -> Blueprint:
    """`/health/live`, `/health/ready` and `/metrics`."""
    ops = Blueprint("ops", __name__)

    @ops.get("/health/live")
    def live() -> Response:
        return json_response({"status": "live"})

    @ops.get("/health/ready")
    def ready() -> Response:
        """Ready: the store is migrated and can be written, and one model can be asked."""
        checks = {
            "store": is_store_usable(),
            "model": any(entry.model.is_ready for entry in catalogue),
            "open": not is_draining(),
        }
        is_ready = all(checks.values())
        return json_response({"status": "ready" if is_ready else "not ready", **checks}, 200 if is_ready else 503)

    @ops.get("/metrics")
    def metrics() -> Response:
        figures.check(request)
        response = Response(figures.write(), content_type=figures.content_type)
        response.headers["Cache-Control"] = "no-store"
        return response

    return ops
