"""Reading, asking and stopping in a browser that runs no script, and the forms that it sends."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import COOKIE
from tests.support.server import Server
from tests.support.texts import LIST, TEXTS
from tests.support.visitor import Visitor

HIDDEN = re.compile(r'<input type="hidden"[^>]* name="(request_id|token|parent_id)" value="([^"]*)">')


@pytest.fixture
def page(browser: Browser, server: Server, visitor: Visitor) -> Iterator[Page]:
    """A tab that runs no script, of the same visitor."""
    with browser.new_context(java_script_enabled=False) as context:
        context.add_cookies([{"name": COOKIE, "value": visitor.http.cookies[COOKIE], "url": server.url}])
        yield context.new_page()


def ask(page: Page, text: str) -> None:
    page.get_by_role("textbox", name="Your question").fill(text)
    page.get_by_role("combobox", name="Model").select_option("scripted")
    page.get_by_role("button", name="Send").click()


def form(visitor: Visitor, path: str = "/") -> dict[str, str]:
    """The fields that a browser would send with the form of this page, less the text."""
    return {"model": "scripted", **dict(HIDDEN.findall(visitor.http.get(path).text))}


def question_address(response: httpx.Response) -> str:
    """Where a form that was taken leads to."""
    assert response.status_code == 303, response.text
    address = response.headers["Location"]
    assert re.fullmatch(r"/c/cnv_[0-9a-f]+\?live=1#question", address)
    return str(address)


@pytest.mark.proves("B58", "C99")
def test_a_conversation_is_read_whole(page: Page, server: Server, visitor: Visitor) -> None:
    conversation = visitor.conversation()
    for steps in (
        [{"text": LIST}, {"finish": "stop"}],
        [{"text": TEXTS["markup"]}, {"fail": "timeout"}],
        [{"text": "cut"}, {"finish": "length"}],
    ):
        visitor.ask(visitor.scenario(*steps), conversation)
    page.goto(f"{server.url}/c/{conversation}")
    headings = [heading.inner_text() for heading in page.get_by_role("heading", level=2).all()]
    assert headings == [
        "You",
        "Scripted",
        "You",
        "Scripted — incomplete: failed",
        "You",
        "Scripted — incomplete: cut short by the model’s limit",
    ]
    texts = page.locator("article[data-role=assistant] [data-part=text]").all()
    assert [text.text_content() for text in texts] == [LIST, TEXTS["markup"], "cut"]
    expect(page.get_by_text("The model took too long, so the answer is incomplete.")).to_be_visible()
    assert page.locator("main :is(img, iframe)").count() == 0


@pytest.mark.proves("A22", "B35", "G21", "C44")
def test_an_answer_is_seen_while_it_comes_and_can_be_stopped(page: Page, server: Server, visitor: Visitor) -> None:
    page.goto(server.url)
    ask(page, visitor.scenario({"text": "keep this "}, {"hang": True}))
    expect(page.get_by_text("keep this ")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("heading", name="Scripted — incomplete: stopped by you")).to_be_visible()
    expect(page.get_by_text("keep this ")).to_be_visible()
    ask(page, "again")
    expect(page.get_by_role("article", name="Scripted", exact=True)).to_contain_text("again")
    expect(page.get_by_role("article")).to_have_count(4)


@pytest.mark.proves("A22", "G21", "H19")
def test_the_page_is_written_as_the_answer_comes_and_its_form_after_the_end(visitor: Visitor) -> None:
    question = visitor.scenario({"text": "First. "}, {"text": "Second."}, {"hang": True})
    address = question_address(visitor.http.post("/ask", data={**form(visitor), "text": question}))
    seen = ""
    with visitor.http.stream("GET", address) as response:
        pieces = response.iter_text()
        while "Second." not in seen:
            seen += next(pieces)
        assert "<textarea" not in seen
        (message_id,) = re.findall(r'data-message-id="(msg_[0-9a-f]+)"[^>]* data-role="assistant"', seen)
        assert visitor.message(message_id)["state"] == "running"
        visitor.cancel(message_id)
        rest = "".join(pieces)
    assert "You stopped this answer." in rest
    assert rest.count("<textarea") == 1
    assert rest.rstrip().endswith("</html>")
    assert "refresh" not in seen + rest


@pytest.mark.proves("A32", "C46")
@pytest.mark.parametrize(
    ("draft", "reason"),
    [("\n  \t", "The question is empty."), ("\u00e9" * 16_384 + "!", "The question is longer than 32 KiB.")],
    ids=["blank", "too long"],
)
def test_a_refused_question_keeps_its_draft_and_says_why(
    page: Page, server: Server, visitor: Visitor, draft: str, reason: str
) -> None:
    page.goto(server.url)
    ask(page, draft)
    expect(page.get_by_role("form", name="Ask")).to_contain_text(reason)
    assert page.get_by_role("textbox", name="Your question").input_value() == draft
    ask(page, "next")
    expect(page.get_by_role("article", name="Scripted")).to_contain_text("next")


@pytest.mark.proves("C46", "C96")
def test_a_second_question_while_an_answer_runs_keeps_its_draft(page: Page, server: Server, visitor: Visitor) -> None:
    conversation = visitor.conversation()
    message_id = visitor.begin(visitor.scenario({"text": "one"}, {"hang": True}), conversation)
    page.goto(f"{server.url}/c/{conversation}")
    ask(page, "my draft")
    expect(page.get_by_role("form", name="Ask")).to_contain_text("Stop it or wait, then send again.")
    assert page.get_by_role("textbox", name="Your question").input_value() == "my draft"
    expect(page.get_by_role("article")).to_have_count(2)
    visitor.cancel(message_id)
    ask(page, "my draft")
    expect(page.get_by_role("article", name="Scripted", exact=True)).to_contain_text("my draft")


@pytest.mark.proves("C19", "A61")
def test_line_ends_that_the_form_made_crlf_become_lf_again(page: Page, server: Server, visitor: Visitor) -> None:
    """Browsers send every line break of a field as CRLF (HTML, 4.10.22.7)."""
    page.goto(server.url)
    ask(page, "\n one\n\ntwo ")
    expect(page.get_by_role("article", name="Scripted", exact=True)).to_be_attached()
    conversation = page.url.split("/c/")[1].partition("?")[0]
    kept = visitor.http.get(f"/api/v1/conversations/{conversation}").json()["messages"]
    assert [message["text"] for message in kept] == ["\n one\n\ntwo "] * 2


@pytest.mark.proves("B4", "B7", "C52")
def test_a_form_that_is_sent_twice_asks_once(visitor: Visitor) -> None:
    fields = {**form(visitor), "text": "once"}
    first, second = (question_address(visitor.http.post("/ask", data=fields)) for _ in range(2))
    assert first == second
    conversation = first.removeprefix("/c/").partition("?")[0]
    kept = visitor.http.get(f"/api/v1/conversations/{conversation}").json()["messages"]
    assert [message["role"] for message in kept] == ["user", "assistant"]
    assert len(visitor.http.get("/api/v1/conversations").json()["conversations"]) == 1


@pytest.mark.proves("C114")
@pytest.mark.parametrize("path", ["/ask", "/c/{conversation}/ask", "/c/{conversation}/again", "/c/{conversation}/stop"])
def test_a_form_without_its_own_token_changes_nothing(server: Server, visitor: Visitor, path: str) -> None:
    conversation = visitor.conversation()
    message_id = visitor.begin(visitor.scenario({"text": "one"}, {"hang": True}), conversation)
    address = path.format(conversation=conversation)
    fields = {**form(visitor), "text": "my question", "message_id": message_id}
    stranger = form(Visitor(server))["token"]
    for token in ({}, {"token": ""}, {"token": "x"}, {"token": stranger}):
        response = visitor.http.post(address, data={**fields, "token": "", **token})
        assert response.status_code == 403
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert visitor.message(message_id)["state"] == "running"
    assert len(visitor.http.get(f"/api/v1/conversations/{conversation}").json()["messages"]) == 2
    assert len(visitor.http.get("/api/v1/conversations").json()["conversations"]) == 1
    visitor.cancel(message_id)


@pytest.mark.proves("B44", "C24", "C54")
def test_retry_and_the_versions_work_without_script(page: Page, server: Server, visitor: Visitor) -> None:
    page.goto(server.url)
    question = visitor.scenario({"text": "half"}, {"fail": "timeout"})
    ask(page, question)
    expect(page.get_by_role("heading", name="Scripted — incomplete: failed")).to_be_visible()
    name = question.removeprefix("scenario:")
    visitor.http.put(f"/testing/scenarios/{name}", json={"model": [{"text": "whole"}, {"finish": "stop"}]})
    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_role("article", name="Scripted", exact=True)).to_contain_text("whole")
    expect(page.get_by_role("article")).to_have_count(2)
    expect(page.get_by_text("2 of 2")).to_be_visible()
    page.get_by_role("link", name="Previous version").click()
    expect(page.get_by_role("article", name="Scripted — incomplete: failed")).to_contain_text("half")
    page.get_by_role("link", name="Compare").click()
    expect(page.get_by_role("heading", level=2)).to_have_count(2)
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_text("2 of 2")).to_be_visible()
    page.get_by_role("button", name="New answer").click()
    expect(page.get_by_text("3 of 3")).to_be_visible()


@pytest.mark.proves("C69")
def test_continue_works_without_script(page: Page, server: Server, visitor: Visitor) -> None:
    page.goto(server.url)
    ask(page, visitor.scenario({"text": "First, then"}, {"finish": "length"}))
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("article", name="Scripted", exact=True)).to_contain_text("Continue where you stopped.")
    expect(page.get_by_role("article")).to_have_count(4)


@pytest.mark.proves("B44")
def test_a_question_is_edited_without_script(page: Page, server: Server, visitor: Visitor) -> None:
    conversation = visitor.conversation()
    for text in ("first", "secnod", "third"):
        visitor.ask(text, conversation)
    page.goto(f"{server.url}/c/{conversation}")
    page.get_by_role("button", name="Edit").nth(1).click()
    field = page.get_by_role("textbox", name="Your question")
    expect(field).to_have_value("secnod")
    expect(page.get_by_role("article")).to_have_count(2)
    page.get_by_role("link", name="Cancel").click()
    expect(page.get_by_role("article")).to_have_count(6)
    page.get_by_role("button", name="Edit").nth(1).click()
    ask(page, "second")
    expect(page.get_by_role("article", name="You")).to_contain_text(["first", "second"])
    expect(page.get_by_text("2 of 2")).to_be_visible()


@pytest.mark.proves("B4", "B7", "C52")
def test_a_retry_that_is_sent_twice_asks_once(visitor: Visitor) -> None:
    answer = visitor.ask(visitor.scenario({"fail": "timeout"})).json()
    conversation = answer["conversation_id"]
    fields = {**form(visitor, f"/c/{conversation}"), "message_id": answer["message_id"]}
    addresses = {question_address(visitor.http.post(f"/c/{conversation}/again", data=fields)) for _ in range(2)}
    assert addresses == {f"/c/{conversation}?live=1#question"}
    kept = visitor.http.get(f"/api/v1/conversations/{conversation}").json()["messages"]
    assert [message["version"] for message in kept] == [1, 1, 2]


@pytest.mark.proves("C113")
@pytest.mark.parametrize("query", ["?at={}", "?edit={}", "/compare?left={0}&right={0}", "/compare"])
def test_a_message_of_another_conversation_is_not_found_in_this_one(
    server: Server, visitor: Visitor, query: str
) -> None:
    mine = visitor.conversation()
    visitor.ask("mine", mine)
    elsewhere = visitor.ask("elsewhere").json()
    stranger = Visitor(server).ask("theirs").json()
    others = [one[name] for one in (elsewhere, stranger) for name in ("message_id", "question_id")]
    for message_id in [*others, "msg_none", ""]:
        response = visitor.http.get(f"/c/{mine}{query.format(message_id)}")
        assert response.status_code == 404, response.url


@pytest.mark.proves("B44")
def test_only_versions_of_one_message_are_compared(visitor: Visitor) -> None:
    conversation = visitor.conversation()
    first = visitor.ask("first", conversation).json()
    second = visitor.ask("second", conversation).json()
    for left, right in (
        (first["message_id"], second["message_id"]),
        (first["message_id"], first["question_id"]),
        (first["message_id"], "msg_none"),
    ):
        assert visitor.http.get(f"/c/{conversation}/compare?left={left}&right={right}").status_code == 404
    same = visitor.http.get(f"/c/{conversation}/compare?left={first['message_id']}&right={first['message_id']}")
    assert same.status_code == 200
