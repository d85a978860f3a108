"""Names of columns a space apart in PDFs, and columns that only the numbers below them tell."""

from dataclasses import replace

from services.ingest.parsers.pdf.bare_pieces import Piece, pieces_of_run
from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.number_rows import groups_of, number_lines
from services.ingest.parsers.pdf.number_tables import with_number_columns
from services.ingest.parsers.pdf.overlapping import largest
from tests.support.pdf_files import text_at
from tests.support.pdf_tables import cells, line, shown, tables

ROWS = [
    ["3000", "vanilla", "0.679"],
    ["1000", "radial", "0.573"],
    ["50", "polynomial", "0.884"],
    ["6", "laplace", "0.493"],
]
PLACES = (90, 131, 260)


def test_names_a_space_apart_stand_each_over_its_column() -> None:
    page = [line(710, 85, 300), text_at(90, 714, "Best fit"), text_at(131, 714, "Kernel set")]
    page += [text_at(260, 714, "Result"), *cells(ROWS, 698, PLACES)]
    header = ["Best fit", "Kernel set", "Result"]
    assert tables(page) == [shown(header, *ROWS)]


def test_a_name_over_two_columns_is_not_parted_where_no_column_begins() -> None:
    page = [line(710, 85, 300), text_at(100, 714, "The best of kernels")]
    page += [text_at(260, 714, "Result"), *cells(ROWS, 698, PLACES)]
    assert not any(
        "best | of" in row or "The | best" in row for rows in tables(page) for row in rows
    )


def test_a_row_that_is_called_by_a_number_has_no_column_more() -> None:
    def row(y: float, label: str, *values: str) -> list[Piece]:
        texts = [(72.0, label), *zip((260.0, 310.0, 360.0), values, strict=True)]
        signs = [
            [(one, left + 6 * at, left + 6 * at + 6, y, y + 8, ()) for at, one in enumerate(text)]
            for left, text in texts
        ]
        return [piece for one in signs for piece in pieces_of_run(one)]

    lines = [
        row(700, "None", "36.0", "36.9", "19.3"),
        row(686, "Less", "45.7", "30.3", "29.7"),
        row(672, "5,000", "56.3", "29.2", "28.0"),
        row(658, "More", "58.4", "35.1", "18.7"),
    ]
    [group] = groups_of(number_lines(lines)[0])
    assert [len(group.rows), len(group.columns)] == [4, 3]
    assert group.rows[2].labels[0].text == "5,000"


def test_the_largest_of_tables_in_one_place_that_no_line_parts_is_kept() -> None:
    small, large = Table((60, 90, 120), (300, 280, 260)), Table((60, 80, 100, 120), (400, 300, 260))
    other = Table((60, 90, 120), (200, 180, 160))
    tables_of = [replace(one, is_open=True) for one in (small, large, other)]
    assert largest(tables_of) == tables_of[1:]
    assert largest([small, *tables_of[1:]]) == [small, *tables_of[1:]]


def test_a_table_gets_its_columns_of_numbers_though_others_share_its_place() -> None:
    runs = [
        [
            (one, left + 5 * at, left + 5 * at + 5, y, y + 8, ())
            for left, text in ((72, "Stop"), *((150 + 40 * n, f"{n}{y}") for n in range(6)))
            for at, one in enumerate(text)
        ]
        for y in range(640, 700, 12)
    ]
    table = Table((60, 300, 420), (712, 690, 630), is_open=True)
    [found] = with_number_columns(table, [table, replace(table, columns=(60, 420))], runs, [])
    assert len(found.columns) - 1 == 7
