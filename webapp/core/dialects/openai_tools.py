"""Tool calls put together from the fragments of OpenAI's chunks; it runs none and looks into no arguments."""

import json
from collections.abc import Mapping
from typing import Any

from webapp.core.actions import ARGUMENT_BYTES
from webapp.core.signs import ModelFailure, ToolCall

MOST_CALLS = 100


class ToolCallAssembler:
    """Collects fragments by their index; one without an index goes on with the call that came last.

    What it keeps is bounded: arguments that grow beyond what any action takes are kept up to there, and too long still.
    """

    def __init__(self) -> None:
        self._parts: list[_Part] = []

    def feed(self, delta: Mapping[str, Any]) -> bool:
        """Take the fragments of one `delta`, the older `function_call` too; whether it had any.

        Raises ModelFailure for the call after MOST_CALLS.
        """
        listed = delta.get("tool_calls")
        found = [part for part in listed if isinstance(part, dict)] if isinstance(listed, list) else []
        if isinstance(delta.get("function_call"), dict):
            found.append({"index": "function_call", "function": delta["function_call"]})
        for fragment in found:
            self._part(fragment).add(fragment)
        return bool(found)

    def calls(self) -> list[ToolCall]:
        """The calls in the order in which they began; fragments that no name belongs to are none."""
        return [ToolCall(part.id, part.name, "".join(part.arguments)) for part in self._parts if part.name]

    def _part(self, fragment: Mapping[str, Any]) -> "_Part":
        index, id_ = fragment.get("index"), fragment.get("id")
        for part in reversed(self._parts):
            if index is not None and part.index != index:
                continue
            # Some servers give every call the index 0, or none: then a new id begins a new call.
            if id_ and part.id and part.id != id_:
                break
            return part
        if len(self._parts) == MOST_CALLS:
            raise ModelFailure("provider_error", f"the model asks for more than {MOST_CALLS} actions")
        self._parts.append(_Part(index))
        return self._parts[-1]


class _Part:
    """One call while it grows."""

    def __init__(self, index: object) -> None:
        self.index = index
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []
        self._size = 0

    def add(self, fragment: Mapping[str, Any]) -> None:
        self.id = self.id or _text(fragment.get("id"))
        function = fragment.get("function")
        if isinstance(function, dict):
            self.name = self.name or _text(function.get("name"))
            piece = _text(function.get("arguments"))
            if self._size <= ARGUMENT_BYTES:
                self.arguments.append(piece)
                self._size += len(piece)


def _text(value: object) -> str:
    """`value` as text; a server that sends arguments as an object means the JSON text of it."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value)
