"""Once a second, for all answers of this process: a checkpoint of their text, and a look at their cancel marks."""

import logging
import time

from webapp.answers.produce import LOST, Stopped
from webapp.answers.running import Running
from webapp.ports.store import Checkpoints, StoreAway

logger = logging.getLogger(__name__)

CHECKPOINT_SECONDS = 1.0


class Keeper:
    """Works in a thread of its own, so that no delta ever waits for the store."""

    def __init__(self, running: Running, checkpoints: Checkpoints) -> None:
        self._running = running
        self._checkpoints = checkpoints

    def watch(self) -> None:
        """Keep for ever: every CHECKPOINT_SECONDS, and sooner when an answer runs short of numbers."""
        while True:
            self._running.lacks_numbers.wait(CHECKPOINT_SECONDS)
            self._running.lacks_numbers.clear()
            try:
                self.keep()
            except StoreAway as away:
                logger.warning("no checkpoint: %s", away)
                time.sleep(CHECKPOINT_SECONDS)
            except Exception:
                # Without this thread answers would stand still once their numbers are used up.
                logger.exception("no checkpoint")
                time.sleep(CHECKPOINT_SECONDS)

    def keep(self) -> None:
        """One checkpoint. Raises StoreAway; nothing is lost then, and the next one keeps it."""
        producers = self._running.all()
        if not producers:
            return
        taken = [(producer, producer.checkpoint()) for producer in producers]
        marks = self._checkpoints.keep([checkpoint for _, checkpoint in taken if checkpoint])
        for producer, checkpoint in taken:
            if producer.message_id not in marks:
                producer.stop(LOST)
            elif marks[producer.message_id]:
                producer.stop(Stopped(by="user"))
            elif checkpoint:
                producer.kept(checkpoint)
