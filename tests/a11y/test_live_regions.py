"""The two regions that speak, and that nothing else in the page does."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.a11y.conftest import Chat
from tests.support.visitor import Visitor

# Everything that a browser may tell of by itself: roles and properties of WAI-ARIA 1.2, and HTML's `output`.
LIVE = (
    "[aria-live]:not([aria-live=off]), [role~=status], [role~=alert], [role~=log], "
    "[role~=timer], [role~=marquee], output"
)
REGIONS = "[data-motamot=status], [data-motamot=alert]"


def live_marks(page: Page) -> list[str | None]:
    """The marks of every live region that stands in the page."""
    return page.locator(LIVE).evaluate_all("regions => regions.map(region => region.dataset.motamot ?? null)")


@pytest.mark.proves("B46", "B48", "C92")
def test_both_regions_stand_empty_in_the_first_html(chat: Chat, visitor: Visitor) -> None:
    """Neither is made, filled or shown by the script: what comes with its text is not spoken everywhere."""
    html = visitor.http.get("/").text
    assert '<div class="visually-hidden" role="status" data-motamot="status"></div>' in html
    assert '<div class="visually-hidden" role="alert" data-motamot="alert"></div>' in html
    chat.open()
    rendered = "regions => regions.map(region => region.checkVisibility({visibilityProperty: true}))"
    assert chat.page.locator(REGIONS).evaluate_all(rendered) == [True, True]
    assert chat.texts() == []


@pytest.mark.proves("B47", "B48", "C92")
def test_nothing_else_is_live_and_the_regions_stay_the_same_nodes(chat: Chat, visitor: Visitor) -> None:
    """Before, while and after an answer grows."""
    scenario = visitor.scenario({"text": "Alpha one."}, {"hang": True})
    chat.open()
    marked = "regions => regions.forEach(region => { region.wasThere = true; })"
    chat.page.locator(REGIONS).evaluate_all(marked)
    assert live_marks(chat.page) == ["status", "alert"]
    chat.ask(scenario)
    chat.answer("running")
    assert live_marks(chat.page) == ["status", "alert"]
    chat.stop()
    chat.answer("cancelled")
    chat.announcements.wait_for("stopped")
    assert live_marks(chat.page) == ["status", "alert"]
    assert chat.page.locator(REGIONS).evaluate_all("regions => regions.every(region => region.wasThere)")
    assert chat.announcements.born_filled() == []


@pytest.mark.proves("C93")
def test_an_opened_conversation_and_an_older_answer_are_not_read_again(chat: Chat, visitor: Visitor) -> None:
    """What stood there when the page opened is the reader's own to read."""
    conversation = visitor.conversation()
    assert visitor.ask(visitor.says(["alpha one"]), conversation).status_code == 200
    chat.page.context.add_cookies(
        [{"name": name, "value": value, "url": chat.url} for name, value in visitor.http.cookies.items()]
    )
    chat.open(f"/c/{conversation}")
    chat.ask(visitor.says(["beta two"]))
    chat.announcements.wait_for("Answer complete, 2 words")
    assert chat.texts()[0].startswith("Generating the answer")
    assert "beta two" in " ".join(chat.texts())
    assert "alpha one" not in " ".join(chat.texts())


@pytest.mark.proves("C93", "B49")
def test_an_answer_that_was_met_in_mid_run_is_read_from_there(chat: Chat, visitor: Visitor) -> None:
    """The sentence that was growing at that moment is left out: half of it stood there already."""
    conversation = visitor.conversation()
    steps = [{"text": "Alpha one. Beta t"}, {"wait": 4}, {"text": "wo. Gamma three."}, {"finish": "stop"}]
    message_id = visitor.begin(visitor.scenario(*steps), conversation)
    chat.page.context.add_cookies(
        [{"name": name, "value": value, "url": chat.url} for name, value in visitor.http.cookies.items()]
    )
    while visitor.message(message_id)["text"] == "":
        pass
    chat.open(f"/c/{conversation}")
    chat.answer("completed")
    chat.announcements.wait_for("Answer complete, 6 words")
    assert chat.texts()[:2] == ["Generating the answer", "Gamma three."]
