"""Cells of several lines in PDFs, beside which others stand in the middle, and cells over many rows."""

from services.ingest.parsers.pdf.bare_pieces import Piece
from tests.support.pdf_files import text_at
from tests.support.pdf_tables import cells, line, shown, tables

PLACES = (90, 230, 290, 350)
HEADER = ["Measure", "Low", "Middle", "High"]


def centred(y: int, label: tuple[str, str], values: list[str]) -> list[str]:
    over, under = (text_at(90, y + shift, one) for one, shift in zip(label, (6, -6), strict=True))
    return [over, *cells([["", *values]], y, PLACES), under]


def test_a_label_of_two_lines_with_its_values_in_the_middle_is_one_row() -> None:
    page = [text_at(x, 700, one, 10, "F3") for x, one in zip(PLACES, HEADER, strict=True)][:3]
    page += [text_at(350, 706, "Very", 10, "F3"), text_at(350, 694, "high", 10, "F3")]
    page += centred(672, ("Cases of seven", "days in all"), ["< 60", "60", "240"])
    page += cells([["Rate of them", "< 1", "1", "1.2"]], 644, PLACES)
    page += centred(616, ("Patients beside", "infections"), ["< 2", "5", "8"])
    [found] = tables(page)
    assert found == shown(
        [*HEADER[:3], "Very high"],
        ["Cases of seven days in all", "< 60", "60", "240"],
        ["Rate of them", "< 1", "1", "1.2"],
        ["Patients beside infections", "< 2", "5", "8"],
    )


def test_no_edge_goes_through_a_row_with_a_cell_in_the_middle_between_lines() -> None:
    page = [*(line(y, 80, 430) for y in (712, 690, 650, 626, 590)), *cells([HEADER], 698, PLACES)]
    page += centred(668, ("Cases of seven", "days in all"), ["60", "70", "240"])
    page += cells([["Rate of them", "1", "1", "1.2"]], 636, PLACES)
    page += centred(606, ("Patients beside", "infections"), ["2", "5", "8"])
    [found] = tables(page)
    assert found == shown(
        HEADER,
        ["Cases of seven days in all", "60", "70", "240"],
        ["Rate of them", "1", "1", "1.2"],
        ["Patients beside infections", "2", "5", "8"],
    )


def test_the_halves_of_a_grid_with_a_name_between_are_one() -> None:
    def half(top: int, rows: list[list[str]]) -> list[str]:
        foot = top - 16 * len(rows)
        drawn = [line(top - 16 * at, 80, 400) for at in range(len(rows) + 1)]
        drawn += [f"{x} {foot} m {x} {top} l S" for x in (80, 190, 250, 320, 400)]
        spread = [
            cells([row], top - 12 - 16 * at, (90, 200, 260, 330)) for at, row in enumerate(rows)
        ]
        return [*drawn, *(one for row in spread for one in row)]

    first = [
        ["Name of whoever it is", "Year of pay", "Paid to her", "Total"],
        ["Ann", "2022", "379", "777"],
    ]
    second = [["All", "2022", "1,410", "3,315"], ["All", "2021", "1,381", "2,415"]]
    page = [
        *half(712, first),
        text_at(90, 668, "All of the staff of this place there"),
        *half(664, second),
    ]
    named = ["All of the staff of this place there", "", "", ""]
    assert tables(page) == [shown(*first, named, *second)]


def test_tables_side_by_side_in_lines_over_both_are_two() -> None:
    page = []
    for left in (60, 330):
        page += [line(y, left, left + 240) for y in (712, 696, 680, 664)]
        page += [f"{left + shift} 664 m {left + shift} 712 l S" for shift in (0, 80, 160, 240)]
    names = [
        [[f"Cell {row}{side}{column}" for column in range(3)] for side in range(2)]
        for row in range(3)
    ]
    for at, sides in enumerate(names):
        for left, row in zip((64, 334), sides, strict=True):
            page += cells([row], 700 - 16 * at, (left, left + 80, left + 160))
    assert tables(page) == [shown(*(row[side] for row in names)) for side in range(2)]


def piece(left: float, right: float, y: float, text: str) -> Piece:
    return Piece(left, right, y, y + 8, False, False, False, text)
