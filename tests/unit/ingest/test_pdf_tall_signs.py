"""Letters of PDFs in fonts of formulas: as tall as several lines of text, and named twice."""

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at
from tests.support.pdf_tables import HEADER, ROWS, cells, line, shown

_FONT = b"/BaseFont/Courier>>"
_TALL = (
    b"/BaseFont/Courier/FontDescriptor<</Type/FontDescriptor/FontName/Courier/Flags 33/StemV 80"
    b"/ItalicAngle 0/FontBBox[0 -1000 600 4400]/Ascent 4400/Descent -1000/MissingWidth 600>>>>"
)
_NAMES = (
    b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def\n"
    b"1 begincodespacerange <00> <FF> endcodespacerange\n"
    b"1 beginbfchar <63> <D835DC50D835DC50> endbfchar\nendcmap end end"
)


def test_the_room_of_tall_letters_is_no_part_of_the_rows_above() -> None:
    page = [*map(line, (712, 696, 682, 668, 654)), *cells([HEADER], 700)]
    page += [f"{x} 654 m {x} 712 l S" for x in (80, 190, 300, 400)]
    for at, (kind, force, reach) in enumerate(ROWS):
        y = 686 - 14 * at
        page += [text_at(90, y, kind), text_at(200, y, force, 10, "F2")]
        page += [text_at(310, y, reach, 10, "F2")]
    data = pdf_of([page]).replace(_FONT, _TALL)
    assert parse_pdf(data, "F").text.split("\n") == shown(HEADER, *ROWS)


def test_a_letter_of_a_formula_that_is_named_twice_stands_once() -> None:
    data = pdf_of([[text_at(72, 700, "The speed cc of light", 10, "F2")]])
    named = b"900 0 obj\n<</Length %d>>stream\n%b\nendstream\nendobj\n" % (len(_NAMES), _NAMES)
    data = data.replace(_FONT, b"/BaseFont/Courier/ToUnicode 900 0 R>>")
    data = data.replace(b"xref\n", named + b"xref\n", 1)
    assert parse_pdf(data, "F").text == "The speed cc of light"
