"""A model's stream read in a thread of its own, so that a test can act in the middle of it."""

import threading

from webapp.core.signs import ModelFailure, Sign
from webapp.ports.model import ModelStream


class Reading:
    """Begins at once. `signs` and `failure` are what came so far; `has_sign` is set with the first sign."""

    def __init__(self, stream: ModelStream) -> None:
        self.signs: list[Sign] = []
        self.failure: ModelFailure | None = None
        self.has_sign = threading.Event()
        self._stream = stream
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def has_ended(self) -> bool:
        """Whether it ends within seconds of its own accord, where what it waits for would never come."""
        self._thread.join(5)
        return not self._thread.is_alive()

    def _read(self) -> None:
        try:
            for sign in self._stream:
                self.signs.append(sign)
                self.has_sign.set()
        except ModelFailure as failure:
            self.failure = failure
