"""What pages tell of the answers that they showed: passed on to the figures, once for each answer."""

import threading
from collections import OrderedDict
from collections.abc import Callable

from webapp.core.messages import Message
from webapp.core.problems import Refused
from webapp.ports.metrics import Metrics, Sight


class Sightings:
    """Remembers of which answers it was told, the last `remembered` of them.

    `newest` finds an owner's message as it stands now: the stored state lags behind.
    """

    def __init__(self, newest: Callable[[str, str], Message], metrics: Metrics, *, remembered: int = 10_000) -> None:
        self._remembered = remembered
        self._newest = newest
        self._metrics = metrics
        self._told: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    def tell(self, owner: str, message_id: str, sight: Sight) -> None:
        """Count it, unless something was told of this answer before. Raises Refused (`not_found`)."""
        answer = self._newest(owner, message_id)
        if answer.role != "assistant":
            raise Refused("not_found")
        if self._is_first(message_id):
            self._metrics.seen(answer, sight)

    def _is_first(self, message_id: str) -> bool:
        with self._lock:
            if message_id in self._told:
                return False
            self._told[message_id] = None
            if len(self._told) > self._remembered:
                self._told.popitem(last=False)
            return True
