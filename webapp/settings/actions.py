"""The table [[actions]] of the file: side effects that models may propose; read and checked, not carried out."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jsonschema.exceptions import SchemaError
from jsonschema.validators import Draft202012Validator, validator_for

from webapp.settings.entries import Members, doubles, is_http, typed

_ACTION_MEMBERS: Members = {
    "name": str,
    "description": str,
    "url": str,
    "secret_env": str,
    "confirm": bool,
    "parameters": dict,
}
_ACTION_NAME = re.compile("[A-Za-z0-9_-]{1,64}")  # what services take as the name of a tool


@dataclass(frozen=True, slots=True)
class ActionSettings:
    """A side effect that models may propose. `secret` is the secret itself; `parameters` is a JSON Schema."""

    name: str
    description: str
    url: str
    secret: str = field(repr=False)
    confirm: bool
    parameters: Mapping[str, object]


def read_actions(entries: object, environment: Mapping[str, str], complaints: list[str]) -> tuple[ActionSettings, ...]:
    """The actions in those entries, as far as they can be read; what is wrong is added to `complaints`."""
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        complaints.append("actions: a list of tables, each headed [[actions]]")
        return ()
    actions = tuple(_action(entry, f"actions[{place}]", environment, complaints) for place, entry in enumerate(entries))
    complaints += [f"actions: the name {name!r} stands twice" for name in doubles(action.name for action in actions)]
    return actions


def _action(
    entry: Mapping[str, Any], place: str, environment: Mapping[str, str], complaints: list[str]
) -> ActionSettings:
    entry = typed(entry, _ACTION_MEMBERS, place, complaints)
    if not _ACTION_NAME.fullmatch(entry.get("name", "")):
        complaints.append(f'{place}: needs a name of letters, digits, _ and -, such as name = "create_ticket"')
    if not entry.get("description"):
        complaints.append(f'{place}: needs a description for people, such as description = "Open a support ticket"')
    if not is_http(entry.get("url", "")):
        complaints.append(f'{place}: needs a url, such as url = "https://helpdesk.example/hooks/ticket"')
    secret_env = entry.get("secret_env", "")
    if not secret_env:
        complaints.append(f'{place}: needs secret_env, the variable that holds the secret, such as "TICKET_SECRET"')
    elif not environment.get(secret_env):
        complaints.append(f"{place}: secret_env names {secret_env}, which is not in the environment")
    return ActionSettings(
        name=entry.get("name", ""),
        description=entry.get("description", ""),
        url=entry.get("url", ""),
        secret=environment.get(secret_env, ""),
        confirm=entry.get("confirm", True),
        parameters=_schema(entry.get("parameters", {}), f"{place}: parameters", complaints),
    )


def _schema(given: Mapping[str, Any], place: str, complaints: list[str]) -> Mapping[str, object]:
    """The JSON Schema of an action's arguments, which are always an object."""
    schema = {"type": "object", "properties": {}, **given}
    try:
        json.dumps(schema, allow_nan=False)
        validator_for(schema, default=Draft202012Validator).check_schema(schema)
    except (TypeError, ValueError):
        complaints.append(f"{place}: dates and numbers without end have no place in a JSON Schema")
    except SchemaError as error:
        complaints.append(f"{place}: is no JSON Schema ({error.json_path}: {error.message})")
    else:
        if schema["type"] != "object":
            complaints.append(f'{place}: is a schema of type "object"')
    return schema
