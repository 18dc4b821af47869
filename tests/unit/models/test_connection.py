"""Any thread can end an exchange, whatever its reader waits for; and nothing stays open behind it."""

from __future__ import annotations

import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which

import pytest

from tests.support.needs import missing
from tests.support.reading import Reading
from webapp.core.prompts import Prompt, Turn
from webapp.core.signs import Finish, ModelFailure, Text
from webapp.models.remote import RemoteModel
from webapp.qa.upstream import CUT, HANG, RESET, Reply, Upstream, answer, delta, finish

PROMPT = Prompt((Turn("user", "Why?"),))


@contextmanager
def full_listener() -> Iterator[int]:
    """The port of a listener whose queue is full: connecting to it takes for ever."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        port = full.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            yield port


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a certificate for localhost, signed by itself, and its key."""
    if not which("openssl"):
        missing("openssl is not installed: no certificate can be made")
    path = tmp_path_factory.mktemp("tls") / "localhost.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(path), "-out", f"{path}.crt"]
    subprocess.run(command, check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + Path(f"{path}.crt").read_bytes())
    return path


@pytest.fixture
def tls_provider(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Upstream]:
    """A provider behind https whose certificate this machine trusts."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with Upstream(tls=context) as running:
        yield running


def test_a_close_wakes_a_reader_that_waits_for_more_text() -> None:
    with Upstream() as provider:
        provider.play(Reply([delta("one"), HANG]))
        stream = RemoteModel(provider.url, "m").answer(PROMPT, "msg_1")
        reader = Reading(stream)
        assert reader.has_sign.wait(5)
        stream.close()
        assert reader.has_ended()
        assert (reader.signs, reader.failure) == ([Text("one")], None)
        assert provider.exchange(0).gone.wait(5)


def test_a_close_wakes_a_reader_that_waits_for_the_head() -> None:
    with Upstream() as provider:
        provider.play(Reply(before=[HANG]))
        stream = RemoteModel(provider.url, "m").answer(PROMPT, "msg_1")
        reader = Reading(stream)
        exchange = provider.exchange(0)
        stream.close()
        assert reader.has_ended()
        assert (reader.signs, reader.failure) == ([], None)
        assert exchange.gone.wait(5)


def test_a_close_wakes_a_reader_that_is_connecting() -> None:
    with full_listener() as port:
        stream = RemoteModel(f"http://127.0.0.1:{port}/v1", "m").answer(PROMPT, "msg_1")
        reader = Reading(stream)
        wait_until(lambda: connecting_to(port))
        stream.close()
        assert reader.has_ended()
        assert reader.failure is None


def test_a_close_wakes_a_reader_in_the_middle_of_the_tls_handshake() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        stream = RemoteModel(f"https://127.0.0.1:{silent.getsockname()[1]}/v1", "m").answer(PROMPT, "msg_1")
        reader = Reading(stream)
        line, _ = silent.accept()
        with line:
            assert line.recv(1)  # the first byte of its greeting, which nobody answers
            stream.close()
            assert reader.has_ended()
            assert reader.failure is None


def test_a_close_wakes_a_reader_behind_tls(tls_provider: Upstream) -> None:
    tls_provider.play(Reply([delta("one"), HANG]))
    stream = RemoteModel(tls_provider.url, "m").answer(PROMPT, "msg_1")
    reader = Reading(stream)
    assert reader.has_sign.wait(5)
    stream.close()
    assert reader.has_ended()
    assert (reader.signs, reader.failure) == ([Text("one")], None)


def test_a_model_behind_tls_is_read(tls_provider: Upstream) -> None:
    tls_provider.play(Reply(answer("a", "b")))
    assert list(RemoteModel(tls_provider.url, "m").answer(PROMPT, "msg_1")) == [Text("a"), Text("b"), Finish("stop")]


@pytest.mark.parametrize("scheme_of_server", ["http", "https that nobody trusts"])
def test_a_certificate_that_cannot_be_trusted_is_unavailable(scheme_of_server: str, certificate: Path) -> None:
    context = None
    if scheme_of_server != "http":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
    with Upstream(tls=context) as provider:
        url = f"https://localhost:{provider.port}/v1"
        with pytest.raises(ModelFailure, match="provider_unavailable"):
            list(RemoteModel(url, "m").answer(PROMPT, "msg_1"))
        assert provider.exchanges == []


def test_a_close_before_the_first_sign_asks_nothing() -> None:
    with Upstream() as provider:
        stream = RemoteModel(provider.url, "m").answer(PROMPT, "msg_1")
        stream.close()
        assert list(stream) == []
        assert provider.exchanges == []


# Asks as often as it is told, prints how many files were open after the first answer and after the last.
COUNT_FILES = """
import os, sys
from webapp.core.prompts import Prompt, Turn
from webapp.core.signs import ModelFailure
from webapp.models.remote import RemoteModel
kept = []
for number in range(int(sys.argv[2])):
    kept.append(RemoteModel(sys.argv[1], "m").answer(Prompt((Turn("user", "?"),)), "msg_1"))
    try:
        list(kept[-1])
    except ModelFailure:
        pass
    if number == 0:
        print(len(os.listdir("/proc/self/fd")))
print(len(os.listdir("/proc/self/fd")))
"""


def test_no_file_stays_open_behind_an_answer_however_it_ends() -> None:
    if not Path("/proc/self/fd").exists():
        missing("This system does not show a process's open files")
    ends = [answer("a"), [delta("a"), CUT], [delta("a"), RESET], [b"data: nonsense\n\n", HANG], [finish(), HANG]]
    replies = [Reply(steps, framing=framing) for steps in ends for framing in ("chunked", "close")]
    refusals = [Reply([b"no"], status=500), Reply([b"no", CUT], status=429), Reply(before=[RESET])]
    with Upstream() as provider:
        provider.play(Reply(answer("a")), *replies, *refusals)
        command = [sys.executable, "-c", COUNT_FILES, provider.url, str(1 + len(replies) + len(refusals))]
        counted = subprocess.run(command, capture_output=True, text=True, check=False)
    assert counted.returncode == 0, counted.stderr
    before, after = counted.stdout.split()
    assert before == after


def test_a_close_does_the_same_to_greenlets_as_to_threads() -> None:
    command = [sys.executable, "-m", "gevent.monkey", "--module", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-k", "(close or behind_tls) and not greenlets", __file__]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def wait_until(is_so: Callable[[], bool]) -> None:
    """Look until it is so."""
    for _ in range(10_000):
        if is_so():
            return
        threading.Event().wait(0.001)
    raise AssertionError("it never became so")


def connecting_to(port: int) -> bool:
    """Whether a connection to this port of loopback waits for its first answer (state 2 is SYN_SENT)."""
    if not Path("/proc/net/tcp").exists():
        missing("This system does not show its connections")
    wanted = f"0100007F:{port:04X}"
    lines = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    return any(fields[2] == wanted and fields[3] == "02" for fields in map(str.split, lines))
