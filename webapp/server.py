"""The server: gunicorn with one gevent worker, and everything that knows of either."""

# Before anything else is imported: what imported a blocking socket, lock or sleep earlier would keep it.
from gevent import monkey

monkey.patch_all()

import errno  # noqa: E402
import fcntl  # noqa: E402
import logging  # noqa: E402
import resource  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from contextlib import suppress  # noqa: E402
from dataclasses import dataclass  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import IO, Any, TypeVar  # noqa: E402

import gevent  # noqa: E402
from gevent.threadpool import ThreadPool  # noqa: E402
from gevent.util import wrap_errors  # noqa: E402
from gunicorn.app.base import BaseApplication  # noqa: E402
from gunicorn.arbiter import Arbiter  # noqa: E402
from gunicorn.http.errors import ParseException  # noqa: E402
from gunicorn.workers.ggevent import GeventWorker  # noqa: E402

from webapp.app import Models, Motamot  # noqa: E402
from webapp.settings import BadSettings, Settings  # noqa: E402

T = TypeVar("T")

# A stream needs its own socket, and its answer another one to the model; the rest is for files and the store.
FILES_PER_STREAM = 2
SPARE_FILES = 100
MOST_STREAMS = 10_000
# Connections beyond the streams, so that Stop and the page are served when all streams are taken.
SPARE_CONNECTIONS = 200
IDLE_LOOK_SECONDS = 0.2
HUNG_SECONDS = 60  # the arbiter ends a worker whose loop stood still for so long; a long stream does not stop it


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen."""

    host: str
    port: int

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


def serve(settings: Settings, address: Address) -> None:
    """Serve until a signal ends the process; prints the address when it listens. Raises BadSettings."""
    Models(settings)  # what cannot be used is said here, before anything listens
    lock = _lock_database(settings.database_url)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("alembic").setLevel(logging.WARNING)  # it would tell of every look at the tables
    server = _Server(settings, address, most=streams_allowed())
    if server.cfg.workers != 1:
        raise BadSettings(["one worker serves here: answers that run are known to their own process alone; ask for 1"])
    with lock:  # inherited by the worker, and free when neither process lives
        server.run()


def _lock_database(url: str) -> IO[bytes]:
    """Hold the database for this server: another one would take the answers that run here for those of a dead process.

    Raises BadSettings when it is held.
    """
    path = Path(f"{url.removeprefix('sqlite:///')}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        what = "another Motamot serves this database already; stop it, or set another MOTAMOT_DATABASE_URL"
        raise BadSettings([what]) from None
    return lock


def streams_allowed() -> int:
    """Raise the soft limit of open files to the hard one; how many streams that leaves room for."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    files = MOST_STREAMS * FILES_PER_STREAM + SPARE_FILES if hard == resource.RLIM_INFINITY else hard
    return max(1, min(MOST_STREAMS, (files - SPARE_FILES - SPARE_CONNECTIONS) // FILES_PER_STREAM))


class _Server(BaseApplication):  # type: ignore[misc]
    """gunicorn's own application, set from ours; GUNICORN_CMD_ARGS still has the last word."""

    def __init__(self, settings: Settings, address: Address, *, most: int) -> None:
        self._settings = settings
        self._address = address
        self._most = most
        super().__init__()

    def run(self) -> None:
        _Arbiter(self).run()

    def load_config(self) -> None:
        host = f"[{self._address.host}]" if ":" in self._address.host else self._address.host
        wanted: dict[str, Any] = {
            "bind": f"{host}:{self._address.port}",
            "workers": 1,
            "worker_class": f"{__name__}.{_Worker.__name__}",
            "worker_connections": self._most + SPARE_CONNECTIONS,
            "timeout": HUNG_SECONDS,
            "graceful_timeout": int(self._settings.limits.get("grace", 25)) + 10,
            "keepalive": 5,
            "forwarded_allow_ips": "",  # whom to believe is decided in app.py
            "control_socket_disable": True,
            "loglevel": "warning",
            "proc_name": "motamot",
            "when_ready": lambda _: print(self._greeting(), flush=True),  # noqa: T201
        }
        given = self.cfg.parser().parse_args(self.cfg.get_cmd_args_from_env())
        wanted |= {
            name: value for name, value in vars(given).items() if value is not None and name in self.cfg.settings
        }
        for name, value in wanted.items():
            self.cfg.set(name, value)

    def load(self) -> Callable[..., Any]:
        """The application, made inside the worker."""
        store_thread = ThreadPool(1)  # SQLite blocks: it gets one thread beside the loop, and never holds a stream up

        def run(work: Callable[[], T]) -> T:
            # The pool prints what is raised in it, and a refusal is nothing to print: it comes back as a value.
            outcome: T | Exception = store_thread.apply(wrap_errors(Exception, work))
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        motamot = Motamot(self._settings, run=run, most=self._most)
        motamot.start()
        _Worker.motamot = motamot
        return motamot.wsgi

    def _greeting(self) -> str:
        return f"Motamot listens at {self._address.url} (up to {self._most} streams). Stop it with Ctrl+C."


class _Arbiter(Arbiter):  # type: ignore[misc]
    """gunicorn's arbiter, which is told to stop once."""

    def stop(self, graceful: bool = True) -> None:
        """Stop gently, whichever signal asked."""
        # A second one would leave the worker two seconds, and cut answers that still have time.
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        while not self.SIG_QUEUE.empty():
            self.SIG_QUEUE.get_nowait()
        super().stop()


class _TimelyReader:
    """gunicorn's reader of a body, for one that must have come after so many `seconds` (0: never).

    A body that is late or no HTTP is for whoever reads it as one whose client has gone.
    """

    def __init__(self, reader: Any, seconds: float) -> None:
        self._reader = reader
        self._until = time.monotonic() + seconds if seconds else None

    def read(self, size: int) -> bytes:
        left = None if self._until is None else max(0.0, self._until - time.monotonic())
        late = ConnectionResetError(errno.ECONNRESET, "the body of a request did not come in time")
        try:
            with gevent.Timeout(left, late):
                read: bytes = self._reader.read(size)
        except ParseException as error:
            raise ConnectionResetError(errno.ECONNRESET, "the body of a request is no HTTP") from error
        return read


class _Worker(GeventWorker):  # type: ignore[misc]
    """gunicorn's gevent worker, which lets running answers end before it stops listening."""

    motamot: Motamot | None = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._is_stopping = False
        self._idle: set[socket.socket] = set()  # connections between two requests

    def run(self) -> None:
        super().run()
        if self.motamot is not None:
            self.motamot.close()

    def handle(self, listener: Any, client: socket.socket, address: Any) -> None:
        self._idle.add(client)
        try:
            super().handle(listener, client, address)
        finally:
            self._idle.discard(client)

    def handle_request(self, listener_name: Any, request: Any, client: socket.socket, address: Any) -> None:
        self._idle.discard(client)
        request.body.reader = _TimelyReader(request.body.reader, self.cfg.timeout)
        super().handle_request(listener_name, request, client, address)
        self._idle.add(client)

    def handle_exit(self, sig: int, frame: object) -> None:
        if not self._is_stopping:
            self._is_stopping = True
            gevent.spawn(self._stop)

    handle_quit = handle_exit

    def _stop(self) -> None:
        if self.motamot is not None:
            self.motamot.drain()
        self.alive = False
        while True:  # until the last request is answered, and the process ends
            for client in list(self._idle):
                # A browser keeps its connection: it would be waited for until the time for keeping it is over.
                with suppress(OSError):
                    client.shutdown(socket.SHUT_RDWR)
            gevent.sleep(IDLE_LOOK_SECONDS)
