"""What a delta costs the server, beside bare servers that keep nothing, in one run.

    make bench
    make bench ARGS="--streams 200"

Processor time of the serving process, from /proc, divided by the deltas that readers got. Times of one run can be
compared with each other and with nothing else.
"""

import argparse
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

from tests.support.server import free_port, start_server
from tests.support.visitor import STREAM, Visitor, events_of

TEXT = "word "
TICKS = os.sysconf("SC_CLK_TCK")
CONFIG = """
[[models]]
id = "paced"
kind = "remote"
url = "http://127.0.0.1:{port}/v1"
name = "paced"
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--deltas", type=int, default=10_000, help="deltas of one stream from memory (10000)")
    parser.add_argument("--streams", type=int, default=50, help="streams at once from a model behind HTTP (50)")
    parser.add_argument("--per-second", type=int, default=20, help="deltas a second in each of them (20)")
    parser.add_argument("--seconds", type=int, default=10, help="how long each of them lasts (10)")
    parser.add_argument("--followers", type=int, default=1_000, help="streams that are open and silent (1000)")
    given = parser.parse_args()
    from_memory(given.deltas)
    from_model(given.streams, given.per_second, given.seconds)
    resume()
    memory(given.followers)


def resume(size: int = 240 * 1024, rounds: int = 20) -> None:
    """Print how long who comes back to a long answer waits for the first event, the middle of some rounds."""
    with start_server() as server:
        visitor = Visitor(server)
        message_id = visitor.ask(visitor.says(["x" * 1_024] * (size // 1_024))).json()["message_id"]
        waits = sorted(first_event(visitor, message_id) for _ in range(rounds))
    print(f"\nResume of an answer of {size // 1_024} KiB: first event after {waits[rounds // 2] * 1e3:.1f} ms")


def memory(followers: int) -> None:
    """Print what an open stream costs the process: followers of one answer that says nothing, all at once."""
    with start_server() as server, ExitStack() as lines:
        visitor = Visitor(server)
        message_id = visitor.begin(visitor.scenario({"hang": True}))
        pid = worker(server.pid)
        request = f"GET /api/v1/messages/{message_id}/events HTTP/1.1\r\nHost: x\r\nCookie: {cookie(visitor)}\r\n\r\n"
        follow(server.port, request, lines)  # what the first one loads is paid once
        before = resident_bytes(pid)
        for _ in range(followers):
            follow(server.port, request, lines)
        each = (resident_bytes(pid) - before) / followers
    print(f"\n{followers:,} open streams: {each / 1024:.1f} KB of the process's memory each")


def follow(port: int, request: str, lines: ExitStack) -> None:
    line = lines.enter_context(socket.create_connection(("127.0.0.1", port)))
    line.sendall(request.encode())
    while b"motamot" not in line.recv(65_536):
        pass


def resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def first_event(visitor: Visitor, message_id: str) -> float:
    began = time.perf_counter()
    with visitor.http.stream("GET", f"/api/v1/messages/{message_id}/events?after=2") as answer:
        next(events_of(answer))
        return time.perf_counter() - began


def from_memory(count: int) -> None:
    print(f"One stream of {count:,} deltas of {len(TEXT)} characters, from memory; processor time per delta")
    with started("tests.bench.bare_generator") as (url, process):
        body = {"count": count, "text": TEXT}
        bare = report("Flask generator, no log, store or resume", count, worker(process.pid), lambda: read(url, body))
    with start_server() as server:
        visitor = Visitor(server)
        question = visitor.scenario(*[{"text": TEXT}] * count, {"finish": "stop"})
        address = server.url + visitor.asking()
        body = {"text": question, "model": "scripted"}
        headers = dict(visitor.http.headers) | {"Cookie": cookie(visitor)}
        ours = report("Motamot", count, worker(server.pid), lambda: read(address, body, headers))
    print(f"  Motamot / generator: {ours / bare:.2f}\n")


def from_model(streams: int, per_second: int, seconds: int) -> None:
    each = per_second * seconds
    count = streams * each
    print(f"{streams} streams x {per_second} deltas/s for {seconds} s, model behind HTTP; processor time per delta")
    with started("tests.bench.paced_model", str(per_second), str(each)) as (model_url, _):
        port = model_url.rpartition(":")[2]
        with started("tests.bench.bare_proxy", port) as (url, process):
            body = {"text": "why?"}
            bare = report(
                "Flask + gevent + httpx proxy, no log, store or resume",
                count,
                worker(process.pid),
                lambda: at_once(streams, lambda: read(url, body)),
            )
        with start_server(config=CONFIG.format(port=port)) as server:
            visitors = [Visitor(server) for _ in range(streams)]
            asking = iter([(visitor, server.url + visitor.asking()) for visitor in visitors])
            ours = report("Motamot", count, worker(server.pid), lambda: at_once(streams, lambda: ask(*next(asking))))
    print(f"  Motamot / proxy: {ours / bare:.2f}")


def ask(visitor: Visitor, address: str) -> None:
    read(address, {"text": "why?", "model": "paced"}, {"Cookie": cookie(visitor)})


def cookie(visitor: Visitor) -> str:
    return f"motamot_visitor={visitor.http.cookies['motamot_visitor']}"


def read(url: str, body: dict[str, object], headers: dict[str, str] | None = None) -> None:
    with httpx.stream("POST", url, json=body, headers=STREAM | (headers or {}), timeout=120, trust_env=False) as answer:
        answer.raise_for_status()
        for _ in answer.iter_raw():
            pass


def at_once(count: int, work: Callable[[], None]) -> None:
    readers = [threading.Thread(target=work) for _ in range(count)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()


def report(name: str, count: int, pid: int, work: Callable[[], None]) -> float:
    """Run `work` and print what it cost the process; microseconds per delta."""
    before = processor_seconds(pid)
    work()
    cost = (processor_seconds(pid) - before) / count * 1e6
    print(f"  {name}: {cost:.0f} µs", flush=True)
    return cost


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def worker(arbiter: int) -> int:
    """The process that serves, below gunicorn's own."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        children = Path(f"/proc/{arbiter}/task/{arbiter}/children").read_text().split()
        if children:
            return int(children[0])
    raise TimeoutError("the server has no worker")


@contextmanager
def started(module: str, *arguments: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A server of this folder in a process of its own, once it listens."""
    port = free_port()
    command = [sys.executable, "-m", module, str(port), *arguments]
    process = subprocess.Popen(command)
    try:
        url = f"http://127.0.0.1:{port}"
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                httpx.get(url, trust_env=False, timeout=0.5)
            except httpx.ConnectError:
                continue
            except httpx.HTTPError:
                pass
            break
        yield url, process
    finally:
        process.terminate()
        process.wait(20)


if __name__ == "__main__":
    main()
