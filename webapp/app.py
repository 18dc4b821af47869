"""Puts the parts together: the only file that names implementations. It starts no server."""

import logging
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from flask import Flask, Response, request
from jinja2 import Environment
from werkzeug.exceptions import MethodNotAllowed
from werkzeug.middleware.proxy_fix import ProxyFix

from webapp.actions.webhook import Webhook
from webapp.answers.act import Actor
from webapp.answers.ask import Asker
from webapp.answers.asked import new_id
from webapp.answers.cancel import Canceller
from webapp.answers.catalogue import Catalogue
from webapp.answers.follow import Follower
from webapp.answers.keep import Keeper
from webapp.answers.recover import Recovery
from webapp.answers.running import Running
from webapp.answers.seen import Sightings
from webapp.core.actions import Offer
from webapp.core.limits import SECONDS, Limits
from webapp.core.problems import Problem
from webapp.event_logs.memory import MemoryEventLog
from webapp.metrics.prometheus import CONTENT_TYPE, PrometheusMetrics
from webapp.models import local
from webapp.models.local import LocalModel
from webapp.models.parallel import ParallelModel
from webapp.models.remote import RemoteModel
from webapp.models.scripted import ScriptedModel
from webapp.ports.actions import Carrier
from webapp.ports.metrics import Fact
from webapp.ports.model import Entry
from webapp.ports.store import StoreAway
from webapp.settings import EMBEDDED, BadSettings, ModelSettings, Settings
from webapp.stores.actions import SqlActions
from webapp.stores.database import Database, Run
from webapp.stores.engines import file_of
from webapp.stores.lock_files import LockFiles
from webapp.stores.processes import SqlProcess
from webapp.stores.sql import SqlStore
from webapp.testing import routes as testing_routes
from webapp.testing.effects import TICKET, Effects, Tickets
from webapp.testing.line import FaultyLines
from webapp.web import api, ops, page
from webapp.web.requests import read_body
from webapp.web.responses import Wire, problem_of, problem_response
from webapp.web.security import Visitors, protect
from webapp.web.static import StaticFiles
from webapp.web.streams import Streams
from webapp.web.views import source_json

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

logger = logging.getLogger(__name__)

BODY_BYTES = 256 * 1024
GRACE_SECONDS = 25.0
EMBEDDED_PARALLEL = 2
_PROGRAM_PATHS = ("/api/", "/testing/", "/health/", "/metrics")
_PROVIDERS = {"remote": "openai"}  # the conventions name a service by the dialect that it speaks


class Motamot:
    """The whole application: `wsgi` may be served from `start` on; `drain`, then `close` end what it started.

    `run` is how the store is touched (see Database); `most`: how many answers, and how many streams, at once.
    """

    def __init__(self, settings: Settings, *, run: Run | None = None, most: int = 1_000) -> None:
        self._streaming_share = settings.streaming_share
        self.grace = settings.limits.get("grace", GRACE_SECONDS)
        self._database = Database(settings.database_url, run)
        process = new_id("prc")
        self._store = SqlStore(self._database, process)
        file = file_of(settings.database_url)
        self._process = SqlProcess(self._database, process, LockFiles(file) if file else None)
        log = MemoryEventLog()
        models = Models(settings, on_replaced=lambda count: metrics.count(Fact.BYTES_REPLACED, count))
        self._models = models
        metrics = PrometheusMetrics({entry.id: _PROVIDERS.get(entry.kind, entry.kind) for entry in models.catalogue})
        actions = SqlActions(self._database, process)
        self._actor = Actor(actions, models.catalogue, models.carriers, metrics)
        self._running = Running(
            log=log,
            answers=self._store,
            most=most,
            propose=self._actor.propose,
            on_ended=self._actor.on_ended,
            metrics=metrics,
        )
        self._keeper = Keeper(self._running, self._process)
        self._recovery = Recovery(leases=self._process, answers=self._store, log=log, metrics=metrics)
        metrics.show("motamot_answers_running", "Answers that are being written now", lambda: len(self._running.all()))
        metrics.show("motamot_log_answers", "Answers in the event log", lambda: log.held().answers)
        metrics.show("motamot_log_events", "Events that can be replayed", lambda: log.held().events)
        metrics.show("motamot_log_text_bytes", "Text in the event log", lambda: log.held().bytes)
        follower = Follower(log, self._store, self._running, metrics)
        services = api.Services(
            conversations=self._store,
            catalogue=models.catalogue,
            asker=Asker(self._store, self._store, models.catalogue, self._running),
            follower=follower,
            canceller=Canceller(self._store, self._running),
            sightings=Sightings(follower.newest, metrics),
            actor=self._actor,
            visitors=Visitors(settings.secret_key or _kept_secret(settings.data_dir), settings.public_urls),
            wire=models.wire,
            streams=Streams(most),
        )
        figures = ops.Figures(
            metrics.written, CONTENT_TYPE, key=settings.api_key, trusted_proxies=settings.trusted_proxies
        )
        self.wsgi = _trusting(self._flask(services, figures), settings.trusted_proxies)

    def start(self) -> None:
        """Migrate the store, end what an earlier process left, begin to look after answers."""
        self._database.migrate()
        if count := self._recovery.look():
            logger.warning("%d answers of an earlier process ended as interrupted", count)
        for watch in (self._running.watch, self._keeper.watch, self._recovery.watch):
            threading.Thread(target=watch, name=watch.__qualname__, daemon=True).start()

    def drain(self) -> None:
        """Take no further question, serve everything else, and let answers end for `grace` seconds; then end them.

        What is being carried out has the same time to come to its result.
        """
        until = time.monotonic() + self.grace
        self._running.close(self.grace)
        self._actor.close(until - time.monotonic())

    def close(self) -> None:
        """Stop the embedded model, give up the lease, close the store."""
        self._models.close()
        with suppress(StoreAway):  # a lease without answers harms nobody
            self._process.leave()
        self._database.close()

    def _flask(self, services: api.Services, figures: ops.Figures) -> Flask:
        app = Flask("webapp", static_folder=None, template_folder=str(_folder("templates")))
        app.config.update(MAX_CONTENT_LENGTH=BODY_BYTES, MAX_FORM_MEMORY_SIZE=BODY_BYTES)
        app.url_map.merge_slashes = False  # an address that does not exist is not found, and leads nowhere else
        files = StaticFiles(_folder("static"))
        app.jinja_env.globals["asset"] = files.address
        app.jinja_env.filters["source_json"] = source_json
        app.register_blueprint(files.blueprint())
        app.register_blueprint(api.blueprint(services))
        app.register_blueprint(page.blueprint(services, app.jinja_env, self._streaming_share))
        app.register_blueprint(
            ops.blueprint(services.catalogue, self._database.is_usable, self._running.is_closed, figures)
        )
        if self._models.scripted is not None:
            app.register_blueprint(testing_routes.blueprint(self._models.scripted.put, self._models.told))
        app.before_request(lambda: read_body(request))
        app.register_error_handler(Exception, lambda error: _error_response(error, app.jinja_env))
        app.after_request(protect)
        return app


def _error_response(error: Exception, templates: Environment) -> Response:
    response = _told(problem_of(error, request), templates)
    if isinstance(error, MethodNotAllowed):
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))  # RFC 9110, section 15.5.6
    return response


def _told(told: Problem, templates: Environment) -> Response:
    if request.path.startswith(_PROGRAM_PATHS):
        return problem_response(told)
    name = "errors/404.html" if told.code == "not_found" else "errors/error.html"
    html = templates.get_template(name).render(
        language="en", heading="That did not work", detail=told.detail, next_step=told.next_step, instance=told.instance
    )
    return Response(html, told.status)


class Models:
    """The models that the settings name, put into the list that people choose from; none is asked or started.

    `on_replaced`: see RemoteModel.
    Raises BadSettings for addresses and keys that cannot be used.
    """

    def __init__(self, settings: Settings, *, on_replaced: Callable[[int], object] = lambda _: None) -> None:
        self._on_replaced = on_replaced
        self._stops: list[Callable[[], None]] = []
        limits = _limits(Limits(), settings.limits)
        self.scripted = ScriptedModel(limits) if settings.is_testing else None
        self._effects = Effects()
        entries, complaints = list[Entry](), list[str]()
        self._offers = {
            action.name: Offer(action.name, action.description, action.parameters, action.confirm)
            for action in settings.actions
        }
        self.carriers = self._carriers(settings, complaints)
        for model in settings.models or (EMBEDDED,):
            try:
                entries.append(self._entry(model, limits))
            except ValueError as error:
                complaints.append(f"model {model.id}: {error}")
        if complaints:
            raise BadSettings(complaints)
        if self.scripted is not None:
            note, offers = "Plays scenarios for tests.", tuple(self._offers.values())
            entries.append(Entry("scripted", "Scripted", "scripted", self.scripted, note, offers=offers))
        self.catalogue = Catalogue(entries)

    def close(self) -> None:
        """Stop the processes that models run in."""
        for stop in self._stops:
            stop()

    @property
    def wire(self) -> Wire:
        """How the bytes of an answer travel: as they are, but for the scripted model."""
        return (lambda _, pieces: pieces) if self.scripted is None else FaultyLines(self.scripted.line)

    def told(self, message_id: str) -> Mapping[str, object] | None:
        """What the scripted model did for that answer, and how often each of its actions was carried out."""
        told = self.scripted.told(message_id) if self.scripted else None
        return None if told is None else {**told, "effects": self._effects.told(message_id)}

    def _carriers(self, settings: Settings, complaints: list[str]) -> Mapping[str, Carrier]:
        """Who carries out the actions of each name; with --testing one that needs no webhook is offered too."""
        carriers = dict[str, Carrier]()
        for action in settings.actions:
            try:
                carriers[action.name] = Webhook(action.url, action.secret)
            except ValueError as error:
                complaints.append(f"action {action.name}: {error}")
        if not settings.is_testing:
            return carriers
        self._offers.setdefault(TICKET.name, TICKET)
        carriers.setdefault(TICKET.name, Tickets())
        return {name: self._effects.counted(carrier) for name, carrier in carriers.items()}

    def _entry(self, model: ModelSettings, limits: Limits) -> Entry:
        limits = _limits(limits, model.limits)
        if model.kind == "local":
            return self._embedded(model, limits)
        offers = tuple(self._offers[name] for name in model.actions)
        remote = RemoteModel(
            model.url,
            model.name,
            key=model.key,
            limits=limits,
            max_tokens=model.max_tokens,
            temperature=model.temperature,
            offers=offers,
            on_replaced=self._on_replaced,
        )
        asked = ParallelModel(remote, model.parallel) if model.parallel else remote
        label = model.label or model.name or model.id
        return Entry(model.id, label, "remote", asked, model.note, model.system, model.context, offers)

    def _embedded(self, model: ModelSettings, limits: Limits) -> Entry:
        parallel, max_tokens = model.parallel or EMBEDDED_PARALLEL, model.max_tokens or local.MAX_TOKENS
        embedded = LocalModel(
            limits=limits,
            parallel=parallel,
            max_tokens=max_tokens,
            temperature=model.temperature,
        )
        self._stops.append(embedded.stop)
        note = local.missing() or model.note or local.NOTE
        # Answers at once share the context, and each needs room for what it will say.
        context = model.context or max(1, local.CONTEXT // parallel - max_tokens)
        return Entry(model.id, model.label or local.LABEL, "local", embedded, note, model.system, context)


def _limits(usual: Limits, given: Mapping[str, float]) -> Limits:
    seconds = {name: given[name] for name in SECONDS if name in given}
    return usual.with_values(seconds, answer_bytes=int(given.get("answer_bytes", usual.answer_bytes)))


def _folder(name: str) -> Path:
    """`templates` or `static`: inside the package in a wheel, beside it in a checkout."""
    package = Path(__file__).parent
    inside = package / name
    return inside if inside.is_dir() else package.parent / name


def _kept_secret(data_dir: Path) -> str:
    """The secret key beside the data: made once, readable by its owner alone."""
    path = data_dir / "secret.key"
    data_dir.mkdir(parents=True, exist_ok=True)
    try:
        with open(path, "x", encoding="ascii", opener=_private) as file:
            file.write(secrets.token_hex(32))
    except FileExistsError:
        pass
    return path.read_text(encoding="ascii")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, mode=0o600)


def _trusting(app: Flask, proxies: Sequence[str]) -> "WSGIApplication":
    """Believe what these proxies say of the client (`X-Forwarded-*`), and nobody else."""
    behind_proxy = ProxyFix(app, x_for=1, x_proto=1, x_host=1)

    def choose(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        is_trusted = environ.get("REMOTE_ADDR") in proxies
        return (behind_proxy if is_trusted else app)(environ, start_response)

    return choose
