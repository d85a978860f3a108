"""Tables of PDFs without lines: rows that lack cells, cells that run on, and what is none."""

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at
from tests.support.pdf_tables import PROSE, cells, line, shown, tables

NAMES = ["Motor", "Piston", "Spring", "Wheel", "Lever", "Crank"]
ROWS = [[name, f"{at} N", "", ""] for at, name in enumerate(NAMES)]


def test_a_column_that_opens_below_some_rows_is_of_their_table() -> None:
    rows = [*([name, "3 N"] for name in NAMES), *([name, "4 N", "fast"] for name in NAMES)]
    [found] = tables(cells(rows, 700))
    assert [row.rstrip(" |") for row in found] == [row.rstrip(" |") for row in shown(*rows)]


def test_rows_overleaf_whose_last_column_is_empty_go_on_with_their_table() -> None:
    over = [text_at(72, 740, PROSE), *cells([[name, "3 N", "fast"] for name in NAMES], 142)]
    under = [*cells([[name, "4 N"] for name in NAMES], 740), text_at(72, 400, PROSE)]
    parsed = parse_pdf(pdf_of([over, under]), "F")
    found = [parsed.text[one.start : one.end] for one in parsed.blocks if one.kind.name == "TABLE"]
    assert [len(text.split("\n")) for text in found] == [2 * len(NAMES)]


def test_a_cell_that_runs_into_the_next_ends_no_table() -> None:
    places = (90, 150, 230, 310)
    header = ["Name", "Place", "Force", "Range"]
    rows = [[name, "works", f"{at} N", f"{at} mm"] for at, name in enumerate(NAMES)]
    wide = ["Motor and piston of mines", "", "9 N", "9 mm"]
    bold = [text_at(x, 700, name, font="F3") for x, name in zip(places, header, strict=True)]
    [[first, *found]] = tables([*bold, *cells([*rows[:3], wide, *rows[3:]], 686, places)])
    assert first == " | ".join(header)
    assert len(found) == len(rows) + 1
    assert found[-1] == " | ".join(rows[-1])


def test_axes_of_drawings_side_by_side_are_no_table() -> None:
    assert tables(cells([[f"0.{at}"] * 3 for at in range(9, 0, -1)], 700)) == []


def test_a_header_in_a_frame_of_its_own_is_that_of_the_grid_below() -> None:
    names, places = ["Kind", "Force", "Range"], (90, 200, 310)
    level = [*map(line, (720, 702, 690, 674, 658))]
    upright = [f"{x} {foot} m {x} {top} l S" for x in (80, 400) for foot, top in [(702, 720)]]
    upright += [f"{x} 658 m {x} 690 l S" for x in (80, 190, 300, 400)]
    rows = [["Motor", "3 N", "20 mm"], ["Piston", "80 N", "300 mm"]]
    body = [*cells([names], 708, places)]
    body += [*cells(rows[:1], 678, places), *cells(rows[1:], 662, places)]
    assert tables([*level, *upright, *body]) == [shown(names, *rows)]


def test_the_space_behind_a_full_stop_parts_no_name_over_columns() -> None:
    places = (90, 200, 260, 320)
    names = [["", "None", "Some", "All"]]
    rows = [["Motor", "3", "4", "5"], ["Piston", "6", "7", "8"]]
    # Each half is set apart, as TeX does: 4.4 points behind the stop.
    over = [text_at(215, 702, "No."), text_at(235.6, 702, "of motors daily")]
    page = [*map(line, (714, 684, 650)), *over, *cells(names, 689, places)]
    [[header, *_]] = tables([*page, *cells(rows, 672, places)])
    assert "No. of motors daily" in header
