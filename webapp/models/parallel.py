"""Turns at a model that works on few answers at once: the others wait in the order in which they came."""

import threading
from collections import deque
from collections.abc import Iterator

from webapp.core.limits import Limits
from webapp.core.prompts import Prompt
from webapp.core.signs import Sign, Working
from webapp.ports.model import Model, ModelStream

WAITING = Working("waiting", "Waiting for other answers to end")
_REPEAT_SECONDS = 10.0  # so that whoever watches for silence sees that the wait goes on


class Places:
    """`count` places; each waiting stream has a number in the queue."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._queue: deque[object] = deque()
        self._changed = threading.Condition()

    def line_up(self, who: object) -> None:
        with self._changed:
            self._queue.append(who)

    def take(self, who: "TurnStream", seconds: float) -> bool:
        """Whether `who` got its place (or was closed, which ends its waiting too) within `seconds`."""
        with self._changed:
            is_over = self._changed.wait_for(
                lambda: who.is_closed or (self._free > 0 and self._queue[0] is who), seconds
            )
            if is_over:
                self._queue.remove(who)
                self._free -= 1
                self._changed.notify_all()
            return is_over

    def leave(self, who: object) -> None:
        """Give up the place, or the wait for one."""
        with self._changed:
            if who in self._queue:
                self._queue.remove(who)
            else:
                self._free += 1
            self._changed.notify_all()

    def wake(self) -> None:
        """Let those that wait look whether they still want to."""
        with self._changed:
            self._changed.notify_all()


class ParallelModel:
    """`model`, of which at most `parallel` answers are read at once."""

    def __init__(self, model: Model, parallel: int) -> None:
        self._model = model
        self._places = Places(parallel)

    @property
    def is_ready(self) -> bool:
        return self._model.is_ready

    def answer(self, prompt: Prompt, message_id: str) -> "TurnStream":
        """A stream that waits for its turn, with Working as long as it does, before the model is asked."""
        return TurnStream(self._places, self._model.answer(prompt, message_id))


class TurnStream:
    """One answer that is read when its turn has come."""

    def __init__(self, places: Places, stream: ModelStream) -> None:
        self.is_closed = False
        self._places = places
        self._stream = stream

    @property
    def limits(self) -> Limits:
        return self._stream.limits

    @property
    def is_merged(self) -> bool:
        return self._stream.is_merged

    def __iter__(self) -> Iterator[Sign]:
        """The model's signs, after those of waiting."""
        self._places.line_up(self)
        try:
            seconds = 0.0
            while not self._places.take(self, seconds):
                yield WAITING
                seconds = _REPEAT_SECONDS
            if not self.is_closed:
                yield from self._stream
        finally:
            self._places.leave(self)

    def close(self) -> None:
        """Leave the queue, or end the work at the model."""
        self.is_closed = True
        self._stream.close()
        self._places.wake()
