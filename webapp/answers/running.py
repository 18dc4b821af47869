"""The answers that this process works on: started, found by id, looked after by one watch, stopped with the process."""

import threading
import time
from collections.abc import Callable, Sequence

from webapp.answers.produce import MERGE_SECONDS, Producer, Propose, Stopped
from webapp.core.messages import Message
from webapp.ports.event_log import EventLog
from webapp.ports.metrics import UNMEASURED, Fact, Metrics
from webapp.ports.model import ModelStream
from webapp.ports.store import Answers

QUIET_SECONDS = 0.25
SWEEP_SECONDS = 10.0


class Running:
    """All running producers. `most`: how many answers may run at once; `propose`, `on_ended`: see Producer.

    `lacks_numbers` is set when one of them needs a checkpoint soon.
    """

    def __init__(
        self,
        *,
        log: EventLog,
        answers: Answers,
        most: int = 1_000,
        propose: Propose | None = None,
        on_ended: Callable[[Message], None] = lambda _: None,
        metrics: Metrics = UNMEASURED,
    ) -> None:
        self._log = log
        self._answers = answers
        self._most = most
        self._propose = propose
        self._on_ended = on_ended
        self._metrics = metrics
        self._producers: dict[str, Producer] = {}
        self._waiting: list[Producer] = []
        self._has_waiting = threading.Event()
        self.lacks_numbers = threading.Event()
        self._is_closed = False

    def has_room(self) -> bool:
        """Whether a further answer may start."""
        return not self._is_closed and len(self._producers) < self._most

    def start(self, answer: Message, stream: ModelStream, *, dropped: int = 0) -> None:
        """Open the answer's log and work on it; returns at once. `dropped`: turns that had no room in the prompt."""
        producer = Producer(
            answer,
            stream,
            log=self._log,
            answers=self._answers,
            on_waiting=self._on_waiting,
            on_low=self.lacks_numbers.set,
            dropped=dropped,
            propose=self._propose,
            on_ended=self._on_ended,
            metrics=self._metrics,
        )
        producer.open()
        self._metrics.count(Fact.ANSWER_BEGUN)
        self._producers[answer.message_id] = producer
        threading.Thread(target=self._work, args=(producer,), name=answer.message_id, daemon=True).start()

    def _work(self, producer: Producer) -> None:
        try:
            producer.run()
        finally:
            del self._producers[producer.message_id]

    def find(self, message_id: str) -> Producer | None:
        """The producer of an answer that runs here."""
        return self._producers.get(message_id)

    def touch(self, message_id: str) -> None:
        """Somebody follows this answer, or asks about it; harmless for any id."""
        if producer := self._producers.get(message_id):
            producer.touch()

    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._is_closed

    def close(self, grace: float) -> None:
        """Take no further answer, let those that run end, and end what is left after `grace` seconds as interrupted."""
        self._is_closed = True
        until = time.monotonic() + grace
        self._wait_all(until)
        for producer in self.all():
            producer.stop(Stopped(code="interrupted", inner="the server stops"))
        self._wait_all(time.monotonic() + 2.0)

    def _wait_all(self, until: float) -> None:
        for producer in self.all():
            producer.ended.wait(max(0.0, until - time.monotonic()))

    def all(self) -> Sequence[Producer]:
        """The producers that work now."""
        return list(self._producers.values())

    def watch(self) -> None:
        """Look after the producers for ever: waiting text, time limits, logs that may be freed."""
        limits_at = sweep_at = time.monotonic()
        while True:
            if self._has_waiting.wait(QUIET_SECONDS):
                self._flush_waiting()
            now = time.monotonic()
            if now - limits_at >= QUIET_SECONDS:
                limits_at = now
                for producer in self.all():
                    producer.hold_limits(now)
            if now - sweep_at >= SWEEP_SECONDS:
                sweep_at = now
                self._log.sweep()

    def _flush_waiting(self) -> None:
        self._has_waiting.clear()
        time.sleep(MERGE_SECONDS)
        waiting, self._waiting = self._waiting, []
        for producer in waiting:
            producer.flush()

    def _on_waiting(self, producer: Producer) -> None:
        self._waiting.append(producer)
        self._has_waiting.set()
