"""What an answer proposes, on the page: nothing while it grows, two buttons after a whole end, a receipt after them."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.conftest import COOKIE
from tests.browser.test_axe import SCHEMES, Scheme, assert_no_violations
from tests.support.chat_page import ChatPage
from tests.support.server import Server, start_server
from tests.support.visitor import Visitor
from tests.support.webhook import Hook, Reply
from webapp.qa.announcements import Announcements
from webapp.qa.line import Line

CONFIG = """
[[actions]]
name = "book_table"
description = "Book a table"
url = "{url}"
secret_env = "HOOK_SECRET"
parameters = {{ properties = {{ people = {{ type = "integer" }} }}, required = ["people"] }}

[[actions]]
name = "ring_bell"
description = "Ring the bell"
url = "{url}"
secret_env = "HOOK_SECRET"
confirm = false
"""
TICKET = {"action": {"name": "create_ticket", "arguments": {"subject": "Printer on fire"}}}
BOOK = {"action": {"name": "book_table", "arguments": {"people": 4}}}
RING = {"action": {"name": "ring_bell", "arguments": {}}}
STOP = {"finish": "stop"}
PROPOSED = "The model proposes this. Nothing has been done yet."
UNKNOWN = "Failed. It is not known whether this was carried out."
HOSTILE = {
    "subject": "<img src=x onerror=window.pwn=1>\n  two  blanks\t[a](javascript:alert(1)) ![b](https://evil.example/p)",
    "</td><script>window.pwn=1</script>": "\u202egnp.exe\u202c & <b>bold</b> \u2028 end",
    "nested": {"a": [1, None, True, "x"], "b": {"c": "</table>"}},
    "long": "word " * 2_000 + "x" * 3_000,
}


@pytest.fixture(scope="module")
def shared_hook() -> Iterator[Hook]:
    with Hook() as hook:
        yield hook


@pytest.fixture(scope="module")
def server(shared_hook: Hook) -> Iterator[Server]:
    """One whose actions lead to the hook; it has the built-in ticket too."""
    config = CONFIG.format(url=shared_hook.url)
    with start_server(config=config, environment={"HOOK_SECRET": "secret"}) as server:
        yield server


@pytest.fixture
def hook(shared_hook: Hook) -> Hook:
    """The operator's address, without calls from before."""
    shared_hook.calls.clear()
    shared_hook.effects.clear()
    return shared_hook


def card(page: Page, name: str = "Open a support ticket") -> Locator:
    return page.get_by_role("group", name=name)


def ask(chat: ChatPage, visitor: Visitor, *steps: Any, **members: Any) -> Locator:
    """Open the page, ask, wait for the whole end; the card."""
    chat.open()
    chat.ask(visitor.scenario(*steps, **members))
    chat.wait_for("completed")
    return card(
        chat.page, "Book a table" if BOOK in steps else "Ring the bell" if RING in steps else "Open a support ticket"
    )


def do_it(place: Locator) -> None:
    place.get_by_role("button", name="Do it").click()


def shows(place: Locator, state: str, *texts: str) -> None:
    expect(place).to_have_attribute("data-action-state", state)
    for text in texts:
        expect(place).to_contain_text(text)


def second_tab(context: BrowserContext, chat: ChatPage, server: Server) -> ChatPage:
    other = ChatPage(context.new_page(), server.url)
    other.open(f"/c/{chat.conversation_id}")
    return other


def effects(visitor: Visitor, chat: ChatPage) -> list[int]:
    return list(visitor.run(chat.message_id)["effects"].values())


@pytest.mark.proves("B26", "B27", "B31")
def test_while_an_answer_grows_nothing_in_it_can_be_pressed(chat: ChatPage, visitor: Visitor) -> None:
    """Neither a link nor a button, though a link and an action are being written; the page says what is prepared."""
    steps = [
        {"text": "See https://a.example/ and [here](https://a.example/x) <a href='https://a.example/y'>or</a>."},
        {"activity": "preparing_action"},
        {"wait": 60},
        TICKET,
        STOP,
    ]
    chat.open()
    chat.ask(visitor.scenario(*steps))
    chat.wait_for_text("See https://a.example/")
    expect(chat.answer.get_by_text("Preparing an action")).to_be_visible()
    assert chat.answer.locator("a").count() == 0
    expect(chat.answer.get_by_role("button")).to_have_count(0)
    expect(card(chat.page)).to_have_count(0)
    visitor.cancel(chat.message_id)


@pytest.mark.proves("B27", "B28", "B29", "B30")
def test_a_confirmed_action_leaves_its_receipt_in_its_place_and_is_told_once(chat: ChatPage, visitor: Visitor) -> None:
    announcements = Announcements(chat.page)
    ticket = ask(chat, visitor, {"text": "I can do that."}, TICKET, STOP)
    shows(ticket, "proposed", PROPOSED, "subject", "Printer on fire")
    assert effects(visitor, chat) == []
    announcements.wait_for("The model proposes: Open a support ticket.")
    do_it(ticket)
    shows(ticket, "succeeded", "Done.", "The ticket “Printer on fire” is open.", "Printer on fire")
    expect(ticket.get_by_role("button")).to_have_count(0)
    expect(ticket.get_by_role("heading", name="Open a support ticket")).to_be_focused()
    told = "Open a support ticket. Done. The ticket “Printer on fire” is open."
    announcements.wait_for(told)
    assert [(said.region, said.text) for said in announcements.all()].count(("status", told)) == 1
    assert {said.region for said in announcements.all()} == {"status"}
    for _ in range(2):
        chat.reload()
        shows(ticket, "succeeded", "The ticket “Printer on fire” is open.")
        expect(ticket.get_by_role("button")).to_have_count(0)
    assert effects(visitor, chat) == [1]


@pytest.mark.proves("B27")
def test_a_declined_action_is_not_carried_out(chat: ChatPage, visitor: Visitor) -> None:
    ticket = ask(chat, visitor, TICKET, STOP)
    ticket.get_by_role("button", name="Don't").press("Enter")
    shows(ticket, "declined", "Declined. Nothing was done.")
    expect(ticket.get_by_role("heading", name="Open a support ticket")).to_be_focused()
    chat.reload()
    shows(ticket, "declined", "Declined. Nothing was done.")
    assert effects(visitor, chat) == []


@pytest.mark.proves("T5")
def test_t5_stop_while_an_action_is_prepared(chat: ChatPage, visitor: Visitor) -> None:
    chat.move_time_by_hand()
    announcements = Announcements(chat.page)
    chat.open()
    steps = [{"text": "Let me see. "}, {"activity": "preparing_action", "wait": 60}, TICKET, STOP]
    chat.ask(visitor.scenario(*steps))
    chat.wait_for_text("Let me see. ")
    expect(chat.answer.get_by_text("Preparing an action")).to_be_visible()
    chat.settle()
    chat.button("Stop").click()
    chat.wait_for("cancelled")
    assert chat.answer.get_attribute("aria-busy") is None
    assert [(one.role, one.text) for one in chat.messages()][1:] == [("assistant", "Let me see. ")]
    expect(card(chat.page)).to_have_count(0)
    chat.page.clock.run_for(2_000)
    announcements.wait_for("You stopped this answer.")
    assert not any("propose" in said.text for said in announcements.all())
    message = visitor.message(chat.message_id)
    assert (message["state"], message["text"], message["actions"]) == ("cancelled", "Let me see. ", [])
    run = visitor.run(chat.message_id)
    assert (run["calls"], run["effects"], run["stopped"]) == (1, {}, True)
    chat.reload()
    expect(card(chat.page)).to_have_count(0)


@pytest.mark.proves("B26", "B27", "B42")
@pytest.mark.parametrize(
    ("end", "state"),
    [
        ({"fail": "provider_error"}, "failed"),
        ({"finish": "length"}, "completed"),
        ({"finish": "content_filter"}, "completed"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_answer_that_is_not_whole_offers_no_button(
    chat: ChatPage, visitor: Visitor, end: dict[str, str], state: str
) -> None:
    chat.open()
    chat.ask(visitor.scenario({"text": "so"}, TICKET, end))
    for _ in range(2):
        answered = chat.wait_for(state)
        expect(chat.page.get_by_role("button", name="Do it")).to_have_count(0)
        if state == "completed":
            expect(answered).to_contain_text("The model asked for create_ticket. This action was not carried out.")
        chat.reload()


@pytest.mark.proves("B27", "B30")
def test_a_lost_line_offers_no_button_until_the_end_is_there_and_then_one_effect(
    chat: ChatPage, visitor: Visitor, server: Server
) -> None:
    with Line(server.url) as line:
        chat = chat.over(line.url)
        chat.open()
        chat.ask(visitor.scenario({"text": "Shall I?"}, {"activity": "preparing_action", "wait": 1}, TICKET, STOP))
        chat.wait_for_text("Shall I?")
        line.go_down()
        line.cut()
        chat.wait_for("disconnected")
        expect(card(chat.page)).to_have_count(0)
        line.mend()
        chat.wait_for("completed")
        do_it(card(chat.page))
        shows(card(chat.page), "succeeded")
        expect(card(chat.page)).to_have_count(1)
    assert effects(visitor, chat) == [1]


@pytest.mark.proves("B29", "B30")
def test_a_second_tab_that_confirms_shows_the_first_result(
    chat: ChatPage, visitor: Visitor, context: BrowserContext, server: Server, hook: Hook
) -> None:
    hook.play(Reply(body=b'{"text": "Table 7", "url": "https://book.example/7"}'))
    ask(chat, visitor, BOOK, STOP)
    other = second_tab(context, chat, server)
    for tab in (chat, other):
        place = card(tab.page, "Book a table")
        do_it(place)
        shows(place, "succeeded", "Table 7")
        expect(place.get_by_role("link", name="https://book.example/7")).to_have_attribute("rel", "noopener noreferrer")
    assert (len(hook.calls), effects(visitor, chat)) == (1, [1])


@pytest.mark.proves("B29")
def test_a_double_click_confirms_once(chat: ChatPage, visitor: Visitor, hook: Hook) -> None:
    place = ask(chat, visitor, BOOK, STOP)
    place.get_by_role("button", name="Do it").dblclick()
    shows(place, "succeeded", "Done by the hook.")
    assert (len(hook.calls), effects(visitor, chat)) == (1, [1])


@pytest.mark.proves("B29", "B30")
def test_a_confirmation_whose_response_is_lost_is_carried_out_once_whoever_confirms_again(
    chat: ChatPage, visitor: Visitor, context: BrowserContext, server: Server, hook: Hook
) -> None:
    announcements = Announcements(chat.page)
    place = ask(chat, visitor, BOOK, STOP)
    other = second_tab(context, chat, server)

    def lose(route: Any) -> None:
        route.fetch()
        route.abort()

    chat.page.route("**/confirm", lose, times=1)
    do_it(place)
    unheard = "It is not known whether this reached the server. Try again: it is carried out once at most."
    shows(place, "proposed", unheard)
    announcements.wait_for(unheard)
    for tab in (other, chat):
        again = card(tab.page, "Book a table")
        do_it(again)
        shows(again, "succeeded", "Done by the hook.")
    assert (len(hook.calls), effects(visitor, chat)) == (1, [1])


@pytest.mark.proves("B27", "B56")
def test_what_another_tab_declined_is_shown_as_it_stands_with_the_reason(
    chat: ChatPage, visitor: Visitor, context: BrowserContext, server: Server
) -> None:
    announcements = Announcements(chat.page)
    ticket = ask(chat, visitor, TICKET, STOP)
    other = second_tab(context, chat, server)
    card(other.page).get_by_role("button", name="Don't").click()
    shows(card(other.page), "declined")
    do_it(ticket)
    shows(ticket, "declined", "Declined. Nothing was done.")
    announcements.wait_for("This action was declined before, so it was not carried out.")
    assert effects(visitor, chat) == []


@pytest.mark.proves("B27")
def test_a_proposal_that_was_left_open_for_a_day_has_expired(chat: ChatPage, visitor: Visitor, server: Server) -> None:
    ticket = ask(chat, visitor, TICKET, STOP)
    with closing(sqlite3.connect(server.database, timeout=10)) as database, database:
        database.execute(
            "UPDATE actions SET expires_at = '2026-01-01T00:00:00.000Z' WHERE message_id = ?", [chat.message_id]
        )
    do_it(ticket)
    for _ in range(2):
        shows(ticket, "expired", "Too old to be carried out. Nothing was done.")
        expect(ticket.get_by_role("button")).to_have_count(0)
        chat.reload()
    assert effects(visitor, chat) == []


@pytest.mark.proves("B29", "B41", "C96")
def test_a_failed_action_is_one_alert_and_shows_nothing_of_the_inside(
    chat: ChatPage, visitor: Visitor, hook: Hook
) -> None:
    announcements = Announcements(chat.page)
    hook.play(*[Reply(500, b"Traceback SENTINEL")] * 4)
    place = ask(chat, visitor, BOOK, STOP)
    do_it(place)
    shows(place, "failed", UNKNOWN)
    announcements.wait_for(f"Book a table. {UNKNOWN}")
    said = [(one.region, one.text) for one in announcements.all()]
    assert said.count(("alert", f"Book a table. {UNKNOWN}")) == 1
    assert ("status", f"Book a table. {UNKNOWN}") not in said
    chat.reload()
    shows(place, "failed", UNKNOWN)
    assert "SENTINEL" not in chat.page.content()


@pytest.mark.proves("B29")
def test_what_asks_nobody_shows_its_result_when_it_is_there(chat: ChatPage, visitor: Visitor, hook: Hook) -> None:
    may_answer = threading.Event()
    hook.play(Reply(body=b'{"text": "Ding"}', until=may_answer))
    bell = ask(chat, visitor, RING, STOP)
    shows(bell, "confirmed", "Being carried out.")
    chat.reload()
    shows(bell, "confirmed", "Being carried out.")
    expect(bell.get_by_role("button")).to_have_count(0)
    may_answer.set()
    shows(bell, "succeeded", "Done. Ding")
    assert len(hook.calls) == 1


@pytest.mark.proves("C79")
def test_hostile_and_huge_values_are_shown_literally(chat: ChatPage, visitor: Visitor) -> None:
    foreign: list[str] = []
    chat.page.on("request", lambda request: foreign.append(request.url) if "evil" in request.url else None)
    ticket = ask(chat, visitor, {"action": {"name": "create_ticket", "arguments": HOSTILE}}, STOP)
    expected = [
        [name, value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))]
        for name, value in HOSTILE.items()
    ]
    for _ in range(2):
        shows(ticket, "proposed")
        rows = ticket.locator("tr").evaluate_all(
            "rows => rows.map(({cells}) => [...cells].map((cell) => cell.textContent))"
        )
        assert rows == expected
        assert ticket.locator("img, script, a, b").count() == 0
        assert chat.page.evaluate("[document.documentElement.scrollWidth - innerWidth <= 0, window.pwn]") == [
            True,
            None,
        ]
        chat.reload()
    assert foreign == []


WATCH = """
window.seen = [];
new MutationObserver(() => {
  const answer = document.querySelector("article[data-role=assistant]");
  if (answer) window.seen.push([answer.dataset.state, answer.querySelectorAll("[data-action-state]").length]);
}).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
"""


@pytest.mark.proves("B13", "B27")
def test_the_card_stands_there_in_the_task_of_the_answer_s_end(chat: ChatPage, visitor: Visitor) -> None:
    """Its code comes while the action is prepared."""
    chat.page.add_init_script(WATCH)
    chat.open()
    with chat.page.expect_event("requestfinished", lambda request: request.url.endswith("js/net/actions.js")):
        chat.ask(visitor.scenario({"text": "so"}, {"activity": "preparing_action", "wait": 1}, TICKET, STOP))
    chat.wait_for("completed")
    seen = {(state, count) for state, count in chat.page.evaluate("seen")}
    assert {count for state, count in seen if state == "completed"} == {1}
    assert {count for state, count in seen if state != "completed"} == {0}


@pytest.mark.proves("B27")
def test_a_card_whose_code_did_not_come_is_there_when_it_does(chat: ChatPage, visitor: Visitor) -> None:
    chat.page.route("**/action_card.js", lambda route: route.abort(), times=1)
    chat.move_time_by_hand()
    chat.open()
    with chat.page.expect_event("requestfailed", lambda request: request.url.endswith("action_card.js")):
        chat.ask(visitor.scenario({"text": "so"}, TICKET, STOP))
    chat.wait_for("completed")
    chat.page.clock.run_for(3_000)
    do_it(card(chat.page))
    shows(card(chat.page), "succeeded")


def one_of_each(visitor: Visitor, server: Server, hook: Hook) -> str:
    """A conversation with an action in every state that a card can show."""
    conversation = visitor.conversation()
    may_answer = threading.Event()
    hook.play(
        Reply(body=b'{"text": "Table 7 is yours.", "url": "https://book.example/a/long/address/7"}'),
        Reply(404),
        Reply(until=may_answer),
    )
    for step in (BOOK, BOOK, RING, TICKET, TICKET, TICKET):
        message = visitor.ask(visitor.scenario({"text": "Shall I?"}, step, STOP), conversation).json()
        action_id = message["actions"][0]["id"]
        if step is BOOK:
            visitor.decide(action_id, "confirm")
    answers = visitor.http.get(f"/api/v1/conversations/{conversation}").json()["messages"]
    tickets = [one["actions"][0]["id"] for one in answers if one["actions"]][3:]
    visitor.decide(tickets[0], "decline")
    with closing(sqlite3.connect(server.database, timeout=10)) as database, database:
        database.execute("UPDATE actions SET expires_at = '2026-01-01T00:00:00.000Z' WHERE id = ?", [tickets[1]])
    return conversation


@pytest.mark.proves("B57")
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [320, 1440])
def test_axe_finds_no_violation_in_any_state_of_a_card(
    chat: ChatPage, visitor: Visitor, server: Server, hook: Hook, scheme: Scheme, width: int
) -> None:
    chat.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    chat.page.set_viewport_size({"width": width, "height": 800})
    chat.open(f"/c/{one_of_each(visitor, server, hook)}")
    states = chat.page.locator("[data-action-state]").evaluate_all(
        "cards => cards.map((card) => card.dataset.actionState)"
    )
    assert states == ["succeeded", "failed", "confirmed", "declined", "expired", "proposed"]
    assert_no_violations(chat.page)
    assert chat.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.fixture
def plain(browser: Browser, server: Server, visitor: Visitor) -> Iterator[Page]:
    """A tab that runs no script, of the same visitor."""
    with browser.new_context(java_script_enabled=False) as context:
        context.add_cookies([{"name": COOKIE, "value": visitor.http.cookies[COOKIE], "url": server.url}])
        yield context.new_page()


@pytest.mark.proves("B27", "B58")
@pytest.mark.parametrize(
    ("button", "state", "count"), [("Do it", "succeeded", [1]), ("Don't", "declined", [])], ids=["confirm", "decline"]
)
def test_without_script_the_buttons_are_a_form(
    plain: Page, server: Server, visitor: Visitor, button: str, state: str, count: list[int]
) -> None:
    plain.goto(server.url)
    plain.get_by_role("textbox", name="Your question").fill(visitor.scenario({"text": "So."}, TICKET, STOP))
    plain.get_by_role("combobox", name="Model").select_option("scripted")
    plain.get_by_role("button", name="Send").click()
    ticket = card(plain)
    shows(ticket, "proposed", PROPOSED, "Printer on fire")
    ticket.get_by_role("button", name=button).click()
    shows(ticket, state)
    assert plain.url.split("#")[1].startswith("act_")
    expect(ticket.get_by_role("button")).to_have_count(0)
    message_id = plain.locator("article[data-role=assistant]").get_attribute("data-message-id") or ""
    assert list(visitor.run(message_id)["effects"].values()) == count


@pytest.mark.proves("B27")
def test_without_script_an_older_version_stays_in_sight_when_its_action_is_decided(
    plain: Page, server: Server, visitor: Visitor
) -> None:
    first = visitor.ask(visitor.scenario({"text": "So."}, TICKET, STOP)).json()
    visitor.http.post(f"/api/v1/messages/{first['message_id']}/regenerate", json={})
    plain.goto(f"{server.url}/c/{first['conversation_id']}?at={first['message_id']}")
    do_it(card(plain))
    shows(card(plain), "succeeded")
    answers = plain.locator("article[data-role=assistant]")
    assert [one.get_attribute("data-message-id") for one in answers.all()] == [first["message_id"]]


@pytest.mark.proves("C113", "C114")
def test_a_form_of_another_page_or_visitor_decides_nothing(server: Server, visitor: Visitor) -> None:
    message = visitor.ask(visitor.scenario(TICKET, STOP)).json()
    address = f"/c/{message['conversation_id']}/actions/{message['actions'][0]['id']}"
    assert visitor.http.post(address, data={"decision": "confirm", "token": "x"}).status_code == 403
    stranger = Visitor(server)
    token = stranger.http.get("/").text.split('name="token" value="')[1].split('"')[0]
    assert stranger.http.post(address, data={"decision": "confirm", "token": token}).status_code == 404
    assert visitor.http.get(address).status_code == 405
    assert visitor.message(message["message_id"])["actions"][0]["state"] == "proposed"
