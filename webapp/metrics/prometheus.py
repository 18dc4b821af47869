"""Figures for Prometheus, by the names of OpenTelemetry's GenAI conventions where those have one; it serves no request.

Each label's values come from a table of the program or from the operator's list of models, so that nobody who asks can
add a series.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from webapp.core.events import State
from webapp.core.messages import Message
from webapp.ports.metrics import Fact, Sight, Timing

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4

_MODEL = ("gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model")
# The boundaries of the conventions, and above them further ones: an answer may take ten minutes.
_TO_FIRST = (0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 120)
_TO_END = tuple(0.01 * 2**power for power in range(17))
_TOKENS = tuple(4**power for power in range(14))
_TO_STOP = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10)


class PrometheusMetrics:
    """Implements Metrics. `providers`: the ids of the models that are offered, each with who answers for it."""

    def __init__(self, providers: Mapping[str, str]) -> None:
        self._providers = providers
        self._registry = CollectorRegistry()
        self._lives = _Lives(self._registry)
        self._readers = _Readers(self._registry)
        counter = partial(Counter, registry=self._registry)
        asked = counter("motamot_cancels_asked", "Running answers that somebody asked to stop")
        begun = counter("motamot_answers_begun", "Answers that this process began to work on")
        replaced = counter("motamot_bytes_replaced", "U+FFFD in place of bytes of a model that were not UTF-8")
        refused = counter("motamot_refused", "What an answer no longer took", ["reason"])
        snapshots = counter("motamot_snapshots", "Whole texts sent in place of events", ["reason"])
        self._actions = counter("motamot_actions", "Actions that came to a state", ["state"])
        self._facts = {
            Fact.ANSWER_BEGUN: begun,
            Fact.CANCEL_ASKED: asked,
            Fact.TEXT_REFUSED: refused.labels("stopped"),
            Fact.APPEND_REFUSED: refused.labels("conflict"),
            Fact.BYTES_REPLACED: replaced,
            Fact.SNAPSHOT_NO_BUFFER: snapshots.labels("no_buffer"),
            Fact.SNAPSHOT_MALFORMED: snapshots.labels("malformed"),
            Fact.SNAPSHOT_FUTURE: snapshots.labels("future"),
            Fact.SNAPSHOT_BEHIND: snapshots.labels("behind"),
        }

    def count(self, fact: Fact, amount: int = 1) -> None:
        self._facts[fact].inc(amount)

    def ended(self, answer: Message, timing: Timing | None) -> None:
        # An answer of an earlier process may name a model that is offered no longer.
        provider = self._providers.get(answer.model)
        model = ("chat", provider, answer.model) if provider else ("chat", "other", "other")
        self._lives.ended(answer, model, timing)
        for action in answer.actions:
            if action.state != "confirmed":  # it is about to be carried out, and counted then
                self.acted(action.state)

    def following(self, *, is_resumed: bool) -> AbstractContextManager[None]:
        return self._readers.following(is_resumed)

    def seen(self, answer: Message, sight: Sight) -> None:
        self._readers.seen(answer, sight)

    def acted(self, state: str) -> None:
        self._actions.labels(state).inc()

    def show(self, name: str, told: str, read: Callable[[], float]) -> None:
        """One more figure, which is read whenever the figures are."""
        Gauge(name, told, registry=self._registry).set_function(read)

    def written(self) -> bytes:
        """All figures in Prometheus's text format, version 0.0.4."""
        return generate_latest(self._registry)


class _Lives:
    """From the beginning of answers to their ends."""

    def __init__(self, registry: CollectorRegistry) -> None:
        counter, histogram = partial(Counter, registry=registry), partial(Histogram, registry=registry)
        self._ends = counter(
            "motamot_answers_ended", "Answers by how they ended", ["gen_ai_request_model", "state", "reason"]
        )
        self._to_first = histogram(
            "gen_ai_server_time_to_first_token_seconds",
            "From the beginning of a completed answer to its first delta",
            _MODEL,
            buckets=_TO_FIRST,
        )
        self._to_end = histogram(
            "gen_ai_server_request_duration_seconds",
            "From the beginning of a completed or failed answer to its end",
            [*_MODEL, "error_type"],
            buckets=_TO_END,
        )
        self._tokens = histogram(
            "gen_ai_client_token_usage",
            "Tokens of a completed or failed answer as its provider counted them",
            [*_MODEL, "gen_ai_token_type"],
            buckets=_TOKENS,
        )
        self._cancelled_to_end = histogram(
            "motamot_cancelled_duration_seconds", "From the beginning of a cancelled answer to its end", buckets=_TO_END
        )
        self._cancelled_tokens = counter(
            "motamot_cancelled_tokens",
            "Tokens of cancelled answers as their provider counted them",
            ["gen_ai_token_type"],
        )
        self._confirmed = counter("motamot_cancels_confirmed", "Answers that ended because somebody asked for it")
        self._to_stop = histogram(
            "motamot_time_to_stop_seconds", "From the request to stop to the cancelled end", buckets=_TO_STOP
        )

    def ended(self, answer: Message, model: tuple[str, ...], timing: Timing | None) -> None:
        code = answer.failure.code if answer.failure else ""
        reason = answer.finish_reason or answer.by or code
        self._ends.labels(model[-1], answer.state.value, reason).inc()
        if answer.state is State.CANCELLED:
            self._cancelled(answer, timing)
            return
        for kind, tokens in _tokens(answer):
            self._tokens.labels(*model, kind).observe(tokens)
        if timing is None:
            return
        self._to_end.labels(*model, code).observe(timing.end)
        if answer.state is State.COMPLETED and timing.first_delta is not None:
            self._to_first.labels(*model).observe(timing.first_delta)

    def _cancelled(self, answer: Message, timing: Timing | None) -> None:
        for kind, tokens in _tokens(answer):
            self._cancelled_tokens.labels(kind).inc(tokens)
        if answer.by == "user":
            self._confirmed.inc()
        if timing is None:
            return
        self._cancelled_to_end.observe(timing.end)
        if answer.by == "user" and timing.stop is not None:
            self._to_stop.observe(timing.stop)


class _Readers:
    """Those who follow answers, and what their pages tell."""

    def __init__(self, registry: CollectorRegistry) -> None:
        counter = partial(Counter, registry=registry)
        follows = counter("motamot_follows", "Readers that began to follow an answer", ["from"])
        self._follows = {
            is_resumed: follows.labels("number" if is_resumed else "start") for is_resumed in (False, True)
        }
        self._open = Gauge("motamot_followers", "Readers that follow an answer now", registry=registry)
        self._to_visible = Histogram(
            "motamot_time_to_first_visible_seconds",
            "From Send to the first delta on the page, by the answer's state when the page told it",
            ["state"],
            buckets=_TO_FIRST,
            registry=registry,
        )
        self._repeats = counter("motamot_page_repeats", "Events that came to a page again, and were ignored")
        self._holes = counter("motamot_page_holes", "Times that a page lacked events, and fetched the text")
        self._mismatches = counter("motamot_page_mismatches", "Ends whose text was not the one a page had joined")
        self._reconnects = counter("motamot_page_reconnects", "Times that a page's lost line was back")

    @contextmanager
    def following(self, is_resumed: bool) -> Iterator[None]:
        self._follows[is_resumed].inc()
        with self._open.track_inprogress():
            yield

    def seen(self, answer: Message, sight: Sight) -> None:
        if sight.first_visible is not None:
            self._to_visible.labels(answer.state.value).observe(sight.first_visible)
        self._repeats.inc(sight.repeats)
        self._holes.inc(sight.holes)
        self._mismatches.inc(sight.mismatches)
        self._reconnects.inc(sight.reconnects)


def _tokens(answer: Message) -> list[tuple[str, int]]:
    usage = answer.usage
    return [] if usage is None else [("input", usage.input_tokens), ("output", usage.output_tokens)]
