"""Captions of tables of PDFs: their next lines, their units, and numbers alone over what they say."""

from dataclasses import replace

import pytest

from services.ingest.parsers.pdf import parse_pdf
from services.ingest.parsers.pdf.flow import Paragraph, begins_caption
from services.ingest.parsers.pdf.line import Line
from tests.support.pdf_files import pdf_of, text_at
from tests.support.pdf_tables import HEADER, PROSE, ROWS, cells, line

TABLE = [*map(line, (650, 634, 590)), *cells([HEADER, *ROWS], 638)]


def over(*lines: tuple[float, float, str]) -> list[str]:
    """Return the captions of a page with some lines over a table."""
    page = [text_at(72, 740, PROSE), *(text_at(*one) for one in lines), *TABLE]
    parsed = parse_pdf(pdf_of([[*page, text_at(72, 400, PROSE)]]), "F")
    kinds = {block.kind.name for block in parsed.blocks}
    assert "TABLE" in kinds
    return [parsed.text[one.start : one.end] for one in parsed.blocks if one.kind.name == "CAPTION"]


def test_the_next_line_of_a_caption_in_the_middle_is_of_it() -> None:
    first, second = "Table 4: Forces of all the motors and the pistons in", "1995 and 2005 (in %)"
    assert over((110, 682, first), (200, 668, second)) == [f"{first} {second}"]


def test_a_unit_alone_over_a_table_goes_with_its_caption() -> None:
    found = over((80, 682, "Table 3. Forces of motors in the works"), (80, 668, "[In thousands]"))
    assert found == ["Table 3. Forces of motors in the works [In thousands]"]


def test_a_caption_whose_line_is_full_goes_on_in_one_far_below() -> None:
    first = "Table 4: Forces of all of the motors and of the pistons that were measured in"
    assert over((80, 692, first), (130, 666, "Workshops")) == [f"{first} Workshops"]


def test_a_number_alone_over_a_title_begins_the_caption() -> None:
    lines = [(80, 696, "Table 2."), (80, 682, "Forces of motors, by kind and by range:")]
    assert over(*lines, (80, 668, "(Forces in newtons)")) == [
        "Table 2. Forces of motors, by kind and by range: (Forces in newtons)"
    ]


def test_a_title_of_two_lines_in_the_middle_is_one() -> None:
    first, second = "Forces of the motors and pistons that", "were measured in the Works"
    assert over((158, 682, first), (177, 668, second)) == [f"{first} {second}"]


def test_an_exhibit_has_a_caption() -> None:
    assert over((80, 668, "Exhibit 2. Forces of motors")) == ["Exhibit 2. Forces of motors"]


def test_a_sentence_between_a_caption_and_a_table_is_none_of_its_lines() -> None:
    assert over((80, 682, "Table 3. Forces of motors"), (80, 668, "We come to others.")) == [
        "Table 3. Forces of motors"
    ]


def test_a_caption_of_sentences_goes_on_in_the_next_line() -> None:
    lines = [(80, 682, "Table 3. Forces of motors."), (80, 670, "All are in newtons.")]
    assert over(*lines) == ["Table 3. Forces of motors. All are in newtons."]


@pytest.mark.parametrize("word", ["Tabulka", "Tabella", "Tabela", "Tabell", "Rysunek"])
def test_captions_of_languages_without_a_lexicon_are_captions(word: str) -> None:
    assert over((80, 668, f"{word} 3: Motory")) == [f"{word} 3: Motory"]
    assert begins_caption(f"{word} 3: Motory")


def test_a_turkish_table_has_a_caption() -> None:
    assert begins_caption("Çizelge 16: Motorlar")


def test_a_dash_right_behind_its_number_begins_a_caption() -> None:
    standard_dash = "\xd0"
    first, second = "Forces of all the motors and pistons", "in the works: 2003"
    lines = [(80, 682, f"Table 4.{standard_dash}{first}"), (112, 670, second)]
    assert over(*lines) == [f"Table 4.—{first} {second}"]


def test_a_numbered_line_with_the_unit_at_its_end_is_the_title_of_its_table() -> None:
    text = "3. Forces of motors in the works   Unit: newtons"
    assert over((80, 668, text)) == [" ".join(text.split())]


def test_a_numbered_line_right_over_a_table_is_its_title() -> None:
    title = "3. Forces of motors in the works"
    assert over((80, 668, title)) == [title]


def test_the_last_item_of_a_list_over_a_table_is_no_title() -> None:
    assert not over((80, 682, "2. Weights of motors"), (80, 668, "3. Forces of motors"))


def test_a_title_with_its_day_and_its_unit_is_one() -> None:
    parts = ["Forces of the motors", "As at 31 December 1995", "(in newtons)"]
    assert over(*((80, y, one) for y, one in zip((704, 686, 668), parts, strict=True))) == [
        " ".join(parts)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "There must be no motors in the works. The following are there:",
        "The following motors must be in the works, if the pistons of all of them are there too:",
        "We come to others.",
    ],
)
def test_a_sentence_right_over_a_table_stays_one(text: str) -> None:
    assert not over((80, 668, text))


def test_a_row_of_numbers_right_over_a_table_is_no_title() -> None:
    assert not over((80, 668, "Motors 12.5 13.5 14.5"))


def test_a_name_in_letters_of_one_width_is_a_title_and_a_command_is_none() -> None:
    for text, kind in (("Forces of motors", "CAPTION"), ("motor --force=3", "CODE")):
        page = [text_at(72, 740, PROSE), text_at(80, 668, text, 10, "F2"), *TABLE]
        assert (kind, text) in blocks_of(page)


def test_below_its_number_alone_a_caption_may_be_a_sentence() -> None:
    lines = [(80, 682, "Table 3"), (80, 668, "Forces of motors in the works at noon.")]
    assert over(*lines) == ["Table 3 Forces of motors in the works at noon."]


def blocks_of(page: list[str]) -> list[tuple[str, str]]:
    parsed = parse_pdf(pdf_of([page]), "F")
    return [(one.kind.name, parsed.text[one.start : one.end]) for one in parsed.blocks]


def test_a_caption_that_is_drawn_last_stands_before_its_table() -> None:
    names = [text_at(80, 682, "TABLE 6"), text_at(80, 668, "Forces of motors in the works")]
    found = blocks_of([text_at(72, 740, PROSE), *TABLE, text_at(72, 400, PROSE), *names])
    kinds = [kind for kind, _ in found]
    assert kinds == ["PARAGRAPH", "CAPTION", "TABLE", "PARAGRAPH"]
    assert found[1][1] == "TABLE 6 Forces of motors in the works"


def test_a_sentence_right_above_a_table_that_is_drawn_last_stays_there() -> None:
    found = blocks_of([text_at(72, 740, PROSE), *TABLE, text_at(80, 668, "Motors we have seen.")])
    assert [kind for kind, _ in found] == ["PARAGRAPH", "TABLE", "PARAGRAPH"]


def test_a_number_of_a_page_that_is_drawn_first_is_no_part_of_a_title() -> None:
    name = text_at(80, 668, "Table 4: Forces of motors", 14)
    found = blocks_of([text_at(300, 60, "6", 14), name, *TABLE, text_at(72, 400, PROSE)])
    assert ("CAPTION", "Table 4: Forces of motors") in found
    assert ("PARAGRAPH", "6") in found


def test_a_title_that_is_drawn_last_stands_before_its_table() -> None:
    titles = [text_at(80, 690, "Works", 18), text_at(80, 668, "Forces of motors", 14)]
    found = blocks_of([text_at(72, 740, PROSE), *TABLE, text_at(72, 400, PROSE), *titles])
    texts = [text for kind, text in found if kind != "TABLE"]
    assert [kind for kind, _ in found].index("TABLE") == len(texts) - 1
    assert texts == [PROSE, "Works", "Forces of motors", PROSE]


def test_a_title_in_usual_letters_that_is_drawn_last_stands_before_its_table() -> None:
    found = blocks_of([text_at(72, 740, PROSE), *TABLE, text_at(80, 668, "Forces of motors")])
    assert [kind for kind, _ in found][1:] == ["CAPTION", "TABLE"]


def test_text_beside_a_table_parts_it_from_no_caption() -> None:
    name, aside = text_at(80, 668, "Table 3. Forces of motors"), text_at(500, 600, "Page", 6)
    found = blocks_of([text_at(72, 740, PROSE), name, aside, *TABLE, text_at(72, 400, PROSE)])
    kinds = [kind for kind, _ in found]
    assert kinds[kinds.index("CAPTION") + 1] == "TABLE"


def test_a_line_over_a_title_of_two_lines_is_of_it_with_its_number() -> None:
    first, second = "Forces of the motors and pistons that", "were measured in the Works"
    lines = [(225, 710, "Table 4"), (228, 696, "Motors"), (158, 682, first), (177, 668, second)]
    assert over(*lines) == [f"Table 4 Motors {first} {second}"]


def test_a_text_in_brackets_on_what_signs_mean_goes_with_its_caption() -> None:
    lines = [
        "(A cell that is empty says that nobody knows the force of what it names in all years",
        "that were counted, and a star that it was measured in the works at noon.)",
    ]
    places = [(80, 694, "Table 8: Forces of motors"), (80, 680, lines[0]), (80, 668, lines[1])]
    assert over(*places) == [f"Table 8: Forces of motors {' '.join(lines)}"]


def test_the_caption_that_a_table_has_on_each_page_is_kept() -> None:
    name = "Table 3. Forces of motors"
    ends = (text_at(72, 400, f"{said} {PROSE}") for said in ("Once", "Then", "Here", "There"))
    parsed = parse_pdf(pdf_of([[text_at(80, 668, name), *TABLE, end] for end in ends]), "F")
    texts = [(one.kind.name, parsed.text[one.start : one.end]) for one in parsed.blocks]
    captions = [at for at, one in enumerate(texts) if one == ("CAPTION", name)]
    assert len(captions) == 4
    assert all(texts[at + 1][0] == "TABLE" for at in captions)


def test_a_table_that_goes_on_under_its_caption_again_is_one() -> None:
    page = [text_at(80, 668, "Table 3. Forces of motors"), *TABLE]
    parsed = parse_pdf(pdf_of([page] * 4), "F")
    assert [one.kind.name for one in parsed.blocks] == ["CAPTION", "TABLE"]
    assert parsed.text.count("Motor |") == 4


def test_headings_of_one_rank_right_over_a_table_are_its_title() -> None:
    names = ("Town of Quill", "Report of all that was spent", "From May to July")
    stack = [text_at(80, 760 - 28 * at, name, 14) for at, name in enumerate(names)]
    found = blocks_of([*stack, *map(line, (680, 664, 620)), *cells([HEADER, *ROWS], 668)])
    assert found[0] == ("HEADING", names[0])
    assert found[1] == ("CAPTION", f"{names[1]} {names[2]}")


def test_numbered_headings_over_a_table_stay_headings() -> None:
    names = ("4 Forces", "5 Ranges")
    stack = [text_at(80, 730 - 28 * at, name, 14) for at, name in enumerate(names)]
    found = blocks_of([*stack, *map(line, (680, 664, 620)), *cells([HEADER, *ROWS], 668)])
    assert found[:2] == [("HEADING", name) for name in names]


def test_a_number_behind_its_sign_and_a_unit_in_a_font_of_code_are_of_the_caption() -> None:
    number = "Cuadro N\xe9 4".replace("\xe9", "\xeb")  # the raised o of the fonts' own encoding
    names = [text_at(72, 740, PROSE), text_at(80, 692, number, 10, "F2")]
    names += [
        text_at(80, 680, "Forces of the motors in the works"),
        text_at(80, 668, "(in newtons)", 10, "F2"),
    ]
    found = blocks_of([*names, *TABLE, text_at(72, 400, PROSE)])
    assert found[1] == ("CAPTION", "Cuadro Nº 4 Forces of the motors in the works (in newtons)")


@pytest.mark.parametrize(("size", "font"), [(10, "F3"), (14, "F1")])
def test_a_caption_set_as_a_heading_below_its_table_is_no_heading(size: int, font: str) -> None:
    page = [text_at(80, 760, "Motors", 16), text_at(72, 740, PROSE), *TABLE]
    page += [text_at(80, 560, "Table 5.1: Forces of motors", size, font), text_at(72, 530, PROSE)]
    assert ("CAPTION", "Table 5.1: Forces of motors") in blocks_of(page)


def test_a_bold_caption_without_a_sign_behind_its_number_below_its_table_is_no_heading() -> None:
    page = [text_at(80, 760, "Motors", 16), text_at(72, 740, PROSE), *TABLE]
    page += [text_at(80, 560, "Table 5 Forces of motors", font="F3"), text_at(72, 530, PROSE)]
    assert ("CAPTION", "Table 5 Forces of motors") in blocks_of(page)


def test_a_plain_line_at_the_margin_is_the_title_of_the_table_set_in_below_it() -> None:
    page = [text_at(72, 740, PROSE), text_at(62, 658, "Forces of the motors"), *TABLE]
    assert ("CAPTION", "Forces of the motors") in blocks_of(page)


def test_a_caption_below_a_table_of_two_pages_does_not_go_on_overleaf() -> None:
    parts = []
    for rows in ([HEADER, *ROWS], [*ROWS, ["Wheel", "7 N", "9 mm"]]):
        level = [line(y) for y in (180, 164, 150, 136, 122)]
        upright = [f"{x} 122 m {x} 180 l S" for x in (80, 190, 300, 400)]
        parts.append([*level, *upright, *cells(rows, 168)])
    caption = "Table 4.1 Forces of all motors"
    first = [text_at(72, 740, PROSE), *parts[0]]
    pages = [first, [*parts[1], text_at(160, 104, caption)], [text_at(72, 740, "Readings of data")]]
    parsed = parse_pdf(pdf_of(pages), "F")
    found = [
        parsed.text[one.start : one.end] for one in parsed.blocks if one.kind.name == "CAPTION"
    ]
    assert found == [caption]


def test_a_number_before_its_word_begins_a_caption_and_no_item_of_a_list() -> None:
    for text in ("1. taula: Motors", "2.1. tabula. Motoru speki"):
        assert over((80, 668, text)) == [text]
    assert begins_caption("3. táblázat: A motorok")
    assert not begins_caption("1. tables: those of the works")


def test_a_title_a_line_and_a_half_above_a_header_with_room_over_it_is_one() -> None:
    assert over((80, 667, "Forces of the motors")) == ["Forces of the motors"]


def test_lines_in_the_middle_are_the_title_of_a_table_with_its_unit_at_the_edge() -> None:
    lines = [
        (200, 706, "The Steam Works"),
        (204, 694, "List of its motors"),
        (204, 682, "in the year 2003"),
    ]
    found = over(*lines, (331, 670, "Unit: thousands"))
    assert found == ["The Steam Works List of its motors in the year 2003 Unit: thousands"]


def test_spaced_signs_of_chinese_may_be_a_title() -> None:
    line = Line("資 產 負 債 表", 1, 200, 280, 700, 10)
    assert Paragraph([line]).may_be_title
    assert not Paragraph([replace(line, text="a 1 b 2")]).may_be_title


def test_a_title_at_the_top_of_a_page_does_not_go_on_from_the_page_before() -> None:
    pages = [[text_at(72, 100, PROSE.rstrip("."))], [text_at(80, 668, "Forces of motors"), *TABLE]]
    parsed = parse_pdf(pdf_of(pages), "F")
    found = [(one.kind.name, parsed.text[one.start : one.end]) for one in parsed.blocks]
    assert ("CAPTION", "Forces of motors") in found


def test_a_title_that_is_drawn_last_stands_over_the_lines_between_it_and_its_table() -> None:
    page = [text_at(72, 760, PROSE), text_at(80, 668, "(in newtons)"), *TABLE]
    found = blocks_of([*page, text_at(80, 684, "Forces of motors")])
    assert found[1] == ("CAPTION", "Forces of motors (in newtons)")
