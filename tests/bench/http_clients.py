"""What each HTTP client costs the server per delta that it reads from a model, side by side in one run.

    python -m tests.bench.http_clients --streams 50 --rate 20 --seconds 5

A model in a process of its own writes chunked event streams, one chunk a delta, the streams out of step. Each side, a
fresh process under gevent as the server is, reads them all through the decoder and the dialect; nothing else happens.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from time import monotonic, process_time

from webapp.core.dialects.openai import OpenAIReader
from webapp.core.prompts import Prompt, Turn
from webapp.core.signs import Text
from webapp.core.sse import FrameDecoder
from webapp.models.remote import RemoteModel

READ_BYTES = 65_536
WORD = " token"
# The members that OpenAI's own chunks have, so that parsing costs what it costs in life.
CHUNK = {
    "id": "chatcmpl-W7CnMAwGQi2euOWSuiXblT6aqyX5jJ5o",
    "object": "chat.completion.chunk",
    "created": 1796076730,
    "model": "bench-model-2026-11-30",
    "system_fingerprint": "fp_0123456789",
    "choices": [{"index": 0, "delta": {"content": WORD}, "logprobs": None, "finish_reason": None}],
}

Reader = Callable[[int], Iterator[str]]


def _texts(pieces: Iterator[bytes]) -> Iterator[str]:
    decoder, reader = FrameDecoder(), OpenAIReader()
    for piece in pieces:
        for frame in decoder.feed(piece):
            for sign in reader.read(frame):
                if isinstance(sign, Text):
                    yield sign.text


def bare_socket(port: int) -> Iterator[str]:
    """The floor: no library, and only as much HTTP as this model speaks."""
    return _texts(_bare_pieces(port))


def _bare_pieces(port: int) -> Iterator[bytes]:
    import socket

    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(b"POST / HTTP/1.1\r\nHost: bench\r\nContent-Length: 2\r\n\r\n{}")
        rest = b""
        while b"\r\n\r\n" not in rest:
            rest += line.recv(READ_BYTES)
        rest = rest.partition(b"\r\n\r\n")[2]
        while True:
            size, found, after = rest.partition(b"\r\n")
            length = int(size, 16) if found else None
            if length == 0:
                return
            if length is None or len(after) < length + 2:
                rest += line.recv(READ_BYTES)
                continue
            yield after[:length]
            rest = after[length + 2 :]


def http_client(port: int) -> Iterator[str]:
    """The standard library's client."""
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", "/", b"{}")
    response = connection.getresponse()
    yield from _texts(iter(lambda: response.read1(READ_BYTES), b""))
    connection.close()


def urllib3_pool(port: int) -> Iterator[str]:
    """urllib3 as its documentation streams."""
    import urllib3

    with urllib3.PoolManager() as pool:
        response = pool.request("POST", f"http://127.0.0.1:{port}/", body=b"{}", preload_content=False, retries=False)
        yield from _texts(iter(lambda: response.read1(READ_BYTES), b""))


def httpx_stream(port: int) -> Iterator[str]:
    """httpx as its documentation streams."""
    import httpx

    with (
        httpx.Client(timeout=None, trust_env=False) as client,
        client.stream("POST", f"http://127.0.0.1:{port}/", content=b"{}") as response,
    ):
        yield from _texts(response.iter_raw())


def motamot(port: int) -> Iterator[str]:
    """What the product does."""
    model = RemoteModel(f"http://127.0.0.1:{port}", "bench")
    for sign in model.answer(Prompt((Turn("user", "?"),)), "msg_bench"):
        if isinstance(sign, Text):
            yield sign.text


SIDES: dict[str, Reader] = {
    "bare socket": bare_socket,
    "http.client": http_client,
    "urllib3": urllib3_pool,
    "httpx": httpx_stream,
    "Motamot's RemoteModel": motamot,
}


def write_streams(rate: float, seconds: float) -> None:
    """The model: serves until it is killed; prints its port."""
    import socket

    import gevent
    from gevent import monkey
    from gevent.server import StreamServer

    monkey.patch_all()

    piece = f"data: {json.dumps(CHUNK)}\n\n".encode()
    frame = b"%x\r\n%b\r\n" % (len(piece), piece)

    def answer(line: socket.socket, _address: object) -> None:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        asked = b""
        while not asked.endswith(b"}"):
            asked += line.recv(READ_BYTES)
        line.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        start = monotonic()
        for number in range(int(rate * seconds)):
            gevent.sleep(max(0.0, start + number / rate - monotonic()))
            line.sendall(frame)
        line.sendall(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")

    server = StreamServer(("127.0.0.1", 0), answer)
    server.start()
    print(server.server_port, flush=True)
    server.serve_forever()


def read_streams(name: str, port: int, streams: int) -> None:
    """One side: prints the CPU time per delta in µs, from the moment when all streams flow."""
    import gevent

    read = SIDES[name]
    counts = [0] * streams
    flowing = began = 0
    cpu = 0.0

    def follow(index: int) -> None:
        nonlocal flowing, began, cpu
        for text in read(port):
            if text != WORD:
                raise AssertionError(f"{name} read {text!r}")
            counts[index] += 1
            if counts[index] == 1:
                flowing += 1
                if flowing == streams:
                    began, cpu = sum(counts), process_time()

    readers = []
    for index in range(streams):
        readers.append(gevent.spawn(follow, index))
        gevent.sleep(0.5 / streams)  # out of step, as people are
    gevent.joinall(readers, raise_error=True)
    print(json.dumps((process_time() - cpu) / (sum(counts) - began) * 1e6))


def measure(name: str, *, streams: int, rate: float, seconds: float) -> float:
    """µs of CPU per delta of one side, in processes of its own."""
    this = [sys.executable, "-m", "tests.bench.http_clients"]
    timing = ["--streams", str(streams), "--rate", str(rate), "--seconds", str(seconds)]
    with subprocess.Popen([*this, "--model", *timing], stdout=subprocess.PIPE, text=True) as model:
        try:
            assert model.stdout
            port = model.stdout.readline().strip()
            side = subprocess.run(
                [*this, "--side", name, "--port", port, *timing], stdout=subprocess.PIPE, text=True, check=True
            )
        finally:
            model.kill()
    return float(json.loads(side.stdout))


def main() -> None:
    """Measure all sides, or play one part of the measurement."""
    parser = argparse.ArgumentParser(description="CPU per delta of HTTP clients that read a model's stream")
    parser.add_argument("--streams", type=int, default=50)
    parser.add_argument("--rate", type=float, default=20.0, help="deltas a second and stream")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    parser.add_argument("--model", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.model:
        write_streams(given.rate, given.seconds)
    elif given.side:
        read_streams(given.side, given.port, given.streams)
    else:
        print(f"CPU per delta read, {given.streams} streams x {given.rate:g}/s for {given.seconds:g} s")
        for name in SIDES:
            cost = measure(name, streams=given.streams, rate=given.rate, seconds=given.seconds)
            print(f"{name:<24}{cost:6.0f} µs", flush=True)


if __name__ == "__main__":
    if "--side" in sys.argv:
        # Before anything else is imported by a side, as the server does it.
        from gevent import monkey

        monkey.patch_all()
    main()
