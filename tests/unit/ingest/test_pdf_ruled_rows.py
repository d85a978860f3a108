"""Tables of PDFs with a line below each row, below some, or drawn double: what their rows are."""

from itertools import pairwise

from services.ingest.parsers.pdf.cells import Table, pieces_of
from services.ingest.parsers.pdf.line import Sign
from tests.support.pdf_files import text_at
from tests.support.pdf_tables import HEADER, ROWS, cells, line, shown, tables

NAMES = ["Part", "Symbol", "Force", "Notes"]
PLACES = (90, 190, 240, 290)
LONG = ["Time between the", "tA", "30", "From the last edge of"]
REST = ["writes of a word", "", "", "the first of its bits"]


def ruled(rows: list[list[list[str]]], top: int = 700) -> list[str]:
    """Draw rows of some lines each, a line of the table below each of them."""
    page = [line(top + 12)]
    for row in rows:
        page += cells(row, top, PLACES)
        top -= 14 * len(row)
        page.append(line(top + 10))
        top -= 2
    return page


def test_a_row_between_two_lines_goes_on_in_its_next_lines() -> None:
    rows = [["Rise", "tR", "20", "Load"], ["Fall", "tF", "25", "Load"], ["Hold", "tH", "5", "Idle"]]
    held = [[NAMES], [rows[0]], [LONG, REST], [rows[1]], [LONG, REST], [rows[2]], [LONG, REST]]
    whole = [" ".join(filter(None, two)) for two in zip(LONG, REST, strict=True)]
    [found] = tables(ruled(held))
    assert found == shown(NAMES, rows[0], whole, rows[1], whole, rows[2], whole)


def test_a_name_in_the_middle_of_the_lines_of_its_row_is_of_them() -> None:
    page = [line(712), line(696), *cells([["Who", "What was written"]], 700, (90, 230))]
    names = ["Ames, Bell", "Cole", "Dunn and Eads", "Ford"]
    for at, name in enumerate(names):
        top = 684 - 32 * at
        title = ["A study of the ways in which wheels", "turn and of what they are turned by"]
        page += [*cells([[one] for one in title], top, (230,)), text_at(90, top - 7, name)]
        page.append(line(top - 20))
    [[_, *rows]] = tables(page)
    assert rows == shown(*([name, " ".join(title)] for name in names))


def test_groups_of_rows_between_many_lines_stay_rows() -> None:
    groups = [
        [[f"M{at}", "x", f"{at} N", "Idle"], [f"P{at}", "y", f"{at} N", "Load"]] for at in "1234"
    ]
    [found] = tables(ruled([[NAMES], *groups]))
    assert found == shown(NAMES, *(row for group in groups for row in group))


def test_a_line_that_begins_small_goes_on_with_the_last_cell_of_its_row() -> None:
    rows = [["1", "All goes into one shell by the moment of it"]]
    rows += [["2", "All goes into many shells, even by the moment"], ["", "of what turns in them"]]
    rows += [["3", "Nothing goes into any"], ["4", "Some goes into one, even by the moment"]]
    rows += [["", "of what turns in it"]]
    page = [line(712), line(696), line(608), *cells([["No", "Meaning"]], 700, (90, 130))]
    [found] = tables([*page, *cells(rows, 684, (90, 130))])
    expected = [rows[0], ["2", f"{rows[1][1]} {rows[2][1]}"], rows[3]]
    assert found[1:] == shown(*expected, ["4", f"{rows[4][1]} {rows[5][1]}"])


def test_rows_below_the_last_line_may_go_on_in_the_next() -> None:
    rows = [["1", "All goes into one shell"], ["2", "None goes into any shell"]]
    under = [["3", "Some goes into many shells, even by"], ["", "the moment of them"]]
    under += [["4", "Some goes into one"]]
    page = [line(712), line(696), line(664), *cells([["No", "Meaning"]], 700, (90, 130))]
    page += [*cells(rows, 684, (90, 130)), *cells(under, 652, (90, 130))]
    [found] = tables(page)
    assert found[3:] == shown(["3", f"{under[0][1]} {under[1][1]}"], under[2])


def test_a_line_drawn_double_over_a_header_of_two_lines_is_one() -> None:
    over = [text_at(210, 698, "Open sea"), text_at(325, 698, "In a tank")]
    names = ["Wave", "2D", "3D", "2D", "3D"]
    rows = [["Regular", "-", "-", "0.70", "0.71"], ["Extreme", "1.5", "-", "17.5", "-"]]
    rows += [["Still", "-", "3.1", "3.3", "-"]]
    places = (90, 200, 240, 320, 360)
    page = [line(712), line(710), line(676), line(632), line(630), line(694, 195, 290)]
    page += [line(694, 315, 400), *over, *cells([names], 681, places), *cells(rows, 664, places)]
    [[header, *found]] = tables(page)
    assert header == "Wave | Open sea 2D | Open sea 3D | In a tank 2D | In a tank 3D"
    assert found == shown(*rows)


def test_a_text_in_the_last_row_joins_no_columns() -> None:
    rows = [*ROWS, ["Magnet", "2 N", "1 mm"]]
    last = [text_at(90, 620, "Verdict: three of four keep what was said"), text_at(310, 620, "Yes")]
    page = [*map(line, (712, 696, 632, 614)), *cells([HEADER], 700), *cells(rows, 684), *last]
    [found] = tables(page)
    assert found[:-1] == shown(HEADER, *rows)
    assert found[-1] == "Verdict: three of four keep what was said |  | Yes"


def test_the_grounds_of_every_second_row_make_no_second_table() -> None:
    rows = [*ROWS, ["Magnet", "2 N", "1 mm"], ["Gear", "5 N", "8 mm"]]
    edges = (80, 190, 300, 400)
    grounds = [
        f"0.9 g {left} {688 - 14 * at - 10} {right - left} 14 re f 0 g"
        for at in (0, 2, 4)
        for left, right in pairwise(edges)
    ]
    page = [*grounds, *map(line, (714, 696, 618)), *cells([HEADER, *rows], 700)]
    assert tables(page) == [shown(HEADER, *rows)]


def test_a_ligature_on_the_edge_of_a_column_does_not_cut_a_text_over_it() -> None:
    text = "of a firm file"
    run: list[Sign] = []
    for sign in text:
        left = run[-1][2] if run else 43.0
        if run and run[-1][0] == "f" and sign == "i":
            left = run[-1][1]  # the letters of a ligature stand in one place
        run.append((sign, left, left + (5 if sign.strip() else 3), 70.0, 78.0, ()))
    table = Table((30.0, 72.0, 200.0), (100.0, 90.0, 60.0), is_open=True)
    assert [piece.text for piece in pieces_of(table, [run])] == [text]
