"""The real server in its own process, as a person starts it, on a free port and with its own data.

Holds no knowledge of the server's inside: what tests learn, they learn over HTTP or from its output.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

# The command of the environment that runs the tests.
PROGRAM = Path(sys.executable).with_name("motamot")
READY_SECONDS = 60.0
STOP_SECONDS = 3.0
SHOWN_CHARACTERS = 8_000
# A developer's own settings must not reach the server that is tested.
OWN_VARIABLES = ("MOTAMOT_", "OPENAI_")


@dataclass(slots=True)
class Server:
    """A server, and how it is started. `url` has no slash at its end; `database` is the SQLite file in `data_dir`."""

    port: int
    data_dir: Path
    command: Sequence[str]
    environment: Mapping[str, str]
    process: subprocess.Popen[bytes] = field(init=False)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def database(self) -> Path:
        return self.data_dir / "motamot.db"

    @property
    def pid(self) -> int:
        return self.process.pid

    def log_text(self) -> str:
        """Everything that the server has written so far, on both of its outputs."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def terminate(self, *, seconds: float = STOP_SECONDS) -> int | None:
        """Ask it to stop gently; its exit code, or None when it still runs after `seconds`."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """End it at once with all its processes, as a power cut would."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def start(self) -> None:
        """Start it and wait until it is ready; again after `terminate` or `kill`: on the same port, with its data.

        Raises `AssertionError` when it does not become ready.
        """
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=self.data_dir,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        """Wait until it answers that it is ready. Raises `AssertionError` when it ends before, or never is."""
        deadline = monotonic() + READY_SECONDS
        while monotonic() < deadline:
            if _is_ready(self.url):
                return
            try:
                code = self.process.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(f"The server ended with code {code} before it was ready")
        raise AssertionError(f"The server was not ready after {READY_SECONDS:.0f} s")

    @property
    def _log(self) -> Path:
        return self.data_dir / "server.log"


@contextmanager
def start_server(
    *,
    config: str = "",
    arguments: Sequence[str] = ("--testing",),
    environment: Mapping[str, str] | None = None,
    data_dir: Path | None = None,
    program: Path = PROGRAM,
) -> Iterator[Server]:
    """Start `motamot serve` and wait until it is ready; end it and its processes on leaving.

    `config` is the text of its TOML file; `environment` is added to ours less `MOTAMOT_*` and `OPENAI_*`.
    It starts in its data folder, so that nothing of the checkout is found by chance.
    A `data_dir` that is given is kept, so that another server can go on where this one stopped; `Server.start` does
    that with the same one.
    Raises `AssertionError` with the server's output when it does not become ready; an error that leaves the
    `with` block carries the output as a note.
    """
    with tempfile.TemporaryDirectory(prefix="motamot-") as own:
        folder = data_dir or Path(own)
        server = _prepare(program, arguments, config, environment or {}, folder)
        try:
            server.start()
            yield server
        except BaseException as error:
            error.add_note(f"The server's output:\n{server.log_text()[-SHOWN_CHARACTERS:]}")
            raise
        finally:
            if server.process.poll() is None:
                server.terminate()
            server.kill()


def free_port() -> int:
    """A port of loopback that nothing listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _prepare(
    program: Path,
    arguments: Sequence[str],
    config: str,
    environment: Mapping[str, str],
    folder: Path,
) -> Server:
    port = free_port()
    variables = {name: value for name, value in os.environ.items() if not name.startswith(OWN_VARIABLES)}
    variables["PYTHONUNBUFFERED"] = "1"
    variables["MOTAMOT_DATABASE_URL"] = f"sqlite:///{folder / 'motamot.db'}"
    if config:
        path = folder / "motamot.toml"
        path.write_text(config, encoding="utf-8")
        variables["MOTAMOT_CONFIG"] = str(path)
    command = [str(program), "serve", "--port", str(port), *arguments]
    return Server(port, folder, command, {**variables, **environment})


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health/ready", timeout=5) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False
