"""Tables as accounts have them: few lines, grounds behind a year, names and units over lines."""

import pytest

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at
from tests.support.pdf_tables import cells, line, shown, tables

EDGES = (80, 260, 330, 400)
PLACES = (90, 270, 340)
ASSETS = [
    ["Land", "", ""],
    ["Mills", "1.850,55", "1.095,30"],
    ["Stones", "", "121,43"],
    ["Sum", "1.850,55", "1.216,73"],
    ["Cash", "719,61", "588,74"],
    ["Bonds and other assets that", "", ""],
    ["are held", "4,20", "5,10"],
    ["Total", "2.574,36", "1.810,57"],
]


def upright(foot: int, top: int) -> list[str]:
    return [f"{x} {foot} m {x} {top} l S" for x in EDGES]


def framed(header: list[str], rows: list[list[str]]) -> list[str]:
    """Draw a frame with lines between its columns, and in those of numbers around the sums alone."""
    foot = 684 - 14 * len(rows)
    page = [line(700), line(686, EDGES[1]), line(foot), *upright(foot, 700)]
    page += cells([header], 689, PLACES) + cells(rows, 675, PLACES)
    for at, row in enumerate(rows):
        if row[0] in ("Sum", "Total"):
            page += [line(685 - 14 * at, EDGES[1]), line(671 - 14 * at, EDGES[1])]
    return page


def test_rows_in_a_frame_with_lines_around_sums_alone_are_told_by_their_lines_of_text() -> None:
    [found] = tables(framed(["Assets", "2031", "2030"], ASSETS))
    rows = [*ASSETS[:5], ["Bonds and other assets that are held", "4,20", "5,10"], ASSETS[-1]]
    assert found == shown(["Assets", "2031", "2030"], *rows)


def test_the_name_of_labels_may_stand_below_the_other_names_of_a_header() -> None:
    [found] = tables(framed(["", "2031", "2030"], [["Entries", "", ""], *ASSETS[:5]]))
    assert found == shown(["Entries", "2031", "2030"], *ASSETS[:5])


def test_a_label_of_several_lines_beside_rows_between_lines_is_one() -> None:
    page = [line(700), line(686), *upright(644, 700), line(644)]
    page += [line(672, EDGES[1]), line(658, EDGES[1])]
    page += cells([["Part", "Least", "Most"]], 689, PLACES)
    page += cells(
        [["Force of the", "1", "3"], ["upper stone", "2", "4"], ["of a mill", "5", "6"]],
        675,
        PLACES,
    )
    [[_, *rows]] = tables(page)
    assert rows == shown(
        ["Force of the upper stone of a mill", "1", "3"], ["", "2", "4"], ["", "5", "6"]
    )


def bilingual(over: list[str], top: int = 686) -> list[str]:
    """Draw rows with labels in two languages, some of them between two lines."""
    rows = [
        ["Wheels", "Räder", "3,615", "-", "4,803"],
        ["Mill stones", "Mühlsteine", "-", "1,503", "1,947"],
    ]
    total = ["", "", "3,615", "1,503", "6,750"]
    places = (90, 170, 250, 310, 370)
    return [
        *over,
        *(line(y) for y in (top, top - 42, top - 64)),
        *cells(rows, top - 22, places),
        *cells([total], top - 58, places),
    ]


ENGLISH = ["At", "all", "of the", "mills", "which", "the firm", "has", "sold in", "the year"]


def test_rows_between_the_first_two_lines_are_no_header() -> None:
    [rows] = tables(bilingual([]))
    assert [row.split(" | ")[0] for row in rows] == ["Wheels", "Mill stones", ""]
    assert rows[1] == "Mill stones | Mühlsteine | - | 1,503 | 1,947"


def test_a_name_of_many_lines_over_numbers_is_in_the_header() -> None:
    names = [text_at(370, 610 + 12 * (9 - at), name) for at, name in enumerate(ENGLISH)]
    over = [*cells([["First", "Second"]], 622, (250, 310)), *names]
    [[header, *rows]] = tables(bilingual(over, 618))
    assert header.endswith(f"First | Second | {' '.join(ENGLISH)}")
    assert len(rows) == 3


def test_a_ground_of_many_pieces_behind_the_numbers_of_a_year_parts_no_rows() -> None:
    rows = [
        *(["Land", "Boden", "", ""], ["Own", "Eigen", "1,850", "1,095"]),
        *(["Let", "Miete", "719", "588"], ["Sum", "Summe", "2,569", "1,683"]),
    ]
    places = (90, 170, 270, 340)
    pieces = " ".join(f"{x} {684 - 13 * at} 70 13 re" for x in (260, 330) for at in range(-1, 5))
    page = [f"0.8 0.9 1 rg {pieces} f 0 g", line(684), line(645), line(632)]
    page += cells([["", "", "2031", "2030"]], 687, places)
    page += [
        text_at(x, 674 - 13 * at, cell)
        for at, row in enumerate(rows)
        for x, cell in zip(places, row, strict=True)
        if cell
    ]
    [found] = tables(page)
    assert found == shown(["", "", "2031", "2030"], *rows)


@pytest.mark.parametrize("has_period", [False, True])
def test_the_unit_of_accounts_names_their_labels(has_period: bool) -> None:
    names = ("Land", "Mills", "Stones", "Cash")
    rows = [[name, "$", f"{at}8", "$", f"{at}9"] for at, name in enumerate(names, start=1)]
    page = [line(686), line(658), line(630)]
    page += cells(rows, 675, (90, 200, 260, 310, 370))
    if has_period:
        page += cells([["", "Own", "Let"]], 689, (90, 226, 338))
        page += ["80 630 m 80 686 l S", "400 630 m 400 686 l S"]
        page += [line(700), text_at(90, 703, "(in millions)", font="F3")]
        page += [text_at(250, 703, "All of the year 2031", font="F3")]
    else:
        page += [text_at(90, 689, "(in millions)", font="F3")]
    [[header, *body]] = tables(page)
    assert body == shown(*rows)
    assert header.split(" | ")[0] == "(in millions)"
    assert ("Own" in header and "All of the year 2031" in header) is has_period


def test_a_row_over_an_empty_one_in_a_grid_is_its_title() -> None:
    rows = [["Out", "2031", "2030", "In"], ["Grain", "3", "4", "Flour"], ["Oil", "5", "6", "Bran"]]
    edges, places = (80, 160, 240, 320, 400), (90, 170, 250, 330)
    level = [700, 684, 676, 660, 644, 628]
    page = [line(y) for y in level]
    page += [f"{x} 628 m {x} 684 l S" for x in edges] + [
        f"{x} 684 m {x} 700 l S" for x in (80, 400)
    ]
    page += [text_at(90, 688, "Accounts of a mill")]
    for at, row in enumerate(rows):
        page += cells([row], 664 - 16 * at, places)
    parsed = parse_pdf(pdf_of([page]), "F")
    kinds = {block.kind.name: parsed.text[block.start : block.end] for block in parsed.blocks}
    assert kinds["TABLE"].split("\n") == shown(*rows)
    assert kinds["CAPTION"] == "Accounts of a mill"


def barred(rows: list[list[str]]) -> list[str]:
    places = (90, 200, 310)
    page = [line(684, left, left + 95) for left in (85, 195, 305)]
    page += cells([["Company", "Business", "Share"]], 688, places)
    return page + cells(rows, 670, places)


def test_a_text_below_underlined_names_is_no_table() -> None:
    text = "Mills turn all day and night, as long as there is water in the race of each"
    page = [line(684, left, left + 95) for left in (85, 195, 305)]
    page += cells([["Company", "Business", "Share"]], 688, (90, 200, 310))
    page += [text_at(88, top, text, 9) for top in (670, 657, 630, 617)]
    assert tables(page) == []


def test_lines_under_sums_beside_labels_tell_no_columns() -> None:
    rows = [["$ 3", "$ 4", "$ 5"], ["6", "7", "8"], ["9", "1", "2"], ["18", "12", "15"]]
    places = (200, 270, 340)
    bars = [line(y, x - 5, x + 55) for y in (684, 624) for x in places]
    page = [*bars, *cells([["2031", "2030", "2029"]], 688, places)]
    for at, row in enumerate(rows):
        top = (670, 656, 642, 612)[at]
        page += [text_at(72, top, f"Part {'ABCD'[at]} of a mill"), *cells([row], top, places)]
    [[_, *body]] = tables(page)
    assert body == [
        f"Part {name} of a mill | {' | '.join(row)}" for name, row in zip("ABCD", rows, strict=True)
    ]


def test_a_frame_whose_cells_hold_numbers_of_two_columns_tells_no_rows() -> None:
    rows = [[name, "1.850,55  1.095,30", "3"] for name in ("Land", "Mills", "Sum", "Cash", "Total")]
    [[_, *body]] = tables(framed(["Assets", "2031  2030", "Note"], rows))
    assert len(body) < len(rows)


def test_a_bold_title_drawn_late_over_a_tall_header_stands_before_its_table() -> None:
    page = framed(["Assets", "2031", "2030"], ASSETS)
    page = [part.replace("700", "724") if part.endswith("l S") else part for part in page]
    found = parse_pdf(pdf_of([[*page, text_at(90, 735, "Accounts of a mill", font="F3")]]), "F")
    kinds = [block.kind.name for block in found.blocks]
    assert found.text.startswith("Accounts of a mill")
    assert kinds[-1] == "TABLE"


def test_a_name_that_begins_over_the_column_beside_its_own_is_apart() -> None:
    page = [line(672), line(656), line(642)]
    for top, (name, first, second) in (
        (660, ("Grain", "1,850", "5")),
        (646, ("Flour", "719", "6")),
    ):
        page += [text_at(90, top, name), text_at(240, top, first), text_at(384, top, second)]
    page += [text_at(236, 675, "At all"), text_at(310, 675, "Ground in mills")]
    [[header, *_]] = tables(page)
    assert header == " | At all | Ground in mills"


def test_a_wide_name_among_others_is_of_its_own_column() -> None:
    places, page = (200, 260, 320, 380), [line(700), line(670), line(642)]
    page += cells([["", "a.1", "b.2", "c.3", "d.4"]], 675, (90, *places))
    page += cells([["", "At", "In", "", "On"]], 687, (90, *places))
    page.append(text_at(293, 687, "Everywhere"))
    page += cells(
        [["Grain", "1", "2", "3", "4"], ["Flour", "5", "6", "7", "8"]], 660, (90, *places)
    )
    [[header, *_]] = tables(page)
    assert header == " | At a.1 | In b.2 | Everywhere c.3 | On d.4"
