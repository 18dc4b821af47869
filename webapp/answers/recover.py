"""Recovery: answers whose process died are ended as interrupted, so that none stays open for ever."""

from webapp.answers.produce import failed
from webapp.ports.store import Answers


def recover(answers: Answers) -> int:
    """End every answer that has no end; how many. Only for a process that alone owns the store, at its start."""
    dead = answers.unfinished()
    return sum(answers.finish(failed(answer, "interrupted", "its process is gone")) for answer in dead)
