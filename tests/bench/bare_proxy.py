"""What a person writes in an afternoon: Flask, gevent and httpx between page and model; no log, store or resume.

python -m tests.bench.bare_proxy PORT MODEL_PORT
"""

from gevent import monkey

monkey.patch_all()

import json  # noqa: E402
import sys  # noqa: E402
from collections.abc import Iterator  # noqa: E402

import httpx  # noqa: E402
from flask import Flask, Response, request  # noqa: E402
from gunicorn.app.base import BaseApplication  # noqa: E402

app = Flask(__name__)
client = httpx.Client(timeout=None, trust_env=False, limits=httpx.Limits(max_connections=None))


@app.post("/")
def stream() -> Response:
    question = request.get_json()["text"]

    def frames() -> Iterator[str]:
        body = {"stream": True, "messages": [{"role": "user", "content": question}]}
        with client.stream("POST", f"http://127.0.0.1:{sys.argv[2]}/v1/chat/completions", json=body) as answer:
            for line in answer.iter_lines():
                if line.startswith("data: {"):
                    for choice in json.loads(line[6:])["choices"]:
                        if text := choice["delta"].get("content"):
                            yield f"event: delta\ndata: {json.dumps({'text': text})}\n\n"

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
