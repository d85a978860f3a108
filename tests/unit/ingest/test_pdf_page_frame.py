"""Pages of PDFs in a frame, with a table of who made them at its foot."""

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at
from tests.support.pdf_tables import HEADER, PROSE, ROWS, cells, line, shown

_FRAME = "40 20 540 760 re S"
_STAMP = [line(60, 40, 580), line(40, 40, 300), "300 20 m 300 60 l S", "120 20 m 120 60 l S"]
_GRID = [
    *map(line, (712, 696, 682, 668, 654)),
    *(f"{x} 654 m {x} 712 l S" for x in (80, 190, 300, 400)),
]


def texts(*commands: str) -> list[tuple[str, str]]:
    parsed = parse_pdf(pdf_of([[_FRAME, *commands]]), "F")
    return [(block.kind.name, parsed.text[block.start : block.end]) for block in parsed.blocks]


def test_the_frame_of_a_page_is_no_table_around_its_text() -> None:
    made = [text_at(50, 46, "Made"), text_at(130, 46, "Smith"), text_at(320, 36, "Report 7")]
    page = [*_STAMP, *_GRID, text_at(72, 740, PROSE), *cells([HEADER, *ROWS], 700)]
    found = texts(*page, *made, text_at(50, 26, "Read"), text_at(130, 26, "Jones"))
    assert ("PARAGRAPH", PROSE) in found
    assert ("TABLE", "\n".join(shown(HEADER, *ROWS))) in found


def test_a_table_that_is_as_large_as_its_page_keeps_its_edges() -> None:
    page = [line(740, 40, 580), "250 20 m 250 780 l S", text_at(50, 755, "Part")]
    page += [text_at(260, 755, "Meaning"), text_at(50, 700, "Motor"), text_at(260, 700, "It turns")]
    assert texts(*page) == [("TABLE", "Part | Meaning\nMotor | It turns")]
