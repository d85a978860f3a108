"""Tables of PDFs whose names no line is drawn with, or that were found in parts."""

from tests.support.pdf_files import text_at
from tests.support.pdf_tables import cells, line, shown, tables

PLACES = (90, 200, 310)
ROWS = [["Motor", "3.5", "20"], ["Piston", "80.1", "300"], ["Spring", "1.2", "5"]]


def grid(top: int, rows: int, edges: tuple[int, ...] = (80, 190, 300, 400)) -> list[str]:
    """Draw lines around all cells of some rows."""
    foot = top - 16 * rows
    level = [line(top - 16 * at, edges[0], edges[-1]) for at in range(rows + 1)]
    return [*level, *(f"{x} {foot} m {x} {top} l S" for x in edges)]


def framed(rows: list[list[str]], top: int) -> list[str]:
    page = grid(top, len(rows))
    for at, row in enumerate(rows):
        page += cells([row], top - 12 - 16 * at, PLACES)
    return page


def test_names_in_two_lines_above_drawn_rows_are_their_header() -> None:
    over = [text_at(190, 672, "Force", 10), text_at(310, 672, "Range", 10)]
    over += [text_at(190, 661, "in newtons", 10), text_at(310, 661, "in mm", 10)]
    [found] = tables([*framed(ROWS, 656), *over])
    assert found == shown(["", "Force in newtons", "Range in mm"], *ROWS)


def test_a_name_above_several_drawn_columns_is_of_each() -> None:
    over = [text_at(215, 661, "Measured in the laboratory", 10)]
    [[header, *rows]] = tables([*framed(ROWS, 656), *over])
    assert header == " | Measured in the laboratory | Measured in the laboratory"
    assert rows == shown(*ROWS)


def test_a_text_and_a_long_title_above_drawn_rows_are_no_names() -> None:
    for text in (
        "It turns whatever is tied to it, as follows:",
        "Forces of all of the parts that turn around",
    ):
        [rows] = tables([*framed(ROWS, 656), text_at(180, 661, text, 10)])
        assert rows == shown(*ROWS)


def test_rows_below_a_space_without_names_are_of_the_table_above() -> None:
    header = ["Kind", "Force", "Range"]
    more = [["Magnet", "2.1", "1"], ["Gear", "5.0", "8"]]
    between = cells([["Wheel", "7.7", "9"]], 580, PLACES)
    [found] = tables([*framed([header, *ROWS], 656), *between, *framed(more, 574)])
    assert found == shown(header, *ROWS, ["Wheel", "7.7", "9"], *more)


def test_rows_under_names_of_their_own_are_another_table() -> None:
    header, other = ["Kind", "Force", "Range"], ["Part", "Speed", "Weight"]
    page = [*framed([header, *ROWS], 656), *framed([other, *ROWS], 570)]
    assert tables(page) == [shown(header, *ROWS), shown(other, *ROWS)]


def test_names_side_by_side_in_one_drawn_cell_part_what_is_under_them() -> None:
    edges = (80, 190, 340, 400)
    page = grid(656, 1, edges)
    page += [line(560, 80, 400), *(f"{x} 560 m {x} 640 l S" for x in edges)]
    places = (90, 200, 250, 300, 350)
    page += cells([["Parameter", "Min", "Typ", "Max", "Unit"]], 644, places)
    rows = [
        ["Offset", "", "1.5", "7.0", "mV"],
        ["Current", "0.5", "", "4.0", "mA"],
        ["Gain", "", "3000", "", "V/V"],
        ["Delay", "2.0", "4.0", "5.5", "ns"],
    ]
    page += cells([["INPUTS"], *rows], 628, places)
    [found] = tables(page)
    assert found[0] == "Parameter | Min | Typ | Max | Unit"
    assert found[1].startswith("INPUTS")
    assert found[2:] == shown(*rows)


def test_the_first_line_of_one_name_alone_is_of_the_header() -> None:
    page = [text_at(310, 672, "Range in", 10), *framed([["Kind", "Force", "mm"], *ROWS], 669)]
    found = [row for rows in tables(page) for row in rows]
    assert any("Range in" in row for row in found)
    assert found[-3:] == shown(*ROWS)


def test_a_caption_whose_number_stands_apart_names_no_columns() -> None:
    level = [line(y) for y in (692, 676, 662, 648, 634)]
    upright = [f"{x} 634 m {x} 692 l S" for x in (80, 190, 300, 400)]
    caption = [text_at(90, 696, "Table 7."), text_at(310, 696, "Highest forces")]
    names = ["Kind", "Force", "Range"]
    assert tables([*level, *upright, *caption, *cells([names, *ROWS], 680)]) == [
        shown(names, *ROWS)
    ]


def test_the_last_lines_of_a_long_title_in_the_middle_are_no_names() -> None:
    title = [
        text_at(149, 680, "Forces of all the motors of their house"),
        text_at(217, 668, "and range"),
    ]
    assert tables([*title, *framed([["Kind", "Force", ""], *ROWS], 662)]) == [
        shown(["Kind", "Force", ""], *ROWS)
    ]


def test_a_unit_said_for_each_column_with_little_space_is_one_of_each() -> None:
    names = [text_at(215, 676, "Spring"), text_at(265, 676, "Autumn"), text_at(315, 676, "Winter")]
    units = [text_at(x, 664, "thousands") for x in (215, 265, 315)]
    rows = [
        ["Motor", "3.5", "20", "7"],
        ["Piston", "80.1", "300", "9"],
        ["Spring", "1.2", "5", "8"],
    ]
    page = [*grid(658, 3, (80, 210, 262, 312, 400)), *names, *units]
    for at, row in enumerate(rows):
        page += cells([row], 646 - 16 * at, (90, 220, 270, 320))
    [found] = tables(page)
    assert found[0].count("thousands") == 3
    assert "Spring" in found[0]
