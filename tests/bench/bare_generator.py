"""The floor for streaming from memory: a Flask generator with no log, no store and no resume, under the same server.

python -m tests.bench.bare_generator PORT
"""

from gevent import monkey

monkey.patch_all()

import json  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from collections.abc import Iterator  # noqa: E402

from flask import Flask, Response, request  # noqa: E402
from gunicorn.app.base import BaseApplication  # noqa: E402

app = Flask(__name__)


@app.post("/")
def stream() -> Response:
    asked = request.get_json()

    def frames() -> Iterator[str]:
        for seq in range(asked["count"]):
            yield f"id: {seq}\nevent: delta\ndata: {json.dumps({'seq': seq, 'text': asked['text']})}\n\n"
            time.sleep(0)

    return Response(frames(), content_type="text/event-stream; charset=utf-8")


class Server(BaseApplication):
    def load_config(self) -> None:
        for name, value in {
            "bind": f"127.0.0.1:{sys.argv[1]}",
            "worker_class": "gevent",
            "loglevel": "warning",
        }.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        return app


if __name__ == "__main__":
    Server().run()
