"""Texts that streams have lost or changed elsewhere: every one must arrive code point for code point."""

# The shape of a list that a sentence cutter once tore: 558 characters, 580 bytes, 6 lines, 8 line breaks, 5 sentences.
LIST = (
    "For a dry garden, choose by the sun a bed gets:\n"
    "\n"
    "- **South** → lavender – thyme – sage, which ask for no water in summer once they have rooted.\n"
    "- **West** → rosemary – oregano, which take the late evening heat – and flower on until the first frosts.\n"
    "- **East** → mint – parsley, which wilt at noon and want the morning sun and a root that stays very damp.\n"
    "- **North** → ivy – fern, which live on what is left and keep the brick wall behind them from drying out.\n"
    "\n"
    "To begin, dig one spade deep — then plant, water it well, leave the bed as it is until spring.\n"
)

# The shape of a short tabular answer: 199 characters, 10 lines of which one is blank, 9 line breaks, none at the end.
LINES = (
    "Three ways to tie it, from easy to firm:\n"
    "Overhand:\n"
    "\n"
    "- loop, through, pull it\n"
    "- good for: string, a bag\n"
    "- strength 3 of 10\n"
    "Bowline:\n"
    "- loop, up, around, down\n"
    "- good for: rope, rescue\n"
    "- strength 8 of 10"
)

TABLE = "Prices:\n\n| what | price |\n| --- | ---: |\n| tea | 2.50 |\n| *very* long coffee | 3.00 |\n\nAll in euros.\n"
FENCE = "Run:\n\n```python\nfor i in r:\n    f(i)\n\n    g()\n```\n\nDone."
FAMILY = "\U0001f469\u200d\U0001f692"  # one sign on the screen, three code points

TEXTS: dict[str, str] = {
    "list": LIST,
    "lines": LINES,
    "table": TABLE,
    "code fence": FENCE,
    "blanks at both ends": "  \t Two  words,\n   then more \t \n",
    "line breaks at both ends": "\n\n\nmiddle\n\n\n",
    "CRLF": "one\r\ntwo\r\n\r\nthree\r\n",
    "lone CR": "one\rtwo\r\rthree\r",
    "mixed line ends": "a\r\nb\nc\rd\n\re\r\r\n",
    "emoji": "\U0001f9ed \u00e9 \u96ea \U0001f9ed!",
    "joined emoji": f"{FAMILY} plan \U0001f1ee\U0001f1f9 \U0001f44d\U0001f3fd",
    "combining marks": "e\u0301 a\u0308\u0323 \u00e9 n\u0303o",  # not normalised
    "line and paragraph separators": "one\u2028two\u2029three\x85four\x0bfive\x0csix\x1cseven",
    "right to left": "Hello \u05e9\u05dc\u05d5\u05dd \u202eabc\u202c \u0645\u0631\u062d\u0628\u0627\n",
    "NUL and controls": "a\x00b\x01c\x1fd\x7fe\ufefff\ufffdg",
    "the end mark": "[DONE]",
    "an error object": '{"error":"x"}',
    "a frame": 'id: 3\nevent: error\ndata: {"seq": 3}\n\n: comment\n\ndata: [DONE]\n\n',
    "markup": 'Look <img src=x onerror="window.pwn=1"> </script><!-- & &amp; 3 < 5',
    "abbreviations": "See e.g. 3. April, i.e. now.\n\n1. one\n2. two\n3. three",
    "only blanks after a word": "x" + " " * 50 + "\n" * 20,
    "one sign": "\U0001f9ed",
    "long": "word " * 3_000 + "\U0001f9ed end",
}


def pieces(text: str, count: int) -> list[str]:
    """`text` in at most `count` pieces that are not empty, cut between code points."""
    size = max(1, -(-len(text) // count))
    return [text[start : start + size] for start in range(0, len(text), size)]
