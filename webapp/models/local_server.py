"""The process of the embedded model: loads a GGUF file, serves OpenAI's dialect on loopback, ends with its parent.

    python -m webapp.models.local_server

It reads one line of JSON (`path`, `key`, `threads`, `parallel`, `context` in tokens) and writes one: `url`, or `error`.
Then it serves until its standard input ends, which the system sees to however the parent goes.
"""

import ctypes
import json
import os
import signal
import sys
from collections.abc import Mapping
from typing import Any, BinaryIO, NoReturn

_NICENESS = 10
_PR_SET_PDEATHSIG = 1


def main() -> NoReturn:
    """Serve; never returns."""
    _end_with_parent()
    # What the library writes to standard output must not be taken for the line that the parent reads.
    with os.fdopen(os.dup(1), "wb", buffering=0) as told:
        os.dup2(2, 1)
        given = json.loads(sys.stdin.buffer.readline())
        os.nice(_NICENESS)
        _serve(given, told)


def _serve(given: Mapping[str, Any], told: BinaryIO) -> NoReturn:
    try:
        server = _load(given)
        told.write(json.dumps({"url": f"{server.listening_address}/v1"}).encode() + b"\n")
        sys.stdin.buffer.read()
    except Exception as error:  # noqa: BLE001 - whatever the library raises, the parent is to know
        told.write(json.dumps({"error": repr(error)}).encode() + b"\n")
    # Here, where the library's server is still held: taking it down waits for its threads, which may be in the middle
    # of an answer that nobody reads any longer, or not have begun.
    os._exit(0)


def _load(given: Mapping[str, Any]) -> Any:
    import xllamacpp

    wanted = xllamacpp.CommonParams()
    wanted.model.path = given["path"]
    wanted.hostnames = ["127.0.0.1"]
    wanted.port = 0
    # Other users of this machine reach loopback too.
    wanted.api_keys = [given["key"]]
    wanted.n_parallel = given["parallel"]
    wanted.n_ctx = given["context"]
    # One memory for all answers instead of a fixed share for each.
    wanted.kv_unified = True
    wanted.cpuparams.n_threads = given["threads"]
    wanted.cpuparams_batch.n_threads = given["threads"]
    # Its cache of earlier prompts may grow to 8 GiB.
    wanted.cache_ram_mib = 0
    wanted.ui = wanted.endpoint_slots = wanted.endpoint_props = False
    wanted.verbosity = -1
    return xllamacpp.Server(wanted)


def _end_with_parent() -> None:
    """Ask Linux to kill this process when the thread that started it ends.

    While the library works it may be deaf to the end of the input.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main()
