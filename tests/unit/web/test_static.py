"""What is left out of the page's own files on the wire."""

import gzip
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import brotli
import pytest

from webapp.web.static import without_comments

CHECKOUT = Path(__file__).parents[3]
SCRIPTS = CHECKOUT / "templates" / "partials" / "_scripts.html"
LISTED = re.findall(r'"([a-z_/]+)"', SCRIPTS.read_text().partition("]")[0])
FIRST = [*(CHECKOUT / "static" / "js" / f"{name}.js" for name in LISTED), *(CHECKOUT / "static" / "css").glob("*.css")]
_IMPORT = re.compile(r"^(?:import|export)\b[^;(]*?\bfrom\s+\"(\.[^\"]+)\"", re.MULTILINE)


def test_comments_with_lines_of_their_own_are_left_out_and_lines_keep_their_numbers() -> None:
    script = (
        b"/** What it is.\n * And is not. */\nexport const a = 1; // why\n  /** @type {number} */\n  // why\n  let b;\n"
    )
    assert without_comments(script) == b"\n\nexport const a = 1; // why\n\n\n  let b;\n"


@pytest.mark.parametrize(
    "line",
    [
        b'const a = "/* no comment */";',
        b"const b = 1; /* inside */",
        b"const c = /** @type {T} */ (d);",
        b"x = y /*z*/ + 1;",
        b"/** @type {T} */ #one;\n/** @type {T} */ #two;",
    ],
)
def test_what_stands_in_a_line_of_code_stays(line: bytes) -> None:
    assert without_comments(line) == line


@pytest.mark.parametrize(
    ("compress", "most"),
    [(brotli.compress, 36 * 1024), (partial(gzip.compress, compresslevel=9), 42 * 1024)],
    ids=["brotli", "gzip"],
)
def test_the_page_is_usable_at_40_kilobytes(compress: Callable[[bytes], bytes], most: int) -> None:
    """Scripts and sheets as they are sent; 4 KB are kept for the HTML, with its icons, and the tab's picture.

    On plain http to another machine browsers take gzip alone, which is larger.
    """
    sent = sum(len(compress(without_comments(path.read_bytes()))) for path in FIRST)
    assert sent <= most


def test_the_page_fetches_every_module_at_once_and_names_no_other() -> None:
    """Else a browser finds the modules one import after the other, a round trip each; some come when needed."""
    scripts = CHECKOUT / "static" / "js"
    assert [name for name in LISTED if not (scripts / f"{name}.js").is_file()] == []
    found, waiting = set[str](), ["main"]
    while waiting:
        name = waiting.pop()
        found.add(name)
        path = scripts / f"{name}.js"
        imports = [path.parent / one for one in _IMPORT.findall(path.read_text())]
        names = {one.resolve().relative_to(scripts).with_suffix("").as_posix() for one in imports}
        waiting += names - found
    assert sorted(LISTED) == sorted(found)
