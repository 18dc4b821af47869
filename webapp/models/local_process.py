"""The embedded model's process as its parent sees it: started when wanted, told what to load, ended."""

import json
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from webapp.core.signs import ModelFailure

_STOP_SECONDS = 3.0


class ModelProcess:
    """The child process, started when somebody first wants its address, and again when it has died."""

    def __init__(self, file: Path | None, *, parallel: int, context: int) -> None:
        """`file`: the GGUF file; `parallel` answers share `context` tokens."""
        self.key = secrets.token_hex(16)
        self.is_stopped = False
        self._file = file
        self._parallel = parallel
        self._context = context
        self._changed = threading.Condition()
        self._life: _Life | None = None

    @property
    def is_loaded(self) -> bool:
        life = self._life
        return life is not None and bool(life.url) and not life.is_over

    @property
    def pid(self) -> int | None:
        """The process that runs now, if one does."""
        life = self._life
        return life.process.pid if life and life.process and not life.is_over else None

    def url(self, is_given_up: Callable[[], bool]) -> str:
        """The address, once the model is loaded; "" as soon as `is_given_up` (see `wake`).

        Raises ModelFailure when it cannot be loaded.
        """
        with self._changed:
            if self.is_stopped:
                raise ModelFailure("provider_unavailable", "the embedded model was stopped")
            if self._life is None or self._life.is_over:
                self._life = _Life()
                threading.Thread(target=self._live, args=(self._life,), name="embedded model", daemon=True).start()
            life = self._life
            self._changed.wait_for(lambda: is_given_up() or life.url or life.is_over)
            if life.url or is_given_up():
                return life.url
            raise ModelFailure("provider_unavailable", f"the embedded model could not be loaded: {life.error}")

    def wake(self) -> None:
        """Let those that wait for the address look whether they still want it."""
        with self._changed:
            self._changed.notify_all()

    def stop(self) -> None:
        """End the process and start none again."""
        with self._changed:
            self.is_stopped = True
            life = self._life
            if life is None or life.is_over:
                return
            if life.process:
                life.process.kill()
            self._changed.wait_for(lambda: life.is_over, _STOP_SECONDS)

    def _live(self, life: "_Life") -> None:
        """Start the process, hear its address, wait for its end.

        All in one thread, which lives as long as the process: Linux kills the child of a thread that ends.
        """
        try:
            self._start(life)
        except (OSError, ValueError, KeyError) as error:
            life.error = repr(error)
        if life.process:
            if not life.url:
                life.process.kill()
            life.process.wait()
        with self._changed:
            life.is_over = True
            self._changed.notify_all()

    def _start(self, life: "_Life") -> None:
        given = {
            "path": str(self._file),
            "key": self.key,
            # One core stays free for the server.
            "threads": max(1, _cores() - 1),
            "parallel": self._parallel,
            "context": self._context,
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "webapp.models.local_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl+C in the terminal is for the server, which lets answers end first.
            start_new_session=True,
        )
        assert process.stdin
        assert process.stdout
        with self._changed:
            life.process = process
            if self.is_stopped:
                process.kill()
        process.stdin.write(json.dumps(given).encode() + b"\n")
        process.stdin.flush()
        told = json.loads(process.stdout.readline() or b'{"error": "its process ended"}')
        with self._changed:
            life.error = told.get("error", "")
            life.url = told.get("url", "")
            self._changed.notify_all()


class _Life:
    """One run of the process, from its start to its end."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.url = ""
        self.error = ""
        self.is_over = False


def _cores() -> int:
    """The cores that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
