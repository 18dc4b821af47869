"""A sample of the soak: random faults in the real page end with exact text or an honest end."""

import pytest
from playwright.sync_api import Browser

from tests.soak.plans import plan
from tests.soak.play import faults_of
from tests.soak.seeds import seeds
from tests.support.server import Server


def test_a_seed_makes_the_same_plan_again() -> None:
    assert plan(7) == plan(7) != plan(8)


@pytest.mark.proves("B19", "B20", "B21", "T1", "T2", "T3")
@pytest.mark.parametrize("number", range(20))
def test_random_faults_end_with_exact_text_or_an_honest_end(number: int, browser: Browser, server: Server) -> None:
    chosen = plan(seeds(20)[number])
    assert faults_of(chosen, browser, server) == [], f'make soak ARGS="--seed {chosen.seed}"  {chosen}'
