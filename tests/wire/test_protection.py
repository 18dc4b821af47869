"""What keeps a page to itself: its headers, its cookie, its ids, and what never reaches a log."""

import re

import httpx
import pytest

from tests.support.server import Server
from tests.support.visitor import Visitor

# Of each directive the whole value: one more word would be one more hole.
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}


@pytest.mark.proves("C79", "C112")
@pytest.mark.parametrize("address", ["/", "/nothing", "/api/v1/models", "/api/v1/nothing", "/health/live"])
def test_every_response_forbids_what_the_page_does_not_need(visitor: Visitor, address: str) -> None:
    headers = visitor.http.get(address).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    assert policy == POLICY
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"


def test_the_page_has_no_inline_script_style_or_handler(visitor: Visitor) -> None:
    visitor.ask('<img src=x onerror="window.pwn=1">', visitor.conversation())
    for html in (visitor.http.get("/").text, visitor.http.get("/nothing").text):
        assert not re.search(r"<script(?![^>]*(\bsrc=|application/json))", html)
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=", html)


def test_the_cookie_is_for_us_alone(server: Server) -> None:
    cookie = httpx.get(server.url, trust_env=False).headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie


@pytest.mark.proves("C113")
def test_only_the_page_gives_a_cookie(server: Server) -> None:
    for address in ("/health/live", "/health/ready", "/api/v1/models", "/c/cnv_none"):
        assert "Set-Cookie" not in httpx.get(server.url + address, trust_env=False).headers


def test_opening_the_page_keeps_nothing(server: Server) -> None:
    visitor = Visitor(server)
    assert visitor.http.get("/api/v1/conversations").json()["conversations"] == []


def test_ids_cannot_be_guessed(visitor: Visitor) -> None:
    found = [visitor.ask("one").json() for _ in range(3)]
    ids = [message[name] for message in found for name in ("message_id", "question_id", "conversation_id")]
    assert len(set(ids)) == len(ids)
    for name in ids:
        assert re.fullmatch(r"(msg|cnv)_[0-9a-f]{32}", name)


@pytest.mark.proves("C118", "C119")
def test_the_log_holds_no_text_of_a_person_and_no_cookie(server: Server, visitor: Visitor) -> None:
    secret = "SENTINEL-of-this-person"
    visitor.ask(secret)
    visitor.http.post(visitor.asking(), json={"text": secret, "model": secret})
    visitor.http.get("/", params={"text": secret})
    visitor.http.get(f"/c/cnv_none/ask?text={secret}")
    form = dict(re.findall(r'name="(\w+)" value="([^"]*)"', visitor.http.get("/").text))
    for token in (form["token"], "wrong"):
        visitor.http.post("/ask", data={**form, "text": secret, "token": token, "model": "scripted"})
    failed = visitor.ask(visitor.scenario({"text": secret}, {"fail": "provider_error"})).json()
    visitor.http.post(f"/api/v1/messages/{failed['message_id']}/regenerate", json={"model": secret})
    log = server.log_text()
    assert "refused" in log
    for told in (secret, visitor.http.cookies["motamot_visitor"], form["token"]):
        assert told not in log


@pytest.mark.proves("C118")
def test_a_refusal_and_the_log_share_a_reference_number(server: Server, visitor: Visitor) -> None:
    problem = visitor.http.get("/api/v1/messages/msg_none").json()
    assert problem["instance"] in server.log_text()


def test_static_files_are_lasting_under_their_digest_and_compressed(visitor: Visitor) -> None:
    address = re.search(r'"(/static/[0-9a-f]{12}/js/main\.js)"', visitor.http.get("/").text)
    assert address
    response = visitor.http.get(address[1], headers={"Accept-Encoding": "br, gzip"})
    assert "immutable" in response.headers["Cache-Control"]
    assert response.headers["Content-Encoding"] == "br"
    for offered, coding in (("gzip", "gzip"), ("br;q=0, gzip", "gzip"), ("identity", None)):
        same = visitor.http.get(address[1], headers={"Accept-Encoding": offered})
        assert (same.text, same.headers.get("Content-Encoding")) == (response.text, coding)
    assert response.headers["Content-Type"] == "text/javascript; charset=utf-8"
    other = visitor.http.get(re.sub("/static/[0-9a-f]+/", "/static/000000000000/", address[1]))
    assert (other.text, other.headers["Cache-Control"]) == (response.text, "no-cache")
    assert visitor.http.get("/static/000000000000/../webapp/app.py").status_code == 404
    assert visitor.http.get("/static/000000000000/%2e%2e/%2e%2e/pyproject.toml").status_code == 404


def test_only_the_page_that_holds_nobodys_text_is_compressed(visitor: Visitor) -> None:
    """Elsewhere the length of what is compressed would tell of the form's token to who can have text put beside it."""
    conversation = visitor.conversation()
    visitor.ask("my question", conversation)
    empty = visitor.http.get("/")
    assert (empty.headers["Content-Encoding"], empty.headers["Vary"]) == ("gzip", "Accept-Encoding")
    assert "</html>" in empty.text
    plain = visitor.http.get("/", headers={"Accept-Encoding": "gzip;q=0"})
    assert ("Content-Encoding" in plain.headers, plain.headers["Vary"]) == (False, "Accept-Encoding")
    assert "Content-Encoding" not in visitor.http.get(f"/c/{conversation}").headers
