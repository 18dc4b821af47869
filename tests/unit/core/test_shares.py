"""Shares of the visitors: stable, nested, and as large as they say."""

import pytest

from webapp.core.shares import is_in_share

VISITORS = [f"visitor_{number}" for number in range(2_000)]


@pytest.mark.proves("R8")
@pytest.mark.parametrize(("share", "count"), [(0, 0), (0.1, 200), (0.5, 1_000), (1, 2_000)])
def test_a_share_holds_about_as_many_as_it_says(share: float, count: int) -> None:
    inside = sum(is_in_share(visitor, share) for visitor in VISITORS)
    assert abs(inside - count) <= (100 if 0 < share < 1 else 0)


@pytest.mark.proves("R8")
def test_who_is_in_a_share_is_in_every_larger_one() -> None:
    small, large = ({visitor for visitor in VISITORS if is_in_share(visitor, share)} for share in (0.2, 0.6))
    assert small < large
