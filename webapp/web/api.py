"""The API under /api/v1: each view parses, calls one use case and answers."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass

from flask import Blueprint, Response, request

from webapp.answers.act import Actor
from webapp.answers.ask import Asker
from webapp.answers.cancel import Canceller
from webapp.answers.catalogue import Catalogue
from webapp.answers.follow import Follower
from webapp.answers.seen import Sightings
from webapp.core.events import State
from webapp.core.messages import Message, conversation_json, message_json
from webapp.core.problems import Refused, problem
from webapp.ports.store import Conversations
from webapp.web import requests
from webapp.web.connections import gone_check
from webapp.web.responses import Wire, event_stream, json_response, problem_response
from webapp.web.security import Visitors
from webapp.web.streams import Streams

LISTED = 100


@dataclass(frozen=True, slots=True)
class Services:
    """What the views call."""

    conversations: Conversations
    catalogue: Catalogue
    asker: Asker
    follower: Follower
    canceller: Canceller
    sightings: Sightings
    actor: Actor
    visitors: Visitors
    wire: Wire
    streams: Streams


class Api:
    """The views over what they call."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def create_conversation(self) -> Response:
        owner = self._creator()
        requests.json_object(request)
        return json_response(conversation_json(self._services.asker.begin_conversation(owner), []), 201)

    def list_conversations(self) -> Response:
        found = self._services.conversations.conversations(self._reader(), limit=LISTED)
        return json_response({"conversations": [conversation_json(one) for one in found], "next_cursor": None})

    def read_conversation(self, conversation_id: str) -> Response:
        owner = self._reader()
        conversation, messages = self._services.conversations.conversation(owner, conversation_id)
        newest = [
            message if message.state.is_ended else self._services.follower.newest(owner, message.message_id)
            for message in messages
        ]
        return json_response(conversation_json(conversation, newest))

    def ask(self, conversation_id: str) -> Response:
        owner = self._creator()
        question = requests.question(request)
        return self._answered(owner, lambda: self._services.asker.ask(owner, conversation_id, question))

    def regenerate(self, message_id: str) -> Response:
        owner = self._creator()
        wanted = requests.regenerate(request, message_id)
        return self._answered(owner, lambda: self._services.asker.regenerate(owner, wanted))

    def read_message(self, message_id: str) -> Response:
        return json_response(message_json(self._services.follower.newest(self._reader(), message_id)))

    def follow(self, message_id: str) -> Response:
        owner, cursor = self._reader(), requests.cursor(request)
        message = self._services.follower.newest(owner, message_id)
        if message.role != "assistant":
            raise Refused("not_found")
        if message.state.is_ended and cursor == message.seq:
            return Response(status=204)  # a browser's own EventSource stops at it
        return self._stream(owner, message_id, cursor, self._services.streams.take())

    def cancel(self, message_id: str) -> Response:
        owner = self._reader()
        message = self._services.canceller.cancel(owner, message_id)
        is_ended = message.state.is_ended
        if not is_ended:
            message = self._services.follower.newest(owner, message_id)
        receipt = {"message_id": message_id, "state": message.state.value, "seq": message.seq}
        return json_response(receipt | {"cancelling": not is_ended}, 200 if is_ended else 202)

    def seen(self, message_id: str) -> Response:
        self._services.sightings.tell(self._reader(), message_id, requests.sight(request))
        return Response(status=204)

    def confirm(self, action_id: str) -> Response:
        return json_response(asdict(self._services.actor.confirm(self._reader(), action_id)))

    def decline(self, action_id: str) -> Response:
        return json_response(asdict(self._services.actor.decline(self._reader(), action_id)))

    def list_models(self) -> Response:
        models = [
            {"id": entry.id, "label": entry.label, "kind": entry.kind, "ready": entry.model.is_ready}
            for entry in self._services.catalogue
        ]
        return json_response({"models": models})

    def _creator(self) -> str:
        owner = self._services.visitors.owner(request)
        if owner is None:
            raise Refused("unauthorized")
        return owner

    def _reader(self) -> str:
        """Without a cookie nothing is anybody's: every id is then not found."""
        owner = self._services.visitors.owner(request)
        if owner is None:
            raise Refused("not_found")
        return owner

    def _stream(self, owner: str, message_id: str, cursor: int | None, release: Callable[[], None]) -> Response:
        batches = self._services.follower.follow(owner, message_id, cursor, gone_check(request.environ))
        response = event_stream(message_id, batches, self._services.wire)
        response.call_on_close(release)
        return response

    def _answered(self, owner: str, begin: Callable[[], Message]) -> Response:
        """The answer that `begin` gives. Who waits for it needs room, and begins nothing where there is none."""
        wants_stream = requests.wants_stream(request)
        if not wants_stream and requests.wants_no_wait(request):
            newest = self._services.follower.newest(owner, begin().message_id)
            return json_response(message_json(newest), 202, Location=f"/api/v1/messages/{newest.message_id}")
        with ExitStack() as place:
            place.callback(self._services.streams.take())
            answer = begin()
            if wants_stream:
                return self._stream(owner, answer.message_id, None, place.pop_all().close)
            ended = self._services.follower.wait(owner, answer.message_id, gone_check(request.environ))
        if ended.state is not State.FAILED or ended.failure is None:
            return json_response(message_json(ended))
        told = message_json(ended)
        members = {name: told[name] for name in ("message_id", "conversation_id", "text", "bytes", "sha256")}
        return problem_response(problem(ended.failure.code, instance=ended.failure.instance, members=members))


def blueprint(services: Services) -> Blueprint:
    """The routes of the API."""
    api, views = Blueprint("api", __name__, url_prefix="/api/v1"), Api(services)
    api.before_request(lambda: services.visitors.check_changing(request))
    for method, rule, view in (
        ("POST", "/conversations", views.create_conversation),
        ("GET", "/conversations", views.list_conversations),
        ("GET", "/conversations/<conversation_id>", views.read_conversation),
        ("POST", "/conversations/<conversation_id>/messages", views.ask),
        ("GET", "/messages/<message_id>", views.read_message),
        ("GET", "/messages/<message_id>/events", views.follow),
        ("POST", "/messages/<message_id>/cancel", views.cancel),
        ("POST", "/messages/<message_id>/regenerate", views.regenerate),
        ("POST", "/messages/<message_id>/seen", views.seen),
        ("POST", "/actions/<action_id>/confirm", views.confirm),
        ("POST", "/actions/<action_id>/decline", views.decline),
        ("GET", "/models", views.list_models),
    ):
        api.add_url_rule(rule, view.__name__, view, methods=[method])
    return api
