"""Tables of PDFs whose topmost names stand over their lines, and grids with grounds or empty cells."""

from tests.support.pdf_files import text_at
from tests.support.pdf_tables import cells, line, shown, tables

PLACES = (90, 170, 230, 290, 350)
NAMES = ["Kind", "Force", "Range", "Force", "Range"]
ROWS = [["Motor", "3 N", "20", "4 N", "21"], ["Piston", "80 N", "300", "90 N", "301"]]
OVER = shown(["Kind", "1995 Force", "1995 Range", "2005 Force", "2005 Range"], *ROWS)


def open_table() -> list[str]:
    return [*map(line, (700, 684, 650)), *cells([NAMES, *ROWS], 688, PLACES)]


def grid(*levels: int) -> list[str]:
    upright = [f"{x} 652 m {x} 700 l S" for x in (80, 160, 220, 280, 340, 400)]
    return [*map(line, levels or (700, 684, 668, 652)), *upright]


def test_names_over_lines_of_their_own_are_of_the_columns_under_these() -> None:
    over = [text_at(205, 704, "1995"), text_at(325, 704, "2005")]
    bars = [line(701, 165, 270), line(701, 285, 390)]
    assert tables([*over, *bars, *open_table()]) == [OVER]


def test_names_over_a_grid_are_of_as_many_columns_each() -> None:
    over = [text_at(172, 704, "1995"), text_at(292, 704, "2005")]
    rows = cells([NAMES, *ROWS], 689, PLACES)
    assert tables([*over, *grid(), *rows]) == [OVER]


def test_a_line_of_text_over_a_grid_is_no_name_of_it() -> None:
    over = [text_at(90, 704, "We have measured all the motors")]
    rows = cells([NAMES, *ROWS], 689, PLACES)
    assert tables([*over, *grid(), *rows]) == [shown(NAMES, *ROWS)]


def test_names_that_a_line_parts_from_a_table_are_none_of_it() -> None:
    over = [text_at(172, 710, "1995"), text_at(292, 710, "2005")]
    rows = cells([NAMES, *ROWS], 689, PLACES)
    [[header, *_]] = tables([*over, line(705), *grid(), *rows])
    assert header == " | ".join(NAMES)


def test_grounds_of_some_cells_move_no_column_of_the_others() -> None:
    names = ["Kind", "Force", "Range", "Speed", "Price"]
    grounds = [f"{x} 653 {48} 14 re f" for x in (166, 226, 286)]
    rows = cells([names, *ROWS], 689, PLACES)
    assert tables(["0.8 g", *grounds, "0 g", *grid(), *rows]) == [shown(names, *ROWS)]


def test_a_grid_with_a_name_over_each_column_may_have_many_empty_cells() -> None:
    names = ["Kind", "Alarm", "Place", "Slow", "Stop"]
    rows = [["Motor", "high", "", "", ""], ["Piston", "", "local", "", ""]]
    [[*found]] = tables([*grid(), *cells([names, *rows], 689, PLACES)])
    assert [row.strip(" |") for row in found] == [row.strip(" |") for row in shown(names, *rows)]


def test_columns_that_space_parts_are_found_below_a_name_beside_two_rows_of_the_header() -> None:
    places = (90, 170, 230, 290, 350)
    levels = [line(716), line(700, 160), line(684), line(600)]
    upright = [f"{x} 600 m {x} 716 l S" for x in (80, 160, 280, 400)]
    over = [text_at(90, 696, "Kind"), text_at(200, 704, "1995"), text_at(320, 704, "2005")]
    rows = [[name, "3", "4", "5", "6"] for name in ("Motor", "Piston", "Spring", "Wheel", "Crank")]
    page = [*over, *cells([["", *NAMES[1:]]], 689, places), *cells(rows, 672, places)]
    [[header, *found]] = tables([*levels, *upright, *page])
    assert header.split(" | ")[1:] == ["1995 Force", "1995 Range", "2005 Force", "2005 Range"]
    assert found == shown(*rows)
