"""What an SQLite database holds of a running answer, seen past the server; it changes nothing."""

import sqlite3
from pathlib import Path
from time import monotonic, sleep

WAIT_SECONDS = 30.0
LOOK_SECONDS = 0.02


def wait_until_kept(database: Path, message_id: str, text: str) -> None:
    """Wait until the answer's checkpoints hold `text`. Raises AssertionError when they do not in WAIT_SECONDS."""
    deadline = monotonic() + WAIT_SECONDS
    while (kept := kept_text(database, message_id)) != text:
        if monotonic() > deadline:
            raise AssertionError(f"{text!r} was not kept, but {kept!r}")
        sleep(LOOK_SECONDS)


def kept_text(database: Path, message_id: str) -> str:
    """The text in the answer's checkpoints."""
    connection = sqlite3.connect(database)
    try:
        pieces = connection.execute("SELECT text FROM checkpoints WHERE message_id = ? ORDER BY start", [message_id])
        return b"".join(piece for (piece,) in pieces).decode("utf-8")
    finally:
        connection.close()
