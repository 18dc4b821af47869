"""Retry, New answer, Continue and Edit: each makes something new beside the old, and the versions are shown apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.support.chat_page import ChatPage, sent
from tests.support.texts import TEXTS
from tests.support.visitor import Visitor
from webapp.qa.announcements import Announcements

REGENERATE = "**/api/v1/messages/*/regenerate"


def kept(chat: ChatPage, visitor: Visitor) -> list[dict[str, Any]]:
    """All messages of the conversation on the page, as the store has them."""
    found: list[dict[str, Any]] = visitor.http.get(f"/api/v1/conversations/{chat.conversation_id}").json()["messages"]
    return found


def change(visitor: Visitor, scenario: str, *steps: dict[str, object]) -> None:
    """From now on the model says something else when it is asked this."""
    name = scenario.removeprefix("scenario:")
    visitor.http.put(f"/testing/scenarios/{name}", json={"model": steps}).raise_for_status()


def shown(chat: ChatPage) -> list[tuple[str, str, str]]:
    return [(message.role, message.state, message.text) for message in chat.messages()]


def version(article: Locator) -> str | None:
    return article.get_attribute("data-version")


def wait_for_version(chat: ChatPage, number: int, state: str) -> Locator:
    """The newest answer once it has this version and state."""
    expect(chat.answer).to_have_attribute("data-version", str(number))
    expect(chat.answer).to_have_attribute("data-state", state)
    return chat.answer


@pytest.mark.proves("C24", "C27", "C29", "C40", "C46", "C54", "C96", "B24", "B44", "A33")
@pytest.mark.parametrize(
    ("failure", "text"),
    [
        ([{"text": "Half a"}, {"fail": "provider_error"}], "Half a"),
        ([{"text": "The total is 4"}], "The total is 4"),
        ([{"fail": "provider_unavailable"}], ""),
        ([{"fail": "content_blocked"}], ""),
        ([{"text": "cut"}, {"fail": "interrupted"}], "cut"),
    ],
    ids=["error after half", "no end mark", "nothing came", "blocked", "interrupted"],
)
def test_retry_answers_the_failed_question_anew_and_keeps_the_attempt(
    chat: ChatPage, visitor: Visitor, failure: list[dict[str, object]], text: str
) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    question = visitor.scenario(*failure)
    chat.ask(question)
    failed = chat.wait_for("failed")
    first = chat.message_id
    expect(failed.get_by_role("button", name="Retry", exact=True)).to_be_visible()
    chat.reload()
    expect(chat.answer.get_by_role("button", name="Retry", exact=True)).to_be_visible()
    assert shown(chat)[1] == ("assistant", "failed", text)

    change(visitor, question, {"text": TEXTS["markup"]}, {"finish": "stop"})
    retry = chat.button("Retry")
    retry.focus()
    retry.press("Enter")
    answer = wait_for_version(chat, 2, "completed")
    assert shown(chat) == [("user", "completed", question), ("assistant", "completed", TEXTS["markup"])]
    assert chat.message_id != first
    assert chat.is_focused(answer.get_by_role("heading"))
    announcements.wait_for("Answer complete")
    assert [message.text for message in announcements.all() if message.region == "alert"] == []
    before = answer.inner_text()

    chat.reload()
    assert chat.answer.inner_text() == before
    assert shown(chat) == [("user", "completed", question), ("assistant", "completed", TEXTS["markup"])]
    stored = kept(chat, visitor)
    assert [(one["role"], one["version"], one["text"]) for one in stored] == [
        ("user", 1, question),
        ("assistant", 1, text),
        ("assistant", 2, TEXTS["markup"]),
    ]
    assert visitor.run(chat.message_id)["calls"] == 1


@pytest.mark.proves("B44", "B38")
def test_a_stopped_answer_can_be_retried_and_stopped_again(chat: ChatPage, visitor: Visitor) -> None:
    chat.move_time_by_hand()
    chat.open()
    chat.ask(visitor.scenario({"text": "some text"}, {"hang": True}))
    for number in (1, 2):
        expect(chat.answer).to_have_attribute("data-version", str(number))
        expect(chat.answer).to_have_attribute("data-state", "running")
        chat.settle()
        chat.button("Stop").click()
        wait_for_version(chat, number, "cancelled")
        assert shown(chat)[1:] == [("assistant", "cancelled", "some text")]
        if number == 1:
            chat.settle()
            chat.button("Retry").click()
    assert [one["state"] for one in kept(chat, visitor)] == ["completed", "cancelled", "cancelled"]


@pytest.mark.proves("B44", "C54")
def test_a_new_answer_takes_the_place_of_a_completed_one_and_of_all_below_it(chat: ChatPage, visitor: Visitor) -> None:
    chat.open()
    question = visitor.says(["one"])
    chat.ask(question)
    chat.wait_for("completed")
    chat.ask("next")
    chat.wait_for("completed", count=2)
    change(visitor, question, {"text": "two"}, {"finish": "stop"})
    chat.answers.first.get_by_role("button", name="New answer").click()
    wait_for_version(chat, 2, "completed")
    assert shown(chat) == [("user", "completed", question), ("assistant", "completed", "two")]
    chat.ask("onward")
    chat.wait_for("completed", count=2)
    stored = {one["message_id"]: one for one in kept(chat, visitor)}
    path = [stored[one.message_id] for one in chat.messages()]
    assert [one["parent_id"] for one in path[1:]] == [one["message_id"] for one in path[:-1]]
    assert [one["text"] for one in stored.values()] == [question, "one", "next", "next", "two", "onward", "onward"]


@pytest.mark.proves("B44", "C37")
def test_the_versions_are_reached_one_by_one_and_each_is_exact(chat: ChatPage, visitor: Visitor) -> None:
    chat.open()
    texts = [TEXTS["markup"], TEXTS["blanks at both ends"], "three"]
    question = visitor.says([texts[0]])
    chat.ask(question)
    chat.wait_for("completed")
    for number, text in enumerate(texts[1:], 2):
        change(visitor, question, {"text": text}, {"finish": "stop"})
        chat.button("New answer").click()
        wait_for_version(chat, number, "completed")
    expect(chat.answer.get_by_text("3 of 3")).to_be_visible()
    for place in (2, 1):
        chat.answer.get_by_role("link", name="Previous version").press("Enter")
        expect(chat.answer.get_by_text(f"{place} of 3")).to_be_visible()
        assert chat.shown_answers()[0].text == texts[place - 1]
        assert chat.is_focused(chat.answer.get_by_role("heading"))
    expect(chat.answer.get_by_role("link", name="Previous version")).to_have_attribute("aria-disabled", "true")
    chat.answer.get_by_role("link", name="Next version").press("Enter")
    expect(chat.answer.get_by_text("2 of 3")).to_be_visible()
    chat.ask("from the second")
    chat.wait_for("completed", count=2)
    assert "at=" not in chat.page.url
    chat.reload()
    assert [message.text for message in chat.messages()] == [question, texts[1], "from the second", "from the second"]


@pytest.mark.proves("B7", "C51")
def test_a_double_click_on_retry_asks_once_and_complains_of_nothing(chat: ChatPage, visitor: Visitor) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    question = visitor.scenario({"fail": "timeout"})
    chat.ask(question)
    chat.wait_for("failed")
    change(visitor, question, {"text": "fine"}, {"finish": "stop"})
    announcements.wait_for("took too long")
    chat.button("Retry").dblclick()
    wait_for_version(chat, 2, "completed")
    announcements.wait_for("Answer complete")
    assert [one["version"] for one in kept(chat, visitor)] == [1, 1, 2]
    assert [one.text for one in announcements.all() if one.region == "alert"][1:] == []


@pytest.mark.proves("B25", "C46", "C96")
def test_while_an_answer_runs_another_is_not_renewed_and_the_page_says_why(chat: ChatPage, visitor: Visitor) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    chat.ask("first")
    chat.wait_for("completed")
    chat.ask(visitor.scenario({"text": "on and on"}, {"hang": True}))
    chat.wait_for_text("on", count=2)
    chat.answers.first.get_by_role("button", name="New answer").click()
    sentence = "An answer is still being written. Stop it or wait, then send again."
    announcements.wait_for(sentence)
    expect(chat.page.get_by_text(sentence).first).to_be_visible()
    assert [one["version"] for one in kept(chat, visitor)] == [1] * 4
    visitor.cancel(chat.message_id)
    chat.wait_for("cancelled", count=2)


@pytest.mark.proves("B43", "B1", "C46")
def test_a_retry_that_was_lost_goes_again_under_its_own_id(chat: ChatPage, visitor: Visitor) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    question = visitor.scenario({"fail": "timeout"})
    chat.ask(question)
    chat.wait_for("failed")
    announcements.wait_for("took too long")
    change(visitor, question, {"text": "fine"}, {"finish": "stop"})
    asked: list[str] = []

    def lose(route: Any) -> None:
        asked.append(sent(route.request)["request_id"])
        route.fetch()
        route.abort("connectionreset")

    chat.page.route(REGENERATE, lose, times=1)
    chat.button("Retry").click()
    announcements.wait_for("Check the network, then try again.")
    assert shown(chat) == [("user", "completed", question), ("assistant", "failed", "")]
    with chat.page.expect_request(REGENERATE) as again:
        chat.button("Retry").click()
    asked.append(sent(again.value)["request_id"])
    wait_for_version(chat, 2, "completed")
    assert asked[0] == asked[1]
    assert [one["version"] for one in kept(chat, visitor)] == [1, 1, 2]
    assert visitor.run(chat.message_id)["calls"] == 1


@pytest.mark.proves("C46", "A32")
def test_a_refused_retry_leaves_everything_as_it_is(chat: ChatPage, visitor: Visitor) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    question = visitor.scenario({"text": "half"}, {"fail": "timeout"})
    chat.ask(question)
    chat.wait_for("failed")
    announcements.wait_for("took too long")
    body = {"code": "busy", "detail": "No room.", "next_step": "Wait.", "retryable": True}
    problem = {"status": 503, "content_type": "application/problem+json", "body": json.dumps(body)}
    chat.page.route(REGENERATE, lambda route: route.fulfill(**problem), times=1)  # type: ignore[arg-type]
    chat.composer.fill("my draft")
    chat.button("Retry").click()
    announcements.wait_for("No room. Wait.")
    assert shown(chat) == [("user", "completed", question), ("assistant", "failed", "half")]
    assert chat.composer.input_value() == "my draft"
    chat.composer.press("Enter")
    chat.wait_for("completed", count=2)


@pytest.mark.proves("C69")
def test_continue_asks_on_after_an_answer_that_was_cut_by_the_limit(chat: ChatPage, visitor: Visitor) -> None:
    chat.open()
    chat.ask(visitor.scenario({"text": "First, then"}, {"finish": "length"}))
    chat.wait_for("completed")
    chat.composer.fill("my draft")
    chat.button("Continue").click()
    chat.wait_for("completed", count=2)
    assert [message.text for message in chat.messages()][2:] == ["Continue where you stopped."] * 2
    assert chat.composer.input_value() == "my draft"
    expect(chat.button("Continue")).to_have_count(0)
    stored = kept(chat, visitor)
    assert stored[2]["parent_id"] == stored[1]["message_id"]


def by_button(chat: ChatPage) -> None:
    chat.questions.last.get_by_role("button", name="Edit").press("Enter")


def by_key(chat: ChatPage) -> None:
    chat.composer.press("Alt+ArrowUp")


@pytest.mark.proves("B44", "C40", "C54")
@pytest.mark.parametrize("begin", [by_button, by_key])
def test_an_edited_question_stands_beside_the_old_one(
    chat: ChatPage, visitor: Visitor, begin: Callable[[ChatPage], None]
) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    chat.ask("first")
    chat.wait_for("completed")
    chat.ask("secnod")
    chat.wait_for("completed", count=2)
    begin(chat)
    expect(chat.composer).to_have_value("secnod")
    assert chat.is_focused(chat.composer)
    expect(chat.page.get_by_text("You are editing a question.")).to_be_visible()
    announcements.wait_for("Escape cancels")
    chat.composer.fill("second")
    chat.composer.press("Enter")
    expect(chat.questions.last).to_have_attribute("data-version", "2")
    chat.wait_for("completed", count=2)
    assert [message.text for message in chat.messages()] == ["first", "first", "second", "second"]
    expect(chat.page.get_by_text("You are editing a question.")).to_be_hidden()
    stored = kept(chat, visitor)
    assert [(one["text"], one["version"]) for one in stored if one["role"] == "user"] == [
        ("first", 1),
        ("secnod", 1),
        ("second", 2),
    ]
    assert stored[4]["parent_id"] == stored[2]["parent_id"] == stored[1]["message_id"]
    before = chat.page.locator("main").inner_text()
    chat.reload()
    assert chat.page.locator("main").inner_text() == before
    chat.questions.last.get_by_role("link", name="Previous version").click()
    expect(chat.questions.last).to_have_attribute("data-version", "1")
    assert [message.text for message in chat.messages()][2:] == ["secnod", "secnod"]


@pytest.mark.proves("B44")
def test_the_first_question_edited_begins_the_conversation_anew(chat: ChatPage, visitor: Visitor) -> None:
    chat.open()
    chat.ask("first")
    chat.wait_for("completed")
    chat.ask("second")
    chat.wait_for("completed", count=2)
    chat.questions.first.get_by_role("button", name="Edit").click()
    chat.composer.fill("other")
    chat.composer.press("Enter")
    expect(chat.questions).to_have_count(1)
    chat.wait_for("completed")
    assert [message.text for message in chat.messages()] == ["other", "other"]
    assert [one["parent_id"] for one in kept(chat, visitor) if one["role"] == "user"][::2] == [None, None]


def by_escape(chat: ChatPage) -> None:
    chat.composer.press("Escape")


def by_cancel(chat: ChatPage) -> None:
    chat.button("Cancel").click()


@pytest.mark.proves("C46")
@pytest.mark.parametrize("cancel", [by_escape, by_cancel])
def test_an_edit_that_is_given_up_brings_the_draft_back(
    chat: ChatPage, visitor: Visitor, cancel: Callable[[ChatPage], None]
) -> None:
    chat.open()
    chat.ask("first")
    chat.wait_for("completed")
    chat.composer.fill("half a draft")
    by_button(chat)
    chat.composer.fill("something else")
    by_button(chat)
    cancel(chat)
    expect(chat.composer).to_have_value("half a draft")
    assert chat.is_focused(chat.composer)
    chat.composer.press("Enter")
    chat.wait_for("completed", count=2)
    assert [message.text for message in chat.messages()] == ["first", "first", "half a draft", "half a draft"]


@pytest.mark.proves("C46", "B25")
def test_a_refused_edit_is_an_edit_still(chat: ChatPage, visitor: Visitor) -> None:
    announcements = Announcements(chat.page)
    chat.open()
    chat.ask("first")
    chat.wait_for("completed")
    by_button(chat)
    chat.composer.fill("changed")
    chat.page.route("**/messages", lambda route: route.abort("connectionreset"), times=1)
    chat.composer.press("Enter")
    announcements.wait_for("Check the network")
    expect(chat.composer).to_have_value("changed")
    assert shown(chat) == [("user", "completed", "first"), ("assistant", "completed", "first")]
    chat.composer.press("Enter")
    expect(chat.questions.last).to_have_attribute("data-version", "2")
    chat.wait_for("completed")
    assert [message.text for message in chat.messages()] == ["changed", "changed"]
    assert len(kept(chat, visitor)) == 4


def compared(chat: ChatPage, visitor: Visitor) -> Page:
    """The page on which two answers stand side by side."""
    chat.open()
    question = visitor.says(["The cat sat on the mat.\n\nIt was <b>warm</b>."])
    chat.ask(question)
    chat.wait_for("completed")
    change(visitor, question, {"text": "The dog sat on the mat.\n\nIt was <b>warm</b>, too."}, {"fail": "timeout"})
    chat.button("New answer").click()
    wait_for_version(chat, 2, "failed")
    chat.answer.get_by_role("link", name="Compare").press("Enter")
    chat.page.get_by_role("heading", name="Two versions").wait_for()
    return chat.page


@pytest.mark.proves("B44", "B57")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_two_versions_are_compared_side_by_side(chat: ChatPage, visitor: Visitor, scheme: Any, width: int) -> None:
    chat.page.set_viewport_size({"width": width, "height": 800})
    chat.page.emulate_media(color_scheme=scheme)
    page = compared(chat, visitor)
    assert [heading.inner_text() for heading in page.get_by_role("heading", level=2).all()] == [
        "Version 1 of 2: Scripted",
        "Version 2 of 2: Scripted — incomplete: failed",
    ]
    texts = [text.text_content() for text in page.locator("[data-part=text]").all()]
    assert texts == [
        "The cat sat on the mat.\n\nIt was <b>warm</b>.",
        "The dog sat on the mat.\n\nIt was <b>warm</b>, too.",
    ]
    assert page.locator("[data-part=text] del").all_inner_texts() == [" cat", " <b>warm</b>."]
    assert page.locator("[data-part=text] ins").all_inner_texts() == [" dog", " <b>warm</b>, too."]
    signs = page.locator(".side .own").evaluate_all("all => all.map(own => getComputedStyle(own, '::before').content)")
    assert signs == ['"−"', '"−"', '"+"', '"+"']
    lefts = [side.bounding_box() for side in page.locator(".side").all()]
    assert all(lefts)
    assert (lefts[0]["x"] == lefts[1]["x"]) is (width == 320)  # type: ignore[index]
    assert_no_violations(page)
    page.get_by_role("link", name="Back").press("Enter")
    expect(chat.answer).to_have_attribute("data-version", "2")


def editing(chat: ChatPage) -> None:
    by_button(chat)
    chat.button("Cancel").wait_for()


@pytest.mark.proves("B57")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_axe_finds_no_violation_in_versions_and_edits(
    chat: ChatPage, visitor: Visitor, scheme: Any, width: int
) -> None:
    chat.page.set_viewport_size({"width": width, "height": 800})
    chat.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    chat.open()
    chat.ask(visitor.scenario({"text": "half"}, {"fail": "timeout"}))
    chat.wait_for("failed")
    chat.button("Retry").click()
    wait_for_version(chat, 2, "failed")
    editing(chat)
    chat.composer.fill("other words")
    chat.composer.press("Enter")
    expect(chat.questions.last).to_have_attribute("data-version", "2")
    chat.wait_for("completed")
    editing(chat)
    assert_no_violations(chat.page)
    chat.page.goto(f"{chat.url}/c/{chat.conversation_id}?edit={chat.questions.first.get_attribute('id')}")
    chat.page.get_by_role("link", name="Cancel").wait_for()
    assert_no_violations(chat.page)


def assert_no_violations(page: Page) -> None:
    report = Axe().run(page)
    assert report.violations_count == 0, report.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
