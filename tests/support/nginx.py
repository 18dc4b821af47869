"""Debian's nginx before a server, with a configuration of its own, in the foreground and without the system's files.

Holds no knowledge of Motamot.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic

from tests.support.needs import missing
from tests.support.server import free_port

PLACES = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
READY_SECONDS = 10.0
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
# Nothing but where to: what nginx does with a service when it is told no more.
PLAIN = "location / {{ proxy_pass {upstream}; }}"


@contextmanager
def start_nginx(upstream: str, *, inside: str = PLAIN, port: int | None = None) -> Iterator[str]:
    """nginx before `upstream` (an address without a path), at `port` or a free one; the address of nginx.

    `inside` stands in its `server` block, with `{upstream}` for the address.
    """
    port = port or free_port()
    with _running(f"server {{ listen 127.0.0.1:{port}; {inside.format(upstream=upstream)} }}", port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def start_nginx_as_configured(http: str, port: int) -> Iterator[str]:
    """nginx with this whole `http` part, which makes it listen at `port`."""
    with _running(http, port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _running(http: str, port: int) -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="nginx-") as name:
        folder = Path(name)
        command = _command(folder, http)
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            _wait_until_it_listens(process, port)
            yield
        finally:
            process.terminate()
            process.wait(10)


def _command(folder: Path, http: str) -> Sequence[str]:
    program = shutil.which("nginx", path=PLACES) or missing(
        "there is no nginx (Debian, Ubuntu: apt install nginx-light)"
    )
    paths = " ".join(f"{kind}_temp_path {folder / kind};" for kind in TEMPORARY)
    configuration = f"""
        daemon off;
        pid {folder / "nginx.pid"};
        error_log {folder / "error.log"} warn;
        {"user root;" if os.geteuid() == 0 else ""}
        events {{ worker_connections 512; }}
        http {{ access_log off; {paths} {http} }}
    """
    path = folder / "nginx.conf"
    path.write_text(configuration, encoding="utf-8")
    return [program, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(path)]


def _wait_until_it_listens(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = monotonic() + READY_SECONDS
    while monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.02)
            told = process.stderr.read().decode() if process.stderr else ""
            raise AssertionError(f"nginx ended with code {process.returncode}: {told}")
    raise AssertionError("nginx did not listen")
