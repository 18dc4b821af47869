"""What a page tells of an answer: counted once, within bounds, for the owner alone."""

from __future__ import annotations

import pytest

from tests.support.figures import Meter
from tests.support.server import Server
from tests.support.visitor import Visitor

VISIBLE = "motamot_time_to_first_visible_seconds"
PAGE = ("motamot_page_repeats", "motamot_page_holes", "motamot_page_mismatches", "motamot_page_reconnects")


@pytest.fixture
def meter(server: Server) -> Meter:
    return Meter(server)


def tell(visitor: Visitor, message_id: str, told: object) -> int:
    return visitor.http.post(f"/api/v1/messages/{message_id}/seen", json=told).status_code


def answer(visitor: Visitor) -> str:
    return str(visitor.ask("done").json()["message_id"])


@pytest.mark.proves("M1", "M4")
def test_what_a_page_saw_is_counted_once(visitor: Visitor, meter: Meter) -> None:
    message_id = answer(visitor)
    told = {"first_visible_ms": 1500, "repeats": 1, "holes": 2, "mismatches": 3, "reconnects": 4}
    assert [tell(visitor, message_id, told), tell(visitor, message_id, told)] == [204, 204]
    assert meter.moved(f"{VISIBLE}_sum", state="completed") == 1.5
    assert meter.moved(f"{VISIBLE}_count") == 1
    assert [meter.moved(f"{name}_total") for name in PAGE] == [1, 2, 3, 4]


@pytest.mark.proves("B37")
def test_what_was_seen_of_a_cancelled_answer_stands_apart(visitor: Visitor, meter: Meter) -> None:
    message_id = visitor.begin(visitor.scenario({"text": "part"}, {"hang": True}))
    visitor.cancel(message_id)
    assert tell(visitor, message_id, {"first_visible_ms": 20}) == 204
    assert meter.moved(f"{VISIBLE}_count", state="cancelled") == meter.moved(f"{VISIBLE}_count") == 1


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"repeats": 0},
        {"first_visible_ms": -1},
        {"first_visible_ms": 3_600_001},
        {"first_visible_ms": "120"},
        {"first_visible_ms": True},
        {"first_visible_ms": 1.5},
        {"first_visible_ms": 10**400},
        {"first_visible_ms": 10, "repeats": -1},
        {"first_visible_ms": 10, "holes": 100_001},
        {"first_visible_ms": 10, "mismatches": [1]},
    ],
    ids=str,
)
def test_what_no_page_can_have_seen_is_refused(visitor: Visitor, meter: Meter, told: object) -> None:
    assert tell(visitor, answer(visitor), told) == 422
    assert meter.moved(f"{VISIBLE}_count") == 0


def test_only_the_owner_tells_and_only_of_answers(visitor: Visitor, stranger: Visitor, meter: Meter) -> None:
    told = {"first_visible_ms": 10}
    message = visitor.ask("done").json()
    assert tell(stranger, message["message_id"], told) == 404
    assert tell(visitor, "msg_none", told) == 404
    assert tell(visitor, message["question_id"], told) == 404
    assert meter.moved(f"{VISIBLE}_count") == 0


def test_another_site_cannot_tell(visitor: Visitor) -> None:
    address = f"/api/v1/messages/{answer(visitor)}/seen"
    for headers in ({"Origin": "https://elsewhere.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert visitor.http.post(address, json={"first_visible_ms": 10}, headers=headers).status_code == 403
    assert visitor.http.post(address, content=b"{}", headers={"Content-Type": "text/plain"}).status_code == 415
