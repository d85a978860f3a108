"""What no reader of a source sees is no text of the book, and the report says how much there was."""

import io

import docx
import pytest
from docx.oxml.ns import qn
from docx.shared import Pt, RGBColor

from libs.profiles import load_profile
from services.ingest.model.book import ParsedText
from services.ingest.parsers.docx import parse_docx
from services.ingest.parsers.html import parse_html
from services.ingest.parsers.markdown import parse_markdown
from services.ingest.parsers.plain import parse_plain
from services.ingest.plan import plan_book
from services.ingest.ports.reading import ReadTask
from services.ingest.read import read_document
from tests.support.ingest_fakes import LetterTokens, source

HIDDEN, SHAPELESS = "hidden text", "hidden characters"


def dropped_from(parsed: ParsedText) -> list[tuple[str, int, bool]]:
    return [(item.kind, item.characters, item.dropped) for item in parsed.dropped_content]


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("display:none", True),
        ("color: red; DISPLAY : NONE !important", True),
        ("visibility:hidden", True),
        ("opacity:0", True),
        ("opacity: 0.0;", True),
        ("font-size:0px", True),
        ("color:#fff; background-color: white", True),
        ("background:#000;color:black", True),
        ("height:0;overflow:hidden", True),
        ("overflow: hidden; height: 0px", True),
        ("transform:scale(0)", True),
        ("text-indent:-9999px", True),
        ("display:none-at-all", False),
        ("height:0", False),
        ("height:0.5em;overflow:hidden", False),
        ("line-height:0;overflow:hidden", False),
        ("text-indent:-1em", False),
        ("opacity:0.5", False),
        ("font-size:0.8em", False),
        ("color:#fff", True),
        ("color:#fff;background:#000", False),
        ("background:#000", True),
        ("", False),
    ],
)
def test_a_style_hides_what_nobody_can_read(style: str, expected: bool) -> None:
    parsed = parse_markdown(f"# T\n\nSeen.\n\n<div style='{style}'>Words.</div>\n", False, "F")
    assert ("Words." not in parsed.text) is expected


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    ("words", "named"), [(5, False), (60, True), (400, True)], ids=["a note", "much", "most"]
)
@pytest.mark.parametrize("path", ["page.html", "page.md"])
def test_a_page_that_hides_much_is_named(path: str, words: int, named: bool) -> None:
    seen, unseen = "A seen word. " * 60, "Obey. " * words
    page = f"<p>{seen}</p>\n\n<div style='display:none'>{unseen}</div>\n"
    [placed] = plan_book(source({path: page})).documents
    report = read_document(
        ReadTask("b", "en", placed, load_profile("").chunking), LetterTokens()
    ).report
    warned = [warning for warning in report.warnings if "hidden from readers" in warning]
    assert bool(warned) == named
    if named:
        said = f'"{path}": much of it is hidden from readers, {5 * words} characters beside 600'
        assert warned == [f"{said} that they see: it was left out."]


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    "hiding",
    ['style="display:none"', "hidden", 'style="font-size:0"', 'style="color:#fff;background:#fff"'],
)
def test_html_leaves_out_what_is_hidden_and_says_so(hiding: str) -> None:
    page = (
        f"<h1>T</h1><p>Seen <span {hiding}>never <b>seen</b></span> words.</p>"
        f"<p {hiding}>Nor this.</p>"
    )
    parsed = parse_html(page, "F")
    assert parsed.text == "T\n\nSeen words."
    assert dropped_from(parsed) == [(HIDDEN, 9, True), (HIDDEN, 8, True)]


SECRET = "<p class='deep'>Deep <b>words</b>.</p>"


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    ("sheet", "is_read"),
    [
        (".deep{display:none}", False),
        ("p.deep {color:red; DISPLAY : none !important}", False),
        ("@media screen{.deep{visibility:hidden}}", False),
        ("/* } */ a::after{content:'}'} .other, div > p.deep{opacity:0}", False),
        (".box .deep{font-size:0}", False),
        ("#one p{position:absolute;left:-9999px}", False),
        (".deep{height:0;overflow:hidden}", False),
        (".deep{position:absolute;clip:rect(0 0 0 0)}", False),
        (".deep{color:#fff}", False),
        (".deep{display:none", False),
        (".deep{color:#fff;background:rgb(255, 255, 255)}", False),
        ("body{background:#222} .deep{color:#222222}", False),
        (".deep{display:block} .deep{display:none}", False),
        ("p.deep{display:none} .deep{display:block}", False),
        (".deep{display:none !important} #one .deep{display:block}", False),
        (".deep{display:none} @media print{.deep{display:block}}", False),
        (".deep{color:#fff} @media print{.deep{color:#000}}", False),
        (".deep{color:#fff} .deep:hover{color:#000}", False),
        (".deep{color:#fff} .deep:nth-child(99){color:#000}", False),
        (".deep{display:none} .deep:nth-child(99){display:block}", False),
        (".deep{display:none} @media (max-width:1px){.deep{display:block}}", False),
        (".deep{display:none} @supports (no-such:thing){.deep{display:block}}", False),
        (".deep{display:none} .deep:no-such-state{display:block}", False),
        (".deep{color:#fff} .box{position:relative}", False),
        (".deep{visibility:hidden} .deep:hover{visibility:visible}", False),
        (".deep{display:/**/none}", False),
        (".deep{di\\73play:n\\6fne}", False),
        ("@supports (display:grid){.deep{display:none}}", False),
        ("@layer a{.deep{display:block!important}} .deep{display:none!important}", True),
        ("@layer b{#one .deep{display:block}} .deep{display:none}", False),
        (".box{.deep{display:none}}", False),
        (".box{color:red; & > p{display:none}}", False),
        (":is(#one, .none) :where(.deep){opacity:.01}", False),
        (".box p:not([lang]){display:none}", False),
        ("[class~=deep]{display:none}", False),
        ("p[class^='de' i]:nth-child(1){display:none}", False),
        ("div:has(> .deep) p{display:none}", False),
        (".deep{font-size:1px}", False),
        (".deep{font-size:.01em}", False),
        (".deep{font:.1px/1 serif}", False),
        (".box{font-size:4px} .deep{font-size:50%}", False),
        (".deep{color:#fefefe}", False),
        (".deep{color:hsl(0 0% 99%)}", False),
        (".deep{color:oklch(1 0 0)}", False),
        (".deep{color:lab(100 0 0)}", False),
        (".deep{color:Canvas}", False),
        (".deep{color:oklch(.4 .1 20)}", True),
        (".deep{color:lab(30 20 10)}", True),
        (".deep{color:CanvasText}", True),
        (".deep{font-size:calc(1px*.1)}", False),
        (".deep{font-size:clamp(0px,0px,1px)}", False),
        (".deep{font-size:min(16px, 2em)}", True),
        (".deep{font-size:calc(8px * 2)}", True),
        (".deep{color:rgb(0 0 0 / 2%)}", False),
        (".deep{color:floralwhite}", False),
        (".deep{color:transparent}", False),
        (".deep{-webkit-text-fill-color:#fff}", False),
        (":root{--x:#fff} .deep{color:var(--x)}", False),
        (".deep{color:var(--none, white)}", False),
        (":root{--a:var(--b);--b:none} .deep{display:var(--a)}", False),
        (".deep{margin-left:-9999px}", False),
        (".deep{margin:-200em 0 0 -2000px}", False),
        (".deep{text-indent:-100em}", False),
        (".deep{transform:translateX(-9999px)}", False),
        (".deep{translate:-200vw}", False),
        (".deep{transform:translate(-100%, 0) scale(0)}", False),
        (".deep{clip-path:inset(100%)}", False),
        (".deep{clip-path:polygon(0 0, 0 0, 0 0)}", False),
        (".deep{clip-path:circle(0)}", False),
        (".deep{position:absolute;inset:0 auto auto -999em}", False),
        (".deep{position:fixed;left:calc(0px - 9000px)}", False),
        (".deep{content-visibility:hidden}", False),
        (".deep{max-height:0;overflow:auto}", False),
        (".deep{position:absolute;width:1px;height:1px;overflow:hidden}", False),
        (".deep{filter:opacity(0)}", False),
        (".deep{scale:0}", False),
        (".deep{text-indent:100%;white-space:nowrap;overflow:hidden}", False),
        # What the page shows all the same, or in another state of it.
        (".deep{display:none} p.deep{display:block}", True),
        (".deep{display:none} .deep.open{display:block}", True),
        (".deep{display:none} .opened .deep{display:block}", True),
        (".deep{display:none} :checked + .deep{display:block}", False),
        (".deep:not(.open){display:none}", True),
        ("@media print{.deep{display:none}}", True),
        ("@media (max-width:600px){.deep{display:none}}", True),
        (".deep::before{display:none}", True),
        (".deep{color:#fff} .box{background:navy}", True),
        ("@import 'a.css'; .deep{color:#fff}", True),
        (".deep{color:#fff} @media (prefers-color-scheme:dark){body{background:#000}}", True),
        (".deep{color:transparent;background-clip:text}", False),
        (".deep{color:transparent;background:linear-gradient(red,blue) text}", True),
        ("section > .deep{display:none}", True),
        ("#two .deep{display:none}", True),
        (".box{height:0}", True),
    ],
)
def test_a_sheet_hides_what_it_shows_in_no_state_of_the_page(sheet: str, is_read: bool) -> None:
    page = f"<script src='page.js'></script><div class='box' id='one'>{SECRET}</div>"
    parsed = parse_html(f"<style>{sheet}</style><h1>T</h1><p>Seen.</p>{page}", "F")
    assert ("Deep words." in parsed.text) is is_read
    assert dropped_from(parsed) == ([] if is_read else [(HIDDEN, 10, True)])
    reasons = {item.reason for item in parsed.dropped_content}
    assert reasons <= {"a style sheet hides it from all readers"}


@pytest.mark.control("V20")
def test_sheets_of_very_many_rules_are_laid_on_a_page_within_a_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("services.ingest.parsers.html.unseen._MOST_STEPS", 10_000)
    sheet = "".join(f".box{at} .a{{left:1px}}" for at in range(400)) + ".a{display:none}"
    page = "<p class='a'>x.</p>" * 50 + "<p style='opacity:0'>Never.</p><p>Seen.</p>"
    parsed = parse_html(f"<style>{sheet}</style>{page}", "F")
    text = parsed.text
    assert parsed.dropped_content[0].kind == "style sheet"
    assert 40 < text.count("x.") < 50
    assert text.endswith("x.\n\nSeen.")


@pytest.mark.parametrize("medium", ["print", "(max-width: 40em)"])
def test_a_sheet_for_another_medium_hides_nothing(medium: str) -> None:
    page = f"<style media='{medium}'>.deep{{display:none}}</style><h1>T</h1>{SECRET}"
    assert parse_html(page, "F").text == "T\n\nDeep words."


def test_signs_of_code_in_the_colour_of_their_ground_stay() -> None:
    sheet = "pre{background:#f8f8f8} .w{color:#f8f8f8}"
    code = "<pre>a<span class='w'>: </span>b <span class='w'>gone</span></pre>"
    assert parse_html(f"<style>{sheet}</style>{code}", "F").text == "a: b"


WHITE = '<p style="color: white">White words.</p>'


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    ("page", "is_read"),
    [
        (WHITE, False),
        (f"<style>.dark {{ background: #000 }}</style>{WHITE}", False),
        (f"<div style='background: #fff'>{WHITE}</div>", False),
        (f"<div style='background: navy'>{WHITE}</div>", True),
        (f"<table><tr><td bgcolor='navy'>{WHITE}</td></tr></table>", True),
        (f"<div class='dark'>{WHITE}</div>", True),
        (f"<style>.x {{ top: 0 }}</style><div class='dark'>{WHITE}</div>", False),
        (f"<style>.dark {{ background: #000 }}</style><div class='dark'>{WHITE}</div>", True),
        (f"<style>body {{ background: #222 }}</style>{WHITE}", True),
        (f"<link rel='stylesheet' href='a.css'>{WHITE}", True),
        (WHITE.replace("white", "#333"), True),
    ],
)
def test_white_words_are_read_only_where_a_page_may_paint_what_they_stand_on(
    page: str, is_read: bool
) -> None:
    parsed = parse_html(f"<html><body><h1>T</h1><p>Seen.</p>{page}</body></html>", "F")
    assert ("White words." in parsed.text) is is_read
    assert dropped_from(parsed) == ([] if is_read else [(HIDDEN, 11, True)])


@pytest.mark.control("V20")
@pytest.mark.parametrize("hiding", ['style="display: none"', "hidden"])
def test_markdown_leaves_out_what_is_hidden_and_says_so(hiding: str) -> None:
    source = (
        f"# T\n\nSeen <span {hiding}>never <span>seen</span> at all</span> words.\n\n"
        f"<div {hiding}>\n\nNor this.\n\n<div>\n\nNor that.\n\n</div>\n\nNor these.\n\n</div>\n\n"
        "And this again.\n"
    )
    parsed = parse_markdown(source, False, "F")
    assert parsed.text == "T\n\nSeen words.\n\nAnd this again."
    assert dropped_from(parsed) == [
        *((HIDDEN, 14, True), (HIDDEN, 8, True), (HIDDEN, 8, True), (HIDDEN, 9, True)),
    ]


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ('{display: "none"}', False),
        ("{'display': 'none',}", False),
        ("{visibility: 'hidden', fontSize: 12}", False),
        ("{ fontSize: 0 }", False),
        ("{ opacity: 0 }", False),
        ("{color: 'white'}", False),
        ("{color: '#eee', backgroundColor: `#eee` /* it fades */}", False),
        ("{position: 'absolute', left: -9999}", False),
        ("{...base, display: 'none'}", False),
        ("{WebkitTextFillColor: 'transparent'}", False),
        ("{color: 'white', backgroundColor: 'black'}", True),
        ("{color: 'white', background: theme.dark}", True),
        ("{color: 'white', ...theme}", True),
        ("{color: pick('white', 'white')}", True),
        ("{display: isOpen ? 'block' : 'none'}", True),
        ("{marginLeft: 10, fontSize: '1.2em', content: '}'}", True),
        ("styles.note", True),
    ],
)
@pytest.mark.control("V20")
def test_a_style_of_a_component_hides_as_one_of_html(style: str, expected: bool) -> None:
    source = f"# T\n\nSeen.\n\n<div style={{{style}}}>\n\nWords here.\n\n</div>\n"
    parsed = parse_markdown(source, True, "F")
    assert ("Words here." in parsed.text) is expected
    assert dropped_from(parsed) == ([] if expected else [(HIDDEN, 10, True)])


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("Pick <datalist id='x'><option>One</option></datalist> end.", "Pick end."),
        ("<datalist id='x'>\n<option>One</option>\n</datalist>", ""),
        ("<dialog>\n\nClosed words.\n\n</dialog>", ""),
        ("Some <dialog>closed</dialog> words.", "Some words."),
        ("<div style='background:#000'>\n\n<p style='color:white'>Seen.</p>\n\n</div>", "Seen."),
        ("<div style='background:#000'><p style='color:#fff'>Seen.</p></div>", "Seen."),
        ("<div style='background:#000'>\n\n<p style='color:#111'>\n\nGone.\n\n</p>\n\n</div>", ""),
        ("<p style='visibility:hidden'>No <b style='visibility:visible'>yes</b> no.</p>", "yes"),
        (
            "<div style='visibility:hidden'>\n\nNo <b style='visibility:visible'>yes</b> no.\n\n</div>",
            "yes",
        ),
        ("<div hidden>\n\nNo.\n\n<p>\n\nNo.\n\n</p>\n\nNo.\n\n</div>\n\nyes", "yes"),
        (
            "<p style='visibility:hidden'>\n\n<b style='visibility:visible'>\n\nyes\n\n</b></p>",
            "yes",
        ),
        ("<div style='font-size:0'>\n\nNo <b style='font-size:1rem'>yes</b>.\n\n</div>", "yes"),
        ("<div style='display:none'>\n\nNo <b style='display:inline'>no</b>.\n\n</div>", ""),
        ("A word <span class='sr-only'>for ears</span> here.", "A word here."),
        ("<div style='display:none'>\nNo.</div>\n\nyes", "yes"),
        ("<div style='display:none'>\nNo.</div> yes", "yes"),
        ("<div popover>\n\nClosed words.\n\n</div>", ""),
        ("<details>\n<summary>Fold</summary>\n\nIn it.\n\n</details>", "Fold\n\nIn it."),
    ],
)
def test_html_in_markdown_shows_what_a_page_of_it_does(markup: str, expected: str) -> None:
    parsed = parse_markdown(f"# T\n\n{markup}\n", False, "F")
    assert parsed.text.removeprefix("T").strip() == expected
    if not markup.startswith("<details"):
        page = parse_html(f"<!doctype html><h1>T</h1>{markup}", "F").text
        assert page.removeprefix("T").strip() == expected


@pytest.mark.parametrize("value", ["false", "null", "undefined"])
def test_an_attribute_that_is_switched_off_hides_nothing(value: str) -> None:
    parsed = parse_markdown(f"# T\n\n<p hidden={{{value}}}>Seen words.</p>\n", True, "F")
    assert parsed.text == "T\n\nSeen words."


@pytest.mark.parametrize("open_tag", ["<span hidden>", "<div hidden>\n\n"])
def test_a_tag_without_an_end_hides_nothing(open_tag: str) -> None:
    parsed = parse_markdown(f"{open_tag}Seen words.\n\nMore words.\n", False, "F")
    assert parsed.text == "Seen words.\n\nMore words."
    assert dropped_from(parsed) == []


def test_an_unclosed_hidden_element_hides_nothing_beyond_its_parent() -> None:
    source = "<div hidden>\n\nGone.\n\n<section hidden>\n\nGone.\n\n</div>\n\nSeen.\n"
    assert parse_markdown(source, False, "F").text == "Seen."


@pytest.mark.control("V20")
def test_docx_leaves_out_what_is_hidden_and_says_so() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Seen ")
    paragraph.add_run("never seen ").font.hidden = True
    paragraph.add_run("words").font.hidden = False
    buffer = io.BytesIO()
    document.save(buffer)
    parsed = parse_docx(buffer.getvalue(), "F")
    assert parsed.text == "Seen words"
    assert dropped_from(parsed) == [(HIDDEN, 9, True)]


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    ("painted", "expected"),
    [
        ("", "Seen words"),
        ("run:FFFFFF", "Seen words"),
        ("run:1F497D", "Seen white words"),
        ("paragraph:000000", "Seen white words"),
        ("cell:1F497D", "Seen white words"),
        ("page:000000", "Seen white words"),
    ],
)
def test_docx_leaves_out_white_words_on_white(painted: str, expected: str) -> None:
    document = docx.Document()
    cell = document.add_table(1, 1).cell(0, 0)
    paragraph = cell.paragraphs[0]
    paragraph.add_run("Seen ")
    run = paragraph.add_run("white ")
    run.font.color.rgb = RGBColor(255, 255, 255)
    paragraph.add_run("words")
    where, _, fill = painted.partition(":")
    owners = {
        "run": run._r.get_or_add_rPr(),
        "paragraph": paragraph._p.get_or_add_pPr(),
        "cell": cell._tc.get_or_add_tcPr(),
    }
    if where in owners:
        shading = owners[where].makeelement(qn("w:shd"), {qn("w:fill"): fill})
        owners[where].append(shading)
    elif where:
        body = document.element.body
        body.addprevious(body.makeelement(qn("w:background"), {qn("w:color"): fill}))
    buffer = io.BytesIO()
    document.save(buffer)
    parsed = parse_docx(buffer.getvalue(), "F")
    assert parsed.text == expected
    assert dropped_from(parsed) == ([] if "white" in expected else [(HIDDEN, 5, True)])


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    ("size", "colour", "expected"),
    [
        (1, 0, "Seen words"),
        (1.5, 0, "Seen words"),
        (6, 0, "Seen small words"),
        (11, 0xFD, "Seen words"),
        (11, 0xCC, "Seen small words"),
    ],
)
def test_docx_leaves_out_tiny_and_nearly_white_words(
    size: float, colour: int, expected: str
) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Seen ")
    run = paragraph.add_run("small ")
    run.font.size, run.font.color.rgb = Pt(size), RGBColor(colour, colour, colour)
    paragraph.add_run("words")
    buffer = io.BytesIO()
    document.save(buffer)
    parsed = parse_docx(buffer.getvalue(), "F")
    assert parsed.text == expected
    assert dropped_from(parsed) == ([] if "small" in expected else [(HIDDEN, 5, True)])


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    "parse", [parse_html, parse_plain, lambda s, f: parse_markdown(s, False, f)]
)
def test_characters_without_a_shape_are_in_no_text(parse: object) -> None:
    assert callable(parse)
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    parsed = parse(f"Two\u200bwords \u202band\u202c more{tags}.\n", "F")
    assert parsed.text == "Twowords and more."
    assert dropped_from(parsed) == [(SHAPELESS, 7, True)]


@pytest.mark.parametrize(
    ("source_text", "expected"),
    [
        ("\u202e\n", ""),
        ("# \u200b\n\nSaid.\n", "Said."),
        ("One.\n\n\u202e\u200b\n\nTwo.\n", "One.\n\nTwo."),
    ],
)
def test_a_piece_of_nothing_but_such_characters_is_none(source_text: str, expected: str) -> None:
    parsed = parse_markdown(source_text, False, "F")
    assert parsed.text == expected
    assert all(block.start < block.end for block in parsed.blocks)
    assert SHAPELESS in {kind for kind, _, _ in dropped_from(parsed)}


def test_markup_stays_on_its_words_when_such_characters_go() -> None:
    parsed = parse_markdown("A\u200bb **c\u202bd** e *\u200bf* `g`\n", False, "F")
    assert parsed.text == "Ab cd e f g"
    assert [parsed.text[one.start : one.end] for one in parsed.markup] == ["cd", "f", "g"]


ENGLAND = "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in "gbeng") + "\U000e007f"


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("hy\u00adphen\u00adate", "hyphenate"),
        ("a\u061cb", "ab"),
        ("a\ufe0fb 1\ufe0f2", "ab 12"),
        ("a\U000e0101b", "ab"),
        ("a\u180eb", "ab"),
        ("a\u180bb", "ab"),
        ("a\u115fb \u1160c", "ab c"),
        ("a\u3164b\uffa0c", "a b c"),
        ("a\u1160\u1160b\u115f\u1160c", "abc"),
        ("\u1112\u1160\u1160\u11ab \u115f\u115f\u1161", "\u1112\u1160\u1160\u11ab \u115f\u1161"),
        ("\u3164a\u3164\uffa0\u3164b \u3164c", "a b c"),
        ("a\ufff0b\U000e0080c\U000e01f0d\U000e0fffe", "abcde"),
        ("a\ufe0f\u200db", "ab"),
        ("a\u2060\u2061\u2062\u2063\u2064b", "ab"),
        ("\ufff9base\ufffanote\ufffb", "basenote"),
        ("pass\u200cword pass\u200dword", "password password"),
        ("a\u034fb", "ab"),
        ("a\u17b4b", "ab"),
        ("a\x07b\x7fc\x9dd", "abcd"),
        ("a\U0001d173b", "ab"),
        # A message in selectors or joiners, or in the tags of no flag.
        ("\u2714\ufe0f\ufe01\ufe02", "\u2714\ufe0f"),
        ("\u0915\u200d\u200c\u200d\u0937", "\u0915\u200d\u0937"),
        (ENGLAND[:1] + ENGLAND[1:5] + "\U000e0062" + ENGLAND[6:], "\U0001f3f4"),
    ],
)
def test_a_character_that_shows_nothing_where_it_stands_goes(written: str, expected: str) -> None:
    parsed = parse_markdown(f"Said: {written}.\n", False, "F")
    assert parsed.text == f"Said: {expected}."
    blanks = sum(map(written.count, "\u3164\uffa0"))
    lost = len(written) - len(expected)
    assert dropped_from(parsed) == ([(SHAPELESS, lost, True)] if lost else [])
    assert blanks or lost


@pytest.mark.parametrize(
    "written",
    [
        # Persian "I go", a family of one emoji, Hindi, Bengali, Khmer, Mongolian, old Hangul.
        "\u0645\u06cc\u200c\u0631\u0648\u0645",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\u2764\ufe0f\u200d\U0001f525 1\ufe0f\u20e3 \u00a9\ufe0f \u21a9\ufe0e",
        "\u0915\u094d\u200d\u0937 \u0995\u09cd\u200d\u09af \u1780\u200c\u17d2\u1781",
        "\u182d\u180b\u1820\u180e",
        "\u1112\u1160\u11ab \u115f\u1161 \u115f\u1160\u11ab",
        "\u845b\U000e0100\u57ce",
        "\U0001f44d\U0001f3fd\u200d\U0001f91d",
        ENGLAND,
        "\u2801\u2800\u2803",
    ],
)
def test_a_character_that_changes_what_is_seen_stays(written: str) -> None:
    parsed = parse_markdown(f"Said: {written}.\n", False, "F")
    assert parsed.text == f"Said: {written}."
    assert dropped_from(parsed) == []


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("Do \u202eton\u202c touch it.", "Do not touch it."),
        ("Turn \u202e03\u202c degrees", "Turn 30 degrees"),
        ("(\u202ecba (x)\u202c)", "((x) abc)"),
        ("Say \u202eno", "Say on"),
        ("It is \u202d\u05d0\u05d1\u202c.", "It is \u05d1\u05d0."),
        ("It is \u202e\u05d0\u05d1\u202c and \u202dok\u202c.", "It is \u05d0\u05d1 and ok."),
        ("e\u0301 \u202ee\u0301a\u202c", "e\u0301 ae\u0301"),
    ],
)
def test_text_that_marks_turn_round_stands_as_a_reader_sees_it(body: str, shown: str) -> None:
    expected = [("turned text", False)] * (body.split() != shown.split() and "ok" not in body)
    for parsed in (
        parse_plain(body, "F"),
        parse_markdown(body, mdx=False, fallback_title="F"),
        parse_html(f"<p>{body}</p>", "F"),
    ):
        assert parsed.text == shown
        told = [(one.kind, one.dropped) for one in parsed.dropped_content]
        assert [one for one in told if one[0] != SHAPELESS] == expected


@pytest.mark.parametrize(
    "page",
    [
        "<p>Do <bdo dir=rtl>ton</bdo> touch it.</p>",
        "<p>Do <bdo dir=RTL><b>ton</b></bdo> touch it.</p>",
        "<p>Do <i style='direction:rtl;unicode-bidi:bidi-override'>ton</i> touch it.</p>",
    ],
)
def test_elements_that_turn_text_round_do_as_marks_do(page: str) -> None:
    assert parse_html(page, "F").text == "Do not touch it."
