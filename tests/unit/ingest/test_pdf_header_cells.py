"""Tables of PDFs whose header alone has lines between its cells."""

from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.header_cells import with_header_cells
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.rules import Rule

TABLE = Table((80, 200, 300), (112, 98, 88, 78, 68, 58), is_open=True)
EDGE = Rule(117.5, 92, 116)


def words(y: float, *texts: tuple[float, str]) -> list[Sign]:
    """Return letters of 5 by 8 points side by side, from each place."""
    return [
        (letter, left + 5 * at, left + 5 * at + 4.5, y, y + 8, ())
        for left, text in texts
        for at, letter in enumerate(text)
    ]


def page(*rows: tuple[tuple[float, str], ...]) -> list[list[Sign]]:
    header = ((85, "Units"), (120, "Name"), (250, "Value"))
    return [words(100 - 10 * at, *row) for at, row in enumerate((header, *rows))]


NUMBERED = [((90, "12.00"), (120, "Motor A"), (250, "3.5")) for _ in range(4)]
NAMED = [((85, "Motor of it"), (250, "3.5")) for _ in range(4)]


def test_a_line_between_two_names_parts_the_rows_below() -> None:
    table = with_header_cells(TABLE, [EDGE], page(*NUMBERED))
    assert table.columns == (80, 117.5, 200, 300)
    assert table.is_parted(0, 1, 94)
    titled = page(((85, "Motors-of-all-kinds"),), *NUMBERED * 3)
    tall = Table(TABLE.columns, (112, 98, *range(88, -50, -10)), is_open=True)
    whole = with_header_cells(tall, [EDGE], titled)
    assert whole.columns == table.columns
    assert not whole.is_parted(0, 1, 94)


def test_no_line_parts_words_of_the_rows_or_leaves_a_column_without_any() -> None:
    assert with_header_cells(TABLE, [EDGE], page(*NAMED)) == TABLE
    beside = Rule(220, 92, 116)
    assert with_header_cells(TABLE, [beside], page(*NUMBERED)) == TABLE


def test_lines_that_go_down_beside_rows_and_tables_that_lines_part_stay() -> None:
    assert with_header_cells(TABLE, [Rule(117.5, 60, 116)], page(*NUMBERED)) == TABLE
    drawn = Table(TABLE.columns, TABLE.rows)
    assert with_header_cells(drawn, [EDGE], page(*NUMBERED)) == drawn
