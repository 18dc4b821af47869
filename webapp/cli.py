"""The command `motamot`: parses its words, says in one line what is wrong and what would be right."""

import argparse
import ipaddress
import os
import sys
from collections.abc import Sequence

from webapp.settings import BadSettings, Settings, read_settings

_WRONG_USE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code: 0, or 2 for wrong use or wrong settings."""
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        return int(given.command(given))
    except BadSettings as error:
        for complaint in error.complaints:
            print(f"motamot: {complaint}", file=sys.stderr)
        return _WRONG_USE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="motamot",
        description="A self-hosted chat for any language model, word for word.",
        epilog="Example: motamot serve --port 8000",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_serve(commands)
    models = commands.add_parser("models", help="list the models that can be asked", epilog="Example: motamot models")
    models.set_defaults(command=_models)
    return parser


def _add_serve(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    serve = commands.add_parser(
        "serve", help="start the server", epilog="Example: motamot serve --host 0.0.0.0 --port 8080"
    )
    serve.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    serve.add_argument("--port", type=_port, default=8000, help="the port to listen on (8000)")
    serve.add_argument("--testing", action="store_true", help="offer the scripted model, for tests")
    serve.add_argument(
        "--testing-anywhere", action="store_true", help="allow --testing on a host that others can reach"
    )
    serve.set_defaults(command=_serve)


def _port(word: str) -> int:
    if word.isascii() and word.isdigit() and 1 <= int(word) <= 65_535:
        return int(word)
    raise argparse.ArgumentTypeError(f"{word!r} is no port; a port is a number from 1 to 65535")


def _serve(given: argparse.Namespace) -> int:
    if given.testing and not given.testing_anywhere and not _is_loopback(given.host):
        raise BadSettings(["--testing opens the server to anybody who reaches it; add --testing-anywhere to mean it"])
    settings = read_settings(os.environ, is_testing=given.testing)
    # Importing the server changes how this process blocks, so that only this command does it.
    from webapp.server import Address, serve

    serve(settings, Address(given.host, given.port))
    return 0


def _models(_: argparse.Namespace) -> int:
    settings: Settings = read_settings(os.environ)
    from webapp.app import Models

    for entry in Models(settings).catalogue:
        print(f"{entry.id}\t{entry.kind}\t{'ready' if entry.model.is_ready else 'not ready'}\t{entry.label}")
    return 0


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
