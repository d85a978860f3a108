"""Paragraphs of PDFs with columns: how far a line can reach is a matter of its column."""

import pytest

from services.ingest.parsers.pdf import parse_pdf
from services.ingest.parsers.pdf.cells import Piece, Table
from services.ingest.parsers.pdf.columns import line_ends
from services.ingest.parsers.pdf.flow import Measures, to_paragraphs
from services.ingest.parsers.pdf.groups import with_spans
from services.ingest.parsers.pdf.line import Line
from tests.support.pdf_files import pdf_of, text_at

USUAL = Measures(10.0, 12.0)
RAGGED = (0, 12, 30, 5, 24, 18, 2, 27, 9)


def column(left: float, count: int, *, width: float = 240.0) -> list[Line]:
    """Return lines of text without an end, whose right edge is ragged."""
    return [
        Line(
            "words of a sentence that goes on and on in its column",
            1,
            left,
            left + width - RAGGED[at % len(RAGGED)],
            700 - 12 * at,
            10.0,
        )
        for at in range(count)
    ]


def sizes(lines: list[Line]) -> list[int]:
    return [len(one.lines) for one in to_paragraphs(lines, USUAL)]


@pytest.mark.parametrize("right", [20, 5])
def test_lines_of_the_left_column_are_one_paragraph_as_those_of_the_right(right: int) -> None:
    title = Line("A title over both columns of the page", 1, 50, 500, 730, 10.0)
    assert sizes([title, *column(50, 20), *column(310, right)]) == [1, 20 + right]
    assert sizes([*column(50, 20), *column(310, right)]) == [20 + right]


def test_each_of_three_columns_has_an_edge_of_its_own() -> None:
    lines = [line for left in (50, 220, 390) for line in column(left, 12, width=150)]
    assert sizes(lines) == [36]
    assert [line_ends(lines)[at] for at in (0, 12, 24)] == [200, 370, 540]


def test_a_short_line_ends_a_paragraph_of_its_column() -> None:
    lines = column(50, 20)
    lines[9] = Line("it ends here.", 1, 50, 110, lines[9].y, 10.0)
    assert sizes([*lines, *column(310, 20)]) == [10, 30]


def test_short_lines_of_a_page_with_one_column_stay_apart() -> None:
    wide = column(50, 12, width=480)
    short = [Line("An address or a name", 1, 50, 150 + at, 500 - 12 * at, 10.0) for at in range(8)]
    notes = [Line("far out", 1, 440, 500, 400 - 12 * at, 10.0) for at in range(2)]
    assert line_ends([*wide, *short, *notes]) == [528] * 22
    assert sizes([*wide, *short]) == [12, *[1] * 8]


@pytest.mark.parametrize("at", [60, 100])
def test_a_cell_over_several_columns_of_a_drawn_header_names_each_of_them(at: float) -> None:
    edges = (0.0, 50.0, 100.0, 150.0, 200.0)
    table = Table(edges, (100.0, 80.0, 60.0, 40.0), gaps=((100.0, 100.0, 80.0),))
    year = Piece(table.column_at(at), 0, 90, "2022", at, at + 20, 90, 87, 10.0)
    names = [Piece(n, 1, 70, "name", 50 * n, 50 * n + 9, 70, 67, 10.0) for n in (1, 2)]
    row = [Piece(n, 2, 50, "9", 50 * n, 50 * n + 9, 50, 47, 10.0) for n in range(4)]
    found = [(one.column, one.band) for one in with_spans(table, [year, *names, *row])]
    assert found == [(1, 0), (2, 0), (1, 0), (2, 0), *((n, 2) for n in range(4))]


def test_a_hyphen_that_is_left_of_struck_words_is_no_column() -> None:
    page = [text_at(60, 700 - 12 * at, f"line {at} of it") for at in range(9)]
    page += [
        text_at(60, 580, "A life of dignity. It has proved to be multi-"),
        "144 583 m 252 583 l S",
    ]
    page += [text_at(60, 568, "sectoral work of many people in their towns")]
    assert "A life of dignity." in parse_pdf(pdf_of([page]), "F").text
