"""The page's own files, read once, compressed once, served under an address that changes with their content."""

import gzip
import hashlib
import mimetypes
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import brotli
from flask import Blueprint, Response, request

from webapp.core.problems import Refused

_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_COMMENT = re.compile(rb"^[ \t]*(?:/\*(?:(?!\*/).)*\*/|//[^\n]*)[ \t]*$", re.MULTILINE | re.DOTALL)
_COMMENTED = (".js", ".css")
# The style sheets of the chat in one, in the order of the cascade: it needs every one of them, and each request costs.
_SHEETS = ("tokens", "layout", "transcript", "composer")
ALL_SHEETS = "css/all.css"
_COMPRESSED = (".js", ".css", ".svg", ".json")


@dataclass(frozen=True, slots=True)
class _File:
    """`compressed`: by content coding, the smallest first."""

    body: bytes
    compressed: Mapping[str, bytes]
    content_type: str


class StaticFiles:
    """Every file below `folder`. `digest`: of all their names and contents, so that a release has its own address."""

    def __init__(self, folder: Path) -> None:
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        self._files = {path.relative_to(folder).as_posix(): _file(path.name, path.read_bytes()) for path in paths}
        sheets = [self._files[f"css/{name}.css"].body for name in _SHEETS]
        self._files[ALL_SHEETS] = _file(ALL_SHEETS, b"\n".join(sheets))
        content = hashlib.sha256()
        for name, file in self._files.items():
            content.update(f"{name}\0{len(file.body)}\0".encode() + file.body)
        self.digest = content.hexdigest()[:12]

    def address(self, name: str) -> str:
        """The address of a file. Raises KeyError for one that is not there: a template names it wrongly."""
        self._files[name]
        return f"/static/{self.digest}/{name}"

    def blueprint(self) -> Blueprint:
        """`/static/<digest>/<name>`; another release's address gives today's file, which is then not kept."""
        static = Blueprint("static", __name__)

        @static.get("/static/<digest>/<path:name>")
        def serve(digest: str, name: str) -> Response:
            file = self._files.get(name)
            if file is None:
                raise Refused("not_found")
            return _response(file, is_lasting=digest == self.digest)

        return static


def _file(name: str, body: bytes) -> _File:
    suffix = Path(name).suffix
    if suffix in _COMMENTED:
        body = without_comments(body)
    kind = _TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    if suffix not in _COMPRESSED:
        return _File(body, {}, kind)
    # Browsers offer Brotli on https and to their own machine, and gzip everywhere.
    compressed = {"br": brotli.compress(body, mode=brotli.MODE_TEXT), "gzip": gzip.compress(body, 9, mtime=0)}
    return _File(body, compressed, f"{kind}; charset=utf-8")


def without_comments(body: bytes) -> bytes:
    """A script or style sheet without the comments that have lines of their own: a third of it on the wire.

    The lines stay as many as they were, so that a browser names the place of an error as the file has it.
    """
    return _COMMENT.sub(lambda comment: b"\n" * comment.group().count(b"\n"), body)


def _response(file: _File, *, is_lasting: bool) -> Response:
    coding = next((name for name in file.compressed if request.accept_encodings[name] > 0), None)
    response = Response(file.compressed[coding] if coding else file.body, content_type=file.content_type)
    if coding:
        response.headers["Content-Encoding"] = coding
    response.headers["Vary"] = "Accept-Encoding"
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if is_lasting else "no-cache"
    return response
