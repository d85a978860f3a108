"""What is painted on a page of a PDF as shapes: the lines of a table together, letters one by one."""

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at
from tests.support.pdf_tables import cells, shown, tables

ROWS = [["1", "Motor 3 N", "20"], ["2", "Piston 80 N", "300"], ["3", "Spring 1 N", "5"]]
PLACES = (92, 100, 250)
"""So near that only lines tell the first two columns."""
LINES_ACROSS, LINES_UP = (708, 694, 680, 666), (80, 98, 240, 400)
LEVEL = [f"80 {y} 320 0.7 re" for y in LINES_ACROSS]
UPRIGHT = [f"{x} 666 0.7 42 re" for x in LINES_UP]
TEXT = cells(ROWS, 698, PLACES)


def curved(x: float, y: float) -> str:
    """Return a shape as small as a letter, of as many segments as an outline has."""
    steps = [f"{x + at % 5} {y + at % 7} l" for at in range(60)]
    return " ".join([f"{x} {y} m", *steps, "h f"])


def test_lines_that_are_painted_as_one_shape_part_rows_and_columns() -> None:
    assert tables([*UPRIGHT, "f", *LEVEL, "f", *TEXT]) == [shown(*ROWS)]


def test_letters_that_are_drawn_as_shapes_are_no_drawing_and_their_strokes_no_lines() -> None:
    letters = [curved(80 + 4 * (at % 100), 500 + 8 * (at // 100)) for at in range(500)]
    strokes = [f"{101 + at} {699 - 14 * row} 0.4 6 re f" for row in range(3) for at in (0.4, 4.2)]
    page = [*letters, *UPRIGHT, "f", *LEVEL, "f", *TEXT, *strokes]
    assert tables(page) == [shown(*ROWS)]


def test_the_bar_of_a_letter_that_is_drawn_does_not_strike_it_out() -> None:
    bar = "90.9 693.2 5 0.6 re f"
    line = "90 693.2 24 0.6 re f"
    assert parse_pdf(pdf_of([[text_at(90, 690, "Edge"), bar]]), "F").text == "Edge"
    assert parse_pdf(pdf_of([[text_at(90, 690, "Edge of it"), line]]), "F").text == "of it"
