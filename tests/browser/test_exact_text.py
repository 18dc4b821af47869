"""What the model said is what the page shows, keeps, shows again and copies: code point for code point."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.support.chat_page import ChatPage, ShownMessage
from tests.support.server import Server
from tests.support.texts import LIST, TEXTS, pieces
from tests.support.visitor import Visitor
from webapp.core.events import Answer
from webapp.qa.browsers import launch_arguments

CLIPBOARD = ["clipboard-read", "clipboard-write"]
PLACES = {"?display=plain": {"display": "plain"}, "formatted": {}}


@pytest.mark.proves("A13", "A61", "A66", "H6", "H16", "C13", "C17", "C20", "C21", "C88", "C121", "B2")
@pytest.mark.parametrize(
    ("count", "line"),
    [(1, {}), (500, {}), (20, {"bytes_per_write": 1}), (20, {"line_end": "crlf"})],
    ids=["one fragment", "500 fragments", "one byte per write", "CRLF line ends of the wire"],
)
def test_page_copy_json_database_and_end_hold_the_same_text(
    server: Server, chat: ChatPage, visitor: Visitor, context: BrowserContext, count: int, line: dict[str, object]
) -> None:
    """Every text, live and after a reload, in the plain display and in the usual one."""
    context.grant_permissions(CLIPBOARD)
    chat.open(display="plain")
    copied = {}
    for number, (name, text) in enumerate(TEXTS.items(), 1):
        chat.ask(visitor.says(pieces(text, count), line=line))
        chat.wait_for("completed", count=number)
        copied[name] = copy(chat, number)
    assert copied == TEXTS
    ids = assert_all_shown(chat.shown_answers())
    for settings in PLACES.values():
        chat.open(f"/c/{chat.conversation_id}", **settings)
        assert assert_all_shown(chat.shown_answers()) == ids
    assert by_name([visitor.message(message_id)["text"] for message_id in ids]) == TEXTS
    assert by_name([stored_text(server, message_id) for message_id in ids]) == TEXTS
    assert by_name([end_of(visitor, message_id).text for message_id in ids]) == TEXTS


def assert_all_shown(answers: list[ShownMessage]) -> list[str]:
    """The ids of the answers, each of which has one of the texts as its property and as its content."""
    assert {answer.state for answer in answers} == {"completed"}
    assert by_name([answer.text for answer in answers]) == TEXTS
    assert by_name([answer.shown for answer in answers]) == TEXTS
    return [answer.message_id for answer in answers]


def by_name(texts: list[str]) -> dict[str, str]:
    return dict(zip(TEXTS, texts, strict=True))


def stored_text(server: Server, message_id: str) -> str:
    with sqlite3.connect(f"file:{server.database}?mode=ro", uri=True) as database:
        row: tuple[bytes] = database.execute("SELECT text FROM messages WHERE message_id = ?", [message_id]).fetchone()
    return row[0].decode()


def end_of(visitor: Visitor, message_id: str) -> Answer:
    *_, end = visitor.follow(message_id)
    assert isinstance(end, Answer)
    return end


def copy(chat: ChatPage, number: int) -> str:
    """What lies on the clipboard after the answer's own button was pressed."""
    chat.page.evaluate("navigator.clipboard.writeText('what lay there before')")
    chat.button(f"Copy answer {number}").click()
    chat.answer.get_by_text("Copied").wait_for()
    points: list[int] = chat.page.evaluate(
        "async () => Array.from(await navigator.clipboard.readText(), (sign) => sign.codePointAt(0))"
    )
    return "".join(map(chr, points))


@pytest.mark.proves("A61", "C17", "C32", "C37")
def test_the_text_on_the_page_is_a_beginning_of_the_answer_at_every_moment(chat: ChatPage, visitor: Visitor) -> None:
    steps = [step for piece in pieces(LIST, 60) for step in ({"text": piece}, {"wait": 0.01})]
    chat.open(display="plain")
    chat.page.evaluate(
        """() => {
            window.shown = [];
            const transcript = document.querySelector('[data-motamot=transcript]');
            new MutationObserver(() => {
                const text = transcript.querySelector('article[data-role=assistant] [data-part=text]');
                if (text && text.textContent !== window.shown.at(-1)) window.shown.push(text.textContent);
            }).observe(transcript, { subtree: true, childList: true, characterData: true });
        }"""
    )
    chat.ask(visitor.scenario(*steps, {"finish": "stop"}))
    chat.wait_for("completed")
    shown: list[str] = chat.page.evaluate("window.shown")
    assert [text for text in shown if not LIST.startswith(text)] == []
    assert sorted(shown, key=len) == shown
    assert len(shown) > 2
    assert shown[-1] == LIST


@pytest.mark.proves("C19", "A61")
def test_a_question_is_kept_and_shown_as_it_was_typed(chat: ChatPage, visitor: Visitor) -> None:
    """Less what HTML makes of a field's text: its line breaks are LF."""
    question = "  first\n\n\tsecond <b>&amp;</b> \U0001f469\u200d\U0001f692 e\u0301 \u05e9\u05dc\u05d5\u05dd \u2028 \n"
    chat.open(display="plain")
    chat.ask(question)
    chat.wait_for("completed")
    assert [(one.text, one.shown) for one in chat.messages()] == [(question, question)] * 2
    chat.reload()
    assert [(one.text, one.shown) for one in chat.messages()] == [(question, question)] * 2


@pytest.mark.proves("C88")
def test_copy_works_on_plain_http_where_browsers_have_no_clipboard_for_pages(
    server: Server, visitor: Visitor, launch_browser: Callable[..., Browser]
) -> None:
    """On a name that is not localhost the page is no secure context: the clipboard is reached by a selection."""
    text = "".join(TEXTS[name] for name in ("blanks at both ends", "CRLF", "lone CR", "combining marks", "code fence"))
    name = "motamot.test"
    url = server.url.replace("127.0.0.1", name)
    browser = launch_browser(args=[*launch_arguments(), f"--host-resolver-rules=MAP {name} 127.0.0.1"])
    with browser.new_context() as context:
        page = context.new_page()
        chat = ChatPage(page, url)
        chat.open()
        assert page.evaluate("isSecureContext") is False
        chat.ask(visitor.says(pieces(text, 9)))
        chat.wait_for("completed")
        page.evaluate(
            """document.addEventListener('paste', ({ clipboardData }) => {
                window.pasted = Array.from(clipboardData.getData('text/plain'), (sign) => sign.codePointAt(0));
            })"""
        )
        chat.button("Copy answer 1").click()
        chat.answer.get_by_text("Copied").wait_for()
        chat.composer.press("Control+V")
        assert "".join(map(chr, page.evaluate("pasted"))) == text
    browser.close()
