"""Tables of PDFs on painted grounds: of slides, of the lines of a text, and large titles over them."""

from itertools import pairwise

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at
from tests.support.pdf_tables import HEADER, ROWS, cells, line, shown

COLUMNS = (80, 190, 300, 400)
LEVELS = (692, 676, 662, 648, 634)
GRID = [line(y) for y in LEVELS] + [f"{x} 634 m {x} 692 l S" for x in COLUMNS]
TABLE = [*GRID, *cells([HEADER, *ROWS], 680)]


def read(*page: str) -> list[tuple[str, list[str]]]:
    parsed = parse_pdf(pdf_of([[*page]]), "F")
    return [
        (block.kind.name, parsed.text[block.start : block.end].split("\n"))
        for block in parsed.blocks
    ]


def test_a_title_in_large_letters_over_a_grid_on_the_ground_of_a_slide_is_no_row() -> None:
    ground = "0.8 0.9 1 rg 150 0 450 800 re f 60 600 360 180 re S 0 g"
    title = [text_at(90, 720, "Forces kept", 26), text_at(270, 720, "2031", 26)]
    under = line(716, 270, 330)
    found = read(ground, *title, under, *TABLE)
    assert ("TABLE", shown(HEADER, *ROWS)) in found
    assert ("HEADING", ["Forces kept 2031"]) in found


def test_a_large_title_in_pieces_right_over_a_grid_names_no_columns() -> None:
    title = [
        text_at(90, 696, "Forces", 16),
        text_at(200, 696, "of", 16),
        text_at(310, 696, "all", 16),
    ]
    assert ("TABLE", shown(HEADER, *ROWS)) in read(*title, *TABLE)


def test_white_behind_the_lines_of_a_cell_begins_no_rows() -> None:
    rows = [["7", "Motor that", "Right"], ["", "turns a wheel", ""], ["", "of iron", ""]]
    rows += [["8", "Piston of", "Left"], ["", "steel", ""]]
    level = [line(y) for y in (714, 696, 648, 616)]
    upright = [f"{x} 616 m {x} 714 l S" for x in COLUMNS]
    white = [f"1 g 191 {y} 108 14 re f 0 g" for y in (681, 667, 653, 633, 619)]
    white += [f"1 g {x} {y} 98 14 re f 0 g" for x in (81, 301) for y in (681, 633)]
    body = cells([HEADER], 701) + cells(rows[:3], 685) + cells(rows[3:], 637)
    found = read(*level, *upright, *white, *body)
    expected = [
        ["7", "Motor that turns a wheel of iron", "Right"],
        ["8", "Piston of steel", "Left"],
    ]
    assert found == [("TABLE", shown(HEADER, *expected))]


def test_white_cells_alone_are_a_grid() -> None:
    white = [
        f"1 g {x + 1} {y + 1} {width - 2} 12 re f 0 g"
        for x, width in ((80, 110), (190, 110), (300, 100))
        for y in (676, 662, 648, 634)
    ]
    assert ("TABLE", shown(HEADER, *ROWS)) in read(*white, *cells([HEADER, *ROWS], 680))


def test_rows_of_several_lines_between_rows_with_a_ground_are_of_their_table() -> None:
    rows = [
        ["Motor of", "3 N", "as far as it"],
        ["all kinds", "", "is known here"],
        ["Piston", "80 N", "far"],
        ["", "90 N", ""],
        ["Spring", "1 N", "near the"],
        ["", "", "works alone"],
    ]
    grounds = [f"0.8 g {left} 645 {right - left} 28 re f 0 g" for left, right in pairwise(COLUMNS)]
    level = [line(y) for y in (720, 702, 616)]
    found = read(*level, *grounds, *cells([HEADER], 706), *cells(rows, 690))
    assert found == [
        (
            "TABLE",
            shown(
                HEADER,
                ["Motor of all kinds", "3 N", "as far as it is known here"],
                ["Piston", "80 N 90 N", "far"],
                ["Spring", "1 N", "near the works alone"],
            ),
        )
    ]
