"""The page, whole without its script: reading, asking and stopping by forms, the answer written as it comes."""

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flask import Blueprint, Request, Response, request
from jinja2 import Environment

from webapp.answers.asked import QUESTION_BYTES, Question, new_id
from webapp.core.messages import Conversation, Message, newest_path
from webapp.core.problems import Problem, Refused
from webapp.web import words
from webapp.web.api import Services
from webapp.web.connections import gone_check
from webapp.web.live import LiveText, flushed
from webapp.web.responses import problem_of
from webapp.web.views import MessageView

DISPLAYS = ("formatted", "plain")
VERBOSITIES = ("sentences", "quiet", "full")
LEAST_INTERVAL, USUAL_INTERVAL, MOST_INTERVAL = 3, 5, 30  # seconds between two announcements of progress


@dataclass(frozen=True, slots=True)
class Shown:
    """What one page shows; `live` writes the last answer as it comes, `draft` stands in the composer."""

    conversation: Conversation | None = None
    path: Sequence[Message] = ()
    live: LiveText | None = None
    refusal: Problem | None = None
    draft: str = ""


class Page:
    """The views over what they call."""

    def __init__(self, services: Services, templates: Environment) -> None:
        self._services = services
        self._templates = templates

    def start(self) -> Response:
        """An empty page; gives a visitor who has none a cookie, and keeps nothing."""
        response = Response()
        visitors = self._services.visitors
        owner = visitors.owner(request) or visitors.welcome(response, is_https=request.is_secure)
        return _compressed("".join(self._pieces(owner, Shown())), response)

    def conversation(self, conversation_id: str) -> Response:
        owner = self._services.visitors.owner(request)
        if owner is None:
            raise Refused("not_found")
        conversation, messages = self._services.conversations.conversation(owner, conversation_id)
        path = [self._newest(owner, message) for message in newest_path(messages)]
        if path and not path[-1].state.is_ended and request.args.get("live"):
            return self._live_page(owner, Shown(conversation, path, self._live(owner, path[-1])))
        return _private(Response("".join(self._pieces(owner, Shown(conversation, path)))))

    def ask(self, conversation_id: str | None = None) -> Response:
        """The form without script: then the page of the conversation, at the question."""
        owner = self._form_owner()
        text = request.form.get("text", "").replace("\r\n", "\n")  # a form sends every line break as CRLF
        asked = _question(request, text)
        try:
            self._services.asker.check(asked)
            kept = conversation_id or self._services.asker.begin_conversation(owner, key=str(asked.request_id)).id
            self._services.asker.ask(owner, kept, asked)
        except Refused as refused:
            if refused.code == "not_found":
                raise
            return self._refused(owner, conversation_id, problem_of(refused, request), text)
        return _see(f"/c/{kept}?live=1#question")

    def stop(self, conversation_id: str) -> Response:
        owner = self._form_owner()
        self._services.canceller.cancel(owner, request.form.get("message_id", ""))
        return _see(f"/c/{conversation_id}#question")

    def decide(self, conversation_id: str, action_id: str) -> Response:
        """The buttons of a proposal; what was decided otherwise before is shown as it stands."""
        owner = self._form_owner()
        decision = request.form.get("decision")
        if decision not in ("confirm", "decline"):
            raise Refused("validation_failed")
        actor = self._services.actor
        try:
            (actor.confirm if decision == "confirm" else actor.decline)(owner, action_id)
        except Refused as refused:
            if refused.code != "action_refused":
                raise
        return _see(f"/c/{conversation_id}#{action_id}")

    def _form_owner(self) -> str:
        visitors = self._services.visitors
        owner = visitors.owner(request)
        if owner is None:
            raise Refused("unauthorized")
        visitors.check_form(owner, request)
        return owner

    def _newest(self, owner: str, message: Message) -> Message:
        return message if message.state.is_ended else self._services.follower.newest(owner, message.message_id)

    def _live(self, owner: str, answer: Message) -> LiveText:
        is_gone = gone_check(request.environ)
        return LiveText(answer, self._services.follower.follow(owner, answer.message_id, None, is_gone))

    def _live_page(self, owner: str, shown: Shown) -> Response:
        pieces = flushed(self._pieces(owner, shown), shown.live)
        response = _private(Response(piece.encode() for piece in pieces if piece))
        response.headers["X-Accel-Buffering"] = "no"
        return response

    def _refused(self, owner: str, conversation_id: str | None, told: Problem, draft: str) -> Response:
        shown = Shown(refusal=told, draft=draft)
        if conversation_id is not None:
            conversation, messages = self._services.conversations.conversation(owner, conversation_id)
            path = [self._newest(owner, message) for message in newest_path(messages)]
            shown = Shown(conversation, path, refusal=told, draft=draft)
        return _private(Response("".join(self._pieces(owner, shown)), told.status))

    def _pieces(self, owner: str, shown: Shown) -> Iterator[str]:
        """The page in pieces, written from values alone: the request may be over before the last one."""
        catalogue = self._services.catalogue
        models = [
            {
                "id": entry.id,
                "label": entry.label,
                "kind": entry.kind,
                "ready": entry.model.is_ready,
                "note": entry.note,
            }
            for entry in catalogue
        ]
        title = shown.conversation.title if shown.conversation else ""
        return self._templates.get_template("chat.html").generate(
            language="en",
            title=f"{title} · Motamot" if title else "Motamot",
            conversation=shown.conversation,
            models=models,
            model=_model(shown.path, models),
            messages=[self._view(message, shown.live) for message in shown.path],
            live=shown.live,
            form_token=self._services.visitors.form_token(owner),
            form_request_id=new_id("req"),
            draft=shown.draft,
            refusal=shown.refusal,
            settings=_settings(request),
            question_limit=QUESTION_BYTES,
            suggestions=words.SUGGESTIONS,
        )

    def _view(self, message: Message, live: LiveText | None) -> MessageView:
        is_live = live is not None and live.message.message_id == message.message_id
        label = words.YOU if message.role == "user" else self._services.catalogue.label(message.model)
        return MessageView(message, label, live if is_live else None)


def _question(asked: Request, text: str) -> Question:
    form = asked.form
    return Question(
        text=text,
        request_id=form.get("request_id") or new_id("req"),
        model=form.get("model", ""),
        parent_id=form.get("parent_id") or None,
    )


def _model(path: Sequence[Message], models: Sequence[dict[str, object]]) -> str:
    """The model of the last answer where it is offered still, else the first one."""
    offered = [str(model["id"]) for model in models]
    used = [message.model for message in path if message.model in offered]
    return used[-1] if used else next(iter(offered), "")


def _settings(asked: Request) -> dict[str, object]:
    """The display settings that the address gives for one view; what it does not give, or wrongly, is as usual."""
    display, announce = asked.args.get("display"), asked.args.get("announce")
    raw = asked.args.get("interval", "")
    interval = int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 4 else USUAL_INTERVAL
    return {
        "display": display if display in DISPLAYS else DISPLAYS[0],
        "announce": announce if announce in VERBOSITIES else VERBOSITIES[0],
        "interval": min(max(interval, LEAST_INTERVAL), MOST_INTERVAL),
    }


def _compressed(page: str, response: Response) -> Response:
    """The empty page, compressed for a browser that takes it so: it holds nothing that anybody has sent.

    The other pages do, beside the secret token of their forms: who can have texts of their own put there could find the
    token out by the length of what is compressed (BREACH, CVE-2013-3587). They are sent as they are.
    """
    body = page.encode()
    if request.accept_encodings["gzip"] > 0:
        body = gzip.compress(body, mtime=0)
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Vary"] = "Accept-Encoding"
    response.set_data(body)
    return _private(response)


def _private(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response


def _see(address: str) -> Response:
    """After a form: look there (303), so that a reload sends nothing again."""
    response = Response(status=303)
    response.headers["Location"] = address
    return response


def blueprint(services: Services, templates: Environment) -> Blueprint:
    """The routes of the page."""
    page, views = Blueprint("page", __name__), Page(services, templates)
    for method, rule, name, view in (
        ("GET", "/", "start", views.start),
        ("GET", "/c/<conversation_id>", "conversation", views.conversation),
        ("POST", "/ask", "ask_first", views.ask),
        ("POST", "/c/<conversation_id>/ask", "ask", views.ask),
        ("POST", "/c/<conversation_id>/stop", "stop", views.stop),
        ("POST", "/c/<conversation_id>/actions/<action_id>", "decide", views.decide),
    ):
        page.add_url_rule(rule, name, view, methods=[method])
    return page
