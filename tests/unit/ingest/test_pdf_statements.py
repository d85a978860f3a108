"""Numbers as financial statements set them: brackets and shares apart, dashes, days over columns."""

import pytest

from services.ingest.parsers.pdf.bare_pieces import pieces_of_run
from services.ingest.parsers.pdf.value_cells import cells_of_line
from tests.support.pdf_files import text_at
from tests.unit.ingest.test_pdf_whole_rows import lines_of, tables_of

RIGHTS = (300, 380, 460)
"""Points where the numbers of each column end."""


def row_at(y: int, label: str, *values: str, font: str = "F1") -> list[str]:
    """Return a row, each bracket or currency at the left edge of its column, each % behind it."""
    width = 6 if font == "F2" else 5
    found = [text_at(72, y, label, 10, font)] if label else []
    for right, value in zip(RIGHTS, values, strict=False):
        sign, _, number = value.rpartition(" ") if value[-1:] != "%" else ("", "", value[:-1])
        bare = number.removesuffix(")")
        found += [text_at(right - 66, y, sign, 10, font)] if sign else []
        found += [text_at(right - width * len(bare), y, number, 10, font)]
        found += [text_at(right + 10, y, "%")] if value[-1:] == "%" else []
    return found


def rows_at(*rows: tuple[str, ...], font: str = "F1", top: int = 700, step: int = 14) -> list[str]:
    return [one for at, row in enumerate(rows) for one in row_at(top - step * at, *row, font=font)]


MOVED = (
    ("", "Mills", "Stones", "Sum"),
    ("Cost", "$ 5,584,772", "$ 6,564,478", "$ 8,149,250"),
    ("Worn off", "-", "( 1,412,500)", "( 2,183,351)"),
    ("Sold", "-", "( 320)", "( 323)"),
    ("Left over", "$ 5,584,772", "$ 5,151,978", "$ 5,965,576"),
)


def test_a_bracket_at_the_left_edge_of_a_column_is_of_the_number_in_it() -> None:
    assert tables_of(rows_at(*MOVED)) == [lines_of(*MOVED)]


def test_a_bracket_a_space_before_its_number_is_of_it() -> None:
    signs = [(sign, 5.0 * at, 5.0 * at + 5, 0.0, 12.0, ()) for at, sign in enumerate("( 19,415)")]
    [cell] = cells_of_line([*pieces_of_run(signs)])
    assert cell.is_value


def test_numbers_whose_thousands_are_parted_are_no_program_in_whatever_font() -> None:
    assert tables_of(rows_at(*MOVED, font="F2")) == [lines_of(*MOVED)]
    plain = [(name, *(one.replace(",", "") for one in values)) for name, *values in MOVED]
    assert tables_of(rows_at(*plain, font="F2")) == []


def test_rows_of_dashes_but_for_one_number_are_rows() -> None:
    rows = (
        ("", "Quoted", "Valued", "Sum"),
        ("Shares", "-", "-", "45,014"),
        ("Funds", "719,600", "-", "-"),
        ("Bonds", "-", "31,020", "-"),
    )
    assert tables_of(rows_at(*rows, step=36)) == [lines_of(*rows)]


DAYS = ("", "31.12.2031", "31.12.2030")
CASH = (("Cash", "96,216", "80,354"), ("Banks", "67,827", "59,909"), ("", "164,043", "140,263"))


def test_days_alone_name_the_columns_below_them() -> None:
    assert tables_of(rows_at(DAYS, *CASH, step=36)) == [lines_of(DAYS, *CASH)]


def test_days_alone_begin_another_table() -> None:
    page = [*rows_at(DAYS, *CASH), *rows_at(DAYS, *CASH, top=630)]
    assert tables_of(page) == [lines_of(DAYS, *CASH)] * 2


def test_a_title_of_rows_may_reach_over_the_first_numbers() -> None:
    title = "Loans for building and for the development of land and mills"
    head, *rows = MOVED
    page = [*rows_at(head, *rows), *rows_at((title,), *rows, top=624)]
    assert tables_of(page) == [lines_of(head, *rows, (title, "", "", ""), *rows)]


def test_a_short_word_before_the_columns_is_no_number() -> None:
    page = rows_at(*MOVED[:4])
    rest = [*row_at(644, "Given away", "10,188", "2,756", "1,100"), text_at(190, 644, "VI")]
    [rows] = tables_of([*page, *rest, *rows_at(MOVED[4], top=630)])
    assert rows[-1] == " | ".join(MOVED[4])
    assert rows[-2].endswith("VI | 10,188 | 2,756 | 1,100")


def test_the_sign_of_a_share_stands_with_its_number_however_far() -> None:
    rows = (
        ("", "2031", "2030", "Change"),
        ("Shops", "1,017,678", "843,024", "20.7%"),
        ("Energy", "957,254", "617,398", "55.0%"),
        ("Farms", "229,254", "214,898", "6.7%"),
    )
    [found] = tables_of(rows_at(*rows))
    assert [one.replace(" %", "%") for one in found] == lines_of(*rows)


@pytest.mark.parametrize("names", [("Change of the rate", "Income", "Its share in percent")])
def test_a_name_may_be_wider_than_the_first_numbers_or_the_last(names: tuple[str, ...]) -> None:
    rows = (("+400", "129,621", "4"), ("+300", "131,357", "3"), ("+200", "133,089", "2"))
    page = rows_at(*(("", *row) for row in rows), top=686)
    for right, name, row in zip(RIGHTS, names, rows[0], strict=True):
        middle = right - 5 * len(row) / 2
        page.append(text_at(int(middle - 2.3 * len(name)), 700, name))
    assert tables_of(page) == [lines_of(names, *rows)]


def test_columns_of_numbers_beside_lines_at_their_sums_are_of_the_rows_labelled_beside_them() -> (
    None
):
    head, *rows = MOVED
    dashes = [("Given", "-", "( 909)", "( 909)"), ("Taken", "-", "-", "1,529")]
    page = rows_at(head, *dashes, *rows, *dashes)
    page += [f"230 {y} m 462 {y} l S" for y in (696, 668, 626, 598)]
    [found] = tables_of(page)
    assert found[1:] == lines_of(*dashes, *rows, *dashes)


def test_rows_between_the_lines_of_a_grid_are_told_by_their_codes_and_one_number_each() -> None:
    rows = (
        ("3 0 00", "Running costs", "", "", "9,400"),
        ("3 1 00", "Wages", "", "9,400", ""),
        ("3 1 11", "Wages of millers", "7,500", "", ""),
        ("4 0 00", "Buildings", "", "", "1,900"),
    )
    head = ("Code", "What", "Part", "Group", "All")
    edges, lefts = (70, 120, 240, 310, 380, 450), (75, 125, 245, 315, 385)
    page = [f"{x} 630 m {x} 712 l S" for x in edges]
    page += [f"70 {y} m 450 {y} l S" for y in (712, 696, 630)]
    for at, row in enumerate((head, *rows)):
        page += [text_at(x, 700 - 15 * at, one) for x, one in zip(lefts, row, strict=True) if one]
    assert tables_of(page) == [lines_of(head, *rows)]


def test_a_header_of_two_lines_in_bold_is_whole_over_numbers() -> None:
    names = (("", "Shares", "Worn off", "Sum of"), ("", "issued", "till now", "both"))
    page = [
        text_at(right - 40, 726 - 12 * at, one, 10, "F3")
        for at, row in enumerate(names)
        for right, one in zip(RIGHTS, row[1:], strict=True)
    ]
    [found] = tables_of([*page, *rows_at(*MOVED[1:])])
    assert found == [" | Shares issued | Worn off till now | Sum of both", *lines_of(*MOVED[1:])]
