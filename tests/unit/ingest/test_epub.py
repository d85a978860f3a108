"""EPUB: reading order, titles and pages are what the book's own package says."""

from typing import Any

import pytest

from libs.errors import InvalidInput, TooLarge
from services.ingest.model.book import BlockKind, MarkupKind, ParsedText
from services.ingest.parsers.epub import parse_epub
from tests.support.ingest_fakes import zipped

CONTAINER = '<container><rootfiles><rootfile full-path="OPS/b.opf"/></rootfiles></container>'
OPF = """<package xmlns="http://www.idpf.org/2007/opf"><metadata
xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A Book</dc:title></metadata><manifest>
<item id="n" href="nav.xhtml" properties="nav"/><item id="x" href="toc.ncx"
media-type="application/x-dtbncx+xml"/><item id="one" href="text/one%20.xhtml"/>
<item id="two" href="text/two.xhtml"/><item id="notes" href="text/notes.xhtml"/></manifest>
<spine><itemref idref="n"/><itemref idref="two"/><itemref idref="one"/><itemref idref="notes"/>
</spine></package>"""
NAV = """<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">
<body><nav epub:type="toc"><ol><li><a href="text/two.xhtml">Two</a><ol><li>
<a href="text/one%20.xhtml">Untitled one</a></li></ol></li></ol></nav>
<nav epub:type="page-list"><ol><li><a href="text/two.xhtml#p7">7</a></li></ol></nav></body></html>"""
NCX = """<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Two
</text></navLabel><content src="text/two.xhtml"/><navPoint><navLabel><text>Untitled one</text>
</navLabel><content src="text/one%20.xhtml"/></navPoint></navPoint></navMap><pageList><pageTarget>
<navLabel><text>7</text></navLabel><content src="text/two.xhtml#p7"/></pageTarget></pageList></ncx>"""
TWO = """<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"
xmlns:epub="http://www.idpf.org/2007/ops"><head><title/><script/></head><body><h2>Two</h2>
<p><a id="p7"/>Seven&nbsp;starts<a epub:type="noteref" href="notes.xhtml#n1">1</a>
<span epub:type="pagebreak" title="8"/> and eight.</p><h3>Sub</h3><p>On eight.</p></body></html>"""
NOTES = """<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">
<body><aside epub:type="footnote" id="n1"><p>The note.</p></aside></body></html>"""
FILES = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OPS/b.opf": OPF,
    "OPS/nav.xhtml": NAV,
    "OPS/toc.ncx": NCX,
    "OPS/text/one .xhtml": "<html><body><p>One.</p></body></html>",
    "OPS/text/two.xhtml": TWO,
    "OPS/text/notes.xhtml": NOTES,
}


def parse(**changes: Any) -> ParsedText:
    return parse_epub(zipped({**FILES, **changes}), "Fallback")


def test_a_page_that_begins_inside_a_paragraph_is_told_where() -> None:
    mark = '<span epub:type="pagebreak" title="{}"/>'
    body = (
        f"<p>On {mark.format(9)}nine,{mark.format(10)} on ten{mark.format(11)}.</p>"
        f"<p>{mark.format(12)}Twelve.</p>"
    )
    parsed = parse(**{"OPS/text/one .xhtml": TWO[: TWO.index("<h2>")] + body + "</body></html>"})
    [broken] = [b for b in parsed.blocks if parsed.text[b.start : b.end] == "On nine, on ten."]
    assert [
        (parsed.text[start:].partition(".")[0], page) for start, page in parsed.page_breaks[1:]
    ] == [("nine, on ten", 9), ("on ten", 10), ("", 11)]
    [twelve] = [b for b in parsed.blocks if parsed.text[b.start : b.end] == "Twelve."]
    assert (broken.page, twelve.page) == (8, 12)
    assert all(broken.start < start < broken.end for start, _ in parsed.page_breaks[1:])


@pytest.mark.parametrize("opf", [OPF, OPF.replace('properties="nav"', "").replace('idref="n"', "")])
def test_spine_contents_pages_and_notes_make_the_book(opf: str) -> None:
    parsed = parse(**{"OPS/b.opf": opf})
    assert parsed.title == "A Book"
    assert [
        (block.kind.name, block.page, parsed.text[block.start : block.end])
        for block in parsed.blocks
    ] == [
        ("HEADING", 0, "Two"),
        ("PARAGRAPH", 7, "Seven\xa0starts and eight."),
        ("FOOTNOTE", 8, "The note."),
        ("HEADING", 8, "Sub"),
        ("PARAGRAPH", 8, "On eight."),
        ("HEADING", 8, "Untitled one"),
        ("PARAGRAPH", 8, "One."),
    ]
    assert [section.path for section in parsed.sections] == [
        *(("A Book", "Two"), ("A Book", "Two", "Sub"), ("A Book", "Two", "Untitled one"))
    ]
    assert [block.label for block in parsed.blocks if block.kind is BlockKind.FOOTNOTE] == ["1"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"META-INF/container.xml": "<x/>"}, "has no"),
        ({"OPS/b.opf": "<package/>"}, "no document"),
        ({"OPS/b.opf": "\x01 no xml"}, "no document"),
        (
            {
                "META-INF/encryption.xml": "<e><CipherReference URI='OPS/text/two.xhtml'/></e>",
            },
            "protected",
        ),
        ({"OPS/text/two.xhtml": "<div>" * 5000}, "too deep"),
        ({"OPS/text/two.xhtml": b"\xff\xff"}, "two.xhtml"),
    ],
)
def test_a_book_that_can_not_be_read_says_why(
    changes: dict[str, bytes | str], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse(**changes)


def test_an_epub_that_is_no_archive_is_refused() -> None:
    with pytest.raises(InvalidInput, match="damaged"):
        parse_epub(b"PK nothing", "F")


@pytest.mark.fault("G6")
def test_a_bomb_is_too_large() -> None:
    with pytest.raises(TooLarge):
        parse(**{f"OPS/{n}.xhtml": b" " * 8_000_000 for n in range(3)})


@pytest.mark.fault("G6")
def test_entities_are_not_expanded() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;">]><html><p>&b;x</p></html>'
    assert "haha" not in parse(**{"OPS/text/two.xhtml": bomb}).text


def test_a_heading_that_is_said_twice_is_one() -> None:
    page = TWO.replace("<h2>Two</h2>", "<h1 id='cover'>Two</h1><div><h2 id='in'>TWO</h2></div>")
    parsed = parse(**{"OPS/text/two.xhtml": page})
    headings = [parsed.text[b.start : b.end] for b in parsed.blocks if b.kind is BlockKind.HEADING]
    assert headings.count("Two") + headings.count("TWO") == 1
    named = {one.value.partition("#")[2] for one in parsed.markup if one.kind is MarkupKind.ANCHOR}
    assert {"cover", "in"} <= named


def test_headings_that_a_page_has_at_one_level_nest_as_the_table_of_contents_says() -> None:
    nav = """<html xmlns:epub="http://www.idpf.org/2007/ops"><body><nav epub:type="toc"><ol><li>
<a href="text/two.xhtml">1. Gates</a><ol><li><a href="text/two.xhtml#a">1.1. Oak</a></li></ol></li></ol>
</nav></body></html>"""
    page = """<html><body><h2>Chapter 1. Gates</h2><p>a</p><h2 id="a">1.1. Oak</h2><p>b</p>
<h3>Care</h3><p>c</p></body></html>"""
    parsed = parse(**{"OPS/nav.xhtml": nav, "OPS/text/two.xhtml": page})
    found = [(one.path[-1], one.level) for one in parsed.sections]
    assert [one for one in found if one[0] in ("Chapter 1. Gates", "1.1. Oak", "Care")] == [
        ("Chapter 1. Gates", 1),
        ("1.1. Oak", 2),
        ("Care", 3),
    ]


def test_a_book_that_was_packed_with_its_folder_is_read_all_the_same() -> None:
    inside = {f"epub/{path}": text for path, text in FILES.items()}
    assert parse_epub(zipped(inside), "Fallback").text == parse().text
    with pytest.raises(InvalidInput, match="container"):
        parse_epub(zipped({**inside, "b/META-INF/container.xml": CONTAINER}), "Fallback")


def test_exponents_are_written_and_what_is_struck_out_is_gone_and_both_are_named() -> None:
    said = "<p>It is 10<sup>6</sup> ohms and costs <del>20</del> 30 euros.</p>"
    parsed = parse(**{"OPS/text/two.xhtml": TWO.replace("<p>On eight.</p>", said)})
    assert "It is 10^6 ohms and costs 30 euros." in parsed.text
    kinds = {one.kind: one.characters for one in parsed.dropped_content}
    assert kinds["struck-out text"] == 2
    assert kinds["raised or lowered text"] == 1


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    ("link", "is_read"),
    [
        ("rel='stylesheet'", False),
        ("rel='stylesheet' media='print'", True),
        ("rel='alternate stylesheet'", True),
    ],
)
def test_a_linked_style_sheet_hides(link: str, is_read: bool) -> None:
    page = (
        f"<html><head><link {link} href='../css/a.css'/></head><body><p>Seen.</p>"
        "<p class='x'>The key is blue.</p></body></html>"
    )
    parsed = parse(**{"OPS/text/one .xhtml": page, "OPS/css/a.css": b".x{display:none}"})
    assert ("The key is blue." in parsed.text) is is_read
    assert [one.kind for one in parsed.dropped_content if "one .xhtml" in one.place] == (
        [] if is_read else ["hidden text"]
    )


def test_a_linked_style_sheet_strikes_out_and_raises() -> None:
    page = (
        "<html><head><link rel='stylesheet' href='../css/a.css'/></head><body><p>Never "
        "<span class='gone'>now</span> open 10<span class='up'>9</span> doors.</p></body></html>"
    )
    sheet = b"/*\xff*/.gone{text-decoration:line-through}.up{vertical-align:super}"
    parsed = parse(**{"OPS/text/one .xhtml": page, "OPS/css/a.css": sheet})
    assert parsed.text.endswith("Never open 10^9 doors.")
    kinds = [one.kind for one in parsed.dropped_content if "one .xhtml" in one.place]
    assert kinds == ["struck-out text", "raised or lowered text"]


def entries(*links: tuple[str, str]) -> str:
    start, end = NAV.index("<ol>") + len("<ol>"), NAV.index("</ol></li></ol>")
    listed = "".join(f'<li><a href="text/{target}">{title}</a></li>' for title, target in links)
    return f"{NAV[:start]}{listed}{NAV[end + len('</ol></li>') :]}"


ANCHORED = (
    TWO[: TWO.index("<h2>")]
    + '<h1 id="o">One</h1><p>First.</p><p id="x">Second.</p><p>Third <a id="y"/>one.</p>'
    + '<p id="z">Last</p><p>End.</p></body></html>'
)


@pytest.mark.parametrize("is_ncx", [False, True])
def test_an_entry_of_the_contents_that_leads_to_text_begins_a_section(is_ncx: bool) -> None:
    titles = {"Part": "", "One": "#o", "Ex": "#x", "Why": "#y", "Last": "#z", "Gone": "#q"}
    nav = entries(*((title, f"one%20.xhtml{anchor}") for title, anchor in titles.items()))
    changes = {"OPS/text/one .xhtml": ANCHORED.replace("<h1", "<p>Before.</p><h1")}
    if is_ncx:
        points = "".join(
            f"<navPoint><navLabel><text>{title}</text></navLabel>"
            f'<content src="text/one%20.xhtml{anchor}"/></navPoint>'
            for title, anchor in titles.items()
        )
        opf = OPF.replace('properties="nav"', "").replace('idref="n"', "")
        changes |= {"OPS/b.opf": opf, "OPS/toc.ncx": f"<ncx><navMap>{points}</navMap></ncx>"}
    parsed = parse(**changes, **({} if is_ncx else {"OPS/nav.xhtml": nav}))
    found = [one.path[-1] for one in parsed.sections]
    assert found[found.index("Sub") + 1 :] == ["Part", "One", "Ex", "Why", "Last"]
    assert "Ex\n\nSecond.\n\nWhy\n\nThird one.\n\nLast\n\nEnd." in parsed.text
    lost = [one for one in parsed.dropped_content if one.kind == "entry of the contents"]
    assert [(one.place, "Gone" in one.reason) for one in lost] == [("OPS/text/one .xhtml#q", True)]


def test_a_part_and_its_first_chapter_that_begin_at_one_heading_are_both_sections() -> None:
    nav = entries(("Part I", "one%20.xhtml"), ("One", "one%20.xhtml"))
    parsed = parse(**{"OPS/nav.xhtml": nav, "OPS/text/one .xhtml": ANCHORED})
    assert [one.path[-1] for one in parsed.sections][-2:] == ["Part I", "One"]


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("1. The Beginning", '<div id="c"><p>1</p><h1>The beginning</h1></div>'),
        ("Chapter I", '<div id="c"><img src="a.png" alt="A tree"/><h1>I</h1></div>'),
        ("I", '<h1 id="c">Chapter I</h1>'),
        ("The beginning", '<p id="c">A motto.</p><p>By somebody.</p><h1>The beginning</h1>'),
    ],
)
def test_an_entry_whose_heading_stands_there_in_other_words_makes_none(
    title: str, body: str
) -> None:
    nav = entries((title, "one%20.xhtml#c"))
    page = f"{TWO[: TWO.index('<h2>')]}{body}<p>Words.</p></body></html>"
    parsed = parse(**{"OPS/nav.xhtml": nav, "OPS/text/one .xhtml": page})
    headings = [one for one in parsed.blocks if one.kind is BlockKind.HEADING]
    assert len(headings) == len(("Two", "Sub", title))


def test_an_entry_that_leads_out_of_what_is_read_is_named() -> None:
    parsed = parse(**{"OPS/nav.xhtml": entries(("Cover", "cover.xhtml"), ("Two", "two.xhtml"))})
    assert ["Cover" in one.reason for one in parsed.dropped_content if one.characters == 5] == [
        True
    ]


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    "columns", ["<colgroup>Deep.<col/></colgroup>", "<colgroup><col>Deep.</col></colgroup>"]
)
def test_the_text_of_columns_is_hidden_and_named(columns: str) -> None:
    for cell in ("x", "<pre>x</pre>"):
        table = f"<table>{columns}<tr><td>{cell}</td><td>y</td></tr></table>"
        page = f"{TWO[: TWO.index('<h2>')]}{table}</body></html>"
        parsed = parse(**{"OPS/text/one .xhtml": page})
        assert "Deep" not in parsed.text
        assert ("hidden text", 5) in [(one.kind, one.characters) for one in parsed.dropped_content]


@pytest.mark.parametrize(
    ("begins", "contents", "first"),
    [
        ("The boat left.", ("A Book", "Two"), ("A Book", "A Book")),
        ("The boat left.", ("Two", "End"), ("A Book",)),
        ("By A. N. Author", ("A Book", "Two"), ("A Book",)),
    ],
)
def test_a_first_chapter_with_the_title_of_the_book_is_a_section(
    begins: str, contents: tuple[str, str], first: tuple[str, ...]
) -> None:
    page = "<html><body><h1>{}</h1><p>{}</p></body></html>".format
    nav = entries(*zip(contents, ("two.xhtml", "one%20.xhtml"), strict=True))
    ends = "It came back. " * (1 if "boat" in begins else 20)
    pages = {
        "OPS/text/two.xhtml": page("A Book", begins),
        "OPS/text/one .xhtml": page("Two", ends),
    }
    assert parse(**{"OPS/nav.xhtml": nav}, **pages).sections[0].path == first


def test_a_chapter_of_an_epub_may_be_called_as_files_beside_a_book_are() -> None:
    opf = OPF.replace("text/two.xhtml", "text/notice.xhtml")
    files = {path.replace("two", "notice"): data for path, data in FILES.items()}
    told = parse_epub(zipped({**files, "OPS/b.opf": opf}), "F")
    assert told.text == parse_epub(zipped(FILES), "F").text
