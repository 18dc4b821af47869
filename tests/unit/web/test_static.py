"""What is left out of the page's own files on the wire."""

import gzip
import re
from pathlib import Path

import pytest

from webapp.web.static import without_comments

CHECKOUT = Path(__file__).parents[3]
FILES = sorted(path for path in (CHECKOUT / "static").rglob("*") if path.suffix in (".js", ".css"))


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


def test_the_page_is_usable_at_40_kilobytes() -> None:
    """Scripts and sheets as they are sent; 4 KB are kept for the HTML, with its icons, and the tab's picture."""
    sent = sum(len(gzip.compress(without_comments(path.read_bytes()), 9)) for path in FILES)
    assert sent <= 36 * 1024


def test_the_page_fetches_every_module_at_once_and_names_no_other() -> None:
    """Without it a browser finds the modules one import after the other, a round trip each."""
    listed = (CHECKOUT / "templates" / "partials" / "_scripts.html").read_text().partition("]")[0]
    named = re.findall(r'"([a-z_/]+)"', listed)
    scripts = CHECKOUT / "static" / "js"
    assert sorted(named) == sorted(
        path.relative_to(scripts).with_suffix("").as_posix() for path in scripts.rglob("*.js")
    )
