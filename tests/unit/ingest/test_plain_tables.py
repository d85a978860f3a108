"""Columns of plain text that spaces or bars set apart are tables where nothing is doubtful."""

import pytest

from services.ingest.model.book import BlockKind, MarkupKind
from services.ingest.parsers.plain import parse_plain

KILNS = """\
Name         Melts at     Colour
Ash          1240         green
Lead         800          yellow
"""
LINE = "=" * 20
TABLE = ["Name | Melts at | Colour", "Ash | 1240 | green", "Lead | 800 | yellow"]


def tables(text: str) -> list[str]:
    parsed = parse_plain(f"Glazes are glass.\n\n{text}\nThey are thin.\n", "Fallback")
    found = [
        parsed.text[one.start : one.end] for one in parsed.blocks if one.kind is BlockKind.TABLE
    ]
    assert len(found) <= 1
    return found[0].split("\n") if found else []


def test_columns_that_spaces_set_apart_are_a_table_whose_first_row_names_them() -> None:
    assert tables(KILNS) == TABLE
    parsed = parse_plain(KILNS, "Fallback")
    names = [one for one in parsed.markup if one.kind is MarkupKind.HEADER_CELL]
    assert [parsed.text[one.start : one.end] for one in names] == TABLE[0].split(" | ")


def test_a_table_below_a_colon_is_no_code_and_a_line_above_it_no_row() -> None:
    deeper = "".join(f"    {line}\n" for line in KILNS.splitlines())
    assert tables(f"They melt so:\n\n{deeper}") == TABLE
    assert tables(f"Table 1: What melts\n{KILNS}") == TABLE


def test_columns_of_letters_as_wide_as_two_are_told() -> None:
    assert tables("名称    温度    颜色\n灰      1240    绿\n铅      800     黄\n") == [
        "名称 | 温度 | 颜色",
        "灰 | 1240 | 绿",
        "铅 | 800 | 黄",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Option   Meaning\n------   --------\n-a       all of it,\n         and more\n-b       half\n",
        "Option | Meaning\n-------|--------\n-a | all of it, and more\n-b | half\n",
        f"{LINE}\nOption   Meaning\n{LINE}\n-a       all of it,\n         and more\n-b       half\n",
    ],
)
def test_a_line_below_the_names_tells_a_table_of_two_columns(text: str) -> None:
    assert tables(text) == ["Option | Meaning", "-a | all of it, and more", "-b | half"]


@pytest.mark.parametrize(
    "text",
    [
        "Ash          melts\nLead         drips\nSalt         flies\n",  # nothing names the columns
        "Ash    1240    green\nLead    800    yellow\nSalt   1280    brown\n",
        "Roses are red,   and blue.   So.\nSugar is so,     and so are you.   Yes.\nNo,   2  lines.",
        "total 12\ndrwxr-xr-x  2  root  4096\n-rw-r--r--  1  root  80\n",
        "Name    Size    Date\nash.c   12\nlead.c  80      Tuesday\n",  # a cell is not there
    ],
)
def test_columns_that_may_be_none_are_no_table(text: str) -> None:
    assert tables(text) == []


NUMBERED = """\
The kiln book

1. The kiln

A kiln is built of brick, with walls as thick as an arm is long.

2. Glazes

A glaze is glass. It melts on the pot and closes its pores.
"""


def headings(text: str) -> list[str]:
    parsed = parse_plain(text, "Fallback")
    return [
        parsed.text[one.start : one.end] for one in parsed.blocks if one.kind is BlockKind.HEADING
    ]


def test_numbered_lines_over_paragraphs_are_titles() -> None:
    assert headings(NUMBERED) == ["The kiln book", "1. The kiln", "2. Glazes"]
    steps = (
        "1. Dry the wood\n\n2. Close the door\n\nThen light the fire, and wait for a whole day.\n"
    )
    assert headings(f"{NUMBERED}\n{steps}")[1:] == ["1. The kiln", "2. Glazes"]
    # One of several stands over a list.
    more = "".join(f"\n{at}. More\n\nA {'pot ' * 12}is fired.\n" for at in (3, 4))
    listed = "\n5. Tools\n\n- a rake\n- a hook\n"
    assert len(headings(f"{NUMBERED}{more}{listed}")) == 6
    assert len(headings(f"{NUMBERED}{listed.replace('5', '3')}")) == 1
    chinese = "1. 窑炉\n\n窑炉是用砖砌成的，墙壁和手臂一样厚，门在点火之前用泥封住。\n\n"
    assert headings(chinese + chinese.replace("1", "2")) == ["1. 窑炉", "2. 窑炉"]


@pytest.mark.parametrize(
    "text",
    [
        "How to fire.\n\n1. Dry the wood\n\n2. Stack the pots\n\n3. Close the door\n",
        # What goes on with an item stands as deep as its words.
        NUMBERED.replace("\n\nA ", "\n\n   A "),
        NUMBERED.replace("2. Glazes", "4. Glazes"),
        NUMBERED.replace("The kiln\n\n", "the kiln\n\n"),
    ],
)
def test_numbered_lines_of_a_list_are_no_titles(text: str) -> None:
    assert not [one for one in headings(text) if one[0].isdigit()]


PROSE = (
    "They fired the kiln for a day and a night, until the ash upon the shelves had melted.\n\n" * 2
)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (
            (
                "Kiln     2019    2020    2021\nOld     1,200   1,300   1,400\n"
                "New             900     950\nSmall     300             310\n"
            ),
            (
                "Kiln | 2019 | 2020 | 2021\nOld | 1,200 | 1,300 | 1,400\nNew |  | 900 | 950\n"
                "Small | 300 |  | 310"
            ),
        ),
        (
            "           2019    2020\nPots      1,200   1,300\nPlates      900     950\n",
            "| 2019 | 2020\nPots | 1,200 | 1,300\nPlates | 900 | 950",
        ),
        (
            (
                "Name     Unit    Price   Note\n-----    -----   -----   ------\n"
                "Brick    piece   1.20\n"
                "Sand             0.10    in bags\nClay     bag     3.00\n"
            ),
            (
                "Name | Unit | Price | Note\nBrick | piece | 1.20 |\nSand |  | 0.10 | in bags\n"
                "Clay | bag | 3.00 |"
            ),
        ),
    ],
)
def test_tables_have_years_for_names_and_cells_that_are_empty(text: str, rows: str) -> None:
    assert tables(f"{PROSE}{text}\n{PROSE}") == rows.split("\n")


def texts(text: str) -> list[tuple[BlockKind, str]]:
    parsed = parse_plain(text, "Fallback")
    return [(one.kind, parsed.text[one.start : one.end]) for one in parsed.blocks]


def test_columns_of_prose_side_by_side_are_read_one_after_the_other() -> None:
    beside = """The potter spoke to the      In the evening the
people of the town and       kiln was lit in the
said that 12 of his pots     yard, and many came
would be sold soon.          to see it burn.
"""
    assert texts(f"{PROSE}{beside}\n{PROSE}")[2:4] == [
        (
            BlockKind.PARAGRAPH,
            (
                "The potter spoke to the people of the town and said that 12 of his pots would be"
                " sold soon."
            ),
        ),
        (
            BlockKind.PARAGRAPH,
            "In the evening the kiln was lit in the yard, and many came to see it burn.",
        ),
    ]


def test_lines_that_count_up_without_a_sign_are_items_and_no_chapters() -> None:
    goods = ("Pots", "Plates", "Bowls", "Cups")
    listed = "".join(f"{at} {name}\n" for at, name in enumerate(goods, 1))
    assert texts(f"We sell:\n\n{listed}\n{PROSE}")[1:5] == [
        (BlockKind.LIST_ITEM, name) for name in goods
    ]
    apart = listed.replace("\n", "\n\n")
    assert not [one for one in headings(f"{PROSE}{apart}{PROSE * 40}") if one[0].isdigit()]


VERSES = """The kiln is lit when day is done,
  It glows against the hill;
The potter sleeps before the sun,
  And all the wheels stand still.
"""


@pytest.mark.parametrize("text", [f"The Kiln\n\n{VERSES}\n{VERSES}", f"{PROSE}{VERSES}\n{PROSE}"])
def test_verses_keep_their_lines(text: str) -> None:
    lines = "\n".join(line.strip() for line in VERSES.splitlines())
    assert (BlockKind.PARAGRAPH, lines) in texts(text)


def test_prose_whose_lines_begin_with_capitals_is_no_verse() -> None:
    prose = "Two pots are made of clay from\nKent. They hold milk, beer and\nDutch gin.\n"
    assert (BlockKind.PARAGRAPH, " ".join(prose.split())) in texts(f"{prose}\n{prose}")
    licence = (
        "THIS POT IS SOLD AS IT IS, WITHOUT\nA WORD ON WHAT IT HOLDS, AND\nFOR WHAT IT IS FIT.\n"
    )
    assert (BlockKind.PARAGRAPH, " ".join(licence.split())) in texts(f"{licence}\n{licence}")
