"""Tables of PDFs at the top of a page: the rest of the one before, or the next of its kind."""

import pytest

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of
from tests.support.pdf_tables import cells, shown

YEARS = ["31 May", "31 May of 2021", "Change"]
ASSETS = [["Houses", "120", "130"], ["Boats", "14", "15"], ["Bread", "3", "4"]]
DEBTS = [["Loans", "70", "80"], ["Bills", "9", "8"], ["Taxes", "5", "6"]]


def grid(rows: list[list[str]], top: int) -> list[str]:
    foot = top - 16 * len(rows)
    level = [f"80 {top - 16 * at} m 520 {top - 16 * at} l S" for at in range(len(rows) + 1)]
    upright = [f"{x} {foot} m {x} {top} l S" for x in (80, 190, 300, 420, 520)]
    places = (90, 200, 310, 430)
    lines = [cells([row], top - 12 - 16 * at, places) for at, row in enumerate(rows)]
    return [*level, *upright, *(piece for line in lines for piece in line)]


@pytest.mark.parametrize(("name", "count"), [("Debts", 2), ("Assets", 1)])
def test_a_table_with_a_header_of_its_own_is_the_next(name: str, count: int) -> None:
    pages = [
        grid([["Assets", *YEARS], *([*row, "-1"] for row in ASSETS)], 118),
        grid([[name, *YEARS], *([*row, "-1"] for row in DEBTS)], 760),
    ]
    parsed = parse_pdf(pdf_of(pages), "F")
    found = [
        parsed.text[block.start : block.end].split("\n")
        for block in parsed.blocks
        if block.kind.name == "TABLE"
    ]
    assert len(found) == count
    if count > 1:
        assert found[1] == shown([name, *YEARS], *([*row, "-1"] for row in DEBTS))
