"""What stands beyond the outermost lines of a table in a PDF."""

from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.outer_rows import with_outer_rows

TABLE = Table((0.0, 100.0, 200.0), (90.0, 70.0), is_open=True)


def word(text: str, left: float, foot: float, rises: float = 0.0) -> list[Sign]:
    return [
        (sign, left + 6 * at, left + 6 * at + 6, foot + rises * at, foot + rises * at + 6, ())
        for at, sign in enumerate(text)
    ]


def test_a_header_over_the_first_line_is_a_row() -> None:
    runs = [word("Kiln", 10, 95) + word("Heat", 110, 95), word("A", 10, 77) + word("9", 110, 77)]
    assert len(with_outer_rows(TABLE, runs, ()).rows) == 3


def test_words_that_rise_over_a_table_are_no_header_of_it() -> None:
    runs = [word("ab", 10, 93, 4.5), word("A", 10, 77) + word("9", 110, 77)]
    assert with_outer_rows(TABLE, runs, ()) == TABLE
