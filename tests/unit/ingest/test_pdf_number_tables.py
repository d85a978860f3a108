"""Tables of PDFs without lines, whose rows end with numbers below each other."""

import pytest

from services.ingest.parsers.pdf import parse_pdf
from services.ingest.parsers.pdf.bare_pieces import pieces_of_run
from services.ingest.parsers.pdf.value_cells import cells_of_line, is_value
from tests.support.pdf_files import pdf_of, text_at

WIDTH = 5.0
"""Points of a letter, roughly, so that numbers end at one place."""


def line_at(y: int, label: str, *numbers: str, left: int = 72) -> list[str]:
    rights = (300, 380, 460)
    values = zip(rights, numbers, strict=False)
    cells = [text_at(right - int(WIDTH * len(one)), y, one, 10) for right, one in values if one]
    return [*([text_at(left, y, label, 10)] if label else []), *cells]


def blocks(page: list[str]) -> list[tuple[str, list[str]]]:
    parsed = parse_pdf(pdf_of([page]), "F")
    return [(one.kind.name, parsed.text[one.start : one.end].split("\n")) for one in parsed.blocks]


def table_of(page: list[str]) -> list[str]:
    [rows] = [rows for kind, rows in blocks(page) if kind == "TABLE"]
    return rows


ACCOUNT = [
    *line_at(700, "", "2013", "2012", "2011"),
    *line_at(680, "Revenues:"),
    *line_at(668, "Real estate", "18,969", "18,157", "17,086", left=80),
    *line_at(656, "Sales", "7,032", "6,512", "6,190", left=80),
    *line_at(636, "Total revenues", "26,001", "24,669", "23,276", left=90),
    *line_at(606, "Expenses:"),
    *line_at(594, "Schools", "21,046", "21,089", "20,928", left=80),
]


def test_an_account_is_one_table_with_its_years_and_the_titles_of_its_rows() -> None:
    assert table_of(ACCOUNT) == [
        " | 2013 | 2012 | 2011",
        "Revenues: |  |  | ",
        "Real estate | 18,969 | 18,157 | 17,086",
        "Sales | 7,032 | 6,512 | 6,190",
        "Total revenues | 26,001 | 24,669 | 23,276",
        "Expenses: |  |  | ",
        "Schools | 21,046 | 21,089 | 20,928",
    ]


def test_a_label_of_two_lines_is_one_cell() -> None:
    page = [
        *line_at(700, "Alpha", "1,000", "2,000", "3,000"),
        *line_at(688, "Beta", "1,100", "2,100", "3,100"),
        *line_at(676, "Grants of the state and"),
        *line_at(664, "other categorical aid", "1,200", "2,200", "3,200", left=80),
        *line_at(652, "Gamma", "1,300", "2,300", "3,300"),
    ]
    assert (
        table_of(page)[2] == "Grants of the state and other categorical aid | 1,200 | 2,200 | 3,200"
    )


def test_names_with_units_over_the_numbers_are_their_header() -> None:
    page = [
        *line_at(700, "Region", "Plan t", "Sold t", "Gap %"),
        *line_at(684, "North", "100", "120", "20"),
        *line_at(672, "South", "200", "190", "-5"),
    ]
    assert table_of(page)[0] == "Region | Plan t | Sold t | Gap %"


def test_numbers_of_a_text_and_of_an_index_are_no_table() -> None:
    prose = [
        text_at(72, 700 - 12 * at, f"In {1990 + at} we sold 12 of 100.", 10) for at in range(6)
    ]
    entries = zip(("ash", "bell", "cord", "drum", "edge", "fern"), range(6), strict=True)
    index = [
        text_at(72, 600 - 12 * at, f"{term}, {at + 10}7, {at + 20}1", 10) for term, at in entries
    ]
    assert not [kind for kind, _ in blocks([*prose, *index]) if kind == "TABLE"]


@pytest.mark.parametrize("text", ["1,234", "(12.5)", "- 0,9", "$ 17", "12%", "n/a", "—", "1 234"])
def test_a_number_with_its_signs_or_what_stands_for_none_is_a_value(text: str) -> None:
    assert is_value(text)


@pytest.mark.parametrize("text", ["Sales", "105,", "2013:", "A4 paper"])
def test_words_and_numbers_that_others_follow_are_no_values(text: str) -> None:
    assert not is_value(text)


def test_a_currency_and_a_number_apart_are_one_cell() -> None:
    run = [
        (letter, x, x + 5.0, 100.0, 110.0, ())
        for x, letter in [(10.0, "A"), (15.0, "b"), (60.0, "$"), (90.0, "1"), (95.0, "2")]
    ]
    cells = cells_of_line([*pieces_of_run(run)])
    assert [(cell.text, cell.is_value) for cell in cells] == [("Ab", False), ("$ 12", True)]
