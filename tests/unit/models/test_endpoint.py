"""Which addresses and keys can be used, where requests go, and what the log may see of a failure."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from webapp.core.prompts import Prompt, Turn
from webapp.core.signs import ModelFailure
from webapp.models.endpoint import Endpoint, first_model_name
from webapp.models.remote import RemoteModel
from webapp.qa.upstream import CUT, Reply, Upstream, frame

KEY = "sk-test-123"


@pytest.fixture
def provider() -> Iterator[Upstream]:
    with Upstream() as running:
        yield running


@pytest.mark.parametrize(
    ("suffix", "path"),
    [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/chat/completions", "/v1/chat/completions"),
        ("?api-version=1", "/v1/chat/completions?api-version=1"),
        ("/deployments/x?api-version=1", "/v1/deployments/x/chat/completions?api-version=1"),
    ],
)
def test_the_completions_stand_under_the_address_however_it_is_written(
    provider: Upstream, suffix: str, path: str
) -> None:
    list(RemoteModel(provider.url + suffix, "m").answer(Prompt((Turn("user", "?"),)), "msg_1"))
    assert provider.exchange(0).path == path


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:11434",
        "ftp://host/v1",
        "http://",
        "http:///v1",
        "http://host:99999",
        "http://ho st/v1",
        "http://[1/v1",
    ],
)
def test_an_address_that_cannot_be_asked_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        Endpoint(url)


@pytest.mark.proves("C118")
@pytest.mark.parametrize(
    ("url", "key"),
    [
        (f"http://user:{KEY}@host/v1", ""),
        (f"htp://user:{KEY}@host/v1", ""),
        ("http://host/v1", f"{KEY}\n"),
        ("http://host/v1", f"{KEY} and more"),
        ("http://host/v1", f"{KEY}ß"),
    ],
)
def test_a_secret_in_a_wrong_place_or_form_is_refused_and_not_repeated(url: str, key: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as refused:
        Endpoint(url, key)
    assert KEY not in str(refused.value)


def test_the_address_that_is_logged_has_no_query() -> None:
    assert str(Endpoint("https://host/v1?secret=1")) == "host/v1"
    assert str(Endpoint("http://[::1]:8080/v1/")) == "[::1]:8080/v1"


@pytest.mark.proves("C118")
def test_a_key_at_the_place_where_a_failure_is_cut_off_leaves_no_part_of_itself() -> None:
    endpoint = Endpoint("http://host/v1", KEY)
    for length in range(480, 501):
        assert KEY[:3] not in endpoint.redacted("x" * length + KEY)


def test_a_failure_in_the_log_is_one_short_line() -> None:
    inner = Endpoint("http://host/v1").redacted("a\r\nb\n" + "c" * 10_000)
    assert inner.splitlines() == [inner]
    assert len(inner) == 500


def test_the_first_model_is_the_first_that_has_a_name(provider: Upstream) -> None:
    provider.models = ["", "llama3.2", "other"]
    assert first_model_name(provider.url, KEY) == "llama3.2"
    exchange = provider.exchange(0)
    assert (exchange.method, exchange.path) == ("GET", "/v1/models")
    assert exchange.headers["authorization"] == f"Bearer {KEY}"
    assert exchange.gone.wait(5)


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply([b'{"data":[]}'], content_type="application/json"), "provider_error"),
        (Reply([b'{"data":null}'], content_type="application/json"), "provider_error"),
        (Reply([b"[]"], content_type="application/json"), "provider_error"),
        (Reply([b'{"data":["a"]}'], content_type="application/json"), "provider_error"),
        (Reply([b"<h1>no</h1>"], content_type="text/html"), "provider_error"),
        (Reply([b'{"error":{"message":"sk-test-123"}}'], status=401), "provider_error"),
        (Reply([b"no"], status=503), "provider_unavailable"),
        (Reply([b'{"data":[{"id":"a', CUT]), "provider_error"),
        (Reply([frame({"id": "a"})]), "provider_error"),
        (Reply(before=[CUT]), "provider_unavailable"),
    ],
)
def test_a_list_without_a_model_fails(provider: Upstream, reply: Reply, code: str) -> None:
    provider.play(reply)
    with pytest.raises(ModelFailure) as failed:
        first_model_name(provider.url, KEY)
    assert failed.value.code == code
    assert KEY not in failed.value.inner
