"""A model that sends deltas at an even pace, in OpenAI's dialect, each in a write of its own.

python -m tests.bench.paced_model PORT PER_SECOND COUNT
"""

from gevent import monkey

monkey.patch_all()

import json  # noqa: E402
import random  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402

from gevent.server import StreamServer  # noqa: E402
from gevent.socket import socket  # noqa: E402

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
CHUNK = {
    "id": "chatcmpl-W7CnMAwGQi2euOWSuiXblT6aqyX5jJ5o",
    "object": "chat.completion.chunk",
    "created": 1796076730,
    "model": "paced",
    "choices": [{"index": 0, "delta": {"content": " word"}, "finish_reason": None}],
}
LAST = CHUNK | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def answer(connection: socket, _: object) -> None:
    pace, count = 1 / float(sys.argv[2]), int(sys.argv[3])
    request = connection.makefile("rb")
    size = 0
    while line := request.readline().strip():
        if line.lower().startswith(b"content-length:"):
            size = int(line.partition(b":")[2])
    request.read(size)  # what is left unread at the close would reset the connection
    time.sleep(random.random() * pace)  # streams are out of step, as in life
    connection.sendall(HEAD)
    frame, due = f"data: {json.dumps(CHUNK)}\n\n".encode(), time.monotonic()
    for _ in range(count):
        connection.sendall(frame)
        due += pace
        time.sleep(max(0.0, due - time.monotonic()))
    connection.sendall(f"data: {json.dumps(LAST)}\n\ndata: [DONE]\n\n".encode())
    connection.close()


if __name__ == "__main__":
    StreamServer(("127.0.0.1", int(sys.argv[1])), answer, backlog=4_096).serve_forever()
