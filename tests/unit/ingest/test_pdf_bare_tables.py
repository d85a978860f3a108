"""Tables of PDFs that no line is drawn for."""

import pytest

from libs.profiles import Chunking
from services.ingest.embedding_text import dense_text
from services.ingest.model.book import Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.parsers.pdf import parse_pdf
from services.ingest.plan import plan_book
from services.ingest.split import split_document
from tests.support.ingest_fakes import LetterTokens
from tests.support.pdf_files import pdf_of, text_at

PROSE = "A paragraph of the book that goes from one edge of the page to the other, as most do."
HEADER = ["Kind", "Force", "Range"]
ROWS = [["Motor", "3 N", "20 mm"], ["Piston", "80 N", "300 mm"], ["Spring", "1 N", "5 mm"]]


def rows_at(
    rows: list[list[str]], top: int, *, font: str = "F1", places: tuple[int, ...] = (90, 200, 310)
) -> list[str]:
    return [
        text_at(x, top - 14 * number, cell, 10, font)
        for number, row in enumerate(rows)
        for x, cell in zip(places, row, strict=False)
        if cell
    ]


def pieces(page: list[str]) -> list[tuple[str, str]]:
    around = [text_at(72, 740, PROSE, 10), text_at(72, 500, PROSE, 10)]
    parsed = parse_pdf(pdf_of([[around[0], *page, around[1]]]), "F")
    return [(block.kind.name, parsed.text[block.start : block.end]) for block in parsed.blocks]


def tables(page: list[str]) -> list[str]:
    return [text for kind, text in pieces(page) if kind == "TABLE"]


def test_rows_below_the_columns_of_a_bold_header_are_a_table() -> None:
    page = [*rows_at([HEADER], 700, font="F3"), *rows_at(ROWS, 686)]
    assert pieces(page) == [
        ("PARAGRAPH", PROSE),
        ("TABLE", "\n".join(" | ".join(row) for row in [HEADER, *ROWS])),
        ("PARAGRAPH", PROSE),
    ]


def test_a_line_without_a_first_cell_goes_on_with_the_row_above() -> None:
    page = rows_at([HEADER], 700, font="F3")
    page += rows_at([ROWS[0], ["", "or more"], ROWS[1], ROWS[2]], 686)
    [table] = tables(page)
    assert table.split("\n")[1:3] == ["Motor | 3 N or more | 20 mm", "Piston | 80 N | 300 mm"]


def framed(rows: list[list[str]]) -> list[str]:
    """Draw lines around a header and around all rows below it together."""
    bottom = 690 - 14 * len(rows)
    level = [f"80 {y} m 400 {y} l S" for y in (712, 696, bottom)]
    upright = [f"{x} {bottom} m {x} 712 l S" for x in (80, 190, 300, 400)]
    return [*level, *upright, *rows_at([HEADER], 700), *rows_at(rows, 684)]


def test_rows_that_one_line_holds_together_are_rows_if_all_have_all_their_cells() -> None:
    many = [*ROWS, ["Magnet", "2 N", "1 mm"]]
    assert tables(framed(many)) == ["\n".join(" | ".join(row) for row in [HEADER, *many])]
    [wrapped] = tables(framed([*ROWS, ["or less", "", ""]]))
    assert wrapped.split("\n")[-1] == "Spring or less | 1 N | 5 mm"


def test_rows_below_a_bold_header_may_have_an_empty_line_between_them() -> None:
    rows = [row[:2] for row in (ROWS[0], ["", "or more"], ROWS[1], ["", "or less"], ROWS[2])]
    page = rows_at([HEADER[:2]], 700, font="F3")
    for row, top in zip(rows, (686, 672, 644, 630, 602), strict=True):
        page += rows_at([row], top)
    assert tables(page) == [
        "Kind | Force\nMotor | 3 N or more\nPiston | 80 N or less\nSpring | 1 N"
    ]


def test_signs_that_each_say_another_thing_are_no_marks_of_a_list() -> None:
    rows = [["-", "Minus"], ["+", "Plus"], ["!", "Not"], ["?", "Help"], [":", "Sequence"]]
    page = [
        piece
        for n, row in enumerate(rows)
        for piece in (
            text_at(90, 700 - 14 * n, row[0], 10, "F2"),
            text_at(150, 700 - 14 * n, row[1]),
        )
    ]
    assert tables(page) == ["\n".join(" | ".join(row) for row in rows)]


def test_three_rows_below_each_other_are_a_table_without_a_header() -> None:
    assert tables(rows_at(ROWS, 700)) == ["\n".join(" | ".join(row) for row in ROWS)]


def test_two_columns_take_four_rows() -> None:
    rows = [["Motor", "3 N"], ["Piston", "80 N"], ["Spring", "1 N"], ["Magnet", "2 N"]]
    assert tables(rows_at(rows, 700)) == ["\n".join(" | ".join(row) for row in rows)]
    assert not tables(rows_at(rows[:3], 700))


def test_a_table_without_a_header_ends_at_a_line_of_text() -> None:
    page = [*rows_at(ROWS, 700, places=(72, 200, 310)), text_at(72, 658, PROSE, 10)]
    page += [text_at(72, 644, "Next.", 10)]
    assert tables(page) == ["\n".join(" | ".join(row) for row in ROWS)]
    short = [*rows_at(ROWS, 700, places=(72, 200, 310)), text_at(72, 658, "Next.", 10)]
    assert ("PARAGRAPH", "Next.") in pieces(short)


def test_a_line_of_text_below_a_header_does_not_take_the_table_away() -> None:
    page = [*rows_at([HEADER], 700, font="F3", places=(72, 200, 310))]
    page += [*rows_at(ROWS, 686, places=(72, 200, 310)), text_at(72, 644, PROSE, 10)]
    assert tables(page) == ["\n".join(" | ".join(row) for row in [HEADER, *ROWS])]


def test_rows_that_go_on_overleaf_belong_to_the_table() -> None:
    more = [["Gear", "5 N", "1 mm"], ["Belt", "6 N", "2 mm"], ["Rope", "7 N", "3 mm"]]
    pages = [[text_at(72, 740, PROSE, 10), *rows_at(ROWS, 100)], rows_at(more, 740)]
    pages[1].append(text_at(72, 500, PROSE, 10))
    parsed = parse_pdf(pdf_of(pages), "F")
    [block] = [block for block in parsed.blocks if block.kind.name == "TABLE"]
    assert parsed.text[block.start : block.end].count("\n") == 5


WIDE = "Half a line of what a page in two columns says"
PAIRS = [["Motor", "3 N"], ["Piston", "80 N"], ["Spring", "1 N"], ["Magnet", "2 N"]]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(rows_at(ROWS, 700, font="F2"), id="code"),
        pytest.param(rows_at(PAIRS[:3], 700), id="three pairs"),
        pytest.param(
            rows_at([[f"{n}.", "An item."] for n in range(1, 6)], 700, places=(80, 110)),
            id="a list",
        ),
        pytest.param(
            rows_at([["-", "An item."]] * 5, 700, places=(80, 110)), id="a list with dashes"
        ),
        pytest.param(
            rows_at([["-", "An item."], *[["*", "One within."]] * 3] * 2, 700, places=(80, 110)),
            id="a list in a list",
        ),
        pytest.param(
            [*rows_at([HEADER[:2]], 700, font="F3"), *rows_at([["", "one"], ["", "two"]], 674)],
            id="far below without first cells",
        ),
        pytest.param(
            rows_at([["-a", "All."], ["--best"], ["-b", "One."], ["--cut"]] * 3, 700), id="options"
        ),
        pytest.param(rows_at([[WIDE, WIDE]] * 9, 700, places=(72, 320)), id="two columns"),
        pytest.param(
            rows_at([[f"bolt, {n}", f"gear, {n}", f"pin, {n}"] for n in range(9)], 700),
            id="an index in three columns",
        ),
        pytest.param([*rows_at([HEADER], 700, font="F3"), *rows_at(ROWS[:1], 686)], id="one row"),
        pytest.param(
            [
                *rows_at([HEADER], 700, font="F3"),
                *rows_at(ROWS[:2], 686, places=(90, 245, 360)),
            ],
            id="other columns",
        ),
        pytest.param([*rows_at([HEADER], 700, font="F3"), *rows_at(ROWS[:2], 640)], id="far below"),
        pytest.param(
            [
                *rows_at([["B", "G"]], 700, font="F3", places=(90, 310)),
                *rows_at([["bolt " + ". " * 20, "gear " + ". " * 20]] * 3, 686, places=(90, 310)),
            ],
            id="an index",
        ),
        pytest.param(
            [
                *rows_at([HEADER[:2]], 700, font="F3"),
                *rows_at([["", "one"], ["Motor", "two"], ["", "three"], ["Gear", "four"]], 686),
            ],
            id="first cells in the middle of their rows",
        ),
    ],
)
def test_lines_that_need_not_be_a_table_are_none(page: list[str]) -> None:
    assert tables(page) == []


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Table 3 Forces of parts", "CAPTION"),
        ("Table 3", "CAPTION"),
        ("TABLE. Forces of parts", "CAPTION"),
        ("Table 3 shows what forces parts have", "PARAGRAPH"),
        ("Table 3 Forces of parts.", "PARAGRAPH"),
    ],
)
def test_a_number_without_a_sign_is_a_caption_beside_a_table_alone(line: str, kind: str) -> None:
    many = [*ROWS, ["Magnet", "2 N", "1 mm"]]
    alone = [text_at(72, 790, PROSE), text_at(80, 725, line)]
    for page, expected in ((alone, "PARAGRAPH"), ([*alone, *framed(many)], kind)):
        parsed = parse_pdf(pdf_of([page]), "F")
        found = {parsed.text[one.start : one.end]: one.kind.name for one in parsed.blocks}
        assert found[line] == expected


def test_a_caption_in_a_font_of_code_is_one_beside_a_table() -> None:
    caption = text_at(80, 725, "Table 3: Forces of parts", 10, "F2")
    page = [text_at(72, 790, PROSE), caption, *framed([*ROWS, ["Magnet", "2 N", "1 mm"]])]
    parsed = parse_pdf(pdf_of([page]), "F")
    found = [(one.kind.name, parsed.text[one.start : one.end]) for one in parsed.blocks]
    assert ("CAPTION", "Table 3: Forces of parts") in found


def test_a_bold_header_may_have_two_lines_of_which_the_one_has_fewer_cells() -> None:
    page = rows_at([["Kind of", "", "Range"], ["the part", "Force", "in mm"]], 714, font="F3")
    page += rows_at(ROWS, 686)
    header = "Kind of the part | Force | Range in mm"
    assert tables(page) == ["\n".join([header, *(" | ".join(row) for row in ROWS)])]


def test_a_bold_header_of_two_full_lines_is_one_header_with_its_units() -> None:
    page = rows_at([["Kind", "Force", "Range"], ["of part", "in N", "in mm"]], 714, font="F3")
    page += rows_at(ROWS, 686)
    assert tables(page)[0].split("\n")[0] == "Kind of part | Force in N | Range in mm"


def test_a_word_of_a_cell_that_is_broken_before_another_column_is_one_word() -> None:
    page = rows_at([["Kind", "Colour", "Range"]], 700, font="F3")
    rows = [["Motor", "dark pur-", "20 mm"], ["", "ple"], ["QT6-", "red", "1 mm"], ["QM64", "ish"]]
    page += rows_at([*rows, ["Spring", "blue", "5 mm"]], 686)
    [table] = tables(page)
    assert "Motor | dark purple | 20 mm" in table


def test_a_bold_title_over_a_bold_header_is_no_line_of_it() -> None:
    page = rows_at([["All the kinds"], HEADER], 714, font="F3") + rows_at(ROWS, 686)
    assert tables(page) == ["\n".join(" | ".join(row) for row in [HEADER, *ROWS])]


def test_words_set_wide_apart_to_fill_their_cell_are_of_one_cell() -> None:
    wide = [
        text_at(90, 686, "Motor", 10),
        text_at(200, 686, "3 N", 10),
        text_at(235, 686, "up", 10),
    ]
    page = [*rows_at([HEADER], 700, font="F3"), *wide, text_at(310, 686, "20 mm", 10)]
    page += rows_at(ROWS[1:], 672)
    assert "Motor | 3 N up | 20 mm" in tables(page)[0]


@pytest.mark.parametrize(
    ("title", "left", "top", "kind"),
    [
        ("Forces of parts", 206, 722, "CAPTION"),
        ("Forces of parts", 90, 722, "CAPTION"),
        ("Look at the parts.", 200, 722, "PARAGRAPH"),
        ("= 4 =", 230, 722, "PARAGRAPH"),
    ],
)
def test_a_line_right_over_a_table_is_its_title(title: str, left: int, top: int, kind: str) -> None:
    page = [text_at(left, top, title), *framed([*ROWS, ["Magnet", "2 N", "1 mm"]])]
    found = pieces(page)
    assert [one for one, text in found if text == title] == [kind]
    assert "TABLE" in dict(found)


def test_all_rows_of_a_long_table_are_searched_by_the_title_over_it() -> None:
    many = [[f"Motor {number}", f"{number} N", f"{number} mm"] for number in range(10, 40)]
    data = pdf_of([[text_at(206, 722, "Forces of parts"), *framed(many)]])
    [placed] = plan_book(Source([SourceFile("a.pdf", data)])).documents
    small = Chunking("heading", 1, 200, 0, 200, (1, 2, 3, 4, 5, 6))
    chunks = split_document("b", "en", parse_document(placed)[0], small, LetterTokens())
    assert len(chunks) > 1
    assert all("Forces of parts" in dense_text(chunk) for chunk in chunks)


GROUPED = [["Bolt", "Nm", "mm", "Nm", "mm"], *([f"M{n}", "6", "20", "7", "1"] for n in range(5, 9))]
GROUPED_AT = (90, 180, 230, 320, 370)
NAMED = "Bolt | Dry Nm | Dry mm | Oiled Nm | Oiled mm"


@pytest.mark.parametrize("lines", [[], [714, 686, 625]], ids=["bare", "ruled"])
def test_names_centred_over_several_columns_stand_with_each_of_them(lines: list[int]) -> None:
    page = [text_at(203, 703, "Dry", 10, "F3"), text_at(340, 703, "Oiled", 10, "F3")]
    page += rows_at(GROUPED[:1], 690, font="F3", places=GROUPED_AT)
    page += [f"80 {y} m 500 {y} l S" for y in lines]
    [table] = tables([*page, *rows_at(GROUPED[1:], 672, places=GROUPED_AT)])
    assert table.split("\n")[:2] == [NAMED, "M5 | 6 | 20 | 7 | 1"]


def test_a_title_centred_over_all_columns_names_none_of_them() -> None:
    page = [text_at(190, 703, "All of the bolts", 10, "F3")]
    page += rows_at(GROUPED[:1], 690, font="F3", places=GROUPED_AT)
    [table] = tables([*page, *rows_at(GROUPED[1:], 672, places=GROUPED_AT)])
    assert table.split("\n")[0] == "Bolt | Nm | mm | Nm | mm"


IN_COLUMNS = [
    "Bolt      Torque    Length",
    "M5        6 Nm      20 mm",
    "M6        10 Nm     25 mm",
    "M8        25 Nm     30 mm",
]


def test_columns_that_spaces_in_one_text_make_are_a_table() -> None:
    page = [text_at(90, 700 - 14 * at, line) for at, line in enumerate(IN_COLUMNS)]
    assert pieces([text_at(72, 715, "Table 1. Torque", 10, "F3"), *page])[1:3] == [
        ("CAPTION", "Table 1. Torque"),
        (
            "TABLE",
            "Bolt | Torque | Length\nM5 | 6 Nm | 20 mm\nM6 | 10 Nm | 25 mm\nM8 | 25 Nm | 30 mm",
        ),
    ]


@pytest.mark.parametrize(
    "lines",
    [
        [
            "int    count   = 0;",
            "long   size    = 1;",
            "char   sign    = 2;",
            "byte   last    = 3;",
        ],
        [
            "mode   size   name",
            "rw     12     /etc/a",
            "rw     14     /etc/b",
            "r      1      /etc/c",
        ],
        ["one    two    three", "four   five   six", "seven  eight  nine", "ten    more   last"],
    ],
)
def test_lines_of_a_program_stay_code_though_their_parts_stand_below_each_other(
    lines: list[str],
) -> None:
    page = [text_at(90, 700 - 14 * at, line, 10, "F2") for at, line in enumerate(lines)]
    assert not tables(page)


@pytest.mark.parametrize("font", ["F1", "F3"])
def test_rows_with_all_their_cells_may_stand_far_apart(font: str) -> None:
    lines = [HEADER, *ROWS]
    page = [
        one
        for at, row in enumerate(lines)
        for one in rows_at([row], 700 - 40 * at, font="F1" if at else font)
    ]
    assert tables(page) == ["\n".join(" | ".join(row) for row in lines)]


def priced(names: list[str], step: int, size: float = 10) -> list[str]:
    return [
        text_at(x, 700 - step * at, text, size)
        for at, name in enumerate(names)
        for x, text in ((90, name), (320, f"{15 + at}00"))
    ]


def test_prices_far_below_each_other_are_rows() -> None:
    names = ["A crown of metal", "One of ceramics", "A wheel", "A model, printed", "Of wax"]
    [table] = tables(priced(names, 44))
    assert table.split("\n") == [f"{name} | {15 + at}00" for at, name in enumerate(names)]


def test_the_longest_name_may_reach_to_where_other_cells_begin() -> None:
    names = ["A crown of metal upon a root that is set in the jaw", "One of ceramics", "A wheel"]
    names += ["A model, printed", "Of wax"]
    page: list[str] = []
    for at, name in enumerate(names):
        value, x = ("so far", 328.1) if not at else ("as wanted", 307.5)
        page += [text_at(90, 700 - 14 * at, name), text_at(x, 700 - 14 * at, value)]
    [table] = tables(page)
    assert table.split("\n")[0] == f"{names[0]} | so far"


def test_a_caption_right_below_a_bare_table_is_none_of_its_rows() -> None:
    rows = [["null(x)", "tells whether it is empty"], ["hd(x)", "returns its head"]]
    rows += [["tl(x)", "returns its tail"], ["a::x", "makes a list of both"]]
    page = [text_at(72, 740, PROSE), text_at(183, 584, "Tabella 1"), text_at(72, 400, PROSE)]
    for at, row in enumerate(rows):
        page += [text_at(x, 640 - 14 * at, cell) for x, cell in zip((90, 160), row, strict=True)]
    parsed = parse_pdf(pdf_of([page]), "F")
    texts = [(one.kind.name, parsed.text[one.start : one.end]) for one in parsed.blocks]
    assert ("TABLE", "\n".join(map(" | ".join, rows))) in texts
