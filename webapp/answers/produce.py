"""The only writer of an answer's log: takes the model's signs, numbers and appends them, ends the answer."""

import logging
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from webapp.answers.unkept import Unkept
from webapp.core.actions import proposal
from webapp.core.events import Accepted, Action, Activity, CancelledBy, Delta, Event, FinishReason, State, Usage
from webapp.core.limits import Limits
from webapp.core.messages import Failure, Message, end_of
from webapp.core.problems import Refused, problem
from webapp.core.signs import Finish, ModelFailure, Sign, Text, TokenUsage, ToolCall, Working
from webapp.core.surrogates import SurrogateJoiner
from webapp.core.times import rfc3339
from webapp.ports.event_log import Conflict, EventLog
from webapp.ports.metrics import UNMEASURED, Fact, Metrics, Timing
from webapp.ports.model import ModelStream
from webapp.ports.store import Answers, Checkpoint, StoreAway

logger = logging.getLogger(__name__)

MERGE_SECONDS = 0.020
ACTIVITY_SECONDS = 10.0  # between two equal activities
FLOOD_SECONDS = 0.002
STORE_SECONDS = 0.5  # between two tries to store an end
FINISH_SECONDS = 2.0  # usage may come after the finish; a line that then stays open is not waited for


# What becomes of a tool call, once the answer that holds it is completed.
Propose = Callable[[Message, ToolCall], Action]


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why an answer ends otherwise than by its model: cancelled by somebody, or failed with `code`."""

    by: CancelledBy | None = None
    code: str = ""
    inner: str = ""


# Another process ended the answer, or is about to.
LOST = Stopped(code="interrupted", inner="the lease was lost")


class Producer:
    """Works on one answer in a thread of its own; `stop`, `flush` and `hold_limits` come from others.

    The answer's end is stored first and appended then; where it has ended already, readers get
    that end. `on_waiting` is told when text waits to be merged: `flush` is wanted MERGE_SECONDS later.
    `propose` makes an action of each tool call once the model has completed its answer; by default none is carried out.
    No event gets a number above those that a checkpoint has reserved: `on_low` asks for one in time (`checkpoint`,
    then `kept`), and without it the model is left waiting.
    `on_ended` is called with the answer after its end was stored and appended.
    """

    def __init__(
        self,
        answer: Message,
        stream: ModelStream,
        *,
        log: EventLog,
        answers: Answers,
        on_waiting: Callable[["Producer"], None],
        on_low: Callable[[], object] = lambda: None,
        dropped: int = 0,
        propose: Propose | None = None,
        on_ended: Callable[[Message], None] = lambda _: None,
        metrics: Metrics = UNMEASURED,
    ) -> None:
        self.message_id = answer.message_id
        self.ended = threading.Event()
        self._answer = answer
        self._stream = stream
        self._limits: Limits = stream.limits
        self._merge = MERGE_SECONDS if stream.is_merged else 0.0
        self._on_waiting = on_waiting
        self._on_low = on_low
        self._log = log
        self._answers = answers
        self._dropped = dropped
        self._propose = propose or _refused
        self._on_ended = on_ended
        self._metrics = metrics
        self._lock = threading.Lock()
        self._joiner = SurrogateJoiner()
        self._pending: list[str] = []
        self._room = self._limits.answer_bytes
        self._seq = 0
        self._unkept = Unkept(answer.message_id, answer.seq)
        self._stopped: Stopped | None = None
        self._finish_reason: FinishReason | None = None
        self._usage: Usage | None = None
        self._calls: list[ToolCall] = []
        self._started = self._last_sign = self._wanted_at = time.monotonic()
        self._last_work: Working | None = None
        self._last_append = self._last_work_at = float("-inf")  # never: the first delta leaves at once
        self._has_sign = False
        self._first_delta_at: float | None = None
        self._stop_asked_at: float | None = None
        self._is_measured = False

    def open(self) -> None:
        """Append `accepted`; followers find the answer from here on."""
        about = self._answer
        accepted = Accepted(
            1,
            about.conversation_id,
            about.message_id,
            about.question_id or "",
            about.request_id,
            about.model,
            rfc3339(about.created_at),
        )
        self._seq = self._log.append(self.message_id, [accepted], after=0)
        if self._dropped:
            label = "The oldest messages did not fit and were left out"
            self._append(Activity(self._seq + 1, "waiting", label), self._last_append)

    def run(self) -> None:
        """Read the model to its end; never raises."""
        try:
            self._end(self._listen())
        except Exception as error:
            # The answer's thread has no caller: what went wrong is in the server's log.
            logger.exception("answer %s could not be ended", self.message_id)
            self._give_up(error)
        finally:
            self.ended.set()

    def stop(self, why: Stopped) -> None:
        """End the answer soon, for the first reason that comes; harmless after the end. From any thread."""
        with self._lock:
            if self._stopped is None:
                self._stopped = why
                if why.by == "user":
                    self._stop_asked_at = time.monotonic()
                    self._metrics.count(Fact.CANCEL_ASKED)
        self._unkept.wake()
        self._stream.close()

    def flush(self) -> None:
        """Append what has come together; harmless when nothing has."""
        with self._lock:
            self._flush(time.monotonic())

    def checkpoint(self) -> Checkpoint | None:
        """What is to be kept of the answer; None where nothing is new."""
        with self._lock:
            return self._unkept.checkpoint(self._seq)

    def kept(self, checkpoint: Checkpoint) -> None:
        """That checkpoint, the last that was given, is stored."""
        self._unkept.confirm(checkpoint)

    def touch(self) -> None:
        """Somebody follows the answer, or asks about it."""
        self._wanted_at = time.monotonic()

    def hold_limits(self, now: float) -> None:
        """Stop the answer when it takes too long, or nobody wants it. `now`: `time.monotonic`."""
        if 0 < self._limits.abandoned < now - self._wanted_at:
            self.stop(Stopped(by="owner_gone"))
        over = self._limit_passed(now)
        if over and self._stopped is None:
            self.stop(Stopped(code="timeout", inner=f"{over} limit"))

    def _limit_passed(self, now: float) -> str:
        limits = self._limits
        if now - self._started > limits.answer:
            return "answer"
        if self._finish_reason is not None:
            return "finish" if now - self._last_sign > FINISH_SECONDS else ""
        if not self._has_sign:
            return "first" if now - self._last_sign > limits.first else ""
        return "silence" if now - self._last_sign > limits.silence else ""

    def _listen(self) -> Stopped:
        """Take signs until the stream or something else ends it; what to say if the model gave no finish."""
        try:
            for sign in self._stream:
                self._await_numbers()
                if not self._take(sign):
                    break
        except ModelFailure as failure:
            return Stopped(code=failure.code, inner=failure.inner)
        except Exception as error:
            logger.exception("answer %s", self.message_id)
            return Stopped(code="internal", inner=repr(error))
        finally:
            self._stream.close()
        return Stopped(code="provider_error", inner="the stream ended without a finish")

    def _await_numbers(self) -> None:
        """Wait until a sign and the end have numbers, or the answer is stopped."""
        while self._unkept.lacks_numbers(self._seq) and self._stopped is None:
            self._on_low()
            self._unkept.wait()

    def _take(self, sign: Sign) -> bool:
        """Whether to go on."""
        with self._lock:
            if self._stopped is not None:
                if isinstance(sign, Text):
                    self._metrics.count(Fact.TEXT_REFUSED)
                return False
            now = time.monotonic()
            is_flood = now - self._last_sign < FLOOD_SECONDS
            self._last_sign = now
            # While it waits for its turn a model has shown no work: the limit for the first sign begins with the turn.
            self._has_sign = self._has_sign or not (isinstance(sign, Working) and sign.kind == "waiting")
            has_appended = self._note(sign, now)
        if has_appended and is_flood:
            time.sleep(0)  # a model that always has more to say never waits, and would keep its followers waiting
        return self._room > 0

    def _note(self, sign: Sign, now: float) -> bool:
        match sign:
            case Text(text):
                return self._take_text(text, now)
            case Working(kind, label):
                if sign == self._last_work and now - self._last_work_at < ACTIVITY_SECONDS:
                    return False
                self._last_work, self._last_work_at = sign, now
                self._flush(now)
                self._append(Activity(self._seq + 1, kind, label), now)
                return True
            case Finish(reason):
                self._finish_reason = reason
            case TokenUsage(input_tokens, output_tokens):
                self._usage = Usage(input_tokens, output_tokens)
            case ToolCall():
                self._calls.append(sign)
        return False

    def _take_text(self, raw: str, now: float) -> bool:
        text = self._joiner.feed(raw)
        size = len(text) if text.isascii() else len(text.encode("utf-8"))
        if size > self._room:
            text = text.encode("utf-8")[: self._room].decode("utf-8", "ignore")
            self._finish_reason, self._room = "length", 0
        else:
            self._room -= size
            if self._room == 0:
                self._finish_reason = "length"
        if text:
            self._pending.append(text)
        if self._pending and now - self._last_append >= self._merge:
            self._flush(now)
            return True
        if len(self._pending) == 1:
            self._on_waiting(self)
        return False

    def _flush(self, now: float) -> None:
        if self._pending:
            text = "".join(self._pending)
            self._pending.clear()
            self._append(Delta(self._seq + 1, text), now)
            if self._first_delta_at is None:
                self._first_delta_at = now
            self._unkept.add(text)

    def _append(self, event: Event, now: float) -> None:
        try:
            self._seq = self._log.append(self.message_id, [event], after=self._seq)
        except Conflict:
            self._metrics.count(Fact.APPEND_REFUSED)
            raise
        self._last_append = now
        if self._unkept.is_half_used(self._seq):
            self._on_low()

    def _end(self, otherwise: Stopped) -> None:
        with self._lock:
            now = time.monotonic()
            if rest := self._joiner.finish():
                self._pending.append(rest)
            if self._stopped is not LOST:
                self._flush(now)
            self._stopped = self._stopped or otherwise
            ended = self._ended_answer(self._stopped)
        stored = self._stored(ended)
        self._measure(ended, stored)
        if stored is ended:
            self._log.append(self.message_id, [end_of(ended)], after=self._seq)
        else:
            self._log.close(self.message_id, end_of(stored))
        if stored.seq == ended.seq:  # recovery gives another number
            self._on_ended(stored)

    def _stored(self, ended: Message) -> Message:
        """The answer as it ended in the store: with this end, or with another that came first; waits for the store."""
        while True:
            try:
                if self._answers.finish(ended):
                    return ended
                if other := self._answers.ended(self.message_id):
                    return other
            except StoreAway as away:
                logger.warning("the end of answer %s is not stored yet: %s", self.message_id, away)
            except Refused:
                return ended  # it was deleted: its end is for those alone who follow it still
            time.sleep(STORE_SECONDS)

    def _give_up(self, error: Exception) -> None:
        """Whatever is broken, readers get an end, and so does the store if it takes any."""
        text = self._log.text(self.message_id)
        broken = failed(replace(self._answer, seq=self._seq + 1, text=text), "internal", repr(error))
        try:
            stored = self._stored(broken)
        except Exception:
            logger.exception("answer %s has no end in the store", self.message_id)
            stored = broken
        self._measure(broken, stored)
        self._log.close(self.message_id, end_of(stored))

    def _measure(self, ended: Message, stored: Message) -> None:
        """Once, and not where recovery came first: it gives another number, and counts by itself."""
        if self._is_measured or stored.seq != ended.seq:
            return
        self._is_measured = True
        now, first, asked = time.monotonic(), self._first_delta_at, self._stop_asked_at
        timing = Timing(
            end=now - self._started,
            first_delta=None if first is None else first - self._started,
            stop=None if asked is None else now - asked,
        )
        self._metrics.ended(stored, timing)

    def _ended_answer(self, otherwise: Stopped) -> Message:
        text = self._log.text(self.message_id)
        ended = replace(self._answer, seq=self._seq + 1, text=text, ended_at=_milliseconds(), usage=self._usage)
        if self._finish_reason == "content_filter" and not text:
            otherwise = Stopped(code="content_blocked", inner="content_filter")
        elif self._finish_reason is not None:
            # A model that had finished when the stop was seen has completed its answer.
            completed = replace(ended, state=State.COMPLETED, finish_reason=self._finish_reason)
            return replace(completed, actions=tuple(self._propose(completed, call) for call in self._calls))
        if otherwise.by is not None:
            return replace(ended, state=State.CANCELLED, by=otherwise.by)
        return failed(ended, otherwise.code, otherwise.inner)


def failed(answer: Message, code: str, inner: str) -> Message:
    """The answer as failed; `inner` goes to the server's log alone, under the reference number that people get."""
    told = problem(code, instance=secrets.token_hex(6))
    logger.warning("answer %s failed: %s (%s) reference %s", answer.message_id, code, inner, told.instance)
    why = Failure(told.code, told.detail, told.retryable, told.next_step, told.instance)
    ended_at = answer.ended_at or _milliseconds()
    return replace(answer, state=State.FAILED, failure=why, ended_at=ended_at)


def _refused(answer: Message, call: ToolCall) -> Action:
    """A tool that the model asked for and nobody offers: named, and never carried out."""
    return proposal(f"act_{secrets.token_hex(16)}", call, None, is_whole=True, at=answer.created_at)


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000
