"""The routes that the program has, read from the program itself, so that a new one cannot be forgotten."""

from __future__ import annotations

from unittest.mock import create_autospec

from flask import Flask
from jinja2 import Environment

from webapp.web import api, ops, page


def routes() -> set[tuple[str, str]]:
    """Each call of the interface, the page and the operators, as method and rule (`/c/<conversation_id>`)."""
    app = Flask("routes", static_folder=None)
    unused = create_autospec(api.Services, instance=True)
    app.register_blueprint(api.blueprint(unused))
    app.register_blueprint(page.blueprint(unused, Environment(autoescape=True), 1.0))
    app.register_blueprint(ops.blueprint(unused, unused, unused, unused))
    return {
        (method, rule.rule)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
