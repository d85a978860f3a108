"""Tables of PDFs without lines, whose rows end with numbers below each other."""

import pytest

from services.ingest.parsers.pdf import parse_pdf
from services.ingest.parsers.pdf.bare_pieces import pieces_of_run
from services.ingest.parsers.pdf.value_cells import cells_of_line, is_value
from tests.support.pdf_files import pdf_of, text_at
from tests.support.pdf_tables import cells

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


@pytest.mark.parametrize("unit", ["£000", "$000", "000 $"])
def test_thousands_of_a_currency_below_years_name_the_columns_too(unit: str) -> None:
    rows = [*line_at(688, "", unit, unit, unit), *ACCOUNT[4:]]
    assert table_of([*ACCOUNT[:3], *rows])[0] == f" | 2013 {unit} | 2012 {unit} | 2011 {unit}"


def test_a_name_over_which_years_a_change_is_between_is_whole() -> None:
    page = [
        *line_at(712, "Loans", "", "", "Change"),
        *line_at(700, "", "2012", "2013", "13/12"),
        *line_at(688, "Homes", "18,969", "18,157", "4.2%"),
        *line_at(676, "Shops", "7,032", "6,512", "-1.8%"),
    ]
    assert table_of(page) == [
        "Loans | 2012 | 2013 | Change 13/12",
        "Homes | 18,969 | 18,157 | 4.2%",
        "Shops | 7,032 | 6,512 | -1.8%",
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


def test_a_currency_right_behind_a_number_is_of_the_next() -> None:
    words = [(10.0, "Ab"), (60.0, "7.5"), (77.0, "$"), (87.0, "(1)")]
    run = [
        (letter, x + 5.0 * at, x + 5.0 * at + 5.0, 100.0, 110.0, ())
        for x, word in words
        for at, letter in enumerate(word)
    ]
    cells = cells_of_line([*pieces_of_run(run)])
    assert [(cell.text, cell.is_value) for cell in cells] == [
        ("Ab", False),
        ("7.5", True),
        ("$ (1)", True),
    ]


def test_a_table_of_numbers_may_have_more_dashes_than_numbers() -> None:
    dash = "\xd0"
    page = [
        *line_at(700, "Region", "Plan t", "Sold t", "Gap t"),
        *line_at(684, "North", "100", dash, "20"),
        *line_at(672, "South", dash, dash, "5"),
        *line_at(660, "West", dash, "190", dash),
    ]
    assert len(table_of(page)) == 4


def test_a_row_of_shares_over_a_table_of_amounts_names_none_of_its_columns() -> None:
    shares = [("29.2%", "30.5%", "32.3%"), ("28.8%", "31.4%", "33.3%")]
    over = [
        text_at(x, 724 - 12 * at, share, 10)
        for at, row in enumerate(shares)
        for x, share in zip((268, 348, 428), row, strict=True)
    ]
    page = [
        *over,
        text_at(72, 724, "As adjusted", 10),
        text_at(72, 712, "As said", 10),
        *line_at(700, "Sum of all", "85.1", "15.7", "17.4"),
        *line_at(688, "Number of parts", "59.8", "61.1", "61.8"),
        *line_at(676, "Parts sold", "1.8", "2.1", "1.9"),
    ]
    assert table_of(page)[0] == "Sum of all | 85.1 | 15.7 | 17.4"


def test_a_table_whose_cells_have_grounds_each_keeps_the_names_over_several_columns() -> None:
    shares = [(f"Crop {at}", f"{at},100", f"{at},200", f"{at},300") for at in range(1, 9)]
    rows = [row for at, share in enumerate(shares) for row in line_at(640 - 12 * at, *share)]
    grounds = [
        f"0.8 0.9 1 rg {72 + 6.5 * column} {636 - 12 * at - column % 3} 5 9 re f 0 g"
        for at in range(8)
        for column in range(60)
    ]
    header = [
        text_at(280, 699, "Now", 10),
        text_at(378, 699, "Before", 10),
        "270 696 m 305 696 l S",
        "350 696 m 465 696 l S",
        *line_at(683, "In tons", "2013", "2012", "2011"),
        "72 662 m 465 662 l S",
    ]
    [first, second, *_] = table_of([*grounds, *header, *rows])
    assert first == "In tons | Now 2013 | Before 2012 | Before 2011"
    assert second == "Crop 1 | 1,100 | 1,200 | 1,300"


def test_numbers_between_the_two_lines_of_a_label_are_of_one_row() -> None:
    page = [
        *line_at(700, "Loss before tax", "7,328", "1,159"),
        *line_at(682, "Share of it", "2,045", "1,031"),
        text_at(72, 665, "Tax on the loss from all that was", 8),
        *line_at(660, "", "2,198", "3,347"),
        text_at(72, 656, "Done at 30%", 8),
        *line_at(640, "Other parts", "4,134", "2,251"),
        *line_at(622, "Payments in shares", "1,762", "2,997"),
    ]
    assert table_of(page)[2] == "Tax on the loss from all that was Done at 30% | 2,198 | 3,347"


def test_a_label_that_hangs_below_its_row_goes_on_whatever_letter_it_begins_with() -> None:
    page = [
        *line_at(700, "Ministry of Works", "7,328", "1,159", "2,401"),
        *line_at(688, "Ministry of Planning, Schools", "2,045", "1,031", "3,012"),
        *line_at(676, "Public Services", left=80),
        *line_at(664, "Ministry of Health", "2,198", "3,347", "1,870"),
        *line_at(652, "Debt", "4,134", "2,251", "1,120"),
    ]
    assert (
        table_of(page)[1] == "Ministry of Planning, Schools Public Services | 2,045 | 1,031 | 3,012"
    )


def test_a_label_that_runs_over_the_column_of_notes_is_whole() -> None:
    rows = [
        ["Grain", "4", "1,250", "2,300"],
        ["Stones", "5", "1,150", "2,400"],
        ["Wheels", "6", "1,350", "2,500"],
        ["Water", "7", "1,450", "2,600"],
        ["Rent", "8", "1,550", "2,700"],
    ]
    page = cells([["", "Note", "2021", "2020"], *rows], 700, (80, 200, 260, 330))
    label = "Total of the income of mills net of tax"
    page += [text_at(80, 616, label), text_at(260, 616, "6,750"), text_at(330, 616, "12,500")]
    assert table_of(page)[-1] == f"{label} |  | 6,750 | 12,500"


def test_a_short_line_over_a_row_set_in_is_no_part_of_its_label() -> None:
    page = [*line_at(700, "", "2013", "2012", "2011"), *line_at(680, "Means")]
    page += line_at(668, "Cash at all banks", "18,969", "18,157", "17,086", left=84)
    page += [*line_at(656, "Debts"), *line_at(644, "Loans", "7,032", "6,512", "6,190", left=84)]
    page += line_at(632, "Rent that is owed to others", "26,001", "24,669", "23,276")
    page += line_at(620, "Sum", "52,002", "49,338", "46,552")
    rows = table_of(page)
    assert "Means |  |  | " in rows
    assert "Loans | 7,032 | 6,512 | 6,190" in rows
