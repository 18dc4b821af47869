"""A file for each process beside an SQLite database, locked while the process lives; no lease is counted here."""

import fcntl
from pathlib import Path
from typing import IO


class LockFiles:
    """Those of the processes that use `database`; the system frees a lock with its process, however that dies."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._held: IO[bytes] | None = None

    def hold(self, process: str) -> None:
        """Say, until this process dies, that it lives; harmless again."""
        if self._held is None:
            self._held = self._path(process).open("ab")
            fcntl.flock(self._held, fcntl.LOCK_EX)

    def is_free(self, process: str) -> bool:
        """Whether that process is dead."""
        try:
            file = self._path(process).open("rb")
        except FileNotFoundError:
            return True
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True

    def remove(self, process: str) -> None:
        """Take away the file of a process that is dead, or is this one."""
        self._path(process).unlink(missing_ok=True)

    def _path(self, process: str) -> Path:
        return self._database.with_name(f"{self._database.name}.{process}.lock")
