"""The chat's document, written from values: what it shows, and its pieces as they come; no request, no use case."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from jinja2 import Environment

from webapp.answers.asked import QUESTION_BYTES, new_id
from webapp.answers.catalogue import Catalogue
from webapp.core.messages import Conversation, Message
from webapp.core.problems import Problem
from webapp.web import words
from webapp.web.live import LiveText
from webapp.web.views import MessageView

DISPLAYS = ("formatted", "plain")
VERBOSITIES = ("sentences", "quiet", "full")
LEAST_INTERVAL, USUAL_INTERVAL, MOST_INTERVAL = 3, 5, 30  # seconds between two announcements of progress


@dataclass(frozen=True, slots=True)
class Shown:
    """What one page shows. `versions`: by message id, the ids of the message and its siblings.

    `live` writes the last answer as it comes. `draft` stands in the composer; `edited` is the question that it changes.
    """

    conversation: Conversation | None = None
    path: Sequence[Message] = ()
    versions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    live: LiveText | None = None
    refusal: Problem | None = None
    draft: str = ""
    edited: Message | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """Writes pages with these templates, over these models."""

    templates: Environment
    catalogue: Catalogue

    def pieces(self, shown: Shown, *, form_token: str, settings: Mapping[str, object]) -> Iterator[str]:
        """The page in pieces, written from values alone: the request may be over before the last one."""
        models = [
            {
                "id": entry.id,
                "label": entry.label,
                "kind": entry.kind,
                "ready": entry.model.is_ready,
                "note": entry.note,
            }
            for entry in self.catalogue
        ]
        title = shown.conversation.title if shown.conversation else ""
        return self.templates.get_template("chat.html").generate(
            language="en",
            title=f"{title} · Motamot" if title else "Motamot",
            conversation=shown.conversation,
            models=models,
            model=_model(shown, models),
            messages=[self._view(message, shown) for message in shown.path],
            live=shown.live,
            form_token=form_token,
            form_request_id=new_id("req"),
            draft=shown.draft,
            edited=shown.edited,
            refusal=shown.refusal,
            settings=settings,
            question_limit=QUESTION_BYTES,
            suggestions=words.SUGGESTIONS,
            continuation=words.CONTINUATION,
        )

    def view(self, message: Message, versions: Sequence[str], live: LiveText | None = None) -> MessageView:
        """The message as templates place it."""
        label = words.YOU if message.role == "user" else self.catalogue.label(message.model)
        return MessageView(message, label, versions, live)

    def _view(self, message: Message, shown: Shown) -> MessageView:
        is_live = shown.live is not None and shown.live.message.message_id == message.message_id
        siblings = shown.versions.get(message.message_id, (message.message_id,))
        return self.view(message, siblings, shown.live if is_live else None)


def view_settings(asked: Mapping[str, str]) -> dict[str, object]:
    """The display settings that an address gives for one view; what it does not give, or wrongly, is as usual."""
    display, announce = asked.get("display"), asked.get("announce")
    raw = asked.get("interval", "")
    interval = int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 4 else USUAL_INTERVAL
    return {
        "display": display if display in DISPLAYS else DISPLAYS[0],
        "announce": announce if announce in VERBOSITIES else VERBOSITIES[0],
        "interval": min(max(interval, LEAST_INTERVAL), MOST_INTERVAL),
    }


def _model(shown: Shown, models: Sequence[Mapping[str, object]]) -> str:
    """The model of the last answer where it is offered still, else the first one."""
    offered = [str(model["id"]) for model in models]
    used = [message.model for message in (*shown.path, *filter(None, [shown.edited])) if message.model in offered]
    return used[-1] if used else next(iter(offered), "")
