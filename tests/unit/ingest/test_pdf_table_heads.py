"""Headers and labels of tables of PDFs that take more than one line."""

from tests.support.pdf_files import text_at
from tests.support.pdf_tables import HEADER, ROWS, cells, line, shown, tables


def framed(header: list[str], foot: int, body: list[str]) -> list[str]:
    """Draw lines around a header and, together, all that stands below it."""
    level = [line(y) for y in (712, 672, foot)]
    upright = [f"{x} {foot} m {x} 712 l S" for x in (80, 190, 300, 400)]
    return [*level, *upright, *cells([header], 690), *body]


def test_lines_of_a_header_keep_their_order_beside_larger_letters() -> None:
    page = [*map(line, (736, 696, 640)), *cells([["Kind"]], 700), *cells(ROWS, 684)]
    lines = ["Share of all", "known kinds", "of force"]
    page += [text_at(200, 718 - 9 * at, text, 7) for at, text in enumerate(lines)]
    page += [text_at(310, 709, "Range of", 10), text_at(310, 700, "it", 7)]
    [[header, *rows]] = tables([text_at(72, 760, "Forces"), *page])
    assert header == "Kind | Share of all known kinds of force | Range of it"
    assert rows == shown(*ROWS)


def test_lines_with_numbers_beside_each_label_are_rows_under_the_names_of_some() -> None:
    lines = [["All of them:"], ["Old kinds"], ROWS[0], ["Wheel", "7 N"], ["New kinds"], *ROWS[1:]]
    body = cells(lines, 660)
    [[_, *rows]] = tables(framed(HEADER, 560, body))
    assert rows == [" | ".join([*one, *[""] * (3 - len(one))]) for one in lines]


def test_columns_of_a_grid_that_only_space_parts_may_stand_above_its_last_row() -> None:
    places = (90, 210, 280, 350)
    rows = [["Motor", "3", "", "20"], ["Piston", "80", "2", "300"], ["Spring", "1", "5", "7"]]
    page = [line(y) for y in (712, 672, 620, 604)]
    page += [f"{x} 604 m {x} 712 l S" for x in (80, 190, 400)]
    page += [*cells([["Kind", "", "Strength"]], 698, (90, 210, 275))]
    page += [*cells([["", "Force", "Range", "Speed"]], 684, places)]
    page += [*cells([["", "(N)", "(mm)"]], 674, places)]
    page += [*cells(rows, 658, places), *cells([["Total", "84", "", "327"]], 608, places)]
    [[header, *found]] = tables(page)
    assert header == "Kind | Strength Force (N) | Strength Range (mm) | Strength Speed"
    assert found == shown(*rows, ["Total", "84", "", "327"])


def test_labels_that_no_line_parts_stand_each_in_the_row_of_its_numbers() -> None:
    names = ["Motor", "Piston", "Spring", "Wheel"]
    page = [line(712), *(line(696 - 16 * at, 190) for at in range(4)), line(632)]
    page += [f"{x} 632 m {x} 712 l S" for x in (80, 190, 300, 400)]
    page += cells([HEADER], 700)
    rows = [[name, f"{at} N", f"{at} mm"] for at, name in enumerate(names)]
    for at, row in enumerate(rows):
        page += cells([row], 684 - 16 * at)
    assert tables(page) == [shown(HEADER, *rows)]


def test_names_that_run_up_are_read_from_the_left_and_have_no_raised_letters() -> None:
    page = [*map(line, (700, 620, 560)), text_at(90, 640, "Kind"), *cells(ROWS, 608)]
    names = [(210, 626, "Demand for all"), (222, 650, "in time"), (320, 626, "Measured at cold")]
    for x, y, name in names:
        page.append(f"q 0 1 -1 0 {x} {y} cm {text_at(0, 0, name)} Q")
    [[header, *rows]] = tables(page)
    assert header == "Kind | Demand for all in time | Measured at cold"
    assert rows == shown(*ROWS)


def test_names_of_a_header_in_lines_as_those_beside_a_label_are_one_row() -> None:
    page = [*map(line, (724, 678, 620)), *cells(ROWS, 662)]
    page += cells([["Country", "Incarceration", "Educational"]], 712)
    page += cells([["", "Rate", "Ranking"], ["", "", "Category"]], 698)
    header = ["Country", "Incarceration Rate", "Educational Ranking Category"]
    assert tables(page) == [shown(header, *ROWS)]


def test_the_next_line_of_a_cell_beside_larger_letters_is_not_raised() -> None:
    level = [line(y) for y in (712, 696, 640)]
    upright = [f"{x} 640 m {x} 712 l S" for x in (80, 190, 300, 400)]
    small = ["GaussianBlur", "smooths most", "of all noise"]
    page = [*cells([HEADER], 700), text_at(90, 668, "Noise"), text_at(200, 677, "Look at", 14)]
    page += [text_at(200, 661, "picture 6", 14)]
    page += [text_at(310, 680 - 12 * at, text, 10) for at, text in enumerate(small)]
    [[_, row]] = tables([*level, *upright, *page])
    assert row == "Noise | Look at picture 6 | GaussianBlur smooths most of all noise"


def test_upright_lines_that_end_a_little_before_level_ones_are_of_their_grid() -> None:
    rows = [["Motor", "is in the server", "far"], ["Piston", "is in the client", "near"]]
    level = [line(y) for y in (718, 692, 672, 652)]
    upright = [f"{x} 695.4 m {x} 714.6 l S" for x in (80, 190, 300, 400)]
    upright += [f"{x} 652 m {x} 691.8 l S" for x in (80, 190, 300, 400)]
    page = [*cells([HEADER], 699), *cells(rows[:1], 679), *cells(rows[1:], 659)]
    assert tables([*level, *upright, *page]) == [shown(HEADER, *rows)]


def test_a_title_in_pieces_below_a_double_line_is_no_row() -> None:
    level = [line(y) for y in (712, 708.6, 690, 676, 662, 648, 634)]
    upright = [f"{x} 634 m {x} 690 l S" for x in (80, 190, 300, 400)]
    upright += [f"{x} 634 m {x} 712 l S" for x in (80, 400)]
    title = [
        text_at(140, 696, "Forces kept"),
        text_at(195.5, 696, "of all the motors"),
        text_at(270, 696, "and pistons here"),
    ]
    [[header, *rows]] = tables([*level, *upright, *title, *cells([HEADER, *ROWS], 680)])
    assert [header, *rows] == shown(HEADER, *ROWS)


def test_names_of_a_row_without_upright_lines_are_no_title() -> None:
    level = [line(y) for y in (706, 690, 676, 662, 648)]
    upright = [f"{x} 648 m {x} 690 l S" for x in (80, 190, 300, 400)]
    upright += [f"{x} 648 m {x} 706 l S" for x in (80, 400)]
    names = [text_at(95, 695, "Kind"), text_at(200, 695, "Force"), text_at(355, 695, "Range")]
    assert tables([*level, *upright, *names, *cells(ROWS, 680)]) == [shown(HEADER, *ROWS)]
