"""What leads through a book, to its other pages and to other places, is no part of its text."""

import pytest

from services.ingest.model.book import ParsedText
from services.ingest.parsers.html import parse_html
from services.ingest.parsers.markdown import parse_markdown
from services.ingest.parsers.rst import parse_rst

_CONTENTS = """<h1>Questions</h1><h2>Content</h2>
<dl><dt><a name="common">1. Common questions</a></dt>
<dd><dl><dt>1.1. <a href="#what">What is it?</a></dt>
<dt>1.2. <a href="#new">What is new?</a></dt></dl></dd>
</dl>
<h2>1. Common questions</h2><p><a name="what">Q: What is it?</a></p><p>A file manager.</p>"""

_STEP = '<td><a href="{to}.html"><img alt="{to}" src="{to}.png"></a></td>'


def _page(body: str) -> ParsedText:
    return parse_html(f"<html><body>{body}</body></html>", "page")


def test_contents_with_numbers_and_parts_are_left_out() -> None:
    page = _page(_CONTENTS)
    assert "What is new?" not in page.text
    assert "Q: What is it?" in page.text
    assert [one.kind for one in page.dropped_content] == ["table of contents"]


def test_terms_that_are_links_stay_with_their_definitions() -> None:
    page = _page(
        '<h1>Tea</h1><dl><dt><a href="#a">Assam</a></dt><dd>Strong.</dd>'
        '<dt><a href="#d">Darjeeling</a></dt><dd>Light.</dd></dl>'
    )
    assert "Assam" in page.text
    assert "Light." in page.text


def test_prices_behind_links_stay() -> None:
    page = _page(
        '<h1>Tea</h1><ul><li><a href="#a">Assam</a> 5</li><li><a href="#d">Green</a> 7</li></ul>'
    )
    assert "Assam 5" in page.text


@pytest.mark.parametrize("address", ["#start", "#", "#top"])
def test_a_line_that_leads_to_the_top_of_its_page_is_left_out(address: str) -> None:
    page = _page(
        '<a name="start"></a><h1>Files</h1><p>Copy them.</p>'
        f'<p><a href="{address}">(back to top)</a></p>'
    )
    assert "back to top" not in page.text
    assert [one.kind for one in page.dropped_content] == ["navigation"]


def test_a_link_to_the_top_in_a_sentence_stays() -> None:
    page = _page('<a name="start"></a><h1>Files</h1><p>See the <a href="#start">beginning</a>.</p>')
    assert "See the beginning." in page.text


def test_a_line_that_leads_to_another_place_of_its_page_stays() -> None:
    page = _page(
        '<h1>Files</h1><p><a href="#more">More on copies</a></p><p id="more">Copies are slow.</p>'
    )
    assert "More on copies" in page.text


def test_a_row_of_drawn_steps_around_the_title_is_left_out() -> None:
    steps = "".join(_STEP.format(to=to) for to in ("next", "up", "previous"))
    row = f"<table><tr>{steps}<td><b>Midpoint</b></td></tr></table>"
    page = _page(f"{row}<h1>Midpoint</h1><p>Choose two points.</p>{row}")
    assert page.text == "Midpoint\n\nChoose two points."


def test_a_row_of_pictures_that_lead_to_their_own_files_stays() -> None:
    cells = '<td><a href="a.png"><img alt="A gear" src="a.png"></a></td>' * 3
    assert "A gear" in _page(f"<h1>Gears</h1><table><tr>{cells}</tr></table>").text


_HTML, _RST, _MYST = (
    (
        '<h1>Cables</h1><p>Use a short one.</p><div class="admonition seealso">'
        '<p class="admonition-title">Siehe auch</p>'
        '<p><a href="b.html">Are phones supported?</a>, <a href="c.html">Settings</a></p></div>'
    ),
    (
        "Cables\n======\n\nUse a short one.\n\n"
        ".. seealso:: `Are phones supported? <b.html>`_, `Settings <c.html>`_\n"
    ),
    (
        "# Cables\n\nUse a short one.\n\n```{seealso}\n"
        "[Are phones supported?](b.md), [Settings](c.md)\n```\n"
    ),
)


@pytest.mark.parametrize(
    "document",
    [
        parse_html(_HTML, "a"),
        parse_rst(_RST, "a"),
        parse_markdown(_MYST, mdx=False, fallback_title="a"),
    ],
    ids=["html", "rst", "myst"],
)
def test_a_box_that_only_names_other_places_is_left_out(document: ParsedText) -> None:
    assert document.text == "Cables\n\nUse a short one."
    assert "navigation" in [one.kind for one in document.dropped_content]


def test_a_box_that_says_something_of_other_places_stays() -> None:
    box = _HTML.replace("</a></p></div>", "</a> tell more.</p></div>")
    assert "Settings tell more." in parse_html(box, "a").text


_LATEX2HTML = """<p><a href="node18.html"><img alt="next" src="next.png"></a>
<a href="node5.html"><img alt="up" src="icons/up_g.png"></a></p>
<h1>Boxes</h1><p>A box takes three columns
<a href="node9.html#b"><img alt="[*]" src="crossref.png"></a>.</p>
<a id="CHILD_LINKS"></a><ul class="ChildLinks"><li><a href="node19.html">Filters</a></li></ul>"""


def test_drawn_steps_and_signs_of_links_are_no_text() -> None:
    assert _page(_LATEX2HTML).text == "Boxes\n\nA box takes three columns ."


def test_a_picture_of_areas_to_choose_from_says_nothing() -> None:
    page = _page('<h1>Files</h1><p>Copy.</p><img alt="navigation map" src="map.png" usemap="#m">')
    assert page.text == "Files\n\nCopy."


def test_a_drawn_plus_in_a_sentence_stays() -> None:
    page = _page('<h1>Files</h1><p>Press <img alt="+" src="plus.png"> to add one.</p>')
    assert "+" in page.text


@pytest.mark.parametrize(
    "line",
    [
        '<p><a href="a.html">Modules</a> | <a href="b.html">FAQ</a> | <a href="c.html">Terms</a></p>',
        (
            '<div><a href="/">Home</a> &gt; <a href="a/">Manual</a> &gt; <a href="b/">Files</a>'
            " &gt; Copies</div>"
        ),
    ],
)
def test_a_bar_of_links_is_left_out(line: str) -> None:
    assert _page(f"{line}<h1>Copies</h1><p>They are slow.</p>").text == "Copies\n\nThey are slow."


@pytest.mark.parametrize(
    "line",
    [
        '<p>Take <a href="a.html">tea</a>, <a href="b.html">milk</a> or <a href="c.html">wine</a>.</p>',
        '<p><a href="a.html">Tea</a>, <a href="b.html">milk</a>, <a href="c.html">water</a></p>',
        '<p><a href="a.html">File</a> &gt; <a href="b.html">Save</a> writes the book to the disk.</p>',
        (
            '<p><a href="a.html">File</a> &gt; <a href="b.html">Save</a> &gt; <a href="c.html">As</a>'
            " asks for a name and writes the book.</p>"
        ),
    ],
)
def test_links_in_what_is_said_stay(line: str) -> None:
    page = _page(f"<h1>Copies</h1>{line}")
    assert len(page.text) > len("Copies\n\n")


def test_a_number_beside_the_list_that_it_names_is_left_out() -> None:
    page = _page(
        '<div><label><a href="#752">752</a></label>'
        '<ul><li id="752">No functions of one shell.</li></ul></div>'
    )
    assert page.text == "No functions of one shell."


def test_an_index_with_a_few_words_is_left_out() -> None:
    entries = "".join(
        f'<dt>$name{at}</dt><dd><a href="a.html#{at}">Access control lists</a></dd>'
        for at in range(9)
    )
    page = _page(f'<h1>Index</h1><dl><dt>$1</dt><dd>see "name"</dd>{entries}</dl>')
    assert page.text == "Index"


def test_definitions_with_a_link_each_stay() -> None:
    terms = "<dt>Copy</dt><dd>Makes another file. See <a href='a.html'>copies</a>.</dd>" * 3
    assert "Makes another file." in _page(f"<h1>Terms</h1><dl>{terms}</dl>").text


_MENU = "".join(
    f'<a href="{name}.html">{name}</a><br>' for name in ("saving", "copy", "fax", "mails")
)
_TEXT = (
    "<dl><dt><b>Fine mode:</b></dt><dd>Pages are sent with 196 lines an inch, and otherwise with"
)
_TEXT += " 98; the program that sends them has to be there already.</dd></dl>"


def test_the_menu_in_a_column_beside_the_text_is_left_out() -> None:
    page = _page(
        f'<h1>Fax</h1><table><tr><td><b>All:</b><ul><li><a href="a.html">View</a></li></ul>{_MENU}'
        f"</td><td>{_TEXT}</td></tr></table>"
    )
    assert "Fine mode:" in page.text.splitlines()
    assert "copy" not in page.text
    assert [one.kind for one in page.dropped_content] == ["navigation"]


def test_links_beside_a_value_in_one_of_several_rows_stay() -> None:
    rows = (
        f"<tr><td>{_MENU}<a href='f.html'>all</a></td><td>{'Modes of the program. ' * 5}</td></tr>"
    )
    page = _page(
        f"<h1>Modes</h1><table>{rows}<tr><td>none</td><td>It does nothing.</td></tr></table>"
    )
    assert "copy fax mails" in page.text
    assert page.dropped_content == ()


def test_a_table_of_one_row_of_values_stays_a_table() -> None:
    page = _page("<h1>Modes</h1><table><tr><td>Fax</td><td>196 lines</td></tr></table>")
    assert "Fax | 196 lines" in page.text


@pytest.mark.parametrize("sign", ["[*]", "↗"])
def test_a_sign_that_leads_elsewhere_is_left_out(sign: str) -> None:
    page = _page(f'<h1>Tools</h1><p>Use dcraw<a href="https://x.org/Dcraw">{sign}</a> to read.</p>')
    assert "Use dcraw to read." in page.text


@pytest.mark.parametrize("sign", ["+", "[1]", "=="])
def test_a_sign_that_is_what_the_text_is_of_stays(sign: str) -> None:
    page = _page(f'<h1>Operators</h1><p>The operator <a href="op.html">{sign}</a> adds.</p>')
    assert f"The operator {sign} adds." in page.text


def test_a_copy_of_a_wiki_page_has_the_article_alone() -> None:
    page = _page(
        '<h1>Parallax</h1><div id="siteSub">From the Wiki</div><p>Objects shift.</p>'
        '<div class="printfooter">Retrieved from "https://x.org"</div>'
    )
    assert page.text == "Parallax\n\nObjects shift."


_LISTED = (
    '<p class="caption">Contents:</p><ul><li><a href="#tea">Tea and how it is grown</a></li></ul>'
)
_CHAPTER = (
    '<section id="tea"><h2>Tea</h2><p>It grows on hills, where mornings are cool and rain falls in the '
    'afternoon, and is picked by hand <a href="#when">three times a year</a>.</p></section>'
)


@pytest.mark.parametrize("name", ["toctree-wrapper compound", "toc"])
def test_chapters_that_stand_where_their_list_would_are_text(name: str) -> None:
    whole = _page(f'<main><h1>Leaves</h1><p>All.</p><div class="{name}">{_CHAPTER}</div></main>')
    assert "picked by hand three times" in whole.text
    assert not whole.dropped_content
    listed = _page(f'<main><h1>Leaves</h1><p>All.</p><div class="{name}">{_LISTED}</div></main>')
    assert "how it is grown" not in listed.text
    assert [one.kind for one in listed.dropped_content] == ["table of contents"]


_VALGRIND = """<table class="{css}"><tr>
<td rowspan="2"><a {p}href="a.html">&lt;&lt; 8. DRD: a thread error detector of many kinds</a></td>
<td><a {u}href="top.html">Up</a></td>
<td rowspan="2"><a {n}href="c.html">10. DHAT: a dynamic heap analysis tool &gt;&gt;</a></td></tr>
<tr><td><a {h}href="index.html">Home</a></td></tr></table>"""
_KEYS = {one: f'accesskey="{one}" ' for one in "punh"}
_NO_KEYS = dict.fromkeys("punh", "")
_HEAD = "".join(
    f'<link rel="{rel}" href="{page}.html">'
    for rel, page in (("prev", "a"), ("next", "c"), ("up", "top"), ("home", "index"))
)


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("", _VALGRIND.format(css="", **_KEYS)),
        ("", _VALGRIND.format(css="nav", **_NO_KEYS)),
        (_HEAD, _VALGRIND.format(css="", **_NO_KEYS)),
        (_HEAD, '<p><a href="a.html">Before</a> <a href="c.html">After</a></p>'),
        (
            "",
            '<div class="page-nav"><a href="a.html">Before</a> of <a href="c.html">After</a></div>',
        ),
        ("", '<ul class="pagination"><li><a href="a.html">1</a><li><a href="c.html">Two</a></ul>'),
    ],
)
def test_a_row_that_leads_to_the_pages_around_is_left_out(head: str, row: str) -> None:
    source = f"<html><head>{head}</head><body><h1>Massif</h1><p>It profiles.</p>{row}</body></html>"
    page = parse_html(source, "page")
    assert page.text == "Massif\n\nIt profiles."
    assert [one.kind for one in page.dropped_content] == ["navigation"]


@pytest.mark.parametrize(
    ("head", "kept"),
    [
        (_HEAD, '<p>See <a href="a.html">Before</a> and <a href="c.html">After</a>.</p>'),
        (_HEAD, '<ul><li><a href="a.html">Before</a></li><li><a href="x.html">Other</a></li></ul>'),
        ("", f'<div class="nav"><p><a href="a.html">Back</a></p>{"<p>A long text.</p>" * 6}</div>'),
        (
            "",
            '<table><tr><td><a accesskey="p" href="a.html">Print</a></td><td>Prints.</td></tr></table>',
        ),
    ],
)
def test_links_to_pages_around_that_are_in_a_text_stay(head: str, kept: str) -> None:
    source = f"<html><head>{head}</head><body><h1>Massif</h1>{kept}</body></html>"
    assert not parse_html(source, "page").dropped_content
