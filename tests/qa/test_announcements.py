"""What the kit hears of a page: small pages with one thing each, and what a real screen reader would make of them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route

from tests.support.bad_pages import PROFILE, BadPages
from webapp.qa.announcements import Announcements
from webapp.qa.chat import Chat
from webapp.qa.profiles import read_profile
from webapp.qa.upstream import Reply, Upstream, Wait, answer, delta

ADDRESS = "http://page.test/"
STATUS = '<div id="s" role="status"></div><p>After it.</p>'
S = "document.querySelector('#s')"
# The region of a test is there in the first HTML; what the script does next is a task of its own.
Opened = Callable[[str], None]


@pytest.fixture
def opened(page: Page, announcements: Announcements) -> Opened:
    """Open a page with this body."""

    def open_page(body: str) -> None:
        page.route(ADDRESS, lambda route: _html(route, body))
        page.goto(ADDRESS)

    return open_page


def _html(route: Route, body: str) -> None:
    route.fulfill(content_type="text/html", body=f"<!doctype html><html lang=en><title>t</title><body>{body}</body>")


def heard(announcements: Announcements) -> list[str]:
    """The texts."""
    return [one.text for one in announcements.all()]


@pytest.mark.proves("Q20")
@pytest.mark.parametrize(
    ("region", "politeness", "name"),
    [
        ('<div id="s" role="status"></div>', "polite", "status#s"),
        ('<div id="s" role="log"></div>', "polite", "log#s"),
        ('<div id="s" role="alert"></div>', "assertive", "alert#s"),
        ('<output id="s"></output>', "polite", "status#s"),
        ('<output id="s" role="unknown"></output>', "polite", "status#s"),
        ('<div id="s" role="unknown Alert status"></div>', "assertive", "alert#s"),
        ('<div id="s" aria-live="polite"></div>', "polite", "div#s"),
        ('<div id="s" aria-live="ASSERTIVE"></div>', "assertive", "div#s"),
        ('<div id="s" role="alert" aria-live="polite"></div>', "polite", "alert#s"),
        ('<div id="s" role="alert" aria-live="loud"></div>', "assertive", "alert#s"),
        ('<div id="s" role="timer" aria-live="polite"></div>', "polite", "timer#s"),
        ('<div role="log" aria-label="Chat"><p id="s"></p></div>', "polite", 'log "Chat"'),
        ('<div aria-live="polite" class="toast big"><p id="s"></p></div>', "polite", "div.toast"),
        (
            '<chat-box><template shadowrootmode="open"><slot role="log"></slot></template><p id="s"></p></chat-box>',
            "polite",
            "chat-box: log",
        ),
    ],
)
def test_every_kind_of_live_region_is_heard(
    page: Page, announcements: Announcements, opened: Opened, region: str, politeness: str, name: str
) -> None:
    opened(region)
    page.evaluate(f"() => {{ {S}.textContent = ' Two \\n words '; }}")
    (one,) = announcements.all()
    assert (one.politeness, one.region, one.text) == (politeness, name, "Two words")


@pytest.mark.proves("Q20")
@pytest.mark.parametrize(
    "region",
    [
        '<div id="s"></div>',
        '<div id="s" role="timer"></div>',
        '<div id="s" role="marquee"></div>',
        '<div id="s" role="status" aria-live="off"></div>',
        '<div id="s" role="note status"></div>',
        '<div role="log"><p id="s" aria-live="off"></p></div>',
        '<div role="log" aria-relevant="removals"><p id="s"></p></div>',
        '<div role="log"><p id="s" aria-hidden="true"></p></div>',
        '<div role="log"><p id="s" hidden></p></div>',
        '<div role="log"><p id="s" inert></p></div>',
        '<div role="log"><p id="s" style="visibility: hidden"></p></div>',
    ],
)
def test_what_is_not_live_or_not_perceived_is_not_heard(
    page: Page, announcements: Announcements, opened: Opened, region: str
) -> None:
    opened(region)
    page.evaluate(f"() => {{ {S}.textContent = 'words'; }}")
    assert heard(announcements) == []


LOG = '<div id="s" role="log"><p id="old">Old.</p></div>'
TURNS = [
    # Atomic regions say all that stands in them; others say what changed.
    (STATUS, f"{S}.append('one ', 'two')", ["one two"]),
    ('<div id="s" role="status"><b>Now:</b> <i id="i">1</i></div>', "i.textContent = '2'", ["Now: 2"]),
    ('<div id="s" role="status" aria-atomic="false"><b>Now:</b> <i id="i">1</i></div>', "i.textContent = '2'", ["2"]),
    (LOG, f"{S}.append(Object.assign(document.createElement('p'), {{ textContent: 'New.' }}))", ["New."]),
    (LOG, "old.firstChild.appendData(' More.')", ["Old. More."]),
    (LOG, "old.firstChild.data = 'Old.'", []),
    ('<div role="log" aria-atomic="true"><p id="old">Old.</p><p>2</p></div>', "old.append(' 1')", ["Old. 1 2"]),
    ('<div role="log"><p aria-atomic="true"><i>A</i> <b id="b">1</b></p><p>2</p></div>', "b.textContent = 3", ["A 3"]),
    # One announcement of a region in one task, of what stands there at its end.
    (STATUS, f"for (const text of ['a', 'b', 'c']) {S}.textContent = text", ["c"]),
    (STATUS, f"{S}.textContent = 'a'; {S}.textContent = ''", []),
    (LOG, f"for (const text of ['a', 'b']) {S}.append(Object.assign(new Image(), {{ alt: text }}))", ["a b"]),
    # A text that is set again may be spoken again; an emptied region says nothing.
    (STATUS, f"{S}.textContent = 'a'; later(() => ({S}.textContent = 'a'))", ["a", "a"]),
    (STATUS, f"{S}.textContent = 'a'; later(() => ({S}.textContent = ''))", ["a"]),
    # aria-relevant
    ('<div id="s" role="log" aria-relevant="removals"><p id="old">Old.</p></div>', "old.remove()", ["Old."]),
    ('<div id="s" role="log" aria-relevant="all"><p id="old">Old.</p></div>', "old.remove()", ["Old."]),
    (LOG, "old.remove()", []),
    ('<div id="s" role="log" aria-relevant="additions"><p id="old">Old.</p></div>', "old.append('x')", []),
    ('<div id="s" role="log" aria-relevant="text"><p id="old">Old.</p></div>', f"{S}.append(new Image())", []),
    # Names, hidden parts, and lines that follow each other.
    (STATUS, f"{S}.innerHTML = '<img alt=Chart> <button aria-label=Close>x</button>'", ["Chart Close"]),
    (STATUS, f"{S}.innerHTML = 'a<i aria-hidden=true>b</i><b hidden>c</b>d<p>e</p>f<br>g'", ["ad e f g"]),
    (STATUS, f"{S}.innerHTML = '<script>x</scr' + 'ipt><b style=\"visibility:hidden\">c<i>d</i></b>e'", ["e"]),
    ('<div id="s" role="status" aria-label="Answer">1</div>', f"{S}.textContent = 2", ["Answer 2"]),
    ('<div id="s" role="log"><img id="i" alt="Old"></div>', "i.alt = 'New'", ["New"]),
    ('<div id="s" role="log"><button id="b">+</button></div>', "b.setAttribute('aria-label', 'More')", ["More"]),
    # What comes into view inside a region is an addition.
    ('<div role="log"><p id="p" hidden>Seen.</p></div>', "p.hidden = false", ["Seen."]),
    ('<div role="log"><p id="p" style="display: none">Seen.</p></div>', "p.style.display = ''", ["Seen."]),
    ('<div role="log"><p id="p">Seen.</p></div>', "p.hidden = true; later(() => (p.hidden = false))", ["Seen."]),
    (
        '<div role="log" id="s"></div>',
        f"{S}.innerHTML = '<p id=p hidden>x</p>'; later(() => (p.hidden = false))",
        ["x"],
    ),
    # Regions that come empty, or become live, speak from then on.
    (
        "",
        "const e = document.createElement('output'); document.body.append(e); later(() => e.append('x'))",
        ["x"],
    ),
    ('<p id="p"></p>', "p.setAttribute('aria-live', 'polite'); later(() => p.append('x'))", ["x"]),
    ('<p id="p" role="log"></p>', "p.setAttribute('aria-live', 'off'); later(() => p.append('x'))", []),
    # What was added and changed, moved, or shown is said once.
    (LOG, f"const p = document.createElement('p'); {S}.append(p); p.append('x')", ["x"]),
    ('<p id="p">x</p><div id="a" role="log"></div><div id="b" role="log"></div>', "a.append(p); b.append(p)", ["x"]),
    ('<div role="log"><p id="p" hidden>x</p></div>', "p.hidden = false; later(() => (p.className = 'y'))", ["x"]),
    ('<div role="log"><p id="p" style="visibility: hidden">x</p></div>', "p.style.visibility = ''", ["x"]),
    (LOG, f"const p = document.createElement('p'); p.textContent = 'x'; {S}.append(p); p.remove()", []),
    # A name alone says nothing.
    ("", "document.body.insertAdjacentHTML('beforeend', '<output aria-label=Answer></output>')", []),
    # Not in the page: nobody is told.
    (STATUS, f"const e = {S}; e.remove(); e.textContent = 'x'", []),
    (STATUS, f"const e = {S}; e.remove(); later(() => (e.textContent = 'x'))", []),
]


@pytest.mark.proves("Q20")
@pytest.mark.parametrize(("body", "script", "expected"), TURNS)
def test_what_a_change_says(
    page: Page, announcements: Announcements, opened: Opened, body: str, script: str, expected: list[str]
) -> None:
    opened(body)
    page.evaluate(
        f"() => new Promise((done) => {{ const later = (f) => setTimeout(() => {{ f(); }}); {script};"
        " setTimeout(() => setTimeout(done)); })"
    )
    assert heard(announcements) == expected
    assert announcements.born_filled() == []


@pytest.mark.proves("Q20")
@pytest.mark.parametrize("mode", ["open", "closed"])
def test_shadow_roots_are_heard(page: Page, announcements: Announcements, opened: Opened, mode: str) -> None:
    opened("<chat-box></chat-box>")
    page.evaluate(f"""() => {{
        window.root = document.querySelector("chat-box").attachShadow({{ mode: "{mode}" }});
        window.root.innerHTML = '<p role="status"></p>';
    }}""")
    page.evaluate("() => { root.querySelector('p').textContent = 'from the shadow'; }")
    (one,) = announcements.all()
    assert (one.region, one.text) == ("chat-box: status", "from the shadow")


@pytest.mark.proves("Q20")
def test_the_words_of_a_shadow_root_are_words_of_the_region_around_it(
    page: Page, announcements: Announcements, opened: Opened
) -> None:
    """A host that was made before it came into the page, and whose root is closed to scripts."""
    opened(STATUS)
    page.evaluate(f"""() => {{
        const host = document.createElement("chat-box");
        host.attachShadow({{ mode: "closed" }}).innerHTML = "in the <slot>x</slot>";
        host.append("shadow");
        {S}.append(host);
    }}""")
    assert heard(announcements) == ["in the shadow"]


@pytest.mark.proves("Q20")
def test_a_region_may_change_its_politeness(page: Page, announcements: Announcements, opened: Opened) -> None:
    opened('<p id="s" aria-live="polite"></p>')
    for politeness in ("assertive", "off"):
        page.evaluate(f"() => {{ {S}.ariaLive = '{politeness}'; }}")
        (region,) = announcements.regions()
        assert region.politeness == politeness


@pytest.mark.proves("Q20")
def test_frames_are_heard_on_the_clock_of_the_page(page: Page, announcements: Announcements, opened: Opened) -> None:
    opened(f"{STATUS}<iframe name=inner srcdoc='<p role=alert></p>'></iframe>")
    inner = page.frame("inner")
    assert inner is not None
    page.evaluate(f"() => {{ {S}.textContent = 'first'; }}")
    inner.evaluate("() => { document.querySelector('p').textContent = 'second'; }")
    page.evaluate(f"() => {{ {S}.textContent = 'third'; }}")
    announcements.wait_for("third")
    assert [(one.region, one.text) for one in announcements.all()] == [
        ("status#s", "first"),
        ("inner: alert", "second"),
        ("status#s", "third"),
    ]


@pytest.mark.proves("Q20")
def test_what_is_notified_is_heard_without_any_region(page: Page) -> None:
    """A browser without `ariaNotify` is given one first: what counts is that the page calls it."""
    page.add_init_script("Document.prototype.ariaNotify ??= () => {}; Element.prototype.ariaNotify ??= () => {};")
    announcements = Announcements(page)
    page.route(ADDRESS, lambda route: _html(route, "<p>x</p>"))
    page.goto(ADDRESS)
    page.evaluate("() => { document.ariaNotify('one'); document.body.ariaNotify('two', { priority: 'high' }); }")
    assert [(one.region, one.politeness, one.text) for one in announcements.all()] == [
        ("ariaNotify", "polite", "one"),
        ("ariaNotify", "assertive", "two"),
    ]
    announcements.at_most(2)


@pytest.mark.proves("Q21")
@pytest.mark.parametrize(
    ("body", "script"),
    [
        ("", "document.body.insertAdjacentHTML('beforeend', '<p id=n role=status>born</p>')"),
        ("", "document.body.append(Object.assign(document.createElement('output'), { id: 'n', textContent: 'born' }))"),
        ("", "const e = document.createElement('output'); e.id = 'n'; document.body.append(e); e.append('born')"),
        ('<p id="n">born</p>', "n.setAttribute('aria-live', 'polite')"),
        ('<p id="n" aria-live="off">born</p>', "n.setAttribute('aria-live', 'polite')"),
        ('<p id="n" role="status" hidden>born</p>', "n.hidden = false"),
        ('<p id="n" role="status" hidden></p>', "n.textContent = 'born'; n.hidden = false"),
    ],
)
def test_a_text_that_comes_with_its_region_is_told_apart(
    page: Page, announcements: Announcements, opened: Opened, body: str, script: str
) -> None:
    opened(body)
    page.evaluate(f"() => {{ {script}; }}")
    assert heard(announcements) == []
    (born,) = announcements.born_filled()
    assert (born.region.endswith("#n"), born.text) == (True, "born")
    with pytest.raises(AssertionError, match="nothing was heard, and this was written where not every screen reader"):
        announcements.at_most(3)


@pytest.mark.proves("Q21")
def test_what_stands_in_the_first_html_is_not_said_and_not_late(
    page: Page, announcements: Announcements, opened: Opened
) -> None:
    opened("<p role=status>Here from the start.</p>")
    assert (heard(announcements), list(announcements.born_filled())) == ([], [])
    announcements.at_most(0)


@pytest.mark.proves("Q21")
def test_what_the_first_html_says_in_parts_is_not_said_and_what_a_script_says_is(page: Page) -> None:
    """The parser stops at every script and goes on: a region that it is still in is not changed by anybody."""
    announcements = Announcements(page)
    goes_on = "<script>1</script>"
    body = f'<p role="log">Here {goes_on} from {goes_on} the start.</p><p id="s" role="status"></p>'
    page.route(ADDRESS, lambda route: _html(route, f"{body}<script>s.textContent = 'Said.'</script>"))
    page.goto(ADDRESS)
    assert (heard(announcements), list(announcements.born_filled())) == (["Said."], [])


@pytest.mark.proves("Q21")
@pytest.mark.parametrize(
    ("body", "why"),
    [
        ('<p id="s" role="status" style="display: none"></p>', "display: none"),
        ('<p id="s" role="status" hidden></p>', "display: none"),
        ('<p id="s" role="status" style="visibility: hidden"></p>', "visibility: hidden"),
        ('<p id="s" role="status" aria-hidden="true"></p>', 'aria-hidden="true"'),
        (
            '<main id="m" aria-hidden="true"><p id="s" role="status"></p></main>',
            'aria-hidden="true" on main#m around it',
        ),
        ('<main inert><p id="s" role="status"></p></main>', "inert on main around it"),
        ('<p id="s" role="status"></p><dialog id="d">?</dialog>', "behind a modal dialog"),
    ],
)
def test_a_region_that_nobody_perceives_is_reported_as_silent(
    page: Page, announcements: Announcements, opened: Opened, body: str, why: str
) -> None:
    opened(body)
    page.evaluate("() => document.querySelector('dialog')?.showModal()")
    (region,) = announcements.silent_regions()
    assert (region.name, region.silence) == ("status#s", why)
    with pytest.raises(AssertionError, match="no live region of the page can be heard"):
        announcements.at_most(3)
    page.evaluate(f"() => {{ {S}.textContent = 'lost'; }}")
    assert heard(announcements) == []
    with pytest.raises(AssertionError, match=r"nothing was heard, .*'lost'"):
        announcements.polite_only()
    page.evaluate(f"() => {{ {S}.remove(); }}")
    assert [one.silence for one in announcements.silent_regions()] == [why]


@pytest.mark.proves("Q21")
def test_a_region_that_is_only_out_of_sight_speaks(page: Page, announcements: Announcements, opened: Opened) -> None:
    opened('<p id="s" role="status" style="position: absolute; clip-path: inset(50%); opacity: 0; width: 1px"></p>')
    page.evaluate(f"() => {{ {S}.textContent = 'spoken'; }}")
    assert (heard(announcements), list(announcements.silent_regions())) == (["spoken"], [])


@pytest.mark.proves("Q22")
def test_no_judgement_passes_without_a_live_region(announcements: Announcements, opened: Opened) -> None:
    opened('<p role="timer">1</p>')
    for judge in (
        lambda: announcements.at_most(9),
        lambda: announcements.gap(1),
        lambda: announcements.in_order([]),
        lambda: announcements.covers(""),
        lambda: announcements.not_per_delta(deltas=9),
        announcements.polite_only,
    ):
        with pytest.raises(AssertionError, match="the page has had no live region"):
            judge()


@pytest.mark.proves("Q22")
def test_a_failure_shows_what_was_heard(page: Page, announcements: Announcements, opened: Opened) -> None:
    opened(STATUS)
    page.evaluate(f"() => {{ {S}.textContent = 'one'; }}")
    mark = announcements.mark()
    page.evaluate(f"() => {{ {S}.textContent = 'two'; }}")
    with pytest.raises(AssertionError) as failure:
        announcements.in_order(["two", re.compile("^one$")])
    first, head, *rows = str(failure.value).splitlines()
    assert first == "'^one$', number 2 of 2, was heard only before what it should follow"
    assert head.split() == ["seconds", "politeness", "region", "text"]
    assert [row.split()[1:] for row in rows] == [["polite", "status#s", "'one'"], ["polite", "status#s", "'two'"]]
    assert [one.text for one in announcements.since(mark)] == ["two"]
    announcements.at_most(1, since=mark)
    with pytest.raises(AssertionError, match=r"'three' was not the newest announcement within 0\.1 s"):
        announcements.wait_for("three", seconds=0.1)


# The small chats, each with one fault: what the kit says of it.
WORDS = [step for number in range(60) for step in (delta(f"word{number} "), Wait(0.01))]


@pytest.fixture
def asked(
    page: Page, announcements: Announcements, bad_pages: BadPages, upstream: Upstream
) -> Callable[[str], Announcements]:
    """Ask the small chat with this fault and wait until its answer is there."""

    def ask(fault: str) -> Announcements:
        upstream.play(Reply([*WORDS, *answer("end.")]))
        chat = Chat(page, f"{bad_pages.url}/{fault}", read_profile(PROFILE))
        page.goto(f"{bad_pages.url}/{fault}")
        chat.ask("Say it")
        chat.wait_for_end()
        return announcements

    return ask


@pytest.mark.proves("Q22")
def test_a_chat_that_does_it_right_passes_every_judgement(asked: Callable[[str], Announcements]) -> None:
    good = asked("good")
    good.wait_for("Answer complete")
    good.in_order(["Generating the answer", "Answer complete"])
    good.at_most(2)
    good.gap(0.5)
    good.not_per_delta(deltas=61)
    good.polite_only()
    assert (list(good.silent_regions()), list(good.born_filled())) == ([], [])


@pytest.mark.proves("Q22")
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("live_answer", r"\d+ announcements in .* s for 61 deltas: nobody follows more than"),
        ("reads_all_again", "log#transcript reads all again"),
        ("late_region", "nothing was heard, and this was written where not every"),
        ("hidden_region", "nothing was heard, .*Generating the answer"),
    ],
)
def test_a_chat_that_speaks_wrongly_is_told_how(
    asked: Callable[[str], Announcements], fault: str, message: str
) -> None:
    with pytest.raises(AssertionError, match=message):
        asked(fault).not_per_delta(deltas=61)
