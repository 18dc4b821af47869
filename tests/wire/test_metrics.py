"""The figures: each moves when it should, cancelled answers stand apart, and nothing that a client chose is in them."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.support.figures import Meter
from tests.support.server import Server, start_server
from tests.support.visitor import Visitor, events_of
from webapp.core.events import Accepted
from webapp.qa.upstream import Reply, Upstream, delta, finish, frame, usage

KEY = "a-key-of-the-operator"
TO_FIRST = "gen_ai_server_time_to_first_token_seconds_count"
TO_END = "gen_ai_server_request_duration_seconds_count"
TOKENS = "gen_ai_client_token_usage_sum"
ENDED = "motamot_answers_ended_total"

CONFIG = """
[[models]]
id = "remote"
kind = "remote"
url = "{url}"
name = "m"
"""


@pytest.fixture(scope="module")
def provider() -> Iterator[Upstream]:
    with Upstream() as running:
        yield running


@pytest.fixture(scope="module")
def server(provider: Upstream) -> Iterator[Server]:
    with start_server(config=CONFIG.format(url=provider.url), environment={"MOTAMOT_API_KEY": KEY}) as running:
        yield running


@pytest.fixture
def meter(server: Server) -> Meter:
    return Meter(server)


@pytest.mark.proves("M7")
def test_a_completed_answer_is_counted_with_its_times_and_tokens(
    provider: Upstream, visitor: Visitor, meter: Meter
) -> None:
    provider.play(Reply([delta("one "), delta("two"), finish(), usage(5, 7)]))
    visitor.ask("why?", model="remote").raise_for_status()
    assert meter.moved("motamot_answers_begun_total") == 1
    assert (
        meter.moved(ENDED, state="completed", reason="stop", gen_ai_request_model="remote") == meter.moved(ENDED) == 1
    )
    model = {"gen_ai_request_model": "remote", "gen_ai_provider_name": "openai", "gen_ai_operation_name": "chat"}
    assert meter.moved(TO_FIRST, **model) == meter.moved(TO_END, error_type="", **model) == 1
    assert meter.moved(TOKENS, gen_ai_token_type="input", **model) == 5
    assert meter.moved(TOKENS, gen_ai_token_type="output", **model) == 7
    first, end = (meter.moved(name.replace("_count", "_sum")) for name in (TO_FIRST, TO_END))
    assert 0 < first <= end


@pytest.mark.proves("M7", "H18")
@pytest.mark.parametrize(
    ("steps", "members", "code"),
    [
        ([{"text": "part"}, {"fail": "provider_unavailable"}], {}, "provider_unavailable"),
        ([{"text": "part"}], {}, "provider_error"),
        ([{"text": "part"}, {"hang": True}], {"limits": {"silence": 0.3}}, "timeout"),
    ],
    ids=["failed", "broken off", "too slow"],
)
def test_a_failed_answer_is_counted_by_its_code_and_has_no_first_token(
    visitor: Visitor, meter: Meter, steps: list[dict[str, object]], members: dict[str, object], code: str
) -> None:
    assert visitor.ask(visitor.scenario(*steps, **members)).json()["code"] == code
    assert meter.moved(ENDED, state="failed", reason=code) == meter.moved(ENDED) == 1
    assert meter.moved(TO_END, error_type=code) == meter.moved(TO_END) == 1
    assert meter.moved(TO_FIRST) == 0


@pytest.mark.proves("B37", "M5", "M6")
def test_a_cancelled_answer_stands_apart_from_failures_and_from_the_times_and_tokens_of_others(
    provider: Upstream, visitor: Visitor, meter: Meter
) -> None:
    message_id = visitor.begin(visitor.scenario({"text": "part"}, {"hang": True}))
    for _ in range(2):
        assert visitor.cancel(message_id).json()["state"] == "cancelled"
    assert meter.moved(ENDED, state="cancelled", reason="user") == meter.moved(ENDED) == 1
    assert [meter.moved(name) for name in (TO_FIRST, TO_END, TOKENS)] == [0, 0, 0]
    assert meter.moved("motamot_cancelled_duration_seconds_count") == 1
    assert meter.moved("motamot_cancels_asked_total") == meter.moved("motamot_cancels_confirmed_total") == 1
    assert meter.moved("motamot_time_to_stop_seconds_count") == 1
    assert 0 < meter.moved("motamot_time_to_stop_seconds_sum") < meter.moved("motamot_cancelled_duration_seconds_sum")


@pytest.mark.proves("M5")
def test_a_stop_that_comes_after_the_end_is_neither_asked_nor_confirmed(visitor: Visitor, meter: Meter) -> None:
    message_id = visitor.ask("done").json()["message_id"]
    assert visitor.cancel(message_id).json()["state"] == "completed"
    assert meter.moved("motamot_cancels_asked_total") == meter.moved("motamot_cancels_confirmed_total") == 0


@pytest.mark.proves("M6")
def test_an_answer_that_nobody_wanted_is_cancelled_and_no_confirmed_stop(visitor: Visitor, meter: Meter) -> None:
    visitor.begin(visitor.scenario({"text": "part"}, {"hang": True}, limits={"abandoned": 0.3}))
    meter.wait_for(1, ENDED, state="cancelled", reason="owner_gone")
    assert meter.moved("motamot_cancels_asked_total") == meter.moved("motamot_cancels_confirmed_total") == 0
    assert meter.moved("motamot_time_to_stop_seconds_count") == 0


@pytest.mark.proves("M3")
def test_a_reader_that_goes_on_from_a_number_is_counted_and_an_open_one_is_shown(
    visitor: Visitor, meter: Meter
) -> None:
    with visitor.stream(visitor.scenario({"text": "one "}, {"text": "two"}, {"hang": True})) as response:
        accepted = next(events_of(response))
        assert isinstance(accepted, Accepted)
        assert meter.moved("motamot_followers") == meter.moved("motamot_answers_running") == 1
    meter.wait_for(0, "motamot_followers")
    visitor.cancel(accepted.message_id)
    visitor.follow(accepted.message_id, after=1)
    assert meter.moved("motamot_follows_total", **{"from": "start"}) == 1
    assert meter.moved("motamot_follows_total", **{"from": "number"}) == 1
    assert meter.moved("motamot_snapshots_total") == 0
    meter.wait_for(0, "motamot_answers_running")


@pytest.mark.parametrize(("cursor", "reason"), [("-1", "malformed"), ("99", "future")])
def test_a_snapshot_is_counted_by_its_reason(visitor: Visitor, meter: Meter, cursor: str, reason: str) -> None:
    message_id = visitor.ask("done").json()["message_id"]
    visitor.follow(message_id, after=cursor)
    assert meter.moved("motamot_snapshots_total", reason=reason) == meter.moved("motamot_snapshots_total") == 1


def test_a_snapshot_for_events_that_are_no_longer_kept_is_counted(visitor: Visitor, meter: Meter) -> None:
    message_id = visitor.ask(visitor.says(["word "] * 3_000)).json()["message_id"]
    visitor.follow(message_id, after=2)
    assert meter.moved("motamot_snapshots_total", reason="no_buffer") == 1


def test_what_the_log_holds_is_shown(visitor: Visitor, meter: Meter) -> None:
    visitor.ask(visitor.says(["\u00e9", "a", "b"]))
    assert meter.moved("motamot_log_answers") == 1
    assert meter.moved("motamot_log_events") == 4
    assert meter.moved("motamot_log_text_bytes") == 4


def test_bytes_that_were_replaced_are_counted(provider: Upstream, visitor: Visitor, meter: Meter) -> None:
    broken = frame({"choices": [{"index": 0, "delta": {"content": "a?b"}}]}).replace(b"?", b"\xff")
    provider.play(Reply([broken, finish()]))
    assert visitor.ask("why?", model="remote").json()["text"] == "a\ufffdb"
    meter.wait_for(1, "motamot_bytes_replaced_total")


def test_actions_are_counted_by_their_states(visitor: Visitor, meter: Meter) -> None:
    def proposed(name: str) -> str:
        script = visitor.scenario({"action": {"name": name, "arguments": {"subject": "x"}}}, {"finish": "stop"})
        return str(visitor.ask(script).json()["actions"][0]["id"])

    confirmed, declined, _ = proposed("create_ticket"), proposed("create_ticket"), proposed("nobody offers this")
    for _ in range(2):
        visitor.decide(confirmed, "confirm").raise_for_status()
        visitor.decide(declined, "decline").raise_for_status()
    meter.wait_for(6, "motamot_actions_total")
    counted = {"proposed": 2, "refused": 1, "confirmed": 1, "declined": 1, "succeeded": 1}
    assert {state: meter.moved("motamot_actions_total", state=state) for state in counted} == counted


def test_nothing_that_a_client_chose_is_among_the_figures(server: Server, visitor: Visitor) -> None:
    hostile = 'SENTINEL"} 1\nmotamot_forged 1'
    conversation_id = visitor.conversation()
    asked = visitor.ask(hostile, conversation_id, request_id="SENTINEL").json()
    visitor.ask("x", model=hostile)
    visitor.ask(visitor.scenario({"action": {"name": "SENTINEL", "arguments": {}}}, {"text": "x"}, {"finish": "stop"}))
    visitor.follow(asked["message_id"], after="SENTINEL")
    visitor.http.get("/api/v1/messages/SENTINEL", headers={"User-Agent": "SENTINEL"})
    told = httpx.get(f"{server.url}/metrics", trust_env=False).text
    assert not [sign for sign in ("SENTINEL", "forged", asked["message_id"], conversation_id, KEY) if sign in told]


def test_the_figures_are_text_that_sets_no_cookie(server: Server) -> None:
    response = httpx.get(f"{server.url}/metrics", trust_env=False)
    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert "Set-Cookie" not in response.headers
    assert response.text.endswith("\n")


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-For": "127.0.0.1"},
        {"Forwarded": "for=127.0.0.1"},
        {"X-Real-IP": "127.0.0.1"},
        {"Host": "motamot.example"},
        {"X-Forwarded-For": "127.0.0.1", "Authorization": "Bearer another"},
        {"X-Forwarded-For": "127.0.0.1", "Authorization": f"Basic {KEY}"},
    ],
    ids=str,
)
def test_who_asks_through_a_proxy_or_by_a_foreign_name_gets_no_figures(server: Server, headers: dict[str, str]) -> None:
    response = httpx.get(f"{server.url}/metrics", headers=headers, trust_env=False)
    assert (response.status_code, response.json()["code"]) == (403, "forbidden")
    assert "motamot_" not in response.text


def test_the_key_opens_the_figures_from_anywhere(server: Server) -> None:
    headers = {"X-Forwarded-For": "192.0.2.1", "Host": "motamot.example", "Authorization": f"Bearer {KEY}"}
    assert httpx.get(f"{server.url}/metrics", headers=headers, trust_env=False).status_code == 200
