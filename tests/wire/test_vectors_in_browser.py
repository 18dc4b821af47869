"""The page's own modules, in a real browser, give what each vector says."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from playwright.sync_api import Page

from tests.support.vectors import KINDS_IN_JAVASCRIPT, count_cuts, load

CHECKOUT = Path(__file__).parents[2]


class QuietHandler(SimpleHTTPRequestHandler):
    # The machine's own table of types may know .js as something that a browser refuses to run.
    extensions_map: ClassVar[dict[str, str]] = {
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
    }

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def checkout_url() -> Iterator[str]:
    """The checkout's files over HTTP: a module's imports need an origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=CHECKOUT)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.proves("A13", "C01", "C02", "C05", "C06", "C08", "C11", "C12", "C13", "C14", "C17")
@pytest.mark.parametrize("kind", KINDS_IN_JAVASCRIPT)
def test_every_vector_holds_in_a_browser(page: Page, checkout_url: str, kind: str) -> None:
    vectors = load(kind)
    page.goto(f"{checkout_url}/tests/wire/vectors.html")
    found = page.evaluate(
        "async ([kind, vectors]) => (await import('/tests/wire/vectors.js')).run(kind, vectors)",
        [kind, vectors],
    )
    assert found == {"runs": count_cuts(vectors), "mismatches": []}
