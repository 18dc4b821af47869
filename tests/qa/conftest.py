"""The kit on Motamot's own page, whose model is the kit's, and on the small chats beside it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.bad_pages import BadPages
from tests.support.server import start_server
from webapp.qa.upstream import Upstream


@pytest.fixture(scope="session")
def chat_url(model_server: Upstream) -> Iterator[str]:
    with start_server(environment={"OPENAI_BASE_URL": model_server.url, "OPENAI_MODEL": "fake"}) as server:
        yield server.url


@pytest.fixture(scope="session")
def bad_pages(model_server: Upstream) -> Iterator[BadPages]:
    with BadPages(model_server.url) as pages:
        yield pages
