"""Messages as the templates place them: values and words, prepared; no request and no response."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from webapp.core.events import Action
from webapp.core.messages import Failure, Message
from webapp.web import words
from webapp.web.live import LiveText

_HTML_SIGNS = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


_ICONS = {"succeeded": "check", "failed": "alert", "declined": "stop", "expired": "stop"}


@dataclass(frozen=True, slots=True)
class ActionView:
    """One action that can be, or could have been, confirmed. `rows`: names and values as people read them."""

    id: str
    description: str
    state: str
    standing: str
    icon: str
    link: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class MessageView:
    """One message. Where `live` is given, what is said of it is as new as the text that was written.

    `versions`: the ids of the message and its siblings, in their order.
    """

    kept: Message
    label: str
    versions: Sequence[str]
    live: LiveText | None = None

    @property
    def message(self) -> Message:
        return self.live.message if self.live else self.kept

    @property
    def pieces(self) -> Iterator[str]:
        """The text; of a live answer as it comes."""
        return iter(self.live) if self.live else iter((self.kept.text,))

    @property
    def error(self) -> Failure | None:
        return self.message.failure

    @property
    def heading(self) -> str:
        return words.heading(self.message, self.label)

    @property
    def standing(self) -> words.Standing:
        return words.standing(self.message)

    @property
    def cards(self) -> tuple[ActionView, ...]:
        """Those of its actions that were not refused."""
        return tuple(_action_view(action) for action in self.message.actions if action.state != "refused")

    @property
    def previous(self) -> str:
        """The id of the version before, or ""."""
        return self.versions[self._place - 1] if self._place > 0 else ""

    @property
    def following(self) -> str:
        """The id of the next version, or ""."""
        return "".join(self.versions[self._place + 1 : self._place + 2])

    @property
    def _place(self) -> int:
        return self.versions.index(self.kept.message_id)

    @property
    def is_running(self) -> bool:
        return not self.message.state.is_ended

    def __getattr__(self, name: str) -> object:
        return getattr(self.message, name)


def _action_view(action: Action) -> ActionView:
    rows = tuple((name, _as_read(value)) for name, value in action.arguments.items())
    standing, icon = words.action_standing(action), _ICONS.get(action.state, "pen")
    link = (action.result or {}).get("url", "")
    return ActionView(action.id, action.description, action.state, standing, icon, link, rows)


def _as_read(value: object) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def source_json(text: str) -> Markup:
    """`text` as JSON inside a script element: nothing in it can end the element, or is changed by the HTML parser."""
    return Markup(json.dumps(text).translate(_HTML_SIGNS))
