"""Words of PDFs that run up or down beside the lines of a page, or across them."""

import pytest

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at
from tests.support.pdf_tables import PROSE, cells, line, shown

LABELS = ["Fleet", "Cranes sold", "Pistons hired", "Springs lent", "Motors kept", "Belts"]
NUMBERS = [["2031", "2030"], *([f"{at}4{at}", f"9{at}{at}"] for at in range(1, 6))]
ROWS = [[label, *two] for label, two in zip(LABELS, NUMBERS, strict=True)]
ACCOUNT = cells(ROWS, 700, (72, 300, 380))


def turned(x: float, y: float, text: str, size: float = 10, matrix: str = "0 1 -1 0") -> str:
    return f"q {matrix} {x} {y} cm {text_at(0, 0, text, size)} Q"


def read(*page: str) -> list[tuple[str, list[str]]]:
    parsed = parse_pdf(pdf_of([[text_at(72, 740, PROSE), *page, text_at(72, 500, PROSE)]]), "F")
    return [
        (block.kind.name, parsed.text[block.start : block.end].split("\n"))
        for block in parsed.blocks
    ]


@pytest.mark.parametrize(("matrix", "y"), [("0 1 -1 0", 600), ("0 -1 1 0", 735), ("1 1 -1 1", 610)])
def test_a_mark_across_the_rows_of_a_table_is_in_none_of_them(matrix: str, y: float) -> None:
    mark = turned(85, y, "Only to be read here", 14, matrix)
    found = read(*ACCOUNT, mark)
    assert ("TABLE", shown(*ROWS)) in found
    assert ("PARAGRAPH", ["Only to be read here"]) in found


def test_a_mark_that_begins_at_a_row_is_a_line_of_its_own() -> None:
    mark = turned(70, 630, "For the owner only", 14)
    found = read(*ACCOUNT[:-1], ACCOUNT[-1], mark)
    assert ("TABLE", shown(*ROWS)) in found


def test_a_number_in_a_frame_beside_a_table_is_in_no_row() -> None:
    frame = [line(645, 52, 66), line(672, 52, 66)]
    found = read(*ACCOUNT, *frame, turned(63, 650, "301"))
    assert ("TABLE", shown(*ROWS)) in found


def test_a_name_on_its_side_of_several_rows_is_in_the_first() -> None:
    rows = [["Kind", "Piston", "80 N"], ["", "Spring", "1 N"], ["", "Motor", "3 N"]]
    upright = [f"{x} 648 m {x} 714 l S" for x in (80, 110, 200, 300)]
    grid = [line(y, 110, 300) for y in (695, 681, 667)] + [line(y, 80, 300) for y in (714, 648)]
    page = [*cells([["", *row[1:]] for row in rows], 700, (85, 120, 210)), *upright, *grid]
    [table] = [lines for kind, lines in read(*page, turned(98, 660, "Drive")) if kind == "TABLE"]
    assert table[0] == "Drive | Piston | 80 N"
