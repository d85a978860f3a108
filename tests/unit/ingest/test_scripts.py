"""Raised, lowered and struck-out text: no format may change what the book says."""

import io
from collections.abc import Sequence

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn

from services.ingest.model.book import ParsedText
from services.ingest.parsers.asciidoc import parse_asciidoc
from services.ingest.parsers.docx import parse_docx
from services.ingest.parsers.html import parse_html
from services.ingest.parsers.markdown import parse_markdown
from services.ingest.parsers.pdf import parse_pdf
from services.ingest.parsers.rst import parse_rst
from services.ingest.parsers.scripts import Script, write_scripts
from tests.support.pdf_files import Link, pdf_of, raised_at, text_at

SHEET = ".a{top:0}@media print{i, b.C3 {text-decoration: underline line-through}}"
OTHER_SHEET = ".a:hover{text-decoration:line-through}.a b{text-decoration:line-through}"
RAISING = (
    ".up, b.not{vertical-align: super;/*}*/}.high{font-size:70%;vertical-align:.4em}"
    ".low{position:relative; top: 3px}.near{vertical-align:-0.05em}"
)
LINE, RAISED, LOWERED = Script.LINE, Script.RAISED, Script.LOWERED


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([("10", LINE), ("6", RAISED), (" ohms", LINE)], "10^6 ohms"),
        ([("2", LINE), ("n", RAISED), (" − 1", LINE)], "2^n − 1"),
        ([("2", LINE), ("n − 1", RAISED), (")", LINE)], "2^(n − 1))"),
        ([("10", LINE), ("-6", RAISED), (" F", LINE)], "10^-6 F"),
        ([("2", LINE), ("8", RAISED), ("3", LINE)], "2^(8)3"),
        ([("10 ", LINE), ("6", RAISED)], "10 ^6"),
        ([("e", LINE), ("(a+b)", RAISED), ("c", LINE)], "e^(a+b)c"),
        ([("costs 20", LINE), ("1", RAISED), (" euros", LINE)], "costs 20^1 euros"),
        ([("on the 1", LINE), ("st", RAISED), (" day", LINE)], "on the 1st day"),
        ([("Quoth", LINE), ("TM", RAISED)], "QuothTM"),
        ([("Na", LINE), ("+", RAISED)], "Na+"),
        ([("said so", LINE), ("[7]", RAISED)], "said so[7]"),
        ([("1", RAISED), (" A note", LINE)], "1 A note"),
        ([("H", LINE), ("2", LOWERED), ("O", LINE)], "H2O"),
        ([("log", LINE), ("2", LOWERED), ("8", LINE)], "log_(2)8"),
        ([("1010", LINE), ("2", LOWERED)], "1010_2"),
        ([("V", LINE), ("max", LOWERED), (" is", LINE)], "V_max is"),
        ([("x", LINE), ("1", LOWERED), ("2", RAISED)], "x1^2"),
        ([("x", LINE), ("", RAISED), ("2", LINE)], "x2"),
        (
            [("235", RAISED), ("U and ", LINE), ("14", RAISED), ("C date", LINE)],
            "^235U and ^14C date",
        ),
        (
            [("(", LINE), ("3", RAISED), ("He) of ", LINE), ("99m", RAISED), ("Tc", LINE)],
            "(^3He) of ^99mTc",
        ),
        ([("14", RAISED), ("6", LOWERED), ("C is", LINE)], "^14_6C is"),
        ([("1", RAISED), ("H", LINE)], "^1H"),
        ([("1", RAISED), ("In the beginning", LINE)], "1In the beginning"),
        ([("2", RAISED), ("He said", LINE)], "2He said"),
        ([("14", RAISED), ("Carbon", LINE)], "14Carbon"),
        ([("x", LINE), ("14", RAISED), ("C", LINE)], "x^(14)C"),
    ],
)
def test_raised_and_lowered_text_keeps_its_meaning(
    pieces: list[tuple[str, Script]],
    expected: str,
) -> None:
    assert write_scripts(pieces)[0] == expected


def dropped_from(parsed: ParsedText) -> list[tuple[str, str, int, bool]]:
    return [
        (item.kind, item.place, item.characters, item.dropped) for item in parsed.dropped_content
    ]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>10<sup>6</sup> ohms and 2<sup><i>n</i></sup> − 1</p>", "10^6 ohms and 2^n − 1"),
        ("<p>2<sup>2<sup>n</sup></sup>.</p>", "2^(2^n)."),
        ("<pre>2<sup>8</sup></pre>", "2^8"),
        ("<table><tr><td>R<td>10<sup>6</sup><tr><td>a<td>b</table>", "R | 10^6\na | b"),
        ("<p>10<span style='vertical-align: super'>6</span></p>", "10^6"),
        ("<p>It costs <del>20</del> 30 euros.</p>", "It costs 30 euros."),
        ("<p><s>Never open it.</s> <strike>No.</strike> Open it.</p>", "Open it."),
        ("<p>A<span style='text-decoration:line-through'>B</span>C</p>", "AC"),
        ("<table><tr><td><s>20</s> 30<td>x<tr><td>a<td>b</table>", "30 | x\na | b"),
        ("<pre>rm <del>-rf</del> x</pre>", "rm  x"),
        ("<del><p>Old.</p></del><p>New.</p>", "New."),
        ("<p>It costs <span class='x line-through'>20</span> 30 euros.</p>", "It costs 30 euros."),
        (f"<style>{SHEET}</style><p>It costs <b class=C3>20</b> 30 euros.", "It costs 30 euros."),
        (f"<style>{OTHER_SHEET}</style><p class=a>Open <b>it</b>.", "Open it."),
        (f"<style>{RAISING}</style><p>10<span class=up>6</span> ohms", "10^6 ohms"),
        (f"<style>{RAISING}</style><p>10<i class='x high'>-6</i> ohms", "10^-6 ohms"),
        (f"<style>{RAISING}</style><p>log<span class=low>2</span>8", "log_(2)8"),
        (f"<style>{RAISING}</style><p>10<span class=near>6</span> ohms", "106 ohms"),
        (f"<style>{RAISING}</style><table><tr><td>1<td class=up>6</table>", "1 | 6"),
        ("<p>10<span style='vertical-align:30%'>6</span> ohms", "10^6 ohms"),
        ("<p>10<span style='position:relative;top:-.5em'>6</span> ohms", "10^6 ohms"),
        ("<p>10<span style='top:-.5em'>6</span> ohms", "106 ohms"),
    ],
)
def test_html_writes_exponents_and_leaves_out_what_is_struck_out(
    html: str,
    expected: str,
) -> None:
    assert parse_html(html, "F").text == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>10<sup>&#1;6</sup> ohms</p>", "10^6 ohms"),
        ("<p>2<sup><i>n</i>\x02</sup> − 1</p>", "2^n − 1"),
        ("<pre>a<br>&#27;b</pre>", "a\nb"),
    ],
)
def test_characters_that_no_tree_holds_stop_no_page(html: str, expected: str) -> None:
    assert parse_html(html, "F").text == expected


def test_html_names_both_in_the_report() -> None:
    parsed = parse_html("<p>10<sup>6</sup></p>\n<p>It costs <del>20 euros</del> 30.</p>", "F")
    assert dropped_from(parsed) == [
        ("struck-out text", "line 2", 7, True),
        ("raised or lowered text", "line 1", 1, False),
    ]


def test_a_footnote_mark_of_html_is_no_exponent() -> None:
    parsed = parse_html(
        "<p>Text<sup><a href='#n'>1</a></sup>.</p><aside id=n role=doc-footnote>N", "F"
    )
    assert parsed.text.startswith("Text.")
    assert not parsed.dropped_content


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("10<sup>6</sup> ohms, H<sub>2</sub>O", "10^6 ohms, H2O"),
        ("2<sup>*n* − 1</sup> ways", "2^(n − 1) ways"),
        ("It costs ~~20~~ 30 euros.", "It costs 30 euros."),
        ("~~Never open it.~~", ""),
        ("~20~ 40 volts, (~*old* one~) new", "40 volts, () new"),
        ("H~2~O of 1.0~rc1 and 2.0~rc2", "H~2~O of 1.0~rc1 and 2.0~rc2"),
        ("~20 volts or ~30 of ~/a and ~/b", "~20 volts or ~30 of ~/a and ~/b"),
        ("~~a b~ c~~ d `~y~` ~a ~~b~~ c~ d", "d ~y~ d"),
        ("It costs <del>20</del> 30 euros.", "It costs 30 euros."),
        ("<del>\n\nOld.\n\n</del>\n\nNew.", "New."),
        ("<s>\n\nNever closed, so it stays.", "Never closed, so it stays."),
        ("| a | b |\n|---|---|\n| ~~1~~ 2 | 10<sup>6</sup> |", "a | b\n2 | 10^6"),
        ("<table><tr><td>10<sup>6</sup></td><td><s>1</s> 2</td></tr></table>", "10^6 | 2"),
        ("<pre>2<sup>8</sup> <del>x</del>y</pre>", "2^8 y"),
        (
            "Do <span style='text-decoration:line-through'>not <b>a</b></span> open it.",
            "Do open it.",
        ),
        ("Do <span class=strike>not <span>a</span></span> open it.", "Do open it."),
        ("Do <span class=strike>not open it.", "Do not open it."),
    ],
)
def test_markdown_writes_exponents_and_leaves_out_what_is_struck_out(
    markdown: str, expected: str
) -> None:
    assert parse_markdown(markdown, False, "F").text == expected


def test_markdown_names_both_in_the_report() -> None:
    parsed = parse_markdown("# T\n\n10<sup>6</sup>\n\nIt costs ~~20~~ 30.", False, "F")
    assert dropped_from(parsed) == [
        ("raised or lowered text", "line 3", 1, False),
        ("struck-out text", "line 5", 2, True),
    ]


def test_rst_writes_exponents_and_leaves_out_what_is_struck_out() -> None:
    source = (
        ".. role:: strike\n\nIt is 10\\ :sup:`6` ohms of H\\ :sub:`2`\\ O.\n\n"
        "It costs :strike:`20` :del:`25` 30 euros.\n"
    )
    parsed = parse_rst(source, "F")
    assert parsed.text == "It is 10^6 ohms of H2O.\n\nIt costs 30 euros."
    assert dropped_from(parsed) == [
        ("raised or lowered text", "line 3", 1, False),
        ("struck-out text", "line 5", 2, True),
        ("struck-out text", "line 5", 2, True),
    ]


def test_a_role_of_the_document_itself_means_what_it_is_made_of() -> None:
    source = (
        ".. role:: high(sup)\n.. role:: low(subscript)\n   :class: small\n\n"
        ".. role:: removed\n   :format: html\n   :class: red line-through\n.. role:: higher(high)\n\n"
        "It is 10\\ :high:`6` or 10\\ :higher:`7` ohms, log\\ :low:`2`\\ 8.\n\n"
        "It costs :removed:`20` 30 euros.\n"
    )
    expected = "It is 10^6 or 10^7 ohms, log_(2)8.\n\nIt costs 30 euros."
    assert parse_rst(source, "F").text == expected


def test_asciidoc_leaves_out_what_is_struck_out() -> None:
    parsed = parse_asciidoc(
        "It costs [.line-through]#20# [.red.line-through]##2##5 30 [.red]#euros#.\n\n"
        "[line-through]#Never open it.# Open it.\n",
        "F",
    )
    assert parsed.text == "It costs 5 30 euros.\n\nOpen it."
    assert dropped_from(parsed) == [
        ("struck-out text", "line 1", 2, True),
        ("struck-out text", "line 1", 1, True),
        ("struck-out text", "line 3", 12, True),
    ]


def test_docx_writes_exponents_and_leaves_out_what_is_struck_out() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("It is 10")
    paragraph.add_run("6").font.superscript = True
    paragraph.add_run(" ohms of H")
    paragraph.add_run("2").font.subscript = True
    paragraph.add_run("O and costs ")
    paragraph.add_run("20").font.strike = True
    paragraph.add_run("25").font.double_strike = True
    paragraph.add_run("30").font.strike = False
    style = document.styles.add_style("Gone", WD_STYLE_TYPE.CHARACTER)
    style.font.strike = True
    paragraph.add_run(" or 40", style="Gone")
    paragraph.add_run(" euros or 10")
    for half_points, exponent in ((12, "9"), (1, "8")):
        raised = OxmlElement("w:position")
        raised.set(qn("w:val"), str(half_points))
        paragraph.add_run(exponent).element.get_or_add_rPr().append(raised)
    paragraph.add_run(" in all.")
    power = (
        f"<m:oMath {nsdecls('m')}><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t>"
        "</m:r></m:sup></m:sSup><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t>"
        "</m:r></m:den></m:f></m:oMath>"
    )
    document.add_paragraph("With ")._p.append(parse_xml(power))
    buffer = io.BytesIO()
    document.save(buffer)
    parsed = parse_docx(buffer.getvalue(), "F")
    assert (
        parsed.text
        == "It is 10^6 ohms of H2O and costs 30 euros or 10^(9)8 in all.\n\nWith x^2(1/2)"
    )
    assert dropped_from(parsed) == [
        ("struck-out text", "piece 1", 8, True),
        ("raised or lowered text", "piece 1", 2, False),
        ("formula", "piece 2", 8, False),
    ]


COSTS = [
    text_at(72, 700, "It costs"),
    text_at(112, 700, "20"),
    text_at(128, 700, "30 euros."),
    text_at(72, 640, "Open it."),
]


@pytest.mark.parametrize(
    "line",
    [
        "112 703 m 123.1 703 l S",
        "111 702.7 14 0.7 re f",
        "1 0 0 1 100 700 cm 12 3 m 23.1 3 l S",
        "112 698.5 m 123.1 698.5 l S 112 703 m 123.1 703 l S",
    ],
    ids=["drawn", "filled", "moved", "underlined too"],
)
def test_pdf_leaves_out_what_a_line_goes_through(line: str) -> None:
    parsed = parse_pdf(pdf_of([[*COSTS, line]]), "F")
    assert parsed.text == "It costs 30 euros.\n\nOpen it."
    assert dropped_from(parsed) == [("struck-out text", "page 1, “20”", 2, True)]


@pytest.mark.parametrize(
    "line",
    [
        "112 698.5 m 123.1 698.5 l S",
        "112 709 m 123.1 709 l S",
        "60 703 m 540 703 l S",
        "112 695 11 8 re f",
        "117 690 m 117 715 l S",
    ],
    ids=["below", "above", "a rule behind a title", "a ground", "upright"],
)
def test_pdf_keeps_what_lines_are_near_of(line: str) -> None:
    parsed = parse_pdf(pdf_of([[*COSTS, line]]), "F")
    assert parsed.text == "It costs 20 30 euros.\n\nOpen it."
    assert not dropped_from(parsed)


WIDE = [text_at(72, 700, "Never open the valve"), text_at(72, 660, "Open it.")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("72 703 m 195 703 l S", "Open it."),
        ("50 703 m 190 703 l S", "Open it."),
        ("142 703 m 176 703 l S", "Never open the\n\nOpen it."),
        ("72 703 m 290 703 l S", "Never open the valve\n\nOpen it."),
        ("145 703 m 200 703 l S", "Never open the valve\n\nOpen it."),
        ("20 663 m 160 663 l S", "Never open the valve\n\nOpen it."),
    ],
    ids=[
        "a word too long",
        "begun too early",
        "a part",
        "a rule",
        "mostly beyond",
        "behind a short title",
    ],
)
def test_a_line_that_reaches_beyond_the_words_it_strikes_is_told_from_a_rule(
    line: str, expected: str
) -> None:
    assert parse_pdf(pdf_of([[*WIDE, line]]), "F").text == expected


def struck_by_a_mark(page: Sequence[str], quads: str) -> bytes:
    data = pdf_of([page], links=[Link(1, (0, 0, 9, 9), "https://e.example")])
    start = data.index(b"<</Type/Annot")
    end = data.index(b"]", data.index(b">>>>", start))
    mark = f"<</Type/Annot/Subtype/StrikeOut/Rect[70 630 200 715]/QuadPoints[{quads}]>>"
    return data[:start] + mark.encode() + data[end:]


def test_pdf_leaves_out_what_a_reader_of_the_file_struck_out() -> None:
    word = "111 711 124 711 111 697 124 697"
    line = "70 651 120 651 70 636 120 636"
    parsed = parse_pdf(struck_by_a_mark(COSTS, f"{word} {line}"), "F")
    assert parsed.text == "It costs 30 euros."
    assert ("struck-out text", "page 1, “20”", 2, True) in dropped_from(parsed)
    assert ("struck-out text", "page 1, “Open it.”", 7, True) in dropped_from(parsed)


def test_a_struck_cell_of_a_pdf_is_empty() -> None:
    rows = [text_at(x, y, f"{x}-{y}") for x in (80, 180) for y in (690, 670, 650)]
    frame = [f"{x} 640 m {x} 705 l S" for x in (72, 172, 272)]
    frame += [f"72 {y} m 272 {y} l S" for y in (640, 662, 682, 705)]
    text = parse_pdf(pdf_of([[*rows, *frame, "180 673 m 212 673 l S"]]), "F").text
    assert "180-690" in text
    assert "80-670" in text
    assert "180-670" not in text


def test_a_number_before_a_symbol_is_a_nuclide_in_every_format() -> None:
    html = "<sup>235</sup>U is split. A date by <sup>14</sup>C is old."
    word = docx.Document()
    line = word.add_paragraph()
    for text, is_raised in (
        ("235", True),
        ("U is split. A date by ", False),
        ("14", True),
        ("C is old.", False),
    ):
        line.add_run(text).font.superscript = is_raised
    file = io.BytesIO()
    word.save(file)
    read = [
        parse_html(f"<p>{html}</p>", "t", "a.html"),
        parse_markdown(html, mdx=False, fallback_title="t"),
        parse_markdown(
            "(l)=\n{sup}`235`U is split. A date by {sup}`14`C is old.",
            mdx=False,
            fallback_title="t",
        ),
        parse_asciidoc("^235^U is split. A date by ^14^C is old.", "t"),
        parse_rst(":sup:`235`\\ U is split. A date by :sup:`14`\\ C is old.", "t"),
        parse_docx(file.getvalue(), "t"),
    ]
    assert {parsed.text for parsed in read} == {"^235U is split. A date by ^14C is old."}


def test_a_nuclide_of_a_pdf_is_no_footnote() -> None:
    begun = text_at(72, 664, "235", 6) + " " + text_at(83, 660, "U is split.")
    lines = [raised_at(72, 700, "A date by ", "14", "C is old."), begun]
    assert parse_pdf(pdf_of([lines]), "t").text == "A date by ^14C is old.\n\n^235U is split."


@pytest.mark.parametrize(
    "gone",
    [
        ".. class:: strike\n\nNever open it.\n",
        ".. class:: del\n\n   Never open it.\n\n   Not ever.\n",
        ".. rst-class:: line-through\n\n- Never open it.\n",
        ".. container:: strikethrough other\n\n   Never open it.\n",
        ".. note::\n   :class: strike\n\n   Never open it.\n",
        ".. versionadded:: 2\n   :class: strike\n\n   Never open it.\n",
    ],
)
def test_blocks_that_rst_strikes_out_are_left_out(gone: str) -> None:
    parsed = parse_rst(f"Look.\n\n{gone}\nOpen it.\n", "t")
    assert parsed.text == "Look.\n\nOpen it."
    assert [item.kind for item in parsed.dropped_content] == ["struck-out text"] * (
        1 + ("ever.\n" in gone)
    )
