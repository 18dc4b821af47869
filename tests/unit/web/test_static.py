"""What is left out of the page's own files on the wire."""

import re
from pathlib import Path

import pytest
from flask import Flask

from webapp.web.static import ALL_SHEETS, StaticFiles, without_comments

CHECKOUT = Path(__file__).parents[3]
SCRIPTS = CHECKOUT / "templates" / "partials" / "_scripts.html"
LISTED = re.findall(r'"([a-z_/]+)"', SCRIPTS.read_text().partition("]")[0])
FIRST = [*(f"js/{name}.js" for name in LISTED), ALL_SHEETS]
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


@pytest.mark.parametrize(("coding", "most"), [("br", 36 * 1024), ("gzip", 42 * 1024)])
def test_the_page_is_usable_at_40_kilobytes(coding: str, most: int) -> None:
    """Scripts and sheets as they are sent; 4 KB are kept for the HTML, with its icons, and the tab's picture.

    On plain http to another machine browsers take gzip alone, which is larger.
    """
    app = Flask("webapp", static_folder=None)
    files = StaticFiles(CHECKOUT / "static")
    app.register_blueprint(files.blueprint())
    client = app.test_client()
    sent = sum(len(client.get(files.address(name), headers={"Accept-Encoding": coding}).data) for name in FIRST)
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
