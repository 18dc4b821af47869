"""The server of the small chats in `tests/qa/bad`: their files, and `POST /chat`, which asks a model's server."""

from __future__ import annotations

import http.client
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

FOLDER = Path(__file__).parents[1] / "qa" / "bad"
PROFILE = FOLDER / "profile.toml"
GOOD = "good"
BAD = sorted(path.stem for path in FOLDER.glob("*.js") if path.stem not in ("chat", GOOD))


class BadPages:
    """Serves while its `with` block runs; `url` and the name of a fault lead to the page that has it.

    A question that was asked before under the same id is refused with 409: it is never asked twice.
    """

    def __init__(self, model: str) -> None:
        seen: set[str] = set()
        model_address = urlsplit(model)

        class Handler(_Handler):
            asked = seen
            target = model_address

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A page that leaves is nothing to tell."""


class _Handler(BaseHTTPRequestHandler):
    asked: set[str]
    target = urlsplit("")
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        """Silence."""

    def do_GET(self) -> None:
        name = self.path.partition("?")[0].strip("/")
        file = FOLDER / name if "." in name else FOLDER / "page.html"
        if file.parent != FOLDER or not file.is_file():
            self.send_error(404)
            return
        self._head(200, "text/javascript" if file.suffix == ".js" else "text/html")
        self.wfile.write(file.read_bytes())

    def do_POST(self) -> None:
        told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if told["id"] in self.asked:
            self._head(409, "application/json")
            self.wfile.write(b'{"error": "asked already"}')
            return
        self.asked.add(told["id"])
        body = json.dumps({"stream": True, "messages": [{"role": "user", "content": told["question"]}]})
        line = http.client.HTTPConnection(self.target.hostname or "", self.target.port)
        line.request("POST", f"{self.target.path}/chat/completions", body)
        reply = line.getresponse()
        self._head(reply.status, reply.getheader("Content-Type", "text/plain"))
        watch = threading.Thread(target=self._leave_with_the_page, args=(line,), daemon=True)
        watch.start()
        while piece := reply.read1(65_536):
            self.wfile.write(piece)

    def _leave_with_the_page(self, line: http.client.HTTPConnection) -> None:
        """The page says nothing more on this connection: what comes is its end."""
        self.connection.recv(1)
        if line.sock:
            line.sock.shutdown(2)

    def _head(self, status: int, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
