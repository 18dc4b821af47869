"""The proxies of the environment: used for other machines, never for this one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from webapp.core.prompts import Prompt, Turn
from webapp.core.signs import Finish, ModelFailure, Sign, Text
from webapp.models.proxies import proxy_for
from webapp.models.remote import RemoteModel
from webapp.qa.upstream import Reply, Upstream, answer

VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Upstream]:
    """A proxy that the environment names for everything; it answers for whomever it is asked."""
    with Upstream() as running:
        for name in ("http_proxy", "https_proxy"):
            monkeypatch.setenv(name, f"http://user:p%40ss@127.0.0.1:{running.port}")
        yield running


def ask(url: str) -> list[Sign]:
    return list(RemoteModel(url, "m").answer(Prompt((Turn("user", "?"),)), "msg_1"))


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "::1", "model.localhost"])
def test_this_machine_is_asked_without_a_proxy(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    assert proxy_for(host, is_tls=False) is None
    assert proxy_for("model.example", is_tls=False) is not None


def test_a_host_of_no_proxy_is_asked_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "model.example")
    assert proxy_for("model.example", is_tls=True) is None


def test_a_plain_model_is_asked_through_the_proxy_by_its_whole_address(proxy: Upstream) -> None:
    proxy.play(Reply(answer("Hi")))
    assert ask("http://model.example/v1") == [Text("Hi"), Finish("stop")]
    exchange = proxy.exchange(0)
    assert exchange.path == "http://model.example/v1/chat/completions"
    assert exchange.headers["host"] == "model.example"
    assert exchange.headers["proxy-authorization"] == "Basic dXNlcjpwQHNz"


def test_a_model_behind_tls_is_asked_through_a_tunnel_and_a_refused_one_is_unavailable(proxy: Upstream) -> None:
    proxy.play(Reply(status=407, framing="length"))
    with pytest.raises(ModelFailure, match="provider_unavailable"):
        ask("https://model.example/v1")
    exchange = proxy.exchange(0)
    assert (exchange.method, exchange.path) == ("CONNECT", "model.example:443")
    assert exchange.headers["proxy-authorization"] == "Basic dXNlcjpwQHNz"


def test_a_proxy_that_speaks_no_http_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", "socks5://127.0.0.1:1080")
    with pytest.raises(ModelFailure, match="provider_unavailable"):
        ask("http://model.example/v1")
