"""Who may read the figures: programs of this machine, and whoever has the key."""

import pytest
from flask import Request
from werkzeug.test import EnvironBuilder

from webapp.core.problems import Refused
from webapp.web.ops import Figures


def may_read(figures: Figures, *, peer: str = "127.0.0.1", host: str = "127.0.0.1:8000", **environ: str) -> bool:
    built = EnvironBuilder("/metrics", base_url=f"http://{host}/", environ_overrides={"REMOTE_ADDR": peer, **environ})
    try:
        figures.check(Request(built.get_environ()))
    except Refused:
        return False
    return True


def figures(key: str = "", *proxies: str) -> Figures:
    return Figures(bytes, "text/plain", key, proxies)


@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("127.0.0.1", "127.0.0.1:8000"),
        ("127.0.0.2", "localhost:8000"),
        ("::1", "[::1]:8000"),
        ("::ffff:127.0.0.1", "localhost"),
    ],
)
def test_a_program_of_this_machine_may_read_them(peer: str, host: str) -> None:
    assert may_read(figures(), peer=peer, host=host)


@pytest.mark.parametrize(
    "environ",
    [
        {"peer": "192.0.2.1"},
        {"peer": "", "host": "localhost"},
        {"host": "motamot.example"},
        {"host": "127.0.0.1.motamot.example"},
        {"SERVER_PROTOCOL": "HTTP/1.0"},
        {"HTTP_VIA": "1.1 proxy"},
        {"HTTP_X_FORWARDED_FOR": ""},
        {"HTTP_AUTHORIZATION": "Bearer ", "peer": "192.0.2.1"},
        {"HTTP_AUTHORIZATION": "Bearer", "peer": "192.0.2.1"},
    ],
    ids=str,
)
def test_without_a_key_nobody_else_may(environ: dict[str, str]) -> None:
    assert not may_read(figures(), **environ)


def test_a_proxy_of_this_machine_that_says_nothing_of_its_clients_opens_nothing_where_it_is_named() -> None:
    assert not may_read(figures("", "127.0.0.1"))


@pytest.mark.parametrize("given", ["Bearer the-key", "bearer the-key"])
def test_the_key_opens_them_from_anywhere(given: str) -> None:
    assert may_read(figures("the-key"), peer="192.0.2.1", HTTP_AUTHORIZATION=given)


@pytest.mark.parametrize("given", ["Bearer the-ke", "Bearer the-keys", "Bearer \u00e9", "Basic the-key", "the-key", ""])
def test_another_word_than_the_key_does_not(given: str) -> None:
    assert not may_read(figures("the-key"), peer="192.0.2.1", HTTP_AUTHORIZATION=given)
