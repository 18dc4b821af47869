"""Automatic checks of the page in each state, light and dark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.a11y.conftest import Chat
from tests.support.visitor import Visitor

MARKDOWN = "# A heading\n\nSome *text* with `code` and a [link](https://example.org).\n\n- one\n- two\n"


def empty(chat: Chat, visitor: Visitor) -> None:
    """No question yet."""


def streaming(chat: Chat, visitor: Visitor) -> None:
    """An answer that grows."""
    chat.ask(visitor.scenario({"text": MARKDOWN}, {"hang": True}))
    chat.answer("running")


def completed(chat: Chat, visitor: Visitor) -> None:
    """Two answers that are whole."""
    for _ in range(2):
        chat.ask(visitor.says([MARKDOWN]))
        chat.announcements.wait_for("Answer complete")
        chat.answer("completed")


def cancelled(chat: Chat, visitor: Visitor) -> None:
    """An answer that was stopped."""
    streaming(chat, visitor)
    chat.stop()
    chat.answer("cancelled")


def failed(chat: Chat, visitor: Visitor) -> None:
    """An answer with its failure."""
    chat.ask(visitor.scenario({"text": MARKDOWN}, {"fail": "provider_error"}))
    chat.answer("failed")


def refused(chat: Chat, visitor: Visitor) -> None:
    """A question that was not taken, with its reason."""
    streaming(chat, visitor)
    chat.ask("And a second question")
    chat.page.wait_for_selector("[data-part=refusal]:not([hidden])")


@pytest.mark.proves("B57", "C99")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "reach", [empty, streaming, completed, cancelled, failed, refused], ids=lambda reach: reach.__name__
)
def test_axe_finds_no_violation(
    chat: Chat, visitor: Visitor, reach: Callable[[Chat, Visitor], None], scheme: Literal["light", "dark"]
) -> None:
    """Every rule of axe, contrast included."""
    chat.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    chat.open()
    reach(chat, visitor)
    report = Axe().run(chat.page)
    assert report.violations_count == 0, report.generate_report()
