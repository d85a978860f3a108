"""Labels of a PDF's grids that stand outside of their lines, and grids with few cells filled."""

from tests.support.pdf_files import text_at
from tests.support.pdf_tables import cells, line, shown, tables

HEADER = ["Hours", "Rate", "Cost"]
LABELS = ["Staff", "Technicians", "Teachers of trade", "Other researchers", "Total of staff"]
VALUES = [HEADER, ["", "30.00", "0"], ["11", "40.00", "440"], ["", "40.00", ""], ["11", "", "440"]]
PLACES = (230, 290, 350)


def grid(rows: list[list[str]], left: int = 220) -> list[str]:
    foot = 712 - 16 * len(rows)
    level = [line(712 - 16 * at, left, 400) for at in range(len(rows) + 1)]
    upright = [f"{x} {foot} m {x} 712 l S" for x in (left, 280, 340, 400)]
    spread = [cells([row], 700 - 16 * at, PLACES) for at, row in enumerate(rows)]
    return [*level, *upright, *(one for row in spread for one in row)]


def labels(names: list[str], x: int = 80) -> list[str]:
    return [text_at(x, 700 - 16 * at, name) for at, name in enumerate(names)]


def test_labels_left_of_a_grid_are_its_first_column() -> None:
    rows = [[name, *row] for name, row in zip(LABELS, VALUES, strict=True)]
    assert tables([*grid(VALUES), *labels(LABELS)]) == [shown(*rows)]


def test_labels_beside_some_rows_of_a_grid_are_none() -> None:
    [found] = tables([*grid(VALUES), *labels(LABELS[:3])])
    assert found[0] == " | ".join(HEADER)


def test_text_beside_a_grid_that_names_its_rows_itself_is_no_column_of_it() -> None:
    rows = [["Who", "Rate", "Cost"], *([name, "30.00", "0"] for name in ("Ann", "Bob", "Cy", "Di"))]
    [found] = tables([*grid(rows), *labels(LABELS)])
    assert found == shown(*rows)


def test_a_grid_with_few_cells_filled_is_one_if_each_row_is_named() -> None:
    times = [f"{hour:02}.00" for hour in range(8, 14)]
    rows = [["Week 36", "", ""], *([time, "", ""] for time in times)]
    rows[2][1], rows[3][1], rows[5][2] = "Networks", "Networks", "Security"
    [found] = tables(grid(rows))
    assert found[:-1] == shown(*rows[:-1])
    assert found[-1].startswith("13.00 |")
