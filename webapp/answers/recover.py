"""Recovery: answers whose process died are ended as interrupted, so that none stays open for ever."""

import time
from dataclasses import replace

from webapp.answers.produce import failure
from webapp.core.events import State
from webapp.ports.store import Answers


def recover(answers: Answers) -> int:
    """End every answer that has no end; how many. Only for a process that alone owns the store, at its start."""
    count = 0
    for message in answers.unfinished():
        told = failure("interrupted", "the process that answered is gone", message.message_id)
        ended = replace(
            message, state=State.FAILED, failure=told, seq=message.seq + 2, ended_at=time.time_ns() // 1_000_000
        )
        count += answers.finish(ended)
    return count
