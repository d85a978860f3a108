"""Links, emphasis and the like: kept as ranges of a text that is the same as without them."""

import io
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import docx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from hypothesis import given
from hypothesis import strategies as st

from services.ingest.model.book import (
    Block,
    BlockKind,
    Document,
    Markup,
    MarkupKind,
    ParsedText,
    ReadDocument,
)
from services.ingest.parsers.docx import parse_docx
from services.ingest.parsers.epub import parse_epub
from services.ingest.parsers.html import parse_html
from services.ingest.parsers.markdown import parse_markdown
from services.ingest.parsers.markup import label_pages, nested, place
from services.ingest.parsers.rst import parse_rst
from services.ingest.parsers.rst.names import read_names
from services.ingest.publish import record_document
from services.ingest.report import report_document
from tests.support.ingest_fakes import zipped

FILES = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": (
        '<container><rootfiles><rootfile full-path="OPS/b.opf"/></rootfiles></container>'
    ),
    "OPS/b.opf": (
        '<package><manifest><item id="one" href="text/one%20.xhtml"/>'
        '<item id="two" href="text/two.xhtml"/></manifest>'
        '<spine><itemref idref="two"/><itemref idref="one"/></spine></package>'
    ),
}
Parse = Callable[[str], ParsedText]


def markdown(source: str) -> ParsedText:
    return parse_markdown(source, False, "Fallback")


def mdx(source: str) -> ParsedText:
    return parse_markdown(source, True, "Fallback")


def html(source: str) -> ParsedText:
    return parse_html(source, "Fallback")


def found(parsed: ParsedText) -> list[tuple[str, str, str]]:
    return [
        (one.kind.name.lower(), parsed.text[one.start : one.end], one.value)
        for one in parsed.markup
    ]


INLINE = [
    ("link", "the gate", "gates.md#sea"),
    ("emphasis", "wet", ""),
    ("strong", "very dry", ""),
    ("code", "open()", ""),
]


@pytest.mark.parametrize(
    ("parse", "source"),
    [
        (markdown, "See [the gate](gates.md#sea): *wet*, **very dry**, `open()`."),
        (markdown, 'See [the gate](gates.md#sea "t"): _wet_, __very dry__, `` open() ``.'),
        (
            mdx,
            'See <a href="gates.md#sea">the gate</a>: <em>wet</em>, **very\n  dry**, `open()`.',
        ),
        (
            html,
            'See <a href="gates.md#sea">the\n gate</a>: <i>wet</i>, <b>very dry</b>, <tt>open()</tt>.',
        ),
    ],
)
def test_links_emphasis_and_code_are_ranges_of_the_text(parse: Parse, source: str) -> None:
    parsed = parse(source)
    assert parsed.text == "See the gate: wet, very dry, open()."
    assert found(parsed) == INLINE


@pytest.mark.parametrize(
    ("parse", "source", "text", "markup"),
    [
        (
            markdown,
            "2<sup>n − 1</sup> of H<sub>2</sub>O",
            "2^(n − 1) of H2O",
            [("superscript", "^(n − 1)", "^()"), ("subscript", "2", "")],
        ),
        (
            html,
            "<p>  10<sup> 6 </sup> and <i>x<sub>ab</sub></i>, the 1<sup>st</sup></p>",
            "10^6 and x_ab, the 1st",
            [
                ("superscript", "^6", "^"),
                ("emphasis", "x_ab", ""),
                ("subscript", "_ab", "_"),
                ("superscript", "st", ""),
            ],
        ),
        (
            markdown,
            "a<sup>*b*</sup> **c<sup>2</sup>**",
            "a^b c^2",
            [
                ("superscript", "^b", "^"),
                ("emphasis", "b", ""),
                ("strong", "c^2", ""),
                ("superscript", "^2", "^"),
            ],
        ),
    ],
)
def test_raised_and_lowered_text_says_what_was_written_for_it(
    parse: Parse, source: str, text: str, markup: list[tuple[str, str, str]]
) -> None:
    parsed = parse(source)
    assert parsed.text == text
    assert found(parsed) == markup


def test_markup_of_a_cell_an_item_a_heading_and_a_quotation_stands_in_it() -> None:
    parsed = markdown(
        "# The *sea* gate\n\n1. [x] do `this`\n\n> go **on**\n\n"
        "| `a`  |   | [b](c) |\n|---|---|---|\n|  | *d*   e | |\n"
    )
    assert found(parsed) == [
        ("emphasis", "sea", ""),
        ("code", "this", ""),
        ("strong", "on", ""),
        ("code", "a", ""),
        ("link", "b", "c"),
        ("emphasis", "d", ""),
    ]


def test_markup_of_cells_and_captions_of_a_page_stands_in_them() -> None:
    parsed = html(
        "<table><caption>Of <b>gates</b></caption><tr><th><code>a</code><th>b"
        "<tr><td><td><a href='c.html'>the  <i>sea</i></a> gate</table>"
    )
    assert parsed.text == "Of gates\n\na | b\n| the sea gate"
    assert found(parsed) == [
        ("strong", "gates", ""),
        ("code", "a", ""),
        ("link", "the sea", "c.html"),
        ("emphasis", "sea", ""),
    ]


def test_cells_say_how_they_are_aligned_and_what_they_span() -> None:
    parsed = markdown("| a | | c |\n|:--|--:|---|\n| 1 | 2 | 3 |\n")
    assert [one for one in parsed.markup if one.kind is MarkupKind.ALIGNMENT] == [
        Markup(MarkupKind.ALIGNMENT, 0, 1, "left"),
        Markup(MarkupKind.ALIGNMENT, 4, 4, "right"),
    ]
    page = html(
        "<table><tr><td><th colspan=2 style='TEXT-ALIGN: center'>b"
        "<tr><th rowspan=3>c<td colspan=1>d<td rowspan=x>e<tr><td>f<td align=right></table>"
    )
    assert page.text == "| b\nc | d | e\nf |"
    assert found(page) == [
        ("column_span", "b", "2"),
        ("alignment", "b", "center"),
        ("row_span", "c", "3"),
        ("header_cell", "c", ""),
        ("alignment", "", "right"),
    ]


def test_language_and_direction_are_kept_where_the_source_states_them() -> None:
    for parsed in (
        markdown('a <span lang="fr" dir="RTL">*b*</span> c'),
        html('<p>a <span lang="fr" dir="RTL"><i>b</i></span> c</p>'),
    ):
        *around, last = found(parsed)
        assert sorted(around) == [("direction", "b", "rtl"), ("language", "b", "fr")]
        assert last == ("emphasis", "b", "")


def test_pages_that_begin_inside_of_a_paragraph_are_markup() -> None:
    page = '<p>One <span role="doc-pagebreak" title="7"></span>two</p>'
    parsed = html(f"<p><b>x</b></p>{page}")
    assert found(parsed)[1:] == [("page", "", "7")]
    assert parsed.markup[1].start == parsed.text.index("two")


def test_formulas_and_footnotes_are_told_from_prices_and_brackets() -> None:
    parsed = markdown("$X, Y, Z$ and $-q$ cost $5 [1] more[^n].\n\n[^n]: Or $6.\n")
    assert found(parsed) == [
        ("formula", "$X, Y, Z$", ""),
        ("formula", "$-q$", ""),
        ("footnote_reference", "[1]", "1"),
    ]
    assert parsed.text[parsed.markup[2].start - 4 :].startswith("more[1]")


def test_a_footnote_mark_that_the_text_has_not_is_a_place_in_it() -> None:
    parsed = html(
        '<p>One<sup><a href="#f">7</a></sup> two.</p><aside id="f" role="doc-footnote">Note</aside>'
    )
    reference = next(one for one in parsed.markup if one.kind is MarkupKind.FOOTNOTE_REFERENCE)
    assert (reference.start, reference.end, reference.value) == (3, 3, "7")
    assert parsed.text.startswith("One two.")


def test_places_that_links_lead_to_are_kept_and_those_of_sections_not_twice() -> None:
    parsed = html(
        '<section id="top"><h1>T</h1><div id="d"><p>One <span id="s">two</span></p></div>'
        '<pre id="c">x</pre><table id="t"><tr><td>y<tr><td>z</table></section>'
    )
    anchors = {one.value: one.start for one in parsed.markup if one.kind is MarkupKind.ANCHOR}
    at = parsed.text.index
    assert anchors == {"d": at("One"), "s": at("two"), "c": at("x"), "t": at("y")}
    assert parsed.sections[0].anchor == "top"


def test_places_and_links_of_an_epub_are_named_by_their_file() -> None:
    two = (
        '<html><body><h2 id="h">Two</h2><p>See <a href="one%20.xhtml#x">one</a>, '
        '<a href="#h">here</a>, '
        '<a href="http://a.example/">out</a>, <a href="gone.xhtml">gone</a>.</p></body></html>'
    )
    one = '<html><body><p>Not <i id="x">this</i>.</p></body></html>'
    parsed = parse_epub(
        zipped({**FILES, "OPS/text/two.xhtml": two, "OPS/text/one .xhtml": one}), "F"
    )
    links = [value for kind, _, value in found(parsed) if kind == "link"]
    assert links == [
        *("#OPS/text/one%20.xhtml#x", "#OPS/text/two.xhtml#h", "http://a.example/", "gone.xhtml")
    ]
    anchors = {at.value: at.start for at in parsed.markup if at.kind is MarkupKind.ANCHOR}
    assert anchors["OPS/text/one .xhtml#x"] == parsed.text.index("this")
    assert anchors["OPS/text/two.xhtml#h"] == anchors["OPS/text/two.xhtml"] == 0


RST = """
Title
=====

.. _The Gate:

The *sea* gate
--------------

See :ref:`wheels <The Wheel>`, :ref:`The Gate`, :doc:`/parts/wheel`, `out <https://a.example/>`_ and
:file:`{x}.txt`; **strong**, ``code`` and :math:`x^2` at 10\\ :sup:`6` m [#n]_.

.. _para:

Last.

.. [#n] Note.
"""


def test_roles_references_and_targets_of_restructured_text_are_markup() -> None:
    names = {
        "at:the wheel": "parts/wheel.rst",
        "at:the gate": "gate.rst",
        "ref:the gate": "The gate",
    }
    parsed = parse_rst(RST, "Fallback", names)
    assert found(parsed) == [
        ("anchor", "", "the-gate"),
        ("emphasis", "sea", ""),
        ("link", "wheels", "/parts/wheel.rst#the-wheel"),
        ("link", "The gate", "/gate.rst#the-gate"),
        ("link", "/parts/wheel", "/parts/wheel"),
        ("link", "out", "https://a.example/"),
        ("code", "x.txt", ""),
        ("strong", "strong", ""),
        ("code", "code", ""),
        ("formula", "$x^2$", ""),
        ("superscript", "^6", "^"),
        ("footnote_reference", "", "1"),
        ("anchor", "", "para"),
    ]


def test_labels_of_other_files_lead_to_them() -> None:
    assert read_names("gate", RST, "parts/gate.rst")["at:the gate"] == "parts/gate.rst"


def test_runs_links_and_bookmarks_of_a_docx_are_markup() -> None:
    document = docx.Document()
    heading = document.add_heading("The ", 1)
    heading.add_run("gate").italic = True
    paragraph = document.add_paragraph("It is ")
    paragraph.add_run("very ").bold = True
    paragraph.add_run("wet").bold = True
    relation = document.part.relate_to(
        "https://a.example/", RELATIONSHIP_TYPE.HYPERLINK, is_external=True
    )
    paragraph._p.append(
        parse_xml(
            f'<w:hyperlink {nsdecls("w", "r")} r:id="{relation}"><w:r><w:t> out</w:t></w:r>'
            "</w:hyperlink>"
        )
    )
    stream = io.BytesIO()
    document.save(stream)
    parsed = parse_docx(stream.getvalue(), "Fallback")
    assert found(parsed) == [
        ("emphasis", "gate", ""),
        ("strong", "very wet", ""),
        ("link", "out", "https://a.example/"),
    ]


def test_a_link_over_two_paragraphs_is_one_of_each() -> None:
    parsed = html("<a href='x'><p>one</p><p>two</p></a>")
    assert found(parsed) == [("link", "one", "x"), ("link", "two", "x")]


@pytest.mark.control("V7")
@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", " JaVa\tScript:alert(1)", "\x01javascript:x", "data:text/html,x"],
)
def test_a_link_that_would_run_something_is_no_link(address: str) -> None:
    parsed = html(f'<p><a href="{address}">go</a> on</p>')
    assert (parsed.text, found(parsed)) == ("go on", [])


def test_tags_without_an_end_mark_nothing() -> None:
    parsed = markdown("a <b>bold and <a href='x'>on")
    assert (parsed.text, found(parsed)) == ("a bold and on", [])


def test_characters_that_nobody_sees_move_no_range() -> None:
    parsed = markdown("a\u200b*b\u200bc* `d`")
    assert found(parsed) == [("emphasis", "bc", ""), ("code", "d", "")]


PIECES = st.sampled_from(
    (
        *(
            "word",
            " ",
            "\n",
            "*",
            "**",
            "_",
            "`",
            "[",
            "](x)",
            "<b>",
            "</b>",
            "<sup>",
            "</sup>",
            "7",
        ),
        *("<a href='y'>", "</a>", "| ", "\n\n", "- ", "# ", "> ", "$x$", "\u200b", "~~", "<br>"),
    )
)


@given(st.lists(PIECES, max_size=40).map("".join), st.sampled_from([markdown, mdx, html]))
def test_markup_lies_in_one_block_in_order_and_one_in_the_other_or_apart(
    source: str, parse: Parse
) -> None:
    parsed = parse(source)
    for one in parsed.markup:
        assert any(block.start <= one.start <= one.end <= block.end for block in parsed.blocks)
    for before, after in pairwise(parsed.markup):
        assert before.start <= after.start
    ranges = [one for one in parsed.markup if one.start < one.end]
    for index, one in enumerate(ranges):
        for other in ranges[index + 1 :]:
            assert other.start >= one.end or other.end <= one.end


@given(st.text(st.sampled_from("ab \n\t"), max_size=30), st.data())
def test_a_range_covers_the_same_characters_whatever_space_is_between(
    raw: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, len(raw)))
    text = " ".join(raw.split())
    placed = place(raw, text, [Markup(MarkupKind.CODE, start, end)])
    covered = "".join(text[one.start : one.end] for one in placed)
    assert covered.split() == raw[start:end].split()


def test_ranges_that_overlap_are_clipped() -> None:
    one, two = Markup(MarkupKind.STRONG, 0, 5), Markup(MarkupKind.LINK, 3, 9, "x")
    assert nested([two, one]) == [one, Markup(MarkupKind.LINK, 3, 5, "x")]


def test_a_document_without_markup_has_the_digest_that_it_had_before_markup_was_kept() -> None:
    plain = Document("a.md", 0, "", "0" * 64, "A", "A", (), ())
    marked = replace(plain, markup=(Markup(MarkupKind.CODE, 0, 1),))

    def digest(document: Document) -> str:
        report = report_document(document, [], [])
        return record_document(ReadDocument(document, [], report), "", report).digest

    assert digest(plain) == "89b8bab37e64b171a605d452d55d3b6ae14fd7f7b6fb656437df45c6be0833a7"
    assert digest(marked) != digest(plain)


def test_a_page_that_its_source_calls_otherwise_is_said_where_it_begins() -> None:
    blocks = [Block(BlockKind.PARAGRAPH, 0, 40, page=1), Block(BlockKind.PARAGRAPH, 42, 60, page=3)]
    inside = Markup(MarkupKind.PAGE, 20, 20, "2")
    labelled = label_pages([inside], blocks, {1: "i", 2: "ii", 3: "3", 9: "7"})
    assert [(one.start, one.value) for one in labelled if one.kind is MarkupKind.PAGE_LABEL] == [
        (0, "1 i"),
        (20, "2 ii"),
    ]
    assert inside in labelled
    assert list(label_pages([inside], blocks, {})) == [inside]
