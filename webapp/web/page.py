"""The page, whole without its script: reading, asking and stopping by forms, the answer written as it comes."""

import gzip
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from urllib.parse import quote

from flask import Blueprint, Request, Response, request
from jinja2 import Environment

from webapp.answers.asked import Question, Regenerate, new_id
from webapp.core.messages import Conversation, Message, newest_path, path_through, path_to, versions
from webapp.core.problems import Problem, Refused
from webapp.core.shares import is_in_share
from webapp.web import words
from webapp.web.api import Services
from webapp.web.comparison import compare
from webapp.web.connections import gone_check
from webapp.web.document import Document, Shown, view_settings
from webapp.web.live import LiveText, flushed
from webapp.web.responses import problem_of


class Page:
    """The views over what they call."""

    def __init__(self, services: Services, templates: Environment, streaming_share: float) -> None:
        self._services = services
        self._templates = templates
        self._document = Document(templates, services.catalogue)
        self._streaming_share = streaming_share

    def start(self) -> Response:
        """An empty page; gives a visitor who has none a cookie, and keeps nothing."""
        response = Response()
        visitors = self._services.visitors
        owner = visitors.owner(request) or visitors.welcome(response, is_https=request.is_secure)
        return _compressed(self._written(owner, Shown()), response)

    def conversation(self, conversation_id: str) -> Response:
        """The newest path, the one through the version in the address (`at`), or up to the question to `edit`."""
        owner = self._reader()
        conversation, messages = self._services.conversations.conversation(owner, conversation_id)
        shown = self._shown(owner, conversation, messages, request.args)
        path = shown.path
        if path and not path[-1].state.is_ended and request.args.get("live"):
            with suppress(Refused):  # without room for a stream: the text up to now, and the link to what comes
                release = self._services.streams.take()
                return self._live_page(owner, replace(shown, live=self._live(owner, path[-1])), release)
        return _private(Response(self._written(owner, shown)))

    def compare(self, conversation_id: str) -> Response:
        """Two versions beside each other."""
        owner = self._reader()
        conversation, messages = self._services.conversations.conversation(owner, conversation_id)
        by_id = {message.message_id: message for message in messages}
        siblings = versions(messages)
        left, right = request.args.get("left", ""), request.args.get("right", "")
        if left not in by_id or right not in siblings[left]:
            raise Refused("not_found")
        both = [self._newest(owner, by_id[message_id]) for message_id in (left, right)]
        html = self._templates.get_template("compare.html").render(
            language="en",
            conversation=conversation,
            title=f"{words.COMPARISON} · Motamot",
            heading=words.COMPARISON,
            sides=[self._document.view(message, siblings[left]) for message in both],
            comparison=compare(both[0].text, both[1].text),
        )
        return _private(Response(html))

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

    def again(self, conversation_id: str) -> Response:
        """The form for a further answer to the same question."""
        owner = self._form_owner()
        form = request.form
        request_id = form.get("request_id") or new_id("req")
        wanted = Regenerate(form.get("message_id", ""), request_id, form.get("model", ""))
        try:
            answer = self._services.asker.regenerate(owner, wanted)
        except Refused as refused:
            if refused.code == "not_found":
                raise
            return self._refused(owner, conversation_id, problem_of(refused, request), form.get("text", ""))
        return _see(f"/c/{answer.conversation_id}?live=1#question")

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
        # The answer may be an older version, which only an address of its own shows.
        return _see(f"/c/{conversation_id}?at={quote(request.form.get('message_id', ''))}#{action_id}")

    def _reader(self) -> str:
        owner = self._services.visitors.owner(request)
        if owner is None:
            raise Refused("not_found")
        return owner

    def _form_owner(self) -> str:
        visitors = self._services.visitors
        owner = visitors.owner(request)
        if owner is None:
            raise Refused("unauthorized")
        visitors.check_form(owner, request)
        return owner

    def _shown(
        self, owner: str, conversation: Conversation, messages: Sequence[Message], asked: Mapping[str, str]
    ) -> Shown:
        edited = next((one for one in messages if one.message_id == asked.get("edit") and one.role == "user"), None)
        if "edit" in asked and edited is None:
            raise Refused("not_found")
        if edited is not None:
            path = path_to(messages, edited.message_id)[:-1]
        elif "at" in asked:
            path = path_through(messages, asked["at"])
        else:
            path = newest_path(messages)
        if "at" in asked and not path:
            raise Refused("not_found")
        newest = [self._newest(owner, message) for message in path]
        return Shown(conversation, newest, versions(messages), draft=edited.text if edited else "", edited=edited)

    def _newest(self, owner: str, message: Message) -> Message:
        return message if message.state.is_ended else self._services.follower.newest(owner, message.message_id)

    def _live(self, owner: str, answer: Message) -> LiveText:
        is_gone = gone_check(request.environ)
        return LiveText(answer, self._services.follower.follow(owner, answer.message_id, None, is_gone))

    def _live_page(self, owner: str, shown: Shown, release: Callable[[], None]) -> Response:
        pieces = flushed(self._pieces(owner, shown), shown.live)
        response = _private(Response(piece.encode() for piece in pieces if piece))
        response.headers["Cache-Control"] = "no-store, no-transform"
        response.headers["X-Accel-Buffering"] = "no"
        response.call_on_close(release)
        return response

    def _refused(self, owner: str, conversation_id: str | None, told: Problem, draft: str) -> Response:
        shown = Shown()
        if conversation_id is not None:
            shown = self._shown(owner, *self._services.conversations.conversation(owner, conversation_id), {})
        shown = replace(shown, refusal=told, draft=draft)
        return _private(Response(self._written(owner, shown), told.status))

    def _written(self, owner: str, shown: Shown) -> str:
        return "".join(self._pieces(owner, shown))

    def _pieces(self, owner: str, shown: Shown) -> Iterator[str]:
        token = self._services.visitors.form_token(owner)
        is_streaming = is_in_share(owner, self._streaming_share)
        settings = {**view_settings(request.args), "is_streaming": is_streaming}
        return self._document.pieces(shown, form_token=token, settings=settings)


def _question(asked: Request, text: str) -> Question:
    form = asked.form
    return Question(
        text=text,
        request_id=form.get("request_id") or new_id("req"),
        model=form.get("model", ""),
        parent_id=form.get("parent_id") or None,
    )


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


def blueprint(services: Services, templates: Environment, streaming_share: float) -> Blueprint:
    """The routes of the page; `streaming_share` (0 to 1) of the visitors get answers as streams, the rest as JSON."""
    page, views = Blueprint("page", __name__), Page(services, templates, streaming_share)
    for method, rule, name, view in (
        ("GET", "/", "start", views.start),
        ("GET", "/c/<conversation_id>", "conversation", views.conversation),
        ("POST", "/ask", "ask_first", views.ask),
        ("POST", "/c/<conversation_id>/ask", "ask", views.ask),
        ("GET", "/c/<conversation_id>/compare", "compare", views.compare),
        ("POST", "/c/<conversation_id>/again", "again", views.again),
        ("POST", "/c/<conversation_id>/stop", "stop", views.stop),
        ("POST", "/c/<conversation_id>/actions/<action_id>", "decide", views.decide),
    ):
        page.add_url_rule(rule, name, view, methods=[method])
    return page
