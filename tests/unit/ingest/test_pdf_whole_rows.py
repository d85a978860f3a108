"""Tables of numbers in PDFs of which lines and grounds make parts, as those of accounts do."""

from dataclasses import replace

from services.ingest.parsers.pdf import parse_pdf
from services.ingest.parsers.pdf.bare_pieces import pieces_of_run
from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.whole_rows import without_parts
from tests.support.pdf_files import pdf_of, text_at

RIGHTS = (300, 380, 460)
"""Points where the numbers of each column end."""
HEADER = ("", "2024", "2023", "2022")
ROWS = (
    ("Cash", "$ 5,288", "$ 8,369", "$ 9,012"),
    ("Goods in store", "672", "1,209", "1,310"),
    ("Total at hand", "5,960", "9,578", "10,322"),
    ("Buildings", "3,575", "3,632", "3,540"),
    ("Land", "9,100", "9,600", "9,020"),
    ("Total of all", "18,635", "22,810", "22,882"),
)


def row_at(y: int, label: str, *values: str, left: int = 72) -> list[str]:
    """Return a row, each currency at the left edge of its column."""
    found = [text_at(left, y, label)] if label else []
    for right, value in zip(RIGHTS, values, strict=False):
        symbol, _, number = value.rpartition(" ")
        found += [text_at(right - 62, y, symbol)] if symbol else []
        found += [text_at(right - 5 * len(number), y, number)] if number else []
    return found


def rows_at(top: int, *rows: tuple[str, ...]) -> list[str]:
    return [one for at, row in enumerate(rows) for one in row_at(top - 14 * at, *row)]


def ground(y: int, left: int, right: int) -> str:
    return f"0.8 0.9 1 rg {left} {y} {right - left} 14 re f 0 g"


def runs_of(*rows: tuple[str, ...]) -> list[list[Sign]]:
    """Return the characters of rows, each number set right, without a page."""
    return [
        [
            (letter, x + 5.0 * at, x + 5.0 * at + 5, 690.0 - 14 * y, 700.0 - 14 * y, ())
            for x, text in zip(
                (72, *(right - 5 * len(one) for right, one in zip(RIGHTS, row[1:], strict=True))),
                row,
                strict=True,
            )
            for at, letter in enumerate(text)
        ]
        for y, row in enumerate(rows)
    ]


def tables_of(page: list[str]) -> list[list[str]]:
    parsed = parse_pdf(pdf_of([page]), "F")
    blocks = [one for one in parsed.blocks if one.kind.name == "TABLE"]
    return [parsed.text[one.start : one.end].split("\n") for one in blocks]


def lines_of(*rows: tuple[str, ...]) -> list[str]:
    return [" | ".join(row) for row in rows]


SUMS = [f"236 {y} m 462 {y} l S" for y in (667, 653, 625, 611)]
"""Lines over and under the numbers of some rows."""


def test_lines_under_the_numbers_alone_leave_the_labels_in_their_rows() -> None:
    page = [*rows_at(698, HEADER, *ROWS), *SUMS]
    assert tables_of(page) == [lines_of(HEADER, *ROWS)]


def test_grounds_that_end_between_columns_do_not_cut_a_row() -> None:
    cells = [(70, 234), *((right - 66, right + 4) for right in RIGHTS)]
    grounds = [ground(681 - 28 * at, left, right) for at in range(3) for left, right in cells]
    symbols = [
        f"{right - 54} {681 - 28 * at} m {right - 54} {695 - 28 * at} l S"
        for at in range(3)
        for right in RIGHTS
    ]
    page = [*grounds, *symbols, *rows_at(698, HEADER, *ROWS)]
    assert tables_of(page) == [lines_of(HEADER, *ROWS)]


def test_labels_with_dots_that_lead_to_their_numbers_are_of_their_rows() -> None:
    rows = [(f"{label} {'. ' * 12}".strip(), *values) for label, *values in ROWS]
    [[first, second, *_]] = tables_of([*rows_at(698, HEADER, *rows), *SUMS])
    assert first == " | 2024 | 2023 | 2022"
    assert second.startswith("Cash ")
    assert second.endswith(" | $ 5,288 | $ 8,369 | $ 9,012")


def test_rows_of_tables_side_by_side_are_not_joined() -> None:
    def side(left: int, name: str) -> list[str]:
        cells = [
            text_at(left + 70 * at, 660 - 14 * row, text)
            for row, texts in enumerate(
                [(f"{name}{row}", f"{row}0.5", f"{row}1.5") for row in range(9)]
            )
            for at, text in enumerate(texts)
        ]
        upright = [f"{left - 4 + 70 * at} 540 m {left - 4 + 70 * at} 672 l S" for at in range(4)]
        level = [
            f"{left - 4} {672 - 14 * at} m {left + 206} {672 - 14 * at} l S" for at in range(10)
        ]
        return [*cells, *upright, *level]

    first, second = tables_of([*side(60, "Ash"), *side(320, "Elm")])
    assert (first[1], second[1]) == ("Ash1 | 10.5 | 11.5", "Elm1 | 10.5 | 11.5")


YEARS = (
    ("2025", "$ 14", "$ 42", "$ 813"),
    ("2026", "9", "35", "708"),
    ("2027", "6", "29", "572"),
    ("Later", "12", "66", "521"),
    ("All that is to be paid", "41", "172", "2,614"),
)


def test_years_over_a_word_are_what_rows_are_called_by() -> None:
    header = ("Year", "Rent", "Loans", "Other")
    assert tables_of(rows_at(698, header, *YEARS)) == [lines_of(header, *YEARS)]


def test_numbers_with_a_unit_in_the_columns_of_others_are_a_row() -> None:
    rows = [
        ("Time to pay", "89 days", "99 days", "91 days"),
        ("Time free", "9 days", "8 days", "3 days"),
    ]
    page = rows_at(698, HEADER, *ROWS[:4])
    for at, (label, *values) in enumerate(rows):
        page += [text_at(72, 628 - 14 * at, label)]
        page += [
            text_at(right - 5 * len(one) + 6, 628 - 14 * at, one)
            for right, one in zip(RIGHTS, values, strict=True)
        ]
    assert tables_of(page) == [lines_of(HEADER, *ROWS[:4], *rows)]


def test_a_share_whose_sign_hangs_out_of_its_column_is_of_it() -> None:
    rows = [*ROWS[1:4], ("Share of it", "38", "24", "15"), ("Rest", "7", "9", "4")]
    signs = [text_at(right + 2, 642, "%") for right in RIGHTS]
    [rows_found] = tables_of([*rows_at(698, HEADER, *rows), *signs])
    assert rows_found[-2:] == ["Share of it | 38% | 24% | 15%", "Rest | 7 | 9 | 4"]


def test_a_sentence_over_a_header_is_none_of_its_names() -> None:
    said = "The sums paid for what follows in each year are:"
    page = [text_at(72, 712, said), *rows_at(698, HEADER, *ROWS)]
    assert tables_of(page) == [lines_of(HEADER, *ROWS)]


def test_labels_that_end_at_one_edge_by_chance_are_no_text_beside_a_table() -> None:
    labels = (
        "Total of revenue that is earned",
        "Total of all the other expenses",
        "Provision of some credit losses",
    )
    rows = [(label, *row[1:]) for label, row in zip(labels, ROWS[1:4], strict=True)]
    assert tables_of(rows_at(698, HEADER, *rows)) == [lines_of(HEADER, *rows)]


def test_text_beside_a_table_with_labels_of_its_own_is_not_in_its_rows() -> None:
    said = "The rest of what is said"
    rows = [(said, "Ashes", "1,578", "2,110"), ("Goes on", "Birch", "149", "113")] * 3
    lines = [[*pieces_of_run(run)] for run in runs_of(*rows)]
    beside = Table((250, 390, 470), tuple(range(702, 617, -14)), is_open=True)
    assert without_parts([replace(beside, columns=(250, 310, 390, 470))], lines, [])
    assert not without_parts([replace(beside, columns=(310, 390, 470))], lines, [])


def test_tables_that_share_rows_are_parts_and_those_below_each_other_are_not() -> None:
    lines = [[*pieces_of_run(run)] for run in runs_of(*ROWS)]
    columns = (70, 230, 310, 390, 470)
    above, below = (Table(columns, edges) for edges in ((702, 688, 674, 660), (660, 646, 632, 618)))
    assert without_parts([above, below], lines, []) == [above, below]
    assert not without_parts([above, replace(below, rows=(688, *below.rows))], lines, [])


def test_lines_of_names_that_some_columns_lack_are_each_of_one_column() -> None:
    rights = (240, 300, 360, 420, 480)
    names = [
        (722, ("Year", "", "Year", "", "Year")),
        (710, ("2008", "", "2009", "", "2010")),
        (698, ("Actual", "Change", "Likely", "Change", "Asked")),
    ]
    page = [
        text_at(right - 24, y, name)
        for y, line in names
        for right, name in zip(rights, line, strict=True)
        if name
    ]
    for at, row in enumerate(ROWS):
        values = [f"{at + 1}{n},344,100" for n in range(5)]
        page += [text_at(60, 684 - 14 * at, row[0])]
        page += [
            text_at(right - 5 * len(one), 684 - 14 * at, one)
            for right, one in zip(rights, values, strict=True)
        ]
    [[header, *_]] = tables_of(page)
    assert header == " | Year 2008 Actual | Change | Year 2009 Likely | Change | Year 2010 Asked"
