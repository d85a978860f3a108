"""Tables of PDFs that are drawn behind the text of their pages."""

from services.ingest.parsers.pdf.late_tables import with_tables_in_place
from services.ingest.parsers.pdf.line import Line


def at(y: float, text: str, table: int = 0, left: float = 72.0) -> Line:
    return Line(text, 1, left, left + 200, y, 10.0, table=table)


def texts(*lines: Line) -> str:
    return "".join(line.text for line in with_tables_in_place(lines))


def test_tables_drawn_behind_all_text_stand_where_they_are_in_it() -> None:
    text = [at(700, "a"), at(560, "d"), at(420, "g")]
    first, second = [at(600, "b", 1), at(580, "c", 1)], [at(500, "e", 2), at(480, "f", 2)]
    assert texts(*text, *second, *first) == "abcdefg"


def test_a_table_beside_text_in_columns_stays_where_it_is_drawn() -> None:
    left, right = [at(700, "a"), at(500, "b")], [at(680, "c", left=320), at(520, "d", left=320)]
    assert texts(*left, *right, at(600, "e", 1, left=320)) == "abcde"
