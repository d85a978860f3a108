"""DOCX: styles, lists, tables, notes and descriptions of pictures become blocks."""

import io
import zipfile

import docx
import pytest
from docx.document import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn

from libs.errors import InvalidInput, TooLarge
from services.ingest.model.book import BlockKind, DroppedContent
from services.ingest.parsers.docx import parse_docx
from tests.support.ingest_fakes import zipped

FOOTNOTES = f"""<?xml version="1.0"?><w:footnotes {nsdecls("w")}><w:footnote w:id="2"><w:p><w:r>
<w:t>The note.</w:t></w:r></w:p></w:footnote></w:footnotes>"""
RELATION = (
    '<Relationship Id="rId99" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
    'relationships/footnotes" Target="footnotes.xml"/></Relationships>'
)
TYPE = (
    '<Override PartName="/word/footnotes.xml" ContentType="application/vnd.openxmlformats-'
    'officedocument.wordprocessingml.footnotes+xml"/></Types>'
)


def saved(document: Document) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def book() -> Document:
    document = docx.Document()
    document.add_heading("A Book", 0)
    document.add_heading("First", 1)
    paragraph = document.add_paragraph("Some ")
    paragraph.add_run("bold").bold = True
    paragraph.add_run(" text.")
    reference = f'<w:r {nsdecls("w")}><w:footnoteReference w:id="2"/></w:r>'
    paragraph._p.append(parse_xml(reference))
    document.add_paragraph("one", style="List Bullet")
    document.add_paragraph("two", style="List Number")
    document.add_paragraph("three", style="List Number")
    document.add_paragraph("Said.", style="Quote")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, "ABCD", strict=True):
        cell.text = text
    document.add_heading("Second", 2)
    document.add_paragraph("Fig. 1", style="Caption")
    return document


def with_footnotes(data: bytes) -> bytes:
    files = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            files[name] = archive.read(name)
    rels = "word/_rels/document.xml.rels"
    files[rels] = files[rels].replace(b"</Relationships>", RELATION.encode())
    types = "[Content_Types].xml"
    files[types] = files[types].replace(b"</Types>", TYPE.encode())
    return zipped({**files, "word/footnotes.xml": FOOTNOTES})


def test_styles_lists_tables_and_notes_become_blocks() -> None:
    parsed = parse_docx(with_footnotes(saved(book())), "F")
    assert [
        (block.kind.name, block.label, parsed.text[block.start : block.end])
        for block in parsed.blocks
    ] == [
        ("HEADING", "", "A Book"),
        ("HEADING", "", "First"),
        ("PARAGRAPH", "", "Some bold text."),
        ("LIST_ITEM", "-", "one"),
        ("LIST_ITEM", "1.", "two"),
        ("LIST_ITEM", "2.", "three"),
        ("QUOTE", "", "Said."),
        ("TABLE", "", "A | B\nC | D"),
        ("FOOTNOTE", "2", "The note."),
        ("HEADING", "", "Second"),
        ("CAPTION", "", "Fig. 1"),
    ]
    assert [section.path for section in parsed.sections] == [
        *(("A Book",), ("A Book", "First"), ("A Book", "First", "Second"))
    ]


def test_descriptions_of_pictures_are_captions() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("kept")
    paragraph._p.append(
        parse_xml(
            f'<w:r {nsdecls("w", "wp")}><w:drawing><wp:inline><wp:docPr id="1" name="x" '
            'descr="A  plan"/></wp:inline></w:drawing></w:r>'
        )
    )
    parsed = parse_docx(saved(document), "F")
    assert parsed.text == "kept\n\nA plan"
    assert parsed.blocks[1].kind is BlockKind.CAPTION


def test_text_that_a_tracked_change_took_out_is_gone_and_named() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("It costs ")
    changes = (
        "<w:del {}><w:r><w:delText>20</w:delText></w:r></w:del>",
        "<w:moveFrom {}><w:r><w:t>euros</w:t></w:r></w:moveFrom>",
        "<w:ins {}><w:r><w:t>30 </w:t></w:r></w:ins>",
        "<w:moveTo {}><w:r><w:t>euros.</w:t></w:r></w:moveTo>",
    )
    for change in changes:
        paragraph._p.append(parse_xml(change.format(nsdecls("w"))))
    parsed = parse_docx(saved(document), "F")
    assert parsed.text == "It costs 30 euros."
    assert parsed.dropped_content == (
        DroppedContent("struck-out text", "piece 1", "the book itself strikes it out", 2),
    )


def test_drawings_in_tables_are_named_as_dropped() -> None:
    names = nsdecls("w", "wp", "a") + ' xmlns:v="urn:schemas-microsoft-com:vml"'
    chart = (
        '<w:drawing><wp:inline><wp:docPr id="1" name="x"/><a:graphic><a:graphicData '
        'uri="http://schemas.openxmlformats.org/drawingml/2006/chart"/></a:graphic></wp:inline>'
        "</w:drawing>"
    )
    signs = [f'<w:sym w:font="Wingdings" w:char="{code}"/>' for code in ("F0E0", "2192", "0000")]
    old = ['<w:pict><v:shape alt="A gear"><v:imagedata/></v:shape></w:pict>']
    old += ["<w:object><v:shape><v:imagedata/></v:shape></w:object>"]
    document = docx.Document()
    table = document.add_table(rows=1, cols=1)
    for paragraph in (document.add_paragraph("From "), table.cell(0, 0).paragraphs[0]):
        for part in (*signs, chart, *old):
            paragraph._p.append(parse_xml(f"<w:r {names}>{part}</w:r>"))
    parsed = parse_docx(saved(document), "F")
    assert parsed.text == "→\n\nA gear\n\nFrom →\n\nA gear"
    described = "only its description is text"
    drawn = "it is drawn by the font Wingdings and has no letter"
    assert parsed.dropped_content == tuple(
        DroppedContent(kind, place, reason, characters, reason != described)
        for place in ("piece 1", "piece 3")
        for kind, reason, characters in (
            *(("sign", drawn, 1),) * 2,
            ("chart", "what it shows is no text", 0),
            ("picture", described, 0),
            ("picture", "it has no description", 0),
        )
    )


@pytest.mark.parametrize(
    "data",
    [
        b"PK nothing",
        zipped({"word/document.xml": "<x/>"}),
        zipped({"[Content_Types].xml": "<", "word/document.xml": "<x/>"}),
        saved(book())[:-900],
    ],
)
def test_a_damaged_file_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput):
        parse_docx(data, "F")


@pytest.mark.fault("G6")
def test_a_bomb_is_too_large() -> None:
    with pytest.raises(TooLarge):
        parse_docx(zipped({f"{n}.xml": b" " * 8_000_000 for n in range(3)}), "F")


def test_comments_and_cells_over_rows_are_named_as_dropped() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Some text.")
    document.add_comment(paragraph.runs, text="Is that so?", author="Ada")
    table = document.add_table(rows=2, cols=2)
    table.cell(0, 0).merge(table.cell(1, 0)).text = "Both"
    table.cell(0, 1).text = table.cell(1, 1).text = "One"
    assert parse_docx(saved(document), "F").dropped_content == (
        DroppedContent("note", "comment 1", "it is a comment beside the text", 9),
        DroppedContent(
            "table",
            "piece 2",
            "a cell over several rows stands in the first of them",
            dropped=False,
        ),
    )


SHADING = '<w:shd {} w:val="{}" w:color="auto" w:fill="{}"/>'


@pytest.mark.parametrize(
    ("where", "ground", "colour", "is_seen"),
    [
        ("cell", SHADING.format("{}", "clear", "1F3864"), 'w:val="1F3864"', False),
        ("cell", SHADING.format("{}", "clear", "1F3864"), 'w:val="FFFFFF"', True),
        ("cell", SHADING.format("{}", "pct50", "1F3864"), 'w:val="1F3864"', True),
        ("cell", SHADING.format("{}", "clear", "FFFFFF"), 'w:val="FFFFFF"', False),
        ("paragraph", SHADING.format("{}", "clear", "C00000"), 'w:val="C00000"', False),
        ("paragraph", SHADING.format("{}", "clear", "C00000"), 'w:val="auto"', True),
        ("run", '<w:highlight {} w:val="black"/>', 'w:val="000000"', False),
        ("run", '<w:highlight {} w:val="black"/>', 'w:val="FFFFFF"', True),
        ("run", '<w:highlight {} w:val="yellow"/>', 'w:val="FFFF00"', False),
        ("run", '<w:highlight {} w:val="none"/>', 'w:val="FFFFFF"', False),
        ("run", '<w:shd {} w:val="solid" w:color="00B050"/>', 'w:val="00B050"', False),
        ("", "", 'w:val="auto" w:themeColor="background1"', False),
        ("", "", 'w:val="A6A6A6" w:themeColor="background1" w:themeShade="A6"', True),
        ("", "", 'w:val="FFFFFF" w:themeColor="accent1"', True),
        ("", "", 'w:val="000000"', True),
    ],
)
def test_words_in_the_colour_of_their_ground_are_left_out_and_named(
    where: str, ground: str, colour: str, *, is_seen: bool
) -> None:
    document = docx.Document()
    cell = document.add_table(1, 1).cell(0, 0)
    paragraph = cell.paragraphs[0]
    paragraph.add_run("Seen ")
    run = paragraph.add_run("secret")
    run._r.get_or_add_rPr().append(parse_xml(f"<w:color {nsdecls('w')} {colour}/>"))
    owners = {
        "cell": cell._tc.get_or_add_tcPr(),
        "paragraph": paragraph._p.get_or_add_pPr(),
        "run": run._r.get_or_add_rPr(),
    }
    if where:
        owners[where].append(parse_xml(ground.format(nsdecls("w"))))
    marks = document.tables[0]._tbl.tblPr
    for style in marks.findall(qn("w:tblStyle")):
        marks.remove(style)
    parsed = parse_docx(saved(document), "F")
    assert parsed.text == ("Seen secret" if is_seen else "Seen")
    assert [one.characters for one in parsed.dropped_content] == ([] if is_seen else [6])


def test_comments_are_told_in_one_line_with_their_number() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Some text.")
    for _ in range(3):
        document.add_comment(paragraph.runs, text="Is that so?", author="Ada")
    [told] = parse_docx(saved(document), "F").dropped_content
    assert told == DroppedContent("note", "comments 1-3", "they are 3 comments beside the text", 27)


@pytest.mark.parametrize(
    ("stated", "headings", "title"),
    [
        ("On Mills", [("Wheels", 1)], "On Mills"),
        ("On Mills", [("Wheels", 1), ("Stones", 1)], "On Mills"),
        ("On Mills", [("A Title", 0), ("Wheels", 1)], "A Title"),
        ("Document1", [("Wheels", 1)], "Wheels"),
        ("mill.docx", [], "F"),
        ("On mills", [("On Mills", 1), ("Wheels", 2)], "On mills"),
    ],
)
def test_the_title_that_a_file_states_is_its_own_where_its_text_has_none(
    stated: str, headings: list[tuple[str, int]], title: str
) -> None:
    document = docx.Document()
    document.core_properties.title = stated
    for text, level in headings:
        document.add_heading(text, level)
    document.add_paragraph("Some text.")
    parsed = parse_docx(saved(document), "F")
    assert parsed.title == title
    first = headings[0][0] if headings else title
    is_title = first.casefold() == title.casefold()
    path = (title,) if is_title else (title, first)
    assert parsed.sections[0].path == path
