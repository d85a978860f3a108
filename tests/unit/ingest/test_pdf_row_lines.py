"""Headers of many lines over rows that a line is drawn under each, as grounds of rows end."""

from services.ingest.parsers.pdf.bare_pieces import lines_of_pieces, pieces_of_run
from services.ingest.parsers.pdf.groups import columns_under
from services.ingest.parsers.pdf.number_tables import find_number_tables
from services.ingest.parsers.pdf.rules import Rule

Row = dict[float, str]
HEADER: list[Row] = [
    {200: "Prices"},
    {200: "in works", 300: "Inputs"},
    {200: "of all", 300: "we saw"},
    {200: "parts", 300: "then", 400: "Total"},
]
BODY: list[Row] = [
    {80: "Cash", 205: "-", 305: "$5.0", 405: "-"},
    {80: "Parts:"},
    {80: "Motor", 205: "17.1", 305: "12.2", 405: "29.3"},
    {80: "Piston", 205: "14.1", 305: "13.2", 405: "27.3"},
    {80: "Spring", 205: "11.5", 305: "12.5", 405: "24.0"},
]
TOP, STEP = 700.0, 10.0


def edges_of(rows: list[Row], ruled: int) -> tuple[float, ...]:
    """Return the edges of the rows of the one table, with a line over each of the last `ruled`."""
    pieces = []
    for at, row in enumerate(rows):
        for x, text in row.items():
            top = TOP - STEP * at
            signs = [
                (one, x + 5 * n, x + 5 * n + 5, top - 9, top, ()) for n, one in enumerate(text)
            ]
            pieces += [*pieces_of_run(signs)]
    level = [Rule(TOP + 0.5 - STEP * at, 78, 430) for at in range(len(rows) - ruled, len(rows) + 1)]
    [table] = find_number_tables(lines_of_pieces(pieces), [], level)
    return table.rows


def test_lines_under_all_rows_part_no_line_of_a_header_from_the_others() -> None:
    rows = edges_of([*HEADER, *BODY], ruled=9)
    assert TOP <= rows[0] <= TOP + 2


def test_a_line_over_the_first_of_such_rows_parts_them_from_what_stands_above() -> None:
    rows = edges_of([{200: "We sold", 300: "parts"}, *HEADER, *BODY], ruled=9)
    assert TOP - STEP <= rows[0] <= TOP - STEP + 2


def test_a_row_of_dashes_over_the_first_title_is_a_row_and_no_header() -> None:
    assert len(edges_of([*HEADER, *BODY], ruled=0)) == 1 + 1 + len(BODY)


def test_a_name_is_over_no_columns_that_another_of_its_line_stands_over() -> None:
    columns = {0: (10.0, 30.0), 1: (100.0, 140.0), 2: (150.0, 190.0), 3: (200.0, 320.0)}
    name = (70.0, 95.0)
    spans = columns_under([name, (110.0, 130.0)], columns)
    assert len(spans[0]) < 2
