"""Parts of tables of PDFs: headers without a first cell, totals, marks, labels beside several rows."""

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at
from tests.support.pdf_tables import HEADER, PLACES, ROWS, cells, line, shown, tables


def test_a_header_without_a_first_cell_is_one() -> None:
    header = ["", "Force in newtons", "Range"]
    page = [line(696), *cells([header], 700), *cells(ROWS, 684)]
    assert tables(page) == [shown(header, *ROWS)]


def test_a_caption_set_wide_below_a_table_is_no_row() -> None:
    page = [*map(line, (712, 696, 640)), *cells([HEADER, *ROWS], 700)]
    page += cells([["Table 2: Parts", "and all the", "forces"]], 628)
    assert tables(page) == [shown(HEADER, *ROWS)]


def test_two_rows_of_many_numbers_in_a_frame_are_rows() -> None:
    upright = [f"{x} 660 m {x} 712 l S" for x in (80, 160, 400)]
    places = tuple(range(170, 390, 27))
    page = [*map(line, (712, 696, 660)), *upright, *cells([["Group", "Time"]], 700, (90, 170))]
    for y, name in ((684, "control"), (670, "treated")):
        page += [text_at(90, y, name), *cells([[str(x) for x in places]], y, places)]
    [[_, *rows]] = tables(page)
    numbers = list(map(str, places))
    assert rows == shown(["control", *numbers], ["treated", *numbers])


def test_a_title_in_the_middle_of_a_table_does_not_join_its_columns() -> None:
    places = (90, 250, 330, 410)
    header = ["Test", "First", "Second", "Third"]
    rows = [["Fisher", "three", "eighty", "20 mm"], ["Wilcoxon", "four", "ninety", "300 mm"]] * 2
    page = [*(line(y, 80, 450) for y in (712, 696, 590)), *cells([header], 700, places)]
    for y, name in ((682, "Independent samples"), (636, "Samples depending")):
        page += [text_at(222, y, name), *cells(rows[:2], y - 14, places)]
    [[first, *found]] = tables(page)
    assert [first, *found[1:3], *found[4:]] == shown(header, *rows)


def test_lines_of_marks_in_some_columns_are_rows() -> None:
    rows = [
        ["Basic shapes of boxes", "x", "x"],
        ["Shape", "", "x"],
        ["Shades of the others", "x", ""],
    ]
    rows += [["Link", "x", "x"], ["Views of conditions", "", "x"], ["Language", "x", "x"]]
    upright = [f"{x} 606 m {x} 712 l S" for x in (80, 190, 300, 400)]
    page = [*map(line, (712, 696, 606)), *upright, *cells([["Kind", "B", "C"]], 700)]
    assert tables([*page, *cells(rows, 684)]) == [shown(["Kind", "B", "C"], *rows)]


def test_a_label_over_names_with_what_they_say_leaves_each_its_row() -> None:
    rows = [
        ["shading", "shade_max()", "shades what is most"],
        ["", "shade_hcl()", "takes a model of colour"],
        ["", "shade_hsv()", "does so in other words"],
    ]
    more = [["legend", "legend_fixed()", "one for all"], ["", "legend_free()", "one for each"]]
    page = [*map(line, (712, 696, 650, 618)), *cells([HEADER], 700)]
    page += [f"{x} 618 m {x} 712 l S" for x in (80, 190, 300, 430)]
    page += [*cells(rows, 684), *cells(more, 638)]
    [[_, *found]] = tables(page)
    assert found == shown(*rows, *more)


def test_a_total_in_bold_is_a_row() -> None:
    total = ["All", "83 N", "320 mm"]
    bold = [text_at(x, 656, text, 10, "F3") for x, text in zip(PLACES, total, strict=True)]
    page = [line(696), *cells([HEADER], 700), *cells(ROWS[:2], 684), *bold, *cells(ROWS[2:], 642)]
    assert tables(page) == [shown(HEADER, *ROWS[:2], total, *ROWS[2:])]


NEWS = (
    "Tables of 2011. This notice",
    "has the tables of the office",
    "Employers should take them",
    "January of 2011 at the latest",
    "All others use those of 2010.",
    "The rate of 2011 is lower and",
    "Congress left the rest as it is.",
    "Note. Students from India and",
    "Nepal are not subject to this.",
)


def test_columns_of_a_page_between_two_lines_are_no_table() -> None:
    page = [line(720, 60, 520), line(717, 60, 520), line(500, 60, 520), line(498, 60, 520)]
    page += [text_at(60, 726, "Notice 1036"), text_at(300, 726, "Internal Revenue Service")]
    for x, step in ((60, 12), (300, 12.5)):
        page += [text_at(x, 700 - step * at, text) for at, text in enumerate(NEWS * 2)]
    parsed = parse_pdf(pdf_of([page]), "F")
    assert "TABLE" not in {one.kind.name for one in parsed.blocks}


def test_a_name_over_columns_that_lines_part_below_it_names_each() -> None:
    page = [*map(line, (724, 696, 610)), *(f"{x} 610 m {x} 724 l S" for x in (80, 190, 400))]
    page += ["300 610 m 300 708 l S", text_at(275, 712, "Force")]
    page += [*cells([["Kind", "Least", "Most"]], 700), *cells(ROWS, 684)]
    [[header, *rows]] = tables(page)
    assert header == "Kind | Force Least | Force Most"
    assert rows == shown(*ROWS)


def test_labels_in_the_middle_of_two_rows_of_numbers_stand_in_the_first() -> None:
    page = [*map(line, (712, 696, 662, 628)), *cells([["Layers", "Language", "Share"]], 700)]
    page += [f"{x} 628 m {x} 712 l S" for x in (80, 190, 300, 400)]
    for y, layers in ((684, "6"), (650, "4")):
        page += [text_at(120, y - 7, layers), *cells([["", "OTSL", "0.9"], ["", "HTML", "0.8"]], y)]
    [[_, *rows]] = tables(page)
    assert rows == shown(
        ["6", "OTSL", "0.9"], ["", "HTML", "0.8"], ["4", "OTSL", "0.9"], ["", "HTML", "0.8"]
    )


def test_labels_set_right_below_a_name_set_left_are_in_its_column() -> None:
    rows = [["CC", "75", "158"], ["CT", "93", "150"], ["Total", "168", "308"]]
    page = [line(696), *cells([["Male", "Control", "Total"]], 700)]
    page += cells(rows, 684, (135, 200, 310))
    assert tables(page) == [shown(["Male", "Control", "Total"], *rows)]


def test_a_header_set_left_over_numbers_set_right_is_of_the_table() -> None:
    header = ["Plant", "Power (MW)", "Year"]
    rows = [
        ["Lower Mill", "7.6", "2019"],
        ["Upper Mill", "4.8", "2010"],
        ["Old Bridge", "7.8", "1951"],
    ]
    page = [line(696 - 14 * at) for at in range(4)]
    page += [*cells([header], 700), *cells(rows, 686, (90, 280, 376))]
    assert tables(page) == [shown(header, *rows)]


def grounds(y: float) -> list[str]:
    """Return what paints the grounds of the three cells of a row."""
    return [
        f"0.9 g {x} {y} {width} 14 re f 0 g" for x, width in ((80, 110), (190, 110), (300, 100))
    ]


def test_rows_between_shaded_ones_and_below_are_of_one_table() -> None:
    rows = [*ROWS, ["Magnet", "2 N", "1 mm"]]
    page = [*grounds(696), *grounds(682), *grounds(654), *cells([HEADER, *rows], 700)]
    assert tables(page) == [shown(HEADER, *rows)]


def test_a_shaded_header_is_of_the_rows_below_it() -> None:
    page = [*grounds(696), *cells([HEADER, *ROWS], 700)]
    assert tables(page) == [shown(HEADER, *ROWS)]


def test_three_rows_set_right_under_names_set_left_are_a_table() -> None:
    header = ["Plant", "Power", "Year"]
    rows = [
        ["Lower Mill", "7.6", "2019"],
        ["Upper Mill", "4.8", "2010"],
        ["Old Bridge", "7.8", "1951"],
    ]
    page = [line(696), *cells([header], 700), *cells(rows, 684, (90, 270, 376))]
    assert tables(page) == [shown(header, *rows)]


def test_lines_of_a_column_of_the_page_are_no_cells_beside_a_table() -> None:
    lines = (
        "Tables of the office were",
        "made in the year before and",
        "have to be used by all who",
        "pay for the work of others",
        "until the new ones are out.",
    )
    rows = [["Weekly", "71.15"], ["Monthly", "308.33"], ["Daily", "14.23"], ["Yearly", "3,700.00"]]
    page = [text_at(60, 700 - 14 * at, text) for at, text in enumerate(lines)]
    page += cells([*rows, ["Never", "0"]], 700, (330, 430))
    parsed = parse_pdf(pdf_of([page]), "F")
    found = [parsed.text[one.start : one.end] for one in parsed.blocks if one.kind.name == "TABLE"]
    assert not any("Tables of the office" in text for text in found)


def test_many_rows_that_leave_a_column_empty_are_rows() -> None:
    rows = [[f"Part {at}", "", f"{at} mm"] for at in range(1, 10)]
    page = [line(696), *cells([HEADER], 700), *cells([*rows, *ROWS], 684)]
    assert tables(page) == [shown(HEADER, *rows, *ROWS)]


def test_upright_lines_that_end_short_of_those_between_rows_leave_one_table() -> None:
    page = [*map(line, (712, 694, 646, 628)), *cells([HEADER], 700), *cells(ROWS, 681)]
    for top, foot in ((709, 696), (689, 648), (641, 630)):
        page += [f"{x} {foot} m {x} {top} l S" for x in (190, 300)]
    last = ["Mean", "28 N", "108 mm"]
    assert tables([*page, *cells([last], 633)]) == [shown(HEADER, *ROWS, last)]


def test_two_lines_of_names_and_numbers_between_lines_are_two_rows() -> None:
    rows = [["Whisper large", "64.5"], ["Whisper small", "77.7"], ["Mean", "70.1"]]
    page = [*map(line, (712, 696, 662, 646)), *cells([["Model", "Fleurs"]], 700)]
    page += [f"{x} 646 m {x} 712 l S" for x in (80, 190, 400)]
    page += [*cells(rows[:2], 684), *cells(rows[2:], 650)]
    assert tables(page) == [shown(["Model", "Fleurs"], *rows)]


def test_grounds_of_the_lines_of_a_cell_in_its_own_colour_part_no_rows() -> None:
    page = [
        *map(line, (714, 684, 656, 628)),
        *(f"{x} 628 m {x} 714 l S" for x in (80, 190, 300, 400)),
    ]
    page += ["1 .8 .6 rg"]
    for left, right in ((80, 190), (190, 300), (300, 400)):
        page.append(f"{left} 684 {right - left} 30 re f")
        page += [f"{left + 6} {y} {right - left - 12} 15 re f" for y in (699, 684)]
    page += ["0 g", *cells([["", "Releases", "Share"], ["Gas", "to air", "in kg"]], 702)]
    page += [*cells([["Methane", "10 t", "8"]], 668), *cells([["Carbon", "3 t", "2"]], 640)]
    header = ["Gas", "Releases to air", "Share in kg"]
    assert tables(page) == [shown(header, ["Methane", "10 t", "8"], ["Carbon", "3 t", "2"])]


def test_a_line_under_what_names_columns_tells_which() -> None:
    places = (90, 180, 230, 280, 330, 370)
    page = [*(line(y, 80, 420) for y in (724, 696, 640)), line(711, 175, 310), line(711, 325, 400)]
    page += [text_at(227, 714, "Total"), text_at(350, 714, "Public")]
    page += cells([["Year", "PK", "Low", "High", "PK", "Low"]], 700, places)
    rows = [[str(1996 + at), *(f"{at}{x}" for x in range(10, 15))] for at in range(3)]
    header = ["Year", "Total PK", "Total Low", "Total High", "Public PK", "Public Low"]
    assert tables([*page, *cells(rows, 684, places)]) == [shown(header, *rows)]


def test_the_title_in_the_topmost_cell_is_the_caption_and_leaves_the_header() -> None:
    page = [*map(line, (728, 712, 696, 680, 664)), *(f"{x} 664 m {x} 728 l S" for x in (80, 400))]
    page += ["190 664 m 190 712 l S", "300 664 m 300 696 l S"]
    page += [text_at(200, 716, "Forces of motors"), text_at(260, 700, "In works")]
    page += [*cells([["Kind", "Force", "Range"]], 684), *cells([["Motor", "3 N", "20 mm"]], 668)]
    parsed = parse_pdf(pdf_of([page]), "F")
    found = [(one.kind.name, parsed.text[one.start : one.end]) for one in parsed.blocks]
    rows = shown(
        ["", "In works", "In works"], ["Kind", "Force", "Range"], ["Motor", "3 N", "20 mm"]
    )
    assert found == [("CAPTION", "Forces of motors"), ("TABLE", "\n".join(rows))]


def test_a_long_name_right_before_its_number_leaves_others_their_columns() -> None:
    places = (90, 200, 310)
    rows = [[f"State {at}", f"3,0{at}", f"2,7{at}"] for at in range(10, 21)]
    page = [*map(line, (712, 696, 520)), *cells([["State", "2003", "2004"]], 700)]
    page += [
        *cells(rows, 684),
        *cells([["District of all Columbials", "3,031", "2,781"]], 530, places),
    ]
    assert tables(page)[0][:12] == shown(["State", "2003", "2004"], *rows)


def framed(*texts: str) -> list[str]:
    sides = (f"{x} 650 m {x} 590 l S" for x in (80, 190, 300, 400))
    return tables([*map(line, (650, 634, 590)), *sides, *cells([HEADER], 638), *texts])[0]


def test_letters_of_a_ligature_that_reach_out_of_a_table_stay_in_their_word() -> None:
    ligature = "\xae"
    rows = cells([["Motor", "80 N"], ["Spring", "1 N", "5 mm"]], 624)
    table = framed(*rows, text_at(379, 624, f"work{ligature}n"))
    assert table[1:] == ["Motor | 80 N | workfin", "Spring | 1 N | 5 mm"]


def test_a_hyphen_before_one_letter_is_of_the_name() -> None:
    table = framed(*cells([["VSD-", "80 N", "300 mm"], ["E/XE", "", ""]], 624))
    assert table[1:] == ["VSD-E/XE | 80 N | 300 mm"]


def test_a_ground_behind_the_text_of_a_cell_begins_no_row() -> None:
    page = [f"80 {712 - 28 * at} m 400 {712 - 28 * at} l S" for at in range(5)]
    page += [f"{x} 600 m {x} 712 l S" for x in (80, 190, 300, 400)]
    rows = [[*row[:2], f"{row[2]} or so"] for row in [HEADER, *ROWS]]
    for at, row in enumerate(rows):
        top = 705 - 28 * at
        # Of the second column alone, as Word paints the shade of a paragraph.
        page += [f"{x} {top - 14} m {x} {top} l S" for x in (195, 295)]
        page += [f"190 {y} m 300 {y} l S" for y in (top, top - 14)]
        page += [text_at(200, top - 11, row[1])]
        long = row[2].split(" or ")
        page += [*cells([[row[0]]], top - 11), text_at(310, top - 5, f"{long[0]} or", 10)]
        page += [text_at(310, top - 17, long[1], 10)]
    assert tables(page) == [shown(*rows)]
