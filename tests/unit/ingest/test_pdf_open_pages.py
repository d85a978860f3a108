"""Tables of PDFs without lines: rows that lack cells, cells that run on, and what is none."""

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at
from tests.support.pdf_tables import PROSE, cells, line, tables

NAMES = ["Motor", "Piston", "Spring", "Wheel", "Lever", "Crank"]
ROWS = [[name, f"{at} N", "", ""] for at, name in enumerate(NAMES)]


def test_rows_overleaf_whose_last_column_is_empty_go_on_with_their_table() -> None:
    over = [text_at(72, 740, PROSE), *cells([[name, "3 N", "fast"] for name in NAMES], 142)]
    under = [*cells([[name, "4 N"] for name in NAMES], 740), text_at(72, 400, PROSE)]
    parsed = parse_pdf(pdf_of([over, under]), "F")
    found = [parsed.text[one.start : one.end] for one in parsed.blocks if one.kind.name == "TABLE"]
    assert [len(text.split("\n")) for text in found] == [2 * len(NAMES)]


def test_axes_of_drawings_side_by_side_are_no_table() -> None:
    assert tables(cells([[f"0.{at}"] * 3 for at in range(9, 0, -1)], 700)) == []


def test_the_space_behind_a_full_stop_parts_no_name_over_columns() -> None:
    places = (90, 200, 260, 320)
    names = [["", "None", "Some", "All"]]
    rows = [["Motor", "3", "4", "5"], ["Piston", "6", "7", "8"]]
    # Each half is set apart, as TeX does: 4.4 points behind the stop.
    over = [text_at(215, 702, "No."), text_at(235.6, 702, "of motors daily")]
    page = [*map(line, (714, 684, 650)), *over, *cells(names, 689, places)]
    [[header, *_]] = tables([*page, *cells(rows, 672, places)])
    assert "No. of motors daily" in header
