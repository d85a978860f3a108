"""Tables of PDFs between a few drawn lines: where their rows and columns begin, only text tells."""

import io

import pypdfium2 as pdfium
import pytest
from pypdfium2 import raw

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at
from tests.support.pdf_tables import HEADER, PLACES, PROSE, ROWS, cells, line, shown, tables


def test_a_header_over_several_columns_does_not_join_them() -> None:
    page = [*map(line, (712, 680, 630)), line(696, 190)]
    page += [text_at(90, 686, "Kind"), text_at(215, 700, "Measured in the laboratory")]
    page += [text_at(200, 686, "Force"), text_at(310, 686, "Range"), *cells(ROWS, 668)]
    [[header, *rows]] = tables(page)
    assert rows == shown(*ROWS)
    assert all(word in header for word in ("Measured in the laboratory", "Force", "Range"))


def test_a_title_over_some_rows_does_not_join_their_columns() -> None:
    over = "What is new in this year and was not in the one before"
    page = [*map(line, (712, 696, 620)), *cells([HEADER], 700), *cells([*ROWS, [over]], 684)]
    [[header, *rows]] = tables(page)
    assert [header, *rows[:3]] == shown(HEADER, *ROWS)
    assert rows[3].startswith(over)


@pytest.mark.parametrize("font", ["F2", "F3"])
def test_letters_of_another_font_in_a_row_stay_in_it(font: str) -> None:
    page = [*map(line, (712, 696, 630)), *cells([HEADER], 700)]
    for at, row in enumerate(ROWS):
        y = 684 - 14 * at
        page += [text_at(90, y, row[0], 10, font), text_at(200, y + 1, row[1], 12)]
        page += [text_at(310, y, row[2], 8)]
    assert tables(page) == [shown(HEADER, *ROWS)]


def test_groups_of_rows_between_lines_are_their_rows() -> None:
    more = [["Magnet", "2 N", "1 mm"], ["Gear", "5 N", "8 mm"]]
    page = [*map(line, (712, 696, 650, 618)), *cells([HEADER], 700)]
    page += [*cells(ROWS, 684), *cells(more, 638)]
    assert tables(page) == [shown(HEADER, *ROWS, *more)]


def test_a_grid_around_groups_of_rows_has_their_rows() -> None:
    more = [["Magnet", "2 N", "1 mm"], ["Gear", "5 N", "8 mm"], ["Belt", "6 N", "2 mm"]]
    places = (712, 696, 650, 604)
    upright = [f"{x} 604 m {x} 712 l S" for x in (80, 190, 300, 400)]
    page = [*map(line, places), *upright, *cells([HEADER], 700)]
    page += [*cells(ROWS, 684), *cells(more, 638)]
    assert tables(page) == [shown(HEADER, *ROWS, *more)]


def test_the_next_line_of_a_cell_is_no_row() -> None:
    long = ["Motor", "Turns whatever is", "20 mm"]
    page = [*map(line, (712, 696, 630)), *cells([["Kind", "Use", "Range"]], 700)]
    page += cells([long, ["", "tied to its shaft"], ["Piston", "Pushes", "300 mm"]], 684)
    assert tables(page) == [
        shown(
            ["Kind", "Use", "Range"],
            ["Motor", "Turns whatever is tied to its shaft", "20 mm"],
            ["Piston", "Pushes", "300 mm"],
        )
    ]


def test_a_row_without_a_first_cell_is_one_where_numbers_stand_below_each_other() -> None:
    rows = [["Motor", "cold", "3.5"], ["", "warm", "4.5"], ["Piston", "cold", "80"]]
    page = [*map(line, (712, 696, 630)), *cells([["Kind", "State", "Force (N)"]], 700)]
    assert tables([*page, *cells(rows, 684)])[0][1:] == shown(*rows)


def test_an_upright_line_between_some_columns_leaves_the_others() -> None:
    rows = [[f"M{n}", f"motor {n}", f"P{n}", f"piston {n}"] for n in range(5)]
    page = [*map(line, (712, 696, 616)), "240 616 m 240 712 l S"]
    places = (90, 150, 260, 330)
    header = ["No", "Kind", "At", "Part"]
    page += [*cells([header], 700, places), *cells(rows, 684, places)]
    assert tables(page) == [shown(header, *rows)]


def test_a_frame_around_a_table_leaves_its_columns() -> None:
    upright = [f"{x} 630 m {x} 712 l S" for x in (80, 400)]
    page = [*map(line, (712, 696, 630)), *upright, *cells([HEADER], 700), *cells(ROWS, 684)]
    assert tables(page) == [shown(HEADER, *ROWS)]


def test_the_last_row_of_a_frame_is_no_row_of_the_table_under_it() -> None:
    frame = ["80 668 m 400 668 l S", *(f"{x} 668 m {x} 726 l S" for x in (80, 400)), line(726)]
    above = cells([["Gear", "5 N", "8 mm"], *ROWS], 714)
    page = [*frame, *above, *(line(y, 70, 410) for y in (656, 640, 580))]
    page += [*cells([HEADER], 644), *cells(ROWS, 628)]
    assert tables(page)[-1] == shown(HEADER, *ROWS)


def test_a_program_between_lines_is_no_table() -> None:
    words = [
        ["start", "mov", "A, 5"],
        ["", "inc", "A"],
        ["", "mov", "R1, A"],
        ["end", "jmp", "start"],
    ]
    code = [
        text_at(x, 684 - 14 * at, word, font="F2")
        for at, row in enumerate(words)
        for x, word in zip(PLACES, row, strict=True)
        if word
    ]
    page = [*map(line, (712, 696, 630)), text_at(90, 700, "Listing 3: a loop"), *code]
    assert tables(page) == []


def test_frames_of_several_titles_make_no_table() -> None:
    page = [f"80 {y} 320 20 re S" for y in (700, 660, 620)]
    for y, number in ((706, "4.1"), (666, "4.2"), (626, "4.3")):
        page += [text_at(90, y, number), text_at(150, y, "Of the motor")]
    assert tables(page) == []


def test_thin_images_are_lines() -> None:
    def thin(x: float, y: float, width: float, height: float) -> str:
        return f"q {width} 0 0 {height} {x} {y} cm /Im Do Q"

    rows = [["Kind", "Force"], ["Motor", ""], ["Piston", "80 N"], ["Spring", ""], ["Belt", "6 N"]]
    page = [thin(80, 712 - 14 * n, 220, 0.5) for n in range(6)]
    page += [thin(x, 642, 0.5, 70) for x in (80, 190, 300)]
    assert tables([*page, *cells(rows, 701)]) == [shown(*rows)]


def test_names_in_a_code_font_keep_their_words() -> None:
    rows = [["JC69", f"-m 0000{n}0 -f 0.25"] for n in range(4)]
    page = [*map(line, (712, 696, 630)), *cells([["Name", "Option"]], 700)]
    for at, (name, option) in enumerate(rows):
        page += [text_at(90, 684 - 14 * at, name), text_at(200, 684 - 14 * at, option, 10, "F2")]
    assert tables(page) == [shown(["Name", "Option"], *rows)]


def test_a_drawn_line_below_a_header_makes_a_table_of_what_stands_under_it() -> None:
    rows = [row[:2] for row in (HEADER, *ROWS)]
    page = [line(696), *cells(rows[:1], 700), *cells(rows[1:3], 684)]
    assert tables(page) == [shown(*rows[:3])]
    assert tables(page[1:]) == []


def test_raised_text_in_a_bare_table_stays_in_its_row() -> None:
    rows = [["metre per second", "m s"], ["newton", "kg m"], ["joule", "J s"], ["watt", "W s"]]
    page = []
    for at, row in enumerate(rows):
        y = 700 - 14 * at
        page += [text_at(90, y, row[0]), text_at(250, y, row[1])]
        page += [text_at(250 + 6 * len(row[1]), y + 4, "-2", 6)]
    [table] = tables(page)
    assert len(table) == len(rows)
    assert all("-2" in row for row in table)


def test_a_program_with_numbered_lines_is_no_table() -> None:
    page = []
    for at in range(6):
        y = 700 - 12 * at
        page += [text_at(80, y, str(at + 10), 7), text_at(110, y, f"step({at});", 10, "F2")]
    assert tables(page) == []


def test_two_columns_of_text_are_no_table_where_one_is_of_short_lines() -> None:
    short = ["0 1", "1 1", "2 2", "3 6", "4 24", "5 120"]
    # Lines of a text begin within its sentences.
    full = [f"of line {at} of what a page in two columns says" for at in range(6)]
    page = [text_at(72, 700 - 12 * at, text) for at, text in enumerate(full)]
    page += [text_at(330, 700 - 12 * at, text) for at, text in enumerate(short)]
    assert tables(page) == []


def test_a_first_row_with_empty_cells_belongs_to_its_table() -> None:
    first = ["1954", "", "0 mm"]
    assert tables(cells([first, *ROWS], 700)) == [shown(first, *ROWS)]


def test_figures_of_the_old_style_are_no_raised_numbers() -> None:
    page = [text_at(72, 716, "Table"), text_at(100, 717.5, "11", 6), text_at(107, 716, ": Forces")]
    parsed = parse_pdf(pdf_of([[text_at(72, 740, PROSE), *page, *cells(ROWS, 690)]]), "F")
    captions = [block for block in parsed.blocks if block.kind.name == "CAPTION"]
    assert [parsed.text[one.start : one.end] for one in captions] == ["Table 11: Forces"]


def test_signs_of_another_font_stay_in_their_row() -> None:
    page = [*map(line, (712, 696, 630)), *cells([HEADER], 700)]
    for at, (kind, force, _) in enumerate(ROWS):
        y = 684 - 14 * at
        page += [text_at(90, y, kind), text_at(200, y, force), text_at(310, y + 4.5, "*", 12, "F3")]
    assert tables(page) == [shown(HEADER, *([*row[:2], "*"] for row in ROWS))]


def test_a_list_between_the_lines_of_a_page_is_no_table() -> None:
    page = [*map(line, (712, 680, 600)), text_at(300, 690, "MAINTAINER SCRIPTS")]
    page += [text_at(90, 664, "The charts of this appendix follow what is agreed on here:")]
    page += cells(
        [["-", "One is about boxes."], ["-", "One is about letters."]] * 2, 650, (90, 104)
    )
    assert tables(page) == []


def test_a_label_over_the_rows_of_a_band_leaves_each_its_line() -> None:
    rows = [["Light"], *ROWS]
    more = [["Heavy"], ["Crane", "9 N", "2 mm"], ["Lift", "5 N", "8 mm"], ["Belt", "6 N", "2 mm"]]
    upright = [f"{x} 590 m {x} 712 l S" for x in (80, 190, 300, 400)]
    page = [*map(line, (712, 696, 640, 590)), *upright, *cells([HEADER], 700)]
    page += [*cells(rows, 684), *cells(more, 630)]
    [[_, light, *found]] = tables(page)
    assert light == "Light |  | "
    assert found == shown(*ROWS, ["Heavy", "", ""], *more[1:])


def test_cells_left_empty_as_the_row_above_says_the_same_begin_rows() -> None:
    header = ["Kind", "Way", "What it is"]
    rows = [["Motor", "fast", "turns a wheel by current"], ["", "", "and stops"]]
    rows += [["", "slow", "turns it by hand"], ["Piston", "fast", "pushes a rod by the"]]
    rows += [["", "", "air that is let in"], ["", "slow", "pushes it by oil"]]
    upright = [f"{x} 604 m {x} 712 l S" for x in (80, 190, 300, 450)]
    page = [line(y, right=450) for y in (712, 696, 604)] + upright
    found = tables([*page, *cells([header, *rows], 700)])
    first = ["Motor", "fast", "turns a wheel by current and stops"]
    third = ["Piston", "fast", "pushes a rod by the air that is let in"]
    assert found == [shown(header, first, rows[2], third, rows[5])]


def test_cells_in_the_middle_of_their_rows_begin_none() -> None:
    upright = [f"{x} 640 m {x} 712 l S" for x in (80, 190, 300, 400)]
    page = [*map(line, (712, 696, 668, 640)), *upright, *cells([HEADER], 700)]
    for top in (688, 660):
        page += [text_at(200, top, "strong"), text_at(200, top - 12, "or weak")]
        page += [text_at(90, top - 6, "Motor"), text_at(310, top - 6, "20 mm")]
    assert tables(page) == [shown(HEADER, *[["Motor", "strong or weak", "20 mm"]] * 2)]


@pytest.mark.parametrize("x", [90, 220])
def test_names_of_groups_stand_over_their_own_rows(x: int) -> None:
    groups = [[[f"n = {n}", f"{at}.{n}", f"{at}.9"] for n in (200, 400, 800)] for at in (1, 2)]
    page = [*map(line, (712, 696, 572)), *cells([["n", "Bias", "Error"]], 700)]
    page += [text_at(x, 684, "Peng-Huang"), *cells(groups[0], 670)]
    page += [text_at(x, 628, "Portnoy"), *cells(groups[1], 614)]
    [[_, *found]] = tables(page)
    assert [row.strip(" |") for row in (found[0], found[4])] == ["Peng-Huang", "Portnoy"]
    assert [*found[1:4], *found[5:]] == shown(*groups[0], *groups[1])


def test_the_ground_of_a_page_is_no_frame_of_a_table_that_is_cut_at_its_edge() -> None:
    ground = "1 g 20 20 560 760 re f 0 g"
    upright = [f"{x} 20 m {x} 92 l S" for x in (80, 190, 300, 400)]
    level = [f"80 {y} m 400 {y} l S" for y in (92, 76, 62, 48, 34)]
    said = [text_at(90, 700, "Above the table the page says more.", 10)]
    page = [ground, *said, *level, *upright, *cells([HEADER, *ROWS], 80)]
    parsed = parse_pdf(pdf_of([page]), "F")
    texts = [parsed.text[one.start : one.end] for one in parsed.blocks]
    assert texts == ["Above the table the page says more.", "\n".join(shown(HEADER, *ROWS))]


def test_a_cell_over_several_columns_of_a_grid_stays_one_text() -> None:
    level = [f"80 {y} m 400 {y} l S" for y in (712, 696, 682, 668, 654)]
    upright = [f"{x} 654 m {x} 712 l S" for x in (80, 400)]
    upright += [f"{x} 682 m {x} 712 l S {x} 654 m {x} 668 l S" for x in (190, 300)]
    rows = [HEADER, ROWS[0], ["As each of them says on the plate at its foot"], ROWS[1]]
    [table] = tables([*level, *upright, *cells(rows, 700)])
    assert table == [*shown(*rows[:2]), f"{rows[2][0]} |  | ", *shown(rows[3])]


YEARS_AT = (230, 300, 390, 460)
YEARS = [
    ["North", "120", "35", "131", "36"],
    ["South", "98", "29", "101", "28"],
    ["East", "77", "22", "80", "21"],
]


def to_right(names: list[str], y: float, places: tuple[int, ...]) -> list[str]:
    """Set digits of 5.56 points so that they end at places."""
    return [text_at(at - 5.56 * len(name), y, name) for at, name in zip(places, names, strict=True)]


def years(places: tuple[int, ...], *, over: float) -> list[str]:
    page = [*(line(y, right=470) for y in (over + 12, 694, 640)), text_at(90, 700, "Region")]
    page += to_right(["2022", "2023"], over, places)
    for at, (name, *numbers) in enumerate(YEARS):
        page += [text_at(90, 682 - 14 * at, name), *to_right(numbers, 682 - 14 * at, YEARS_AT)]
    return page


@pytest.mark.parametrize("places", [YEARS_AT[1::2], YEARS_AT[::2]])
def test_names_at_the_same_edge_of_each_pair_of_columns_name_both(places: tuple[int, ...]) -> None:
    [[header, *rows]] = tables(years(places, over=700))
    assert header == "Region | 2022 | 2022 | 2023 | 2023"
    assert rows == shown(*YEARS)


@pytest.mark.parametrize("lines", [(726, 694, 640), (694,)])
@pytest.mark.parametrize("places", [YEARS_AT[1::2], YEARS_AT[::2], (265, 425)])
def test_a_row_of_names_over_repeated_ones_names_all_columns(
    places: tuple[int, ...], lines: tuple[int, ...]
) -> None:
    page = [one for one in years(places, over=714) if not one.endswith(" S")]
    page += [
        *(line(y, right=470) for y in lines),
        *to_right(["1000", "10", "1000", "10"], 700, YEARS_AT),
    ]
    [[header, *rows]] = tables(page)
    assert header == "Region | 2022 1000 | 2022 10 | 2023 1000 | 2023 10"
    assert rows == shown(*YEARS)


def test_the_first_lines_of_names_of_two_lines_name_no_other_column() -> None:
    page = [one for one in years(YEARS_AT[1::2], over=714) if "(202" not in one]
    page += [*to_right(["Total", "Other"], 714, YEARS_AT[1::2])]
    page += to_right(["Gross", "sales", "Taxes", "costs"], 700, YEARS_AT)
    assert tables(page)[0][0] == "Region | Gross | Total sales | Taxes | Other costs"


def test_the_cells_of_a_first_row_without_a_header_stand_for_no_others() -> None:
    page = [*to_right(["5", "7"], 696, YEARS_AT[1::2]), text_at(90, 696, "West")]
    for at, (name, *numbers) in enumerate(YEARS):
        page += [text_at(90, 682 - 14 * at, name), *to_right(numbers, 682 - 14 * at, YEARS_AT)]
    assert tables(page)[0][0] == "West |  | 5 |  | 7"


SAID = (
    "the boats that went out in",
    "morning came back at night",
    "with all the fish that they",
    "had caught while the people",
    "of the town were at work in",
    "shops along the old harbour.",
)


def three_columns() -> list[str]:
    return [
        text_at(x, 660 - 12 * at, line if at else line.capitalize())
        for x in (60, 220, 380)
        for at, line in enumerate(SAID * 2)
    ]


@pytest.mark.parametrize("lines", [(), (690, 680, 500)], ids=["bare", "ruled"])
def test_prose_in_three_columns_is_no_table(lines: tuple[int, ...]) -> None:
    page = [*(line(y, 60, 540) for y in lines), *three_columns()]
    parsed = parse_pdf(pdf_of([page]), "F")
    assert {one.kind.name for one in parsed.blocks} == {"PARAGRAPH"}
    assert " ".join((SAID[0].capitalize(), *SAID[1:])) in parsed.text


def test_cells_of_several_words_that_begin_sentences_are_a_table() -> None:
    rows = [["Turns a wheel", "Pushes a rod far", "Lifts a load up"]] * 4
    assert tables(cells(rows, 700)) == [shown(*rows)]


def test_lines_of_a_page_that_is_all_forms_are_those_of_its_tables() -> None:
    page = [*map(line, (712, 696, 680)), *cells([HEADER, ROWS[0]], 700)]
    pages = pdf_of([[text_at(72, 740, PROSE), *page], [text_at(72, 740, PROSE)]])
    # Two pages on one are forms, each at its place.
    both = raw.FPDF_ImportNPagesToOne(pdfium.PdfDocument(pages), 900, 600, 2, 1)
    data = io.BytesIO()
    pdfium.PdfDocument(both).save(data)
    parsed = parse_pdf(data.getvalue(), "F")
    found = [parsed.text[one.start : one.end] for one in parsed.blocks if one.kind.name == "TABLE"]
    assert found == ["\n".join(shown(HEADER, ROWS[0]))]


def test_a_sentence_that_leads_to_the_next_table_is_in_none() -> None:
    lead = "The next table shows all motors that were sold to those who keep them in a house"
    more = [["Motor", "7 N", "40 mm"], ["Piston", "9 N", "50 mm"], ["Wheel", "4 N", "6 mm"]]
    first, second = (700, 684, 640), (596, 580, 530)
    page = [*map(line, (*first, *second)), *cells([HEADER, *ROWS], 688)]
    page += [text_at(80, 622, lead, 9), text_at(80, 610, "of their own and not in a mill:", 9)]
    assert tables([*page, *cells([HEADER, *more], 584)]) == [
        shown(HEADER, *ROWS),
        shown(HEADER, *more),
    ]


def test_a_sentence_over_some_rows_that_ends_in_no_stop_leaves_the_table() -> None:
    over = "Whatever was sold to those who keep motors in a house of their own"
    page = [*map(line, (700, 684, 640, 620, 580)), *cells([HEADER, *ROWS], 688)]
    page += [text_at(90, 626, over, 9), *cells(ROWS, 608)]
    assert len(tables(page)) == 1


def test_a_label_that_hangs_below_its_row_is_of_it_between_lines_too() -> None:
    rows = [["Works", "7 N", "1 mm"], ["Planning and", "2 N", "4 mm"], ["Health", "5 N", "9 mm"]]
    page = [*map(line, (712, 696, 630)), *cells([HEADER, *rows[:2]], 700)]
    page += [text_at(98, 660, "Public Schools"), *cells([rows[2]], 646)]
    expected = [rows[0], ["Planning and Public Schools", *rows[1][1:]], rows[2]]
    assert tables(page) == [shown(HEADER, *expected)]


def test_a_title_that_begins_left_of_the_lines_parts_two_tables() -> None:
    first, second = (700, 684, 640), (596, 580, 530)
    page = [*map(line, (*first, *second)), *cells([HEADER, *ROWS], 688)]
    page += [text_at(60, 622, "Others of them"), *cells([HEADER, *ROWS], 584)]
    assert tables(page) == [shown(HEADER, *ROWS)] * 2
