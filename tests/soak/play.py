"""Plays a plan in the real page over a line that breaks, and says what is wrong at its end; it draws no dice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from playwright.sync_api import Browser, BrowserContext
from playwright.sync_api import Error as BrowserError

from tests.soak.plans import Plan
from tests.support.chat_page import ChatPage
from tests.support.server import Server
from tests.support.visitor import Visitor
from webapp.qa.announcements import Announcements
from webapp.qa.line import Line

# Where the page waits for a person: at the end, at a line that is lost, with a question whose reply never came, or a
# request for another version.
WAITS = """(version) => {
    const answer = [...document.querySelectorAll("article[data-role=assistant]")].at(-1);
    const isEnded = ["completed", "cancelled", "failed"].includes(answer?.dataset.state);
    if (isEnded && answer.dataset.version === String(version)) return "ended";
    if (isEnded && document.querySelector("[data-part=refusal]").checkVisibility()) return "not renewed";
    const resume = [...document.querySelectorAll("button")].find((button) => button.textContent.trim() === "Resume");
    if (resume?.checkVisibility()) return "lost";
    return !document.querySelector("article") && document.querySelector("textarea").value !== "" ? "unsent" : null;
}"""
MOST_TRIES = 20
# ms after which a tab that nobody sees has let its stream go.
HIDDEN = 31_000
# Start, progress at most every 5 s, what was unsaid, end; and what is said of lost lines, stops and refused sends.
MOST_MESSAGES = 12


def faults_of(plan: Plan, browser: Browser, server: Server) -> list[str]:
    """What is wrong after the plan was played, in words; empty when every promise held."""
    visitor = Visitor(server)
    with Line(server.url) as line, browser.new_context() as context:
        cookies = [{"name": name, "value": value, "url": server.url} for name, value in visitor.http.cookies.items()]
        context.add_cookies(cookies)  # type: ignore[arg-type]
        try:
            return list(_play(plan, ChatPage(context.new_page(), line.url), context, visitor, line))
        except BrowserError as error:
            return [f"the page did not get there: {error.message.splitlines()[0]}"]


def _play(plan: Plan, chat: ChatPage, context: BrowserContext, visitor: Visitor, line: Line) -> Iterator[str]:
    question = visitor.scenario(*plan.steps, line=plan.line, limits={"silence": 0.8})
    announcements = Announcements(chat.page)
    chat.move_time_by_hand()
    chat.open()
    chat.ask(question)
    tabs = [chat]
    for after, action in plan.actions:
        _wait_for_pieces(plan, chat, after)
        tabs += _act(action, chat, context, line)
    for tab in tabs:
        _reach_end(tab)
    yield from _compare(plan, tabs, visitor, question)
    if len(announcements.all()) > MOST_MESSAGES:
        yield f"{len(announcements.all())} announcements"
    chat.reload()
    yield from _compare(plan, [chat], visitor, question)
    if plan.renews:
        first = visitor.message(chat.message_id)
        _renew(chat)
        _reach_end(chat, version=2)
        yield from _compare(plan, [chat], visitor, question)
        if visitor.message(first["message_id"]) != first:
            yield "the first version was changed"


def _wait_for_pieces(plan: Plan, chat: ChatPage, count: int) -> None:
    """Until the page shows as much, or cannot go on by itself; a question whose reply never came is sent again."""
    length = len("".join(plan.pieces[:count]).encode("utf-16-le")) // 2
    condition = f"""(length) => {{
        const answer = [...document.querySelectorAll("article[data-role=assistant]")].at(-1);
        return answer?.text.length >= length || ({WAITS})(1);
    }}"""
    for _ in range(MOST_TRIES):
        if chat.page.wait_for_function(condition, arg=length, timeout=20_000).json_value() != "unsent":
            return
        _go_on(chat, "unsent")


def _act(action: str, chat: ChatPage, context: BrowserContext, line: Line) -> list[ChatPage]:
    """Do it; the tabs that it opened."""
    if action == "stop":
        chat.settle()
        with suppress(BrowserError):  # the answer may end while the hand moves
            chat.button("Stop").click(timeout=500)
    elif action == "reload":
        chat.reload()
    elif action == "cut":
        line.cut()
    elif action == "hide":
        chat.show(False)
        chat.page.clock.fast_forward(HIDDEN)
        chat.show(True)
    elif action == "offline":
        context.set_offline(True)
        context.set_offline(False)
    elif action == "double send":
        chat.composer.press("Enter")
        chat.composer.press("Enter")
    else:
        other = ChatPage(context.new_page(), line.url)
        other.open(f"/c/{chat.conversation_id}")
        return [other]
    return []


def _reach_end(tab: ChatPage, version: int = 1) -> None:
    for _ in range(MOST_TRIES):
        found = tab.page.wait_for_function(WAITS, arg=version, timeout=30_000).json_value()
        if found == "ended":
            return
        _go_on(tab, found)
    raise BrowserError(f"not at its end after {MOST_TRIES} tries")


def _go_on(tab: ChatPage, found: str) -> None:
    """What a person does where the page waits for one."""
    with suppress(BrowserError):  # it may have gone on by itself
        if found == "lost":
            tab.button("Resume").click(timeout=500)
        elif found == "not renewed":
            _renew(tab)
        else:
            tab.composer.press("Enter", timeout=500)  # under the same request id: it joins


def _renew(tab: ChatPage) -> None:
    tab.page.get_by_role("button", name=re.compile("^(Retry|New answer)$")).click()


def _compare(plan: Plan, tabs: list[ChatPage], visitor: Visitor, question: str) -> Iterator[str]:
    """Page, store and model against the plan."""
    stored = visitor.message(tabs[0].message_id)
    reason = stored["finish_reason"] if stored["state"] == "completed" else (stored["error"] or {}).get("code")
    is_stopped = stored["state"] == "cancelled" and any(action == "stop" for _, action in plan.actions)
    if not is_stopped and (stored["state"], reason, stored["text"]) != (plan.state, plan.reason, plan.text):
        yield f"stored {stored['state']} {reason} {stored['text']!r}, not {plan.state} {plan.reason} {plan.text!r}"
    if not plan.text.startswith(stored["text"]):
        yield f"stored {stored['text']!r} is no beginning of {plan.text!r}"
    proposed = [action["state"] for action in stored["actions"]]
    if proposed != _proposals(plan, stored):
        yield f"{stored['state']} {reason}, and actions {proposed}"
    if (calls := visitor.run(stored["message_id"])["calls"]) != 1:
        yield f"{calls} runs at the model"
    for tab in tabs:
        shown = [(one.role, one.state, one.text) for one in tab.messages()]
        if shown != [("user", "completed", question), ("assistant", stored["state"], stored["text"])]:
            yield f"shown {shown}, stored {stored['state']} {stored['text']!r}"
        offered = tab.button("Do it")
        if proposed != ["proposed"] * offered.count() and proposed != ["refused"]:
            yield f"{offered.count()} offers of {proposed}"
        if tab.page.locator("[aria-busy=true]").count():
            yield "something is still busy"


def _proposals(plan: Plan, stored: Mapping[str, Any]) -> list[str]:
    """The states that its actions must have: only a whole answer proposes."""
    if not plan.proposes or stored["state"] != "completed":
        return []
    return ["proposed" if stored["finish_reason"] == "stop" else "refused"]
