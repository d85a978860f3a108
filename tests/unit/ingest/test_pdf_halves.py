"""Tables of PDFs that stand side by side within one frame, each with the same header."""

from tests.support.pdf_tables import cells, line, shown, tables

PLACES = (90, 180, 270, 360)
NAMES = ["Coin", "Price"]
LEFT = [["Ducat", "700"], ["Sovereign", "395"], ["Marengo", "312"]]
RIGHT = [["Libra", "400"], ["Peso", "993"], ["Rouble", "420"]]
GRID = [line(y, 80, 440) for y in (692, 676, 662, 648, 634)]
GRID += [f"{x} 634 m {x} 692 l S" for x in (80, 170, 260, 350, 440)]


def test_halves_with_one_header_are_two_tables() -> None:
    rows = [[*one, *other] for one, other in zip(LEFT, RIGHT, strict=True)]
    found = tables([*GRID, *cells([[*NAMES, *NAMES], *rows], 680, PLACES)])
    assert found == [shown(NAMES, *LEFT), shown(NAMES, *RIGHT)]


def test_columns_with_other_names_are_of_one_table() -> None:
    rows = [[*one, *other] for one, other in zip(LEFT, RIGHT, strict=True)]
    header = [*NAMES, "Coin", "Weight"]
    assert tables([*GRID, *cells([header, *rows], 680, PLACES)]) == [shown(header, *rows)]
    same = ["Price", "Price", "Price", "Price"]
    assert tables([*GRID, *cells([same, *rows], 680, PLACES)]) == [shown(same, *rows)]
