"""Mallard: pages of GNOME's help are read as Yelp shows them, in the order of their guides."""

import pytest

from libs.errors import InvalidInput
from services.ingest.model.book import ParsedText, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.parsers.mallard.parser import parse_mallard
from services.ingest.plan import plan_book

SPACE = 'xmlns="http://projectmallard.org/1.0/" xmlns:if="http://projectmallard.org/if/1.0/"'


def page(name: str, inside: str, info: str = "") -> str:
    return f"<page {SPACE} id='{name}'><info>{info}</info>{inside}</page>"


def parse(inside: str, info: str = "") -> ParsedText:
    return parse_mallard(page("kiln", f"<title>Kiln</title>{inside}", info), "Fallback")


def pieces(inside: str) -> list[tuple[str, str]]:
    parsed = parse(inside)
    return [(one.kind.name, parsed.text[one.start : one.end]) for one in parsed.blocks][1:]


def test_a_page_is_its_title_what_it_is_about_and_its_sections() -> None:
    parsed = parse(
        '<p>Hot.</p><section id="cool"><title>Cool</title><p>Wait.</p></section><links type="topic"/>',
        '<desc>Fire clay.</desc><credit type="author"><name>Ann Ash</name></credit>'
        '<link type="guide" xref="index"/><title type="sort">A</title>',
    )
    assert parsed.title == "Kiln"
    assert parsed.text == "Kiln\n\nFire clay.\n\nHot.\n\nCool\n\nWait."
    assert parsed.byline.authors == ("Ann Ash",)
    assert parsed.sections[-1].anchor == "cool"


@pytest.mark.parametrize(
    ("inside", "read"),
    [
        (
            (
                "<p>Press <keyseq><key>Ctrl</key><key>S</key></keyseq> in <guiseq><gui>File</gui>"
                "<gui>Save</gui></guiseq>.</p>"
            ),
            [("PARAGRAPH", "Press Ctrl+S in File → Save.")],
        ),
        (
            "<steps><title>Fire</title><item><p>Heat.</p></item><item><p>Wait.</p></item></steps>",
            [("PARAGRAPH", "Fire"), ("LIST_ITEM", "Heat."), ("LIST_ITEM", "Wait.")],
        ),
        (
            "<terms><item><title>-h</title><p>Helps.</p></item></terms>",
            [("PARAGRAPH", "-h"), ("PARAGRAPH", "Helps.")],
        ),
        (
            "<tree><item>clay<item>red</item></item></tree>",
            [("LIST_ITEM", "clay"), ("LIST_ITEM", "red")],
        ),
        (
            (
                "<table><title>Heats</title><thead><tr><td><p>Clay</p></td><td><p>Heat</p></td></tr>"
                "</thead><tr><td><p>Red</p></td><td><p>900</p></td></tr></table>"
            ),
            [("CAPTION", "Heats"), ("TABLE", "Clay | Heat\nRed | 900")],
        ),
        ('<note style="warning"><p>Hot.</p></note>', [("ADMONITION", "Hot.")]),
        ("<screen>$ <input>kiln</input></screen>", [("CODE", "$ kiln")]),
        ("<code>a\n  b</code>", [("CODE", "a\n  b")]),
        ("<p>Run <code>a</code>.</p>", [("PARAGRAPH", "Run a.")]),
        (
            (
                "<if:choose><if:when test='a'><p>One.</p></if:when><if:else><p>Two.</p></if:else>"
                "</if:choose>"
            ),
            [("PARAGRAPH", "One.")],
        ),
        ('<media type="image" src="k.png"><p>Its door</p></media>', [("CAPTION", "Its door")]),
    ],
)
def test_elements_are_read_as_they_are_shown(inside: str, read: list[tuple[str, str]]) -> None:
    assert pieces(inside) == read


def test_pages_stand_as_their_guides_list_them_and_links_say_their_titles() -> None:
    guide = "<link type='guide' xref='{}'/>"
    pages = {
        "index": page(
            "index",
            "<title>Kilns</title><section id='use'><title>Use</title></section>"
            "<section id='more'><title>More</title></section>",
        ),
        "alpha": page("alpha", "<title>Clays</title><p>Red.</p>", guide.format("index#more")),
        "zulu": page(
            "zulu",
            "<title>Firing</title><p>See <link xref='alpha'/>.</p>",
            guide.format("index#use"),
        ),
        "mike": page("mike", "<title>Cooling</title><p>Wait.</p>", guide.format("zulu")),
    }
    files = [SourceFile(f"C/{name}.page", text.encode()) for name, text in pages.items()]
    plan = plan_book(Source(files))
    assert plan.title == "Kilns"
    assert [(one.file.path, one.depth, one.part_titles) for one in plan.documents] == [
        ("C/index.page", 0, ()),
        ("C/zulu.page", 1, ("Use",)),
        ("C/mike.page", 2, ()),
        ("C/alpha.page", 1, ("More",)),
    ]
    assert parse_document(plan.documents[1])[0].text == "Firing\n\nSee Clays."


def test_a_page_that_is_no_xml_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no well-formed XML"):
        parse_mallard("<page><title>", "F")
