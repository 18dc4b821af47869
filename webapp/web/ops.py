"""Health, for whoever runs the server; sets no cookie."""

from collections.abc import Callable

from flask import Blueprint, Response

from webapp.answers.catalogue import Catalogue
from webapp.web.responses import json_response


def blueprint(catalogue: Catalogue, is_store_usable: Callable[[], bool], is_draining: Callable[[], bool]) -> Blueprint:
    """`/health/live` and `/health/ready`."""
    ops = Blueprint("ops", __name__, url_prefix="/health")

    @ops.get("/live")
    def live() -> Response:
        return json_response({"status": "live"})

    @ops.get("/ready")
    def ready() -> Response:
        """Ready: the store is migrated and can be written, and one model can be asked."""
        checks = {
            "store": is_store_usable(),
            "model": any(entry.model.is_ready for entry in catalogue),
            "open": not is_draining(),
        }
        is_ready = all(checks.values())
        return json_response({"status": "ready" if is_ready else "not ready", **checks}, 200 if is_ready else 503)

    return ops
