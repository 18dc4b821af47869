"""A server that cannot do its work says so in one line, and does not start."""

import subprocess
from pathlib import Path

import pytest

from tests.support.server import PROGRAM, free_port, start_server
from tests.support.visitor import Visitor
from webapp.core.problems import Refused
from webapp.web.streams import Streams


def serve(data: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(PROGRAM), "serve", "--port", str(free_port())]
    variables = {"MOTAMOT_DATABASE_URL": f"sqlite:///{data / 'motamot.db'}", "HOME": str(data), **environment}
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=60)


def test_two_servers_cannot_have_one_database(tmp_path: Path) -> None:
    with start_server(data_dir=tmp_path) as server:
        visitor = Visitor(server)
        message_id = visitor.begin(visitor.scenario({"text": "one"}, {"hang": True}))
        second = serve(tmp_path)
        assert second.returncode == 2
        assert "another Motamot serves this database" in second.stderr
        assert len(second.stderr.splitlines()) == 1
        assert visitor.message(message_id)["state"] == "running"


@pytest.mark.parametrize("environment", [{"GUNICORN_CMD_ARGS": "--workers 2"}])
def test_more_than_one_worker_is_refused_with_the_reason(tmp_path: Path, environment: dict[str, str]) -> None:
    refused = serve(tmp_path, **environment)
    assert refused.returncode == 2
    assert "one worker" in refused.stderr


def test_one_stream_too_many_is_refused_at_once() -> None:
    streams = Streams(1)
    release = streams.take()
    with pytest.raises(Refused):
        streams.take()
    release()
    release()
    streams.take()
    with pytest.raises(Refused):
        streams.take()
