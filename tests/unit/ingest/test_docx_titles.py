"""Titles of a Word document are told by outlines, by what styles are based on, and by bold lines."""

import io
from collections.abc import Callable

import docx
from docx.document import Document as WordDocument
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from services.ingest.parsers.docx import parse_docx


def shown(write: Callable[[WordDocument], None]) -> list[tuple[str, int, str]]:
    document, data = docx.Document(), io.BytesIO()
    write(document)
    document.save(data)
    parsed = parse_docx(data.getvalue(), "F")
    return [(one.kind.name, one.level, parsed.text[one.start : one.end]) for one in parsed.blocks]


def with_style(document: WordDocument, *, base: str = "", outline: int = -1) -> str:
    style = document.styles.add_style("Kapitel", WD_STYLE_TYPE.PARAGRAPH)
    if base:
        style.base_style = document.styles[base]
    if outline >= 0:
        level = parse_xml(f'<w:outlineLvl {nsdecls("w")} w:val="{outline}"/>')
        style.element.get_or_add_pPr().append(level)
    return str(style.name)


def test_a_style_that_is_based_on_a_heading_is_one() -> None:
    def write(document: WordDocument) -> None:
        document.add_paragraph("Bricks", style=with_style(document, base="Heading 2"))
        document.add_paragraph("They are red.")

    assert shown(write) == [("HEADING", 2, "Bricks"), ("PARAGRAPH", 0, "They are red.")]


def test_a_style_with_an_outline_level_is_a_heading_and_one_of_text_is_none() -> None:
    def titles(document: WordDocument) -> None:
        document.add_paragraph("Bricks", style=with_style(document, outline=2))
        document.add_paragraph("They are red.")

    def text(document: WordDocument) -> None:
        document.add_paragraph("Bricks", style=with_style(document, base="Heading 2", outline=9))

    assert shown(titles)[0] == ("HEADING", 3, "Bricks")
    assert shown(text)[0][0] == "PARAGRAPH"


def write_bold(document: WordDocument) -> None:
    for title in ("1. Bricks", "2. Clay"):
        document.add_paragraph().add_run(title).bold = True
        document.add_paragraph("It is as it is.")


def test_short_bold_lines_over_others_are_titles_where_nothing_else_is() -> None:
    assert shown(write_bold)[::2] == [("HEADING", 1, "1. Bricks"), ("HEADING", 1, "2. Clay")]

    def beside_headings(document: WordDocument) -> None:
        document.add_heading("Kiln", 1)
        write_bold(document)

    def said(document: WordDocument) -> None:
        document.add_paragraph().add_run("Beware!").bold = True
        document.add_paragraph("It is hot.")
        document.add_paragraph().add_run("A line alone").bold = True

    assert [kind for kind, *_ in shown(beside_headings)][1:] == ["PARAGRAPH"] * 4
    assert [kind for kind, *_ in shown(said)] == ["PARAGRAPH"] * 3


def test_a_frame_drawn_as_a_table_of_one_cell_has_its_titles_and_paragraphs() -> None:
    def write(document: WordDocument) -> None:
        cell = document.add_table(1, 1).rows[0].cells[0]
        cell.paragraphs[0].text = "It burns."
        cell.add_paragraph("Bricks", style="Heading 1")
        cell.add_paragraph("They are red.")

    assert shown(write) == [
        ("PARAGRAPH", 0, "It burns."),
        ("HEADING", 1, "Bricks"),
        ("PARAGRAPH", 0, "They are red."),
    ]
