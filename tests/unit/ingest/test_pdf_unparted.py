"""Tables of PDFs between two lines alone, of which only space parts the columns."""

import pytest

from tests.support.pdf_files import text_at
from tests.support.pdf_tables import HEADER, ROWS, cells, line, shown, tables

PAIRS = [
    ["tiny", "corps", "large", "body"],
    ["small", "corps", "huge", "body"],
    ["plain", "corps", "giant", "body"],
]
PLACES = (90, 127, 167, 203)
"""So near that only the lines over and under the rows tell four columns."""


def test_two_pairs_in_a_row_between_two_lines_are_columns() -> None:
    page = [*map(line, (712, 654)), *cells(PAIRS, 698, PLACES)]
    assert tables(page) == [shown(*PAIRS)]


def test_letters_that_grow_from_row_to_row_leave_the_columns() -> None:
    page = [*map(line, (712, 640))]
    for at, row in enumerate(PAIRS):
        y, sizes = 696 - 18 * at, (10, 10, 10, 10 + 3 * at)
        page += [
            text_at(x, y, cell, size) for x, cell, size in zip(PLACES, row, sizes, strict=True)
        ]
    assert tables(page) == [shown(*PAIRS)]


def test_a_header_that_no_line_parts_from_its_rows_is_the_first() -> None:
    rows = [[name, force.split()[0], reach.split()[0]] for name, force, reach in ROWS]
    page = [*map(line, (712, 640)), *cells([HEADER], 698), *cells(rows, 684, (90, 229, 339))]
    assert tables(page) == [shown(HEADER, *rows)]


@pytest.mark.parametrize("middle", [None, 683])
def test_text_between_two_lines_is_no_table(middle: int | None) -> None:
    text = ["A note that goes on from", "line to line in one column", "until it ends here."]
    page = [*map(line, (712, 654)), *cells([[one] for one in text], 698)]
    page += [line(middle, 90, 300)] if middle else []
    assert not tables(page)
