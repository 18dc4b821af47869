"""What a tool call becomes: a proposal, or a refusal with nothing to confirm."""

import json

import pytest

from tests.support.webhook import Hook, Reply
from webapp.core.actions import ARGUMENT_BYTES, NOT_DONE, Offer, proposal, read_arguments
from webapp.core.events import Action
from webapp.core.signs import ToolCall

SCHEMA = {
    "type": "object",
    "properties": {"subject": {"type": "string", "maxLength": 20}, "urgent": {"type": "boolean"}},
    "required": ["subject"],
    "additionalProperties": False,
}
TICKET = Offer("create_ticket", "Open a support ticket", SCHEMA)


def proposed(arguments: str, offer: Offer | None = TICKET, *, is_whole: bool = True) -> Action:
    return proposal("act_1", ToolCall("t1", "create_ticket", arguments), offer, is_whole=is_whole, at=0)


@pytest.mark.proves("B27")
def test_arguments_that_the_schema_wants_are_proposed_for_a_day_as_the_model_wrote_them() -> None:
    assert proposed(' {"subject": "Pr\\u00efnter", "urgent": true}\n') == Action(
        "act_1",
        "create_ticket",
        "Open a support ticket",
        {"subject": "Prïnter", "urgent": True},
        "proposed",
        None,
        "1970-01-02T00:00:00.000Z",
    )


def test_an_action_that_asks_nobody_is_confirmed_from_the_start() -> None:
    assert proposed('{"subject": "x"}', Offer("create_ticket", "Opens.", SCHEMA, asks=False)).state == "confirmed"


@pytest.mark.proves("B26", "B27")
@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "{",
        '{"subject": "torn',
        "[]",
        '"subject"',
        "null",
        "{}",
        '{"subject": 5}',
        '{"subject": "more than twenty letters"}',
        '{"subject": "x", "other": 1}',
        '{"subject": "\\ud83e"}',
        '{"subject": "x"} {"subject": "y"}',
    ],
)
def test_other_arguments_are_refused(arguments: str) -> None:
    action = proposed(arguments)
    assert (action.state, action.result, action.expires_at) == ("refused", {"text": NOT_DONE}, None)


@pytest.mark.proves("B27")
def test_a_call_that_nobody_offers_or_of_an_answer_that_was_cut_is_refused() -> None:
    assert proposed('{"subject": "x"}', None).state == "refused"
    assert proposed('{"subject": "x"}', is_whole=False).state == "refused"


@pytest.mark.parametrize(
    "written",
    ['{"n": NaN}', '{"n": -Infinity}', '{"n": 1e999}', '{"n": 9007199254740993}', '{"n": ' + "1" * 5_000 + "}"],
)
def test_a_number_that_not_every_reader_reads_alike_is_refused(written: str) -> None:
    assert read_arguments(written) is None


@pytest.mark.parametrize("written", ['{"a": ' * 50_000, '{"a": "' + "x" * ARGUMENT_BYTES + '"}'], ids=["deep", "long"])
def test_arguments_without_measure_are_refused(written: str) -> None:
    assert read_arguments(written) is None


@pytest.mark.parametrize("number", [0, -1, 2**53 - 1, 0.1, 1e300, -2.5e-7])
def test_a_number_stays_what_it_is(number: float) -> None:
    assert read_arguments(json.dumps({"n": number})) == {"n": number}


def test_nothing_at_all_is_no_arguments() -> None:
    nothing = Offer("sound_alarm", "Sounds.", {"type": "object", "properties": {}})
    assert proposed("", nothing).state == "proposed"


def test_the_name_of_a_refused_call_is_short_and_can_be_written() -> None:
    action = proposal("act_1", ToolCall("t1", "\ud800" + "x" * 5_000, "{}"), None, is_whole=True, at=0)
    assert action.name == "\ufffd" + "x" * 63


def test_a_schema_that_leans_on_another_address_is_never_fetched_and_lets_nothing_through() -> None:
    with Hook() as elsewhere:
        elsewhere.play(Reply(body=b"{}"))
        leaning = Offer("a", "A.", {"properties": {"x": {"$ref": elsewhere.url}}})
        assert proposed('{"x": 1}', leaning).state == "refused"
        assert elsewhere.calls == []
