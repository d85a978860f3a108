"""Rows and columns of tables of PDFs that space, captions and lines of other lengths tell."""

from itertools import pairwise

import pytest

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at
from tests.support.pdf_tables import HEADER, PROSE, ROWS, cells, line, shown, tables


def test_a_caption_between_lines_of_one_length_parts_two_tables() -> None:
    page = [*map(line, (712, 696, 640)), *cells([HEADER, *ROWS], 700)]
    page += [
        text_at(80, 630, "Note: all of these were measured in the laboratory, and more than once.")
    ]
    page += [text_at(80, 600, "Table 2: Forces of two years")]
    page += [*map(line, (592, 576, 520)), *cells([["Kind", "Old", "New"], *ROWS], 580)]
    assert tables(page) == [shown(HEADER, *ROWS), shown(["Kind", "Old", "New"], *ROWS)]


def test_a_line_under_the_head_of_the_page_is_none_of_the_table() -> None:
    page = [line(732), text_at(80, 718, "Table 1: Forces"), *map(line, (710, 694, 570))]
    rows = [["Motor", "Turns all", "the time"], ["Motors"], ["Spring", "Jumps", "up"], ["Springs"]]
    page += [*cells([["Kind", "Action", "Way"]], 698), *cells(rows, 682)]
    [[header, *_]] = tables(page)
    assert header == "Kind | Action | Way"


def test_titles_in_the_middle_over_some_rows_do_not_join_their_columns() -> None:
    over = "In the year of 1994 by us"
    page = [*map(line, (712, 696, 560)), *cells([HEADER], 700), text_at(215, 682, over)]
    page += [*cells(ROWS, 668), text_at(215, 626, over), *cells(ROWS, 612)]
    [[header, *rows]] = tables(page)
    assert header == " | ".join(HEADER)
    assert [row for row in rows if over not in row] == shown(*ROWS, *ROWS)


def spaced(rows: list[list[list[str]]], top: int) -> list[str]:
    """Draw rows of several lines each, with more space between rows than between their lines."""
    drawn: list[str] = []
    for row in rows:
        for at, text_line in enumerate(row):
            drawn += cells([text_line], top - 12 * at)
        top -= 12 * len(row) + 6
    return drawn


def test_space_between_rows_tells_them_from_the_lines_of_their_cells() -> None:
    rows = [
        [["Paper", "14 points", "3 mm"], ["Title", "Capitals alone"], ["", "Bold"]],
        [["Author", "12 points", "9 mm"], ["", "Capitals and others"]],
        [["Figures", "10 points", "6 mm"]],
        [["Heading", "9 points", "0 mm"], ["of a part", "Italic"]],
    ]
    page = [
        *map(line, (712, 696, 560)),
        *cells([["Style", "Font", "Space"]], 700),
        *spaced(rows, 684),
    ]
    [[_, *found]] = tables(page)
    assert found == shown(
        ["Paper Title", "14 points Capitals alone Bold", "3 mm"],
        ["Author", "12 points Capitals and others", "9 mm"],
        ["Figures", "10 points", "6 mm"],
        ["Heading of a part", "9 points Italic", "0 mm"],
    )


def test_numbers_in_the_middle_of_spaced_rows_stand_beside_their_labels() -> None:
    page = [*map(line, (712, 696, 560)), *cells([HEADER], 700), *cells([ROWS[0]], 682)]
    for top, (label, *numbers) in zip((656, 620, 584), ROWS, strict=True):
        page += cells([[f"{label} of the"]], top) + cells([["", *numbers]], top - 6)
        page += cells([["second kind"]], top - 12)
    [[_, *found]] = tables(page)
    assert found == shown(ROWS[0], *([f"{one} of the second kind", *rest] for one, *rest in ROWS))


def test_groups_of_rows_with_space_between_are_no_rows() -> None:
    rows = [[ROWS[0], ["", *ROWS[1][1:]]], [ROWS[1], ["", *ROWS[2][1:]]], [ROWS[2], ROWS[0]]]
    page = [*map(line, (712, 696, 560)), *cells([HEADER], 700), *spaced(rows, 684)]
    [[_, *found]] = tables(page)
    assert found == shown(*(row for group in rows for row in group))


def test_names_in_cells_that_lines_part_name_no_other_column() -> None:
    columns = (91, 228, 270, 354, 437, 521)
    page = [line(y, 91, 521) for y in (724, 686, 673, 660, 647)]
    page += [f"{x} 724 m {x} 647 l S" for x in columns]
    page += [text_at(286, 712, "Accelerates"), text_at(282, 700, "reduction and")]
    page += [text_at(287, 688, "small steps"), text_at(363, 706, "Speed reduction,")]
    page += [text_at(372, 694, "small towns"), text_at(440, 700, "Idle reduction")]
    rows = [["Fuel", "Low", "5 %", "8 %", "2 %"], ["Time", "High", "3 %", "1 %", "9 %"]]
    page += cells(rows, 676, (96, 232, 306, 390, 472))
    [[header, *_]] = tables(page)
    assert header == (
        " |  | Accelerates reduction and small steps | Speed reduction, small towns | Idle reduction"
    )


@pytest.mark.parametrize(
    "ends", [((190, 400), (80, 400), (80, 400)), ((80, 400), (80, 400), (20, 400))]
)
def test_the_first_or_last_line_of_a_table_may_be_shorter_or_longer(
    ends: tuple[tuple[int, int], ...],
) -> None:
    page = [line(y, *end) for y, end in zip((714, 684, 590), ends, strict=True)]
    page += [text_at(236, 702, "Measured by us"), *cells([HEADER], 688)]
    for top, (label, *numbers) in zip((668, 640, 612), ROWS, strict=True):
        page += cells([[f"{label} of the"]], top) + cells([["", *numbers]], top - 6)
        page += cells([["second kind"]], top - 12)
    [[header, *rows]] = tables(page)
    assert header == "Kind | Measured by us Force | Measured by us Range"
    assert rows == shown(*([f"{one} of the second kind", *rest] for one, *rest in ROWS))


def test_a_line_that_hangs_below_a_label_is_no_row_between_lines() -> None:
    page = [*map(line, (712, 696, 560)), *cells([HEADER], 700), *cells([ROWS[0]], 684)]
    page += [text_at(90, 670, "Weight of both"), text_at(200, 670, "Changes by the week")]
    page += [
        text_at(98, 656, "ends"),
        text_at(230, 656, "at a rate of 3 N"),
        *cells([ROWS[2]], 642),
    ]
    [[_, *rows]] = tables(page)
    assert rows[1].startswith("Weight of both ends | Changes by the week at a rate of 3 N")


def test_a_line_that_hangs_below_a_label_is_no_row_between_upright_lines() -> None:
    page = [line(712), line(696), *(f"{x} 712 m {x} 636 l S" for x in (195, 305))]
    page += [
        *cells([HEADER], 700),
        *cells([ROWS[0], ROWS[1], ["Wheel of the upper", "7 N", "9 mm"]], 684),
    ]
    page += [text_at(98, 642, "shaft.")]
    [[_, *rows]] = tables(page)
    assert rows == shown(ROWS[0], ROWS[1], ["Wheel of the upper shaft.", "7 N", "9 mm"])


NUMBERS = [
    ["12,640,788", "14,032,118", "3,350,188"],
    ["1,492,738", "745,424", "8,002,463"],
    ["895,086", "12,644,242", "654,990"],
    ["551,440", "112,707", "22,527,176"],
]


def numbers(rows: list[list[str]]) -> list[str]:
    """Draw columns of numbers that end below each other, a space apart, and lines between some."""
    page = [line(y, 80, 366) for y in (724, 696, 636)]
    page += [f"{x} 724 m {x} 636 l S" for x in (150, 284)]
    page += [text_at(84, 712, "Age", 10, "F2"), text_at(190, 712, "Country", 10, "F2")]
    page += [text_at(300, 712, "Total", 10, "F2")]
    page += [text_at(170, 700, "Men", 10, "F2"), text_at(236, 700, "Women", 10, "F2")]
    for at, row in enumerate(rows):
        page += [text_at(84, 684 - 13 * at, f"{at}-{at + 1}", 10, "F2")]
        for right, text in zip((214, 280, 362), row, strict=True):
            page += [text_at(right - 6 * len(text), 684 - 13 * at, text, 10, "F2")]
    return page


def test_numbers_that_end_below_each_other_are_columns_though_a_space_apart() -> None:
    [[header, *rows]] = tables(numbers(NUMBERS))
    assert all(name in header.split(" | ") for name in ("Age", "Women", "Total"))
    assert rows == shown(*([f"{at}-{at + 1}", *row] for at, row in enumerate(NUMBERS)))


def test_groups_of_three_digits_are_no_columns() -> None:
    groups = [["", f"{at} {at}88 118", "3 350 188"] for at in range(2, 6)]
    [[_, *found]] = tables(numbers(groups))
    assert found == shown(*([f"{at}-{at + 1}", *row[1:]] for at, row in enumerate(groups)))


def test_the_grounds_of_cells_within_lines_make_no_columns() -> None:
    edges = (80, 187, 294, 400)
    page = [line(y) for y in (712, 694, 648, 600)] + [f"{x} 712 m {x} 600 l S" for x in edges]
    page += [f".9 g {left + 5} 698 {97} 10 re f 0 g" for left in edges[:-1]]
    page += [*cells([HEADER], 699), text_at(354, 699, "in mm"), *cells(ROWS, 682)]
    page += cells([["All", "84 N", "325 mm"]], 610)
    header = ["Kind", "Force", "Range in mm"]
    assert tables(page) == [shown(header, *ROWS, ["All", "84 N", "325 mm"])]


def test_a_table_stands_behind_its_caption_though_what_is_below_is_drawn_first() -> None:
    page = [text_at(72, 740, PROSE), text_at(80, 725, "Table 3: Forces")]
    page += [text_at(80, 500, "Figure 7: Springs"), *map(line, (712, 696, 640))]
    page += [*cells([HEADER], 700), *cells(ROWS, 684), text_at(72, 400, PROSE)]
    parsed = parse_pdf(pdf_of([page]), "F")
    kinds = [block.kind.name for block in parsed.blocks]
    assert kinds == ["PARAGRAPH", "CAPTION", "TABLE", "CAPTION", "PARAGRAPH"]


def test_a_table_in_small_letters_below_a_note_is_none_of_it() -> None:
    page = [text_at(72, 760 - 12 * at, PROSE) for at in range(8)]
    page += [text_at(72, 654, "1", 5), text_at(76, 650, "Measured in the laboratory.", 8)]
    page += map(line, (632, 616, 560))
    page += [
        text_at(x, 620 - 14 * at, cell, 8)
        for at, row in enumerate([HEADER, *ROWS])
        for x, cell in zip((90, 200, 310), row, strict=True)
    ]
    parsed = parse_pdf(pdf_of([page]), "F")
    texts = {block.kind.name: parsed.text[block.start : block.end] for block in parsed.blocks}
    assert texts["TABLE"].split("\n") == shown(HEADER, *ROWS)


def test_a_name_over_the_space_between_grounds_makes_no_column_of_it() -> None:
    edges = (80, 187, 294, 400)
    heights = (712, 696, 680, 664, 648)
    page = []
    for at, (top, foot) in enumerate(pairwise(heights)):
        for left, right in ((80, 187), (187, 400)) if not at else pairwise(edges):
            page += [f".9 g {left + 5} {foot + 1} {right - left - 10} {top - foot - 2} re f 0 g"]
    page += [text_at(262, 700, "Measured by us"), *cells([HEADER, *ROWS[:2]], 684)]
    page += [line(y) for y in heights] + [f"{x} 712 m {x} 648 l S" for x in (80, 400)]
    page += [f"{x} {712 if x < 200 else 696} m {x} 648 l S" for x in edges[1:3]]
    [[header, *rows]] = tables(page)
    assert header == " | Measured by us | Measured by us"
    assert rows == shown(HEADER, *ROWS[:2])


def test_a_line_nearer_to_the_one_above_than_rows_are_goes_on_with_it() -> None:
    names = ["move(x,y)", "turn(a)", "point(x,y)", "draw(s)", "arc(r)", "line(x,y)", "mark(x,y)"]
    rows = [[name, f"Do so at the last position of {at}"] for at, name in enumerate(names)]
    rows[5][1] = "Draw a line from here to the one abso-"
    heights = (700, 678, 656, 634, 612, 590, 556)
    page = [
        text_at(x, y, cell, 10, font)
        for row, y in zip(rows, heights, strict=True)
        for x, cell, font in zip((72, 220), row, ("F2", "F1"), strict=True)
    ]
    rows[5][1] = "Draw a line from here to the one absolute place"
    assert tables([*page, text_at(220, 578, "lute place")]) == [shown(*rows)]


def test_lines_of_several_cells_nearer_to_each_other_than_groups_are_rows() -> None:
    groups = [("North", 3), ("South", 1), ("East", 2), ("West", 1)]
    y, page, rows = 690, [*map(line, (712, 698))], []
    for name, count in groups:
        for at in range(count):
            rows.append([name if at == 0 else "", f"Mill {name} {at}", f"{at + 1}5.0"])
            page += cells([rows[-1]], y)
            y -= 12
        y -= 12
    found = tables([*cells([HEADER], 702), *page, line(y + 14)])
    assert found == [shown(HEADER, *rows)]
