"""Cancel an answer: mark it in the store, tell its producer, give a receipt; harmless on an ended one."""

import time
from dataclasses import dataclass

from webapp.answers.produce import Stopped
from webapp.answers.running import Running
from webapp.core.messages import Message
from webapp.ports.store import Answers

RECEIPT_SECONDS = 2.0
LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Canceller:
    """The use case with what it needs."""

    answers: Answers
    running: Running

    def cancel(self, owner: str, message_id: str) -> Message:
        """The answer after its end, the same at every later call; still running if no end came within 2 s.

        Only the producer moves the answer to its end, so a model that had finished is still completed.
        Raises Refused (`not_found`).
        """
        message = self.answers.mark_cancelled(owner, message_id, time.time_ns() // 1_000_000)
        until = time.monotonic() + RECEIPT_SECONDS
        while not message.state.is_ended and (left := until - time.monotonic()) > 0:
            if producer := self.running.find(message_id):
                producer.stop(Stopped(by="user"))
                producer.ended.wait(left)
            else:
                time.sleep(LOOK_SECONDS)  # it is about to begin, to end, or to be recovered
            message = self.answers.message(owner, message_id)
        return message
