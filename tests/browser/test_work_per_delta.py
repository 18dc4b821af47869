"""What a delta costs the page does not grow with the answer, not even where the whole answer is one line."""

from __future__ import annotations

import threading

import pytest
from playwright.sync_api import CDPSession

from tests.support.chat_page import ChatPage
from webapp.qa.upstream import Reply, Until, Upstream, Wait, answer, delta

SHORT, LONG = 4 * 1024, 64 * 1024
DELTAS = 150
# Measured: 1.1 for paragraphs, and for one line of Arabic 2.4, which is 5 or 20 where all its lines are laid out again.
MOST_TIMES_AS_MUCH = 3.5
IS_SHOWN = "length => document.querySelector('article[data-role=assistant]')?.text.length >= length"
# The text that stands there already has been laid out and drawn then.
TWO_FRAMES = "() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"


# Of all scripts Arabic costs most to lay out again.
@pytest.mark.parametrize("unit", ["a paragraph\n\n", "\u0643\u0644\u0645\u0629 "], ids=["paragraphs", "one line"])
def test_a_delta_costs_little_more_at_64_kilobytes_than_at_four(
    asking_service: ChatPage, provider: Upstream, unit: str
) -> None:
    short, long = (cpu_of_deltas(asking_service, provider, unit, size) for size in (SHORT, LONG))
    assert long <= MOST_TIMES_AS_MUCH * short


def cpu_of_deltas(chat: ChatPage, provider: Upstream, unit: str, size: int) -> float:
    """CPU seconds of the page's main thread while small deltas come after a text of that many characters."""
    beginning, go_on = unit * (size // len(unit)), threading.Event()
    deltas = [step for _ in range(DELTAS) for step in (delta(unit), Wait(0.01))]
    provider.play(Reply([delta(beginning), Until(go_on), *deltas, *answer(unit)]))
    chat.open()
    clock = chat.page.context.new_cdp_session(chat.page)
    clock.send("Performance.setTimeDomain", {"timeDomain": "threadTicks"})  # else a busy machine would count too
    clock.send("Performance.enable")
    chat.ask("A long answer, please")
    chat.page.wait_for_function(IS_SHOWN, arg=len(beginning), polling=50)
    chat.page.evaluate(TWO_FRAMES)
    before = cpu(clock)
    go_on.set()
    chat.page.wait_for_function(IS_SHOWN, arg=len(beginning) + DELTAS * len(unit), polling=50)
    return cpu(clock) - before


def cpu(clock: CDPSession) -> float:
    metrics = clock.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "ThreadTime"))
