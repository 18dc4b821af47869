"""Messages as the templates place them: values and words, prepared; no request and no response."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from webapp.core.messages import Failure, Message
from webapp.web import words
from webapp.web.live import LiveText

_HTML_SIGNS = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


@dataclass(frozen=True, slots=True)
class MessageView:
    """One message. Where `live` is given, what is said of it is as new as the text that was written."""

    kept: Message
    label: str
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
    def is_running(self) -> bool:
        return not self.message.state.is_ended

    def __getattr__(self, name: str) -> object:
        return getattr(self.message, name)


def source_json(text: str) -> Markup:
    """`text` as JSON inside a script element: nothing in it can end the element, or is changed by the HTML parser."""
    return Markup(json.dumps(text).translate(_HTML_SIGNS))
