"""What a model may propose, and what becomes of a proposal, as values and rules; nothing is carried out here."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NoReturn

from jsonschema.validators import Draft202012Validator, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from webapp.core.events import Action
from webapp.core.signs import ToolCall
from webapp.core.surrogates import has_lone_surrogate, well_formed
from webapp.core.times import rfc3339

NOT_DONE = "This action was not carried out."
UNKNOWN = "It is not known whether this was carried out."
DONE = "This action was carried out."
# By the state that an action is in when somebody wants another one.
WHY_REFUSED: Mapping[str, str] = {
    "refused": NOT_DONE,
    "declined": "This action was declined before, so it was not carried out.",
    "expired": "This action was proposed too long ago, so it was not carried out.",
    "confirmed": "This action was confirmed before, so it cannot be declined.",
    "succeeded": "This action was carried out before, so it cannot be declined.",
    "failed": "This action was confirmed before, so it cannot be declined.",
}

LASTS = 24 * 3600 * 1000  # milliseconds for which a proposal can be confirmed
ARGUMENT_BYTES = 64 * 1024
_NAME_CHARACTERS = 64
_LARGEST_EXACT = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Offer:
    """An action that a model may propose. `parameters`: a JSON Schema; `asks`: whether a person is to confirm it."""

    name: str
    description: str
    parameters: Mapping[str, object]
    asks: bool = True


@dataclass(frozen=True, slots=True)
class Outcome:
    """How carrying out an action ended. `result`: `text` for people, perhaps `url`."""

    state: Literal["succeeded", "failed"]
    result: Mapping[str, str]


NOT_CARRIED_OUT = Outcome("failed", {"text": NOT_DONE})
NOT_KNOWN = Outcome("failed", {"text": UNKNOWN})


def proposal(action_id: str, call: ToolCall, offer: Offer | None, *, is_whole: bool, at: int) -> Action:
    """What a tool call of an answer that ended at `at` (milliseconds since 1970) becomes.

    `refused`, with nothing to confirm, where nobody offers such an action, the answer was cut (`is_whole` false), or
    the arguments are not what the offer's schema wants. `confirmed` where no person is asked; else `proposed`.
    """
    arguments = read_arguments(call.arguments)
    if offer is None or not is_whole or arguments is None or not _fits(arguments, offer.parameters):
        name = well_formed(call.name)[:_NAME_CHARACTERS]
        return Action(action_id, name, "", arguments or {}, "refused", NOT_CARRIED_OUT.result)
    state: Literal["proposed", "confirmed"] = "proposed" if offer.asks else "confirmed"
    return Action(action_id, offer.name, offer.description, arguments, state, None, rfc3339(at + LASTS))


def read_arguments(written: str) -> Mapping[str, object] | None:
    """The arguments as the model wrote them; no text at all means none of them.

    None for what is no JSON object, or what not every reader would read alike: NaN, halves of surrogate pairs, whole
    numbers beyond 2^53 (RFC 7493, sections 2.1 and 2.2). A person must see what would be sent.
    """
    if not written.strip():
        return {}
    if len(written.encode("utf-8", "surrogatepass")) > ARGUMENT_BYTES:
        return None
    try:
        value = json.loads(written, parse_int=_whole, parse_float=_finite, parse_constant=_refuse)
        again = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and not has_lone_surrogate(again) else None


def _fits(arguments: Mapping[str, object], schema: Mapping[str, object]) -> bool:
    # With a registry of its own the library fetches no schema from the network.
    validator = validator_for(schema, default=Draft202012Validator)(schema, registry=Registry())
    try:
        return bool(validator.is_valid(arguments))
    except (RecursionError, Unresolvable):
        return False


def _whole(digits: str) -> int:
    number = int(digits)
    if abs(number) > _LARGEST_EXACT:
        raise ValueError(f"{number} is not exact everywhere")
    return number


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError("too large")
    return number


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
