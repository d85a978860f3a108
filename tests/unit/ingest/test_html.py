"""HTML pages: what readers see is kept with its kind, what sites put around it is not."""

import io

import pytest

from libs.errors import InvalidInput
from services.ingest.fetch import fetch_source
from services.ingest.model.book import BlockKind, MarkupKind, SourceFile
from services.ingest.parse import parse_document
from services.ingest.parsers.archive import Limits
from services.ingest.parsers.html import parse_html
from services.ingest.parsers.html.parser import read_title
from services.ingest.plan import plan_book
from tests.support.ingest_fakes import source
from tests.support.work import at_most

MATH = (
    "<math display='block'><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn>"
    "</msup></mrow><annotation encoding='application/x-tex'>E=mc^2"
    "</annotation></semantics></math>"
)


def pieces(html: str) -> list[tuple[str, str, str]]:
    parsed = parse_html(html, "Fallback")
    return [
        (block.kind.name, block.label, parsed.text[block.start : block.end])
        for block in parsed.blocks
    ]


def texts(html: str) -> list[str]:
    return [text for _, _, text in pieces(html)]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>One <b>two</b>\n three<br>four</p>", [("PARAGRAPH", "", "One two three\nfour")]),
        ("<h1>T</h1>loose", [("HEADING", "", "T"), ("PARAGRAPH", "", "loose")]),
        (
            "<ol start=3><li>a<ul><li>b</ul><li><p>c</p><p>d</p></ol>",
            [
                *(("LIST_ITEM", "3.", "a"), ("LIST_ITEM", "-", "b"), ("LIST_ITEM", "4.", "c")),
                ("LIST_ITEM", "", "d"),
            ],
        ),
        (
            "<dl><dt>Term<dd>Meaning</dl>",
            [("PARAGRAPH", "", "Term"), ("PARAGRAPH", "", "Meaning")],
        ),
        (
            "<table><caption>C</caption><tr><th>A<th>B<tr><td>1<td>2 <p>3</table>",
            [("CAPTION", "", "C"), ("TABLE", "", "A | B\n1 | 2 3")],
        ),
        (
            "<pre class='language-c'>int x;\n  <b>y</b>\n</pre>",
            [("CODE", "c", "int x;\n  y")],
        ),
        (
            (
                "<div class='highlight-sh notranslate'><div class=highlight><pre><span class=linenos>1"
                "</span>ls -l\n</pre></div></div>"
            ),
            [("CODE", "sh", "ls -l")],
        ),
        (
            "<blockquote>Said<footer>— <cite>Her</cite></footer></blockquote><footer>no</footer>",
            [("QUOTE", "", "Said"), ("QUOTE", "", "— Her")],
        ),
        (
            "<figure><img src=x alt='A  plan'><figcaption>Fig. 1</figcaption></figure>",
            [("CAPTION", "", "A plan"), ("CAPTION", "", "Fig. 1")],
        ),
        (
            "<div class='admonition warning'><p class=admonition-title>Warning</p><p>Hot.</div>",
            [("ADMONITION", "warning", "Hot.")],
        ),
        (MATH, [("MATH", "", "E=mc^2")]),
        (
            "<p>Let <math alttext='x^2'><msup><mi>x</mi><mn>2</mn></msup></math> be.",
            [("PARAGRAPH", "", "Let $x^2$ be.")],
        ),
        ("<p>Let <math><mi>x</mi></math> be.", [("PARAGRAPH", "", "Let x be.")]),
        (
            r"<p>Let <span class='math notranslate'>\(x_1\)</span> be.<div class=math>\[y\]</div>",
            [("PARAGRAPH", "", "Let $x_1$ be."), ("MATH", "", "y")],
        ),
    ],
)
def test_each_element_becomes_its_block(html: str, expected: list[tuple[str, str, str]]) -> None:
    assert pieces(html) == expected


def test_navigation_around_the_text_is_left_out() -> None:
    html = """<html><head><title>t</title><style>x</style></head><body>
    <header><a>Home</a></header><nav>Nav</nav><div role="navigation">Crumbs</div>
    <aside>Related</aside><div role="main"><h1>T<a class="headerlink" href="#t">¶</a></h1>
    <p>Text.<script>x()</script><!-- c --></p><form>Search</form></div><footer>Foot</footer>"""
    assert texts(html) == ["T", "Text."]


BOXED = (
    "The sticky bit restricts deletion of files so that only their owner can do it, or the owner "
)
BOXED += "of the directory above."


@pytest.mark.parametrize(
    "box",
    [
        f"<div class=sidebar><p class=title>SECURITY</p><p>{BOXED}</p></div>",
        f"<aside class='sidebar'><p>{BOXED}</p></aside>",
        f"<aside><p>{BOXED} <a href=x>More of it</a></p></aside>",
    ],
)
def test_a_box_of_prose_beside_the_text_is_text(box: str) -> None:
    assert any("sticky bit" in text for text in texts(f"<h1>T</h1>{box}<p>Text.</p>"))


@pytest.mark.parametrize(
    "menu",
    [
        f"<div class=sidebar><ul>{'<li><a href=x>Chapters of the book</a>' * 9}</ul></div>",
        f"<aside>{'<a href=x>A chapter</a> ' * 20}<p>{BOXED}</p></aside>",
        "<ul class='docnav top'><li><a href=x>Prev</a><li>The Handbook<li><a href=y>Next</a></ul>",
        "<div id=banner><a href=x>Download the book</a></div>",
        "<div class=footer>&copy; Copyright 2010 Jo. Created using <a href=x>Sphinx</a>.</div>",
        "<div class=pull-left><a href=x title='previous chapter (left arrow)'>borg extract</a></div>",
    ],
)
def test_a_menu_beside_the_text_is_no_text(menu: str) -> None:
    assert texts(f"{menu}<h1>T</h1><p>Text.</p>") == ["T", "Text."]


def test_numbers_of_paragraphs_beside_them_are_no_text() -> None:
    numbered = "".join(
        f"<div><label><a href='#o{n}'>{n}</a></label><p id=o{n}>The text of {n}.</p></div>"
        for n in (1, 2)
    )
    assert texts(f"<h1>T</h1>{numbered}") == ["T", "The text of 1.", "The text of 2."]
    elsewhere = "<div><p><a href='#o9'>9</a></p><p id=o1>It is nine.</p></div><p id=o9>Far.</p>"
    assert texts(f"<h1>T</h1>{elsewhere}") == ["T", "9", "It is nine.", "Far."]


def test_the_lower_line_of_a_gnu_manual_is_no_text() -> None:
    line = (
        '<div class="header"><p>Next: <a href="b.html">Loops</a>, Up: <a href="a.html">Top</a>'
        ' [<a href="c.html" rel="contents">Contents</a>][<a href="d.html" rel="index">Index</a>]'
        "</p></div>"
    )
    assert texts(f"<h1>T</h1><p>Go.</p>{line}") == ["T", "Go."]
    told = line.replace("Next: ", "Read this first: ")
    assert len(texts(f"<h1>T</h1><p>Go.</p>{told}")) == 3


GNU_MANUAL = """
<h1>Manual</h1>
<div class="header"><p>Next: <a href="#b" accesskey="n" rel="next">Loops</a>, Previous:
<a href="#a" rel="prev">Top</a> [<a href="#c" rel="contents">Contents</a>]</p></div>
<p>Read the <a href="#b" rel="next">next chapter</a> too.</p>
<h2>Index of words</h2>
<table><tr><th>Jump to: </th><td><a class="summary-letter" href="#d"><b>D</b></a></td></tr></table>
<table class="index-rw"><tr><td>done:</td><td><a href="#b">Looping Constructs</a></td></tr></table>
<table class="index-1"><tr><td>kept</td></tr></table>
"""


def test_lines_of_links_to_other_pages_and_indexes_are_no_text() -> None:
    parsed = parse_html(GNU_MANUAL, "F")
    blocks = [parsed.text[block.start : block.end] for block in parsed.blocks]
    assert blocks == ["Manual", "Read the next chapter too.", "Index of words", "kept"]
    left_out = [(item.kind, item.place) for item in parsed.dropped_content]
    assert left_out == [("navigation", "line 3"), ("index", "line 7"), ("index", "line 8")]


INDEX = """
<h1>Index</h1>
<dl><dt>ports</dt><dd><dl><dt>opening</dt><dd><p><a href="a.html#p">Ports</a>,
<a href="b.html">12</a></p>
</dd><dt>closing</dt><dd><a href="c.html">Ends</a> (14)</dd></dl></dd></dl>
"""


def test_a_list_of_terms_with_nothing_but_links_is_an_index() -> None:
    parsed = parse_html(INDEX, "F")
    assert parsed.text.split() == ["Index"]
    assert [item.kind for item in parsed.dropped_content] == ["index"]


@pytest.mark.parametrize(
    ("says", "instead"),
    [("(14)</dd>", "ends a connection</dd>"), ('<a href="b.html">12</a>', "12")],
)
def test_a_list_of_terms_that_says_a_word_or_links_little_is_text(says: str, instead: str) -> None:
    assert "closing" in parse_html(INDEX.replace(says, instead), "F").text


CONTENTS = '<li><a href="#a">1 Start</a><ul><li><a href="#b">1.1 <b>Stop</b></a></li></ul></li>'


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f"<p>All:</p><ul>{CONTENTS}</ul>", ["All:"]),
        (f'<h2 class="contents-heading">Contents</h2><ul>{CONTENTS}</ul><p>Go.</p>', ["Go."]),
        ('<ul><li><a href="#a">Start</a></li><li><a href="b.html">b</a></li></ul>', ["Start", "b"]),
        ('<ul><li><a href="#a">Start</a>: run it.</li><li><a href="#b">b</a></li></ul>', 2),
        ('<ul><li><a href="#a">Start</a></li></ul>', ["Start"]),
        ('<h2>set<a href="#set" class="copiable-anchor"> &para;</a></h2>', ["set"]),
    ],
)
def test_a_list_of_links_within_the_page_alone_is_its_contents(
    html: str, text: list[str] | int
) -> None:
    parsed = parse_html(html, "F")
    blocks = [parsed.text[block.start : block.end] for block in parsed.blocks]
    assert blocks == text or len(blocks) == text
    kinds = {item.kind for item in parsed.dropped_content}
    assert kinds == ({"table of contents"} if CONTENTS in html else set())


MENU_ROW = '<tr><td>&bull; <a href="start.html">Start</a></td><td>&nbsp;</td><td>{}</td></tr>'


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f'<p>Go.<table class="menu">{MENU_ROW.format("")}</table>', ["Go."]),
        ('<p>Go.<ul class="mini-toc"><li><a href="start.html">Start</a></li></ul>', ["Go."]),
        (f'<p>Go.<table class="menu">{MENU_ROW.format("How to.")}</table>', 2),
        (f"<p>Go.<table>{MENU_ROW.format('')}</table>", 2),
    ],
)
def test_a_menu_of_a_manual_is_its_contents_unless_it_says_more(
    html: str, text: list[str] | int
) -> None:
    parsed = parse_html(html, "F")
    blocks = [parsed.text[block.start : block.end] for block in parsed.blocks]
    assert blocks == text or len(blocks) == text
    kinds = {item.kind for item in parsed.dropped_content}
    assert kinds == ({"table of contents"} if text == ["Go."] else set())


LISTED = "<li>Step 1: Take your statement<li>Step 2: <a href='#c'>Check it</a><li>Step 3: Sign it"


@pytest.mark.parametrize(
    ("title", "kept"), [("Signing", True), ("Step 3: Sign it", False)], ids=["steps", "titles"]
)
def test_steps_that_are_called_contents_are_kept_where_they_say_more_than_titles(
    title: str, *, kept: bool
) -> None:
    html = (
        f"<h1>Reconcile</h1><ul class=toc>{LISTED}</ul><h2 id=c>Check it</h2><p>x<h2>{title}</h2>"
    )
    assert ("Step 1: Take your statement" in texts(html)) == kept


def test_a_header_that_holds_the_title_is_kept() -> None:
    assert texts("<article><header><h1>T</h1></header><p>x</article><p>out") == ["T", "x"]


def test_a_line_below_the_title_of_a_book_names_no_section() -> None:
    page = "<div class=titlepage><div><h1 class=title>T</h1></div><div>{}</div></div>"
    date = "<h3 class=subtitle><em>Published: 2024</em></h3></div><div><h3 class=author>A. B.</h3>"
    parsed = parse_html(f"{page.format(date)}<h2>One</h2><p>x", "F")
    assert [section.path for section in parsed.sections] == [("T",), ("T", "One")]
    assert "Published: 2024\n\nA. B.\n\nOne" in parsed.text


def test_sections_have_the_anchors_of_the_page() -> None:
    parsed = parse_html(
        "<section id=a><h1>A</h1><section id=b><span id=s></span><h2>B</h2><p>x</section>"
        "<h2><a id=c></a>C</h2><h2 id=d>B</h2></section>",
        "F",
    )
    assert [(section.path, section.anchor) for section in parsed.sections] == [
        *((("A",), "a"), (("A", "B"), "b"), (("A", "C"), "c"), (("A", "B"), "d"))
    ]


@pytest.mark.parametrize(
    "html",
    [
        (
            "<p>Text<a class='footnote-reference brackets' href='#n' id=r>1</a>.</p><h2>Next</h2>"
            "<dl class='footnote brackets'><dt class=label id=n><a class=fn-backref>1</a></dt>"
            "<dd><p>The note.</dl>"
        ),
        (
            "<p>Text<sup><a href='#n'>[1]</a></sup>.</p><h2>Next</h2>"
            "<section class=footnotes><ol><li id=n>The note. <a href=#r>↩</a></ol></section>"
        ),
        (
            "<p>Text<a role=doc-noteref href='#n'>1</a>.</p><h2>Next</h2>"
            "<aside role=doc-footnote id=n>The note.</aside>"
        ),
        (
            "<p>Text<a class='footnote-reference brackets' href='#n' role=doc-noteref>1</a>.</p>"
            "<h2>Next</h2><aside class='footnote-list'><aside class='footnote brackets' id=n>"
            "<span class=label>[<a role=doc-backlink href='#r'>1</a>]</span>"
            "<p>The note.</aside></aside>"
        ),
    ],
)
def test_a_footnote_follows_what_refers_to_it(html: str) -> None:
    assert pieces(html) == [
        *(("PARAGRAPH", "", "Text."), ("FOOTNOTE", "1", "The note."), ("HEADING", "", "Next"))
    ]


def test_offsets_are_exact_and_blocks_do_not_overlap() -> None:
    parsed = parse_html("<h1>A😀</h1><p>é  x<ul><li>1<li>2</ul><pre>  a\n\n  b</pre>", "F")
    ends = [0, *(block.end for block in parsed.blocks)]
    assert all(block.start >= end for block, end in zip(parsed.blocks, ends, strict=False))
    assert parsed.text == "A😀\n\né x\n\n1\n2\n\n  a\n\n  b"


@pytest.mark.fault("G6")
def test_entities_of_a_document_type_are_not_expanded() -> None:
    bomb = "<!DOCTYPE x [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;'>]><html><p>&b;&amp;</p></html>"
    assert len(parse_html(bomb, "F").text) < 80


@pytest.mark.fault("G4")
def test_a_page_nested_too_deep_is_refused_and_not_cut_off() -> None:
    placed = plan_book(source({"a.html": "<div>" * 10_000 + "x"})).documents[0]
    with pytest.raises(InvalidInput, match=r'"a.html".*too deep'):
        parse_document(placed)


@pytest.mark.fault("G4")
@pytest.mark.parametrize(
    "html", ["", "\n", "<", "<!-- ", "text", "<p", "<table>" * 300 + "x", "<h1>" * 500, "&" * 9999]
)
def test_malformed_pages_end_with_a_document(html: str) -> None:
    parse_html(html, "F")


def test_large_pages_take_time_in_proportion() -> None:
    rows = "<tr><td>cell<td>cell" * 20_000
    headings = "<h2>Same</h2><p>x</p>" * 8_000
    with at_most(12):
        parsed = parse_html(f"<section id=s><table>{rows}</table>{headings}", "F")
    assert len(parsed.sections) > 8_000
    assert parsed.blocks[0].kind is BlockKind.TABLE


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"<meta charset=iso-8859-1><p>caf\xe9 \x93x\x94", "café “x”"),
        (b"<?xml version='1.0' encoding='koi8-r'?><p>\xd4\xc5\xd3\xd4", "тест"),
        ("<p>Ünï".encode("utf-16"), "Ünï"),
        ("\ufeff<p>Ünï".encode(), "Ünï"),
        ("<p>Ünï".encode(), "Ünï"),
    ],
)
def test_the_declared_encoding_is_honoured(data: bytes, text: str) -> None:
    fetched = fetch_source("a.html", io.BytesIO(data), Limits())
    assert parse_document(plan_book(fetched).documents[0])[0].text == text


@pytest.mark.fault("G5")
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<meta charset=utf-8><p>\n\xe9", '"a.html" is not UTF-8 text: byte 24, line 2.'),
        (b"<meta charset=klingon>", "unknown encoding klingon"),
        (b"<meta charset=hex>", "unknown encoding hex"),
        (b"<p>\0", "NUL"),
    ],
)
def test_bytes_that_do_not_fit_are_refused_with_their_place(data: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=r"a\.html") as caught:
        fetch_source("a.html", io.BytesIO(data), Limits())
    assert message in caught.value.message


def test_authors_of_a_title_page_are_no_headings_and_lists_of_tables_no_text() -> None:
    parsed = parse_html(
        """<div class="titlepage"><h1>Mills</h1><div class="author"><h3 class="author">
        <span>Ada</span> <span>Kent</span></h3></div><h3 class="author">v1.2</h3></div>
        <div class="list-of-tables"><p>List of Tables</p><dl><dt>1. Falls</dt></dl></div>
        <p>They grind.</p>""",
        "",
    )
    assert [section.path for section in parsed.sections] == [("Mills",)]
    assert parsed.text == "Mills\n\nAda Kent\n\nv1.2\n\nThey grind."
    assert parsed.byline.authors == ("Ada Kent",)
    headed = parse_html("<head><meta name='author' content='Jo Roe'></head><p>They grind.</p>", "")
    assert headed.byline.authors == ("Jo Roe",)


def test_logos_above_each_page_of_publican_are_no_pictures_of_the_book() -> None:
    logos = "<p id='title'><a href='/'><img alt='Site' src='l.png'></a></p>"
    assert parse_html(f"{logos}<p>They grind.</p>", "").text == "They grind."
    assert parse_html("<p id='title'>They <a href='/'>grind</a>.</p>", "").text == "They grind."


def test_classes_in_capitals_are_those_of_older_docbook() -> None:
    page = (
        '<div CLASS="NAVHEADER"><table><tr><th>Book</th></tr><tr><td><a href="a">Prev</a></td></tr>'
        '</table></div><h1>T</h1><p>Text.</p><div CLASS="WARNING"><p>Mind.</p></div>'
        '<div CLASS="NAVFOOTER">Up</div>'
    )
    parsed = parse_html(page, "F")
    assert parsed.text == "T\n\nText.\n\nMind."
    assert parsed.blocks[-1].kind is BlockKind.ADMONITION


def test_a_folder_of_pages_is_read_in_the_order_of_its_first_page() -> None:
    files = {
        "site/index.html": "<main><a href='z.html'>Z</a> <a href='sub/a%20b.html#x'>A</a></main>",
        "site/sub/a b.html": "<p>a",
        "site/b.html": "<p>b",
        "site/z.html": "<p>z",
        "quoth.toml": "base_url = 'https://b.example'",
    }
    placed = plan_book(source(files)).documents
    assert [one.file.path for one in placed] == [
        *("site/index.html", "site/z.html", "site/sub/a b.html", "site/b.html")
    ]
    assert placed[2].url == "https://b.example/site/sub/a%20b.html"


def test_the_search_page_of_a_site_is_no_document() -> None:
    from tests.support.ingest_fakes import zipped

    data = zipped(dict.fromkeys(["a.html", "search.html", "genindex.html", "_static/x.html"], "x"))
    fetched = fetch_source("b.zip", io.BytesIO(data), Limits())
    assert [file.path for file in fetched.files] == ["a.html"]


def test_a_single_page_is_a_book() -> None:
    assert SourceFile("a.htm", b"x") == fetch_source("a.htm", io.BytesIO(b"x"), Limits()).files[0]


def test_the_footnotes_that_end_a_table_of_docbook_are_no_rows_of_it() -> None:
    mark = "<sup class=footnote>[a]</sup>"
    page = (
        "<p>Before.</p><div class=table><p class=title><b>Table 2. Methods</b></p><table>"
        f"<tr><th>Method<th>Works<tr><td>Disc<td>yes<a href=#ftn.n class=footnote>{mark}</a>"
        f"<tr><td>Net<td>yes<a href='here.html#ftn.n' class=footnoteref>{mark}</a>"
        "<tbody class=footnotes><tr><td colspan=2><div id=ftn.n class=footnote>"
        "<p><a href=#n><sup>[a] </sup></a>Not by night.</p></div></td></tr></tbody></table></div>"
        "<p>After.</p>"
    )
    parsed = parse_html(page, "F")
    shown = [(block.kind.name, parsed.text[block.start : block.end]) for block in parsed.blocks]
    assert shown == [
        ("PARAGRAPH", "Before."),
        ("CAPTION", "Table 2. Methods"),
        ("TABLE", "Method | Works\nDisc | yes\nNet | yes"),
        ("PARAGRAPH", "After."),
        ("FOOTNOTE", "Not by night."),
    ]
    table = parsed.blocks[2]
    marks = [one for one in parsed.markup if one.kind is MarkupKind.FOOTNOTE_REFERENCE]
    assert sum(table.start < one.start <= table.end for one in marks) == 2
    assert not parsed.warnings


def test_a_reference_to_a_paragraph_of_the_page_is_not_told() -> None:
    page = "<p>Text.<sup><a href='#f1'>1</a></sup></p><p id=f1>1. Not by night.</p>"
    assert parse_html(page, "F").warnings == ()


def test_a_reference_without_a_footnote_is_told() -> None:
    page = "<p>Text.<a href='#n1' role='doc-noteref'>7</a></p>"
    assert parse_html(page, "F").warnings == ('it refers to a footnote that is not there: "7"',)


STEPS = (
    "<table><tr><td>[<a href='a.html'> &lt;&lt; </a>]</td><td>[<a href='b.html'> &lt; </a>]</td>"
    "<td>[<a href='c.html'> Up </a>]</td><td>[ &gt; ]</td><td> &nbsp; </td>"
    "<td>[<a href='t.html'>Table of contents</a>]</td></tr></table>"
)


def test_a_row_of_arrows_and_names_that_lead_elsewhere_is_navigation() -> None:
    page = f"<title>T</title><body>{STEPS}<h1>Arms</h1><p>The arm holds still.</p>{STEPS}</body>"
    parsed = parse_html(page, "F")
    assert "Up" not in parsed.text
    assert [item.kind for item in parsed.dropped_content] == ["navigation", "navigation"]


@pytest.mark.parametrize(
    "table",
    [
        "<table><tr><td>&lt;</td><td>less</td></tr><tr><td>&gt;</td><td>more</td></tr></table>",
        "<table><tr><td>&lt;</td><td>&gt;</td><td>compare two numbers of any kind</td></tr></table>",
        "<table><tr><td><a href='#a'>Up</a></td><td><a href='#b'>Down</a></td></tr></table>",
    ],
)
def test_a_table_about_signs_or_directions_is_text(table: str) -> None:
    parsed = parse_html(f"<title>T</title><h1>Arms</h1><p>See:</p>{table}", "F")
    assert not parsed.dropped_content
    assert len(parsed.text) > len("Arms\n\nSee:")


def test_questions_and_answers_of_docbook_are_paragraphs_with_their_numbers() -> None:
    question = "<tr class=question><td><a id=q></a><p><b>3.1.</b></p><td><p>How do I find one?</p>"
    answer = "<tr class=answer><td><td><p>By its name.</p><p>See <a href='#q'>above</a>.</p>"
    assert pieces(f"<table summary='Q and A Set'>{question}{answer}</table>") == [
        ("PARAGRAPH", "", "3.1. How do I find one?"),
        ("PARAGRAPH", "", "By its name."),
        ("PARAGRAPH", "", "See above."),
    ]


def test_the_contents_that_asciidoctor_sets_beside_the_text_go_with_their_title() -> None:
    contents = (
        "<div id='toc' class='toc2'><div id='toctitle'>Inhalt</div><ul class='sectlevel1'>"
        "<li><a href='#a'>1. A</a></li><li><a href='#b'>2. B</a></li></ul></div>"
    )
    parsed = parse_html(f"<h1>T</h1>{contents}<h2 id='a'>1. A</h2><p>Text.</p>", "F")
    assert parsed.text == "T\n\n1. A\n\nText."
    [dropped] = parsed.dropped_content
    assert (dropped.kind, dropped.characters) == ("table of contents", 12)


def test_a_note_that_is_laid_out_as_a_table_is_read_by_its_paragraphs() -> None:
    parsed = parse_html(
        "<body><div class=note><table><tr><td rowspan=2><img alt='[Note]' src=note.png></td>"
        "<th>Note</th></tr><tr><td><p>The <acronym>PUMP</acronym>'s float is red.</p>"
        "<p>It floats.</p></td></tr></table></div>",
        "F",
    )
    found = [(one.kind, one.label, parsed.text[one.start : one.end]) for one in parsed.blocks]
    assert found == [
        (BlockKind.ADMONITION, "note", "The PUMP's float is red."),
        (BlockKind.ADMONITION, "note", "It floats."),
    ]


def test_an_element_inside_of_a_word_parts_nothing_in_a_cell() -> None:
    parsed = parse_html(
        "<body><table><tr><th>a<th>b</tr><tr><td><acronym>PUMP</acronym>'s<td><big>c</big>d</table>",
        "F",
    )
    assert "PUMP's | cd" in parsed.text


def test_words_not_to_be_read_aloud_are_text_where_they_are_shown() -> None:
    page = (
        "<p>It weighs <span aria-hidden=true>5 kg</span><span class=sr-only>five kilograms</span>.</p>"
        "<h2>Arms<a href='#arms' aria-hidden=true>¶</a></h2>"
        "<p><i class=material-icons aria-hidden=true>home</i>Go home.</p>"
        "<div class='modal fade' aria-hidden=true>Subscribe to us.</div>"
        "<div aria-hidden=true><p>A box that is seen.</p></div>"
    )
    parsed = parse_html(page, "F")
    assert parsed.text == "It weighs 5 kg.\n\nArms\n\nGo home.\n\nA box that is seen."
    assert [
        (one.kind, one.characters) for one in parsed.dropped_content if one.kind == "dialog"
    ] == [("dialog", 14)]


def test_a_picture_that_is_called_as_the_title_beside_it_is_says_nothing() -> None:
    box = (
        '<div class="tip"><table><tr><td rowspan="2"><img alt="[Astuce]" src="tip.png"></td>'
        "<th>Astuce</th></tr><tr><td><p>Pressez q.</p></td></tr></table></div>"
    )
    assert parse_html(f"<h1>A</h1>{box}", "T").text == "A\n\nAstuce\n\nPressez q."


def test_a_link_to_the_long_description_of_a_picture_is_no_text() -> None:
    link = '<div class="longdesc-link">[<a href="d.html">D</a>]</div>'
    assert parse_html(f"<h1>A</h1><p>Text.</p>{link}", "T").text == "A\n\nText."


def test_the_space_before_the_mark_of_a_footnote_is_no_text_before_a_sign() -> None:
    mark = "<a class='footnote-reference' href='#f'>1</a>"
    table = f"<table><tr><td>b {mark}).</table>"
    body = f"<p>A note {mark}. And <sup>{mark}</sup>, so {mark} on.</p>"
    parsed = parse_html(f"{body}{table}<aside class=footnote id=f>N.</aside>", "F")
    assert [parsed.text[one.start : one.end] for one in parsed.blocks] == [
        *("A note. And, so on.", "b).", "N."),
    ]


def test_a_row_of_pictures_with_keys_to_other_pages_is_no_text() -> None:
    cells = "".join(
        f"<td><a accesskey={key} href={at}.html><img src={key}.png alt={key}></a></td>"
        for at, key in enumerate("pun")
    )
    row = f"<table><tr>{cells}<th>The Manual</th></tr></table>"
    parsed = parse_html(f"<div>{row}</div><h1>T</h1><p>Said.</p>", "F")
    assert parsed.text == "T\n\nSaid."
    assert [one.kind for one in parsed.dropped_content] == ["navigation"]


@pytest.mark.parametrize(
    ("alt", "text"),
    [
        ("../_images/arm.png", "T"),
        ("arm.png", "T"),
        ("_images/other.png", "T\n\n_images/other.png"),
        ("An arm, arm.png", "T\n\nAn arm, arm.png"),
    ],
)
def test_the_name_of_its_file_is_no_description_of_a_picture(alt: str, text: str) -> None:
    page = f"<h1>T</h1><p><img src='_images/arm.png' alt='{alt}'></p>"
    assert parse_html(page, "F").text == text


@pytest.mark.parametrize(
    ("title", "site", "own"),
    [
        ("keep mount \u2014 Keep 1.2 documentation", "Keep 1.2 documentation", "keep mount"),
        ("keep mount :: Keep", "Keep", "keep mount"),
        ("How to Keep", "Keep", "How to Keep"),
        ("Keep", "Keep", "Keep"),
        ("keep mount \u2014 Keep", "", "keep mount \u2014 Keep"),
    ],
)
def test_the_name_of_the_whole_is_no_part_of_a_pages_title(title: str, site: str, own: str) -> None:
    page = f"<title>{title}</title><h1>mount</h1><p>One.</p><h1>umount</h1><p>Two.</p>"
    assert parse_html(page, "F", site_title=site).title == own


def test_the_first_page_of_a_manual_of_texinfo_is_called_as_the_manual() -> None:
    page = "<title>{} (Ledgers)</title><p>All."
    assert read_title(page.format("Top")) == "Ledgers"
    assert read_title(page.format("Bugs")) == "Bugs (Ledgers)"


def read_pieces(source: str) -> list[tuple[str, str]]:
    parsed = parse_html(source, "Book")
    return [(block.kind.name, parsed.text[block.start : block.end]) for block in parsed.blocks]


@pytest.mark.parametrize(
    "title",
    [
        "<h1>Chapter 6</h1>\n<h1>Unicode</h1>",
        (
            '<h1><div class=chapterheading><a href="toc.html#a">Chapter 6</a></div><br>'
            '<a href="toc.html#a">Unicode</a></h1>'
        ),
        "<h1>Chapter 6.</h1>\n<p></p><h1 id=unicode>Unicode</h1>",
    ],
)
def test_the_number_of_a_chapter_over_its_title_is_one_heading_with_it(title: str) -> None:
    source = f"<body>{title}<p>Characters.</p><h2>6.1 Letters</h2><p>A.</p></body>"
    parsed = parse_html(source, "Book")
    paths = [section.path[-1].replace("6.", "6", 1) for section in parsed.sections]
    assert "Chapter 6 Unicode" in paths
    assert "Unicode" not in paths


@pytest.mark.parametrize(
    "under",
    [
        "<h1>6.1 Letters</h1>",
        "<h1>Chapter 7</h1>",
        "<h1>Chapter 7: Bytes</h1>",
        "<p>Text.</p><h1>Unicode</h1>",
    ],
)
def test_a_heading_that_is_no_title_of_a_numbered_chapter_stays_one_of_its_own(under: str) -> None:
    found = read_pieces(f"<body><h1>Chapter 6</h1>{under}<p>Characters.</p></body>")
    assert ("HEADING", "Chapter 6") in found


def test_a_part_is_not_joined_with_the_chapter_below_it() -> None:
    found = read_pieces("<body><h1>Part I</h1><h1>Beginnings</h1><p>Once.</p></body>")
    assert found[0] == ("HEADING", "Part I")


def test_the_place_of_a_joined_title_is_still_found_by_its_name() -> None:
    source = '<body><h1 id="c6">Chapter 6</h1><h1 id="uni">Unicode</h1><p>Text.</p></body>'
    parsed = parse_html(source, "Book")
    assert [section.anchor for section in parsed.sections] == ["c6"]
    anchors = [one for one in parsed.markup if one.kind is MarkupKind.ANCHOR]
    assert [(one.value, parsed.text[one.start :][:7]) for one in anchors] == [("uni", "Unicode")]


NUMBERED_LINKS = (
    '<b><a name="toc_1"></a><a href="b.html#c1">1&nbsp;&nbsp;Unicode</a></b><br>\n'
    '&nbsp;&nbsp;<a href="b.html#s11">1.1&nbsp;&nbsp;Letters</a><br>\n'
    '&nbsp;&nbsp;<a href="b.html#s12">1.2&nbsp;&nbsp;Strings</a><br>\n'
)


@pytest.mark.parametrize(
    "contents",
    [
        NUMBERED_LINKS,
        f"<p>{NUMBERED_LINKS}</p>",
        '<p><a href="#a">Letters</a></p><p><a href="#b">Strings</a></p><p><a href="#c">Bytes</a></p>',
        (
            '<ul><li>1. <a href="b.html">One</a></li><li>2. <a href="c.html">Two</a></li>'
            '<li>3. <a href="d.html">Three</a></li></ul>'
        ),
        (
            '<h2>Table of Contents</h2><ul><li><a href="b.html">One</a></li>'
            '<li><a href="c.html">Two</a></li><li><a href="d.html">Three</a></li></ul>'
        ),
    ],
)
def test_lines_of_links_to_sections_are_contents_however_they_are_marked_up(contents: str) -> None:
    sections = "".join(f"<h2 id={x}>{x}</h2><p>T.</p>" for x in ("Letters", "Strings", "Bytes"))
    parsed = parse_html(f"<body><h1>Book</h1>{contents}{sections}</body>", "Book")
    assert "Unicode" not in parsed.text
    assert "Three" not in parsed.text
    assert "Contents" not in parsed.text
    assert parsed.text.count("Letters") == 1
    assert "table of contents" in {one.kind for one in parsed.dropped_content}


@pytest.mark.parametrize(
    "links",
    [
        # Names that stand in no other place may be what the page is about.
        (
            '<ul><li><a href="b.html">Apple</a></li><li><a href="c.html">Pear</a></li>'
            '<li><a href="d.html">Plum</a></li></ul>'
        ),
        # Other sites are no part of the book.
        (
            '<p><a href="https://a.org/">1 Apple</a><br><a href="https://b.org/">2 Pear</a><br>'
            '<a href="https://c.org/">3 Plum</a></p>'
        ),
        (
            '<ul><li><a href="b.html">1.1 Apple</a> is red</li>'
            '<li><a href="c.html">1.2 Pear</a> is green</li>'
            '<li><a href="d.html">1.3 Plum</a> is blue</li></ul>'
        ),
    ],
)
def test_a_list_of_links_that_is_no_contents_stays(links: str) -> None:
    text = parse_html(f"<body><h1>Fruit</h1>{links}<p>They grow.</p></body>", "Book").text
    assert "Apple" in text
    assert "Plum" in text


def test_chapters_of_texinfo_stand_beside_its_opening() -> None:
    parsed = parse_html(
        '<h1 class="settitle">Ledgers</h1><h1 class="top">Overview</h1><p>All.'
        '<h2 class="chapter">1 Accounts</h2><p>Text.',
        "F",
    )
    assert [node.path for node in parsed.sections] == [
        ("Ledgers",),
        ("Ledgers", "Overview"),
        ("Ledgers", "1 Accounts"),
    ]


def test_the_only_lower_heading_right_below_the_number_of_a_chapter_is_its_title() -> None:
    pages = "<h1>Chapter 7</h1><h2>Fonts</h2><p>A.</p><h3>Bold</h3><p>B.</p>"
    parsed = parse_html(f"<body>{pages}<h1>Chapter 8</h1><h2>Ink</h2><p>C.</p></body>", "Book")
    paths = [section.path for section in parsed.sections]
    assert ("Book", "Chapter 7 Fonts", "Bold") in paths
    assert ("Book", "Chapter 8 Ink") in paths


def test_the_first_of_several_sections_is_not_the_title_of_the_chapter_over_it() -> None:
    found = read_pieces(
        "<body><h1>Chapter 7</h1><h2>Fonts</h2><p>A.</p><h2>Ink</h2><p>B.</p></body>"
    )
    assert found[:2] == [("HEADING", "Chapter 7"), ("HEADING", "Fonts")]
