"""Recovery: answers whose process died are ended as interrupted with the text that was kept, on any process."""

import logging
import time
from collections.abc import Callable
from dataclasses import replace

from webapp.answers.produce import failed
from webapp.core.messages import Message, end_of
from webapp.ports.event_log import EventLog
from webapp.ports.metrics import UNMEASURED, Metrics
from webapp.ports.store import Answers, Lease, Leases, StoreAway

logger = logging.getLogger(__name__)

LEASE_SECONDS = 15.0
RENEW_SECONDS = 5.0


class Recovery:
    """Renews this process's lease and ends what dead ones left; a lease is over once its beats stand still.

    Beats are watched with the clock of this process alone, so that clocks of several machines need not agree.
    `now`: seconds of a clock that never goes back.
    """

    def __init__(
        self,
        *,
        leases: Leases,
        answers: Answers,
        log: EventLog,
        metrics: Metrics = UNMEASURED,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._leases = leases
        self._answers = answers
        self._log = log
        self._metrics = metrics
        self._now = now
        self._seen: dict[str, tuple[int, float]] = {}  # beats of each other process, and since when
        self._looked_at = now()
        self._orphans: list[Message] = []

    def watch(self) -> None:
        """Look every RENEW_SECONDS, for ever."""
        while True:
            time.sleep(RENEW_SECONDS)
            try:
                self.look()
            except StoreAway as away:
                logger.warning("the lease could not be renewed: %s", away)
            except Exception:
                # Nobody else looks after the leases: what went wrong once must not end that.
                logger.exception("the leases could not be looked after")

    def look(self) -> int:
        """Renew the lease; end the answers of dead processes; how many. Raises StoreAway."""
        self._leases.renew()
        now = self._now()
        if now - self._looked_at > 2 * RENEW_SECONDS:
            # The store, or this process, was away. The others may have been, too: they get a whole lease to come back.
            self._seen.clear()
        self._looked_at = now
        for lease in self._leases.others():
            if self._is_over(lease, now):
                self._seen.pop(lease.process, None)
                self._orphans += self._leases.take_over(lease.process)
        return self._end(self._orphans)

    def _is_over(self, lease: Lease, now: float) -> bool:
        beats, since = self._seen.get(lease.process, (None, now))
        if beats != lease.beats:
            self._seen[lease.process] = (lease.beats, now)
            return lease.is_over
        return lease.is_over or now - since >= LEASE_SECONDS

    def _end(self, orphans: list[Message]) -> int:
        """End them; those that the store did not take stay for the next look."""
        count = 0
        while orphans:
            # The number is above all that were reserved: none is given twice, whatever a reader saw.
            orphan = replace(orphans[-1], seq=orphans[-1].seq + 1)
            ended = failed(orphan, "interrupted", "its process is gone")
            if self._answers.finish(ended):
                self._log.close(ended.message_id, end_of(ended))
                self._metrics.ended(ended, None)
                count += 1
            orphans.pop()
        return count
