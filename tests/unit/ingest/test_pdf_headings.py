"""Which lines of a PDF name a part of it, where no outline and no large letters say so."""

import pytest

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at

PROSE = "A paragraph of the book that goes from one edge of the page to the other, as most do."


def pieces(page: list[str]) -> list[tuple[str, str]]:
    around = [text_at(72, 760, "Valves", 18), text_at(72, 730, PROSE)]
    others = [line for top in range(100, 400, 60) for line in paragraph(top)]
    parsed = parse_pdf(pdf_of([[*around, *page, *others]]), "F")
    return [(block.kind.name, parsed.text[block.start : block.end]) for block in parsed.blocks][2:]


def paragraph(top: int, *, left: int = 72) -> list[str]:
    return [text_at(left, top - 12 * line, PROSE) for line in range(3)]


def test_a_bold_line_over_text_is_its_heading() -> None:
    page = [text_at(72, 690, "Relief valves", font="F3"), *paragraph(672)]
    assert pieces(page)[0] == ("HEADING", "Relief valves")


@pytest.mark.parametrize(
    "page",
    [
        [text_at(72, 690, "Relief valves"), *paragraph(672)],
        [text_at(72, 690, "Open it slowly.", font="F3"), *paragraph(672)],
        [text_at(72, 690, "relief valves", font="F3"), *paragraph(672)],
        [text_at(72, 690, "Relief valves", font="F3"), *paragraph(672, left=110)],
        [text_at(72, 690, "CHAPTER TWO", font="F3"), *paragraph(672)],
        [text_at(72, 719, "Relief valves", font="F3"), *paragraph(690)],
    ],
    ids=["plain", "sentence", "small", "term", "number", "no room above"],
)
def test_a_line_that_need_not_be_a_heading_is_none(page: list[str]) -> None:
    assert "HEADING" not in {kind for kind, _ in pieces(page)}


def test_bold_words_that_come_again_and_again_name_no_part() -> None:
    page: list[str] = []
    for top in (690, 600, 510):
        page += [text_at(72, top, "Note", font="F3"), *paragraph(top - 18)]
    assert "HEADING" not in {kind for kind, _ in pieces(page)}


def test_bold_lines_are_headings_of_an_extract_that_has_no_others() -> None:
    page = [text_at(72, 690, "Relief valves", font="F3"), *paragraph(672)]
    others = [line for top in range(100, 600, 60) for line in paragraph(top)]
    parsed = parse_pdf(pdf_of([[*page, *others]]), "F")
    found = [
        parsed.text[one.start : one.end] for one in parsed.blocks if one.kind.name == "HEADING"
    ]
    assert found == ["Relief valves"]
    assert [one.path[-1] for one in parsed.sections] == ["Relief valves"]


def test_a_number_below_the_text_of_its_page_is_no_heading() -> None:
    page = [text_at(72, 690, "Relief valves", 18), *paragraph(672), text_at(300, 40, "7", 18)]
    assert ("PARAGRAPH", "7") in pieces(page)


def test_a_front_page_of_many_sizes_takes_no_level_from_the_chapters() -> None:
    front = [
        text_at(72, 740 - 60 * at, f"Line of {word} front", 48 - 4 * at)
        for at, word in enumerate(("the", "its", "this", "that", "our", "your", "any"))
    ]
    chapters = [
        [text_at(72, 740, f"{at} {name}", 15), *paragraph(700), *paragraph(640)]
        for at, name in enumerate(("Mounting", "Wiring", "Service", "Parts"), start=1)
    ]
    parsed = parse_pdf(pdf_of([front, *chapters]), "F")
    headings = [
        parsed.text[block.start : block.end]
        for block in parsed.blocks
        if block.kind.name == "HEADING" and block.page > 1
    ]
    assert headings == ["1 Mounting", "2 Wiring", "3 Service", "4 Parts"]


def test_a_numbered_bold_line_may_end_with_a_colon() -> None:
    page = [text_at(72, 690, "2.1.3 The clock:", font="F3"), *paragraph(672)]
    assert pieces(page)[0] == ("HEADING", "2.1.3 The clock:")
    page = [text_at(72, 690, "For the clock:", font="F3"), *paragraph(672)]
    assert pieces(page)[0] != ("HEADING", "For the clock:")


def test_a_numbered_bold_line_may_stand_in_the_middle_over_text_that_begins_farther_in() -> None:
    text = [text_at(107, 672, PROSE[:70]), text_at(72, 660, PROSE), text_at(72, 648, PROSE)]
    page = [text_at(180, 690, "1.2. What the data show", font="F3"), *text]
    assert pieces(page)[0] == ("HEADING", "1.2. What the data show")
    page = [text_at(180, 690, "What the data show", font="F3"), *text]
    assert pieces(page)[0] != ("HEADING", "What the data show")


def test_a_numbered_note_in_bold_stands_over_text_that_is_set_in() -> None:
    page = [text_at(72, 690, "Note 21. Spare valves", font="F3"), *paragraph(672, left=110)]
    assert pieces(page)[0] == ("HEADING", "Note 21. Spare valves")


@pytest.mark.parametrize("title", ["(a) Relief valves", "1) Relief valves"])
def test_a_bold_line_with_a_letter_or_number_as_of_a_list_is_a_heading(title: str) -> None:
    page = [text_at(72, 690, title, font="F3"), *paragraph(672)]
    assert pieces(page)[0] == ("HEADING", title)


def test_a_bold_item_of_a_list_is_no_heading() -> None:
    page = [text_at(72, 690, "- Relief valves", font="F3"), *paragraph(672)]
    assert "HEADING" not in {kind for kind, _ in pieces(page)}


@pytest.mark.parametrize("title", ["The store of forces", "2.6. The store of forces"])
def test_a_slanted_line_apart_from_its_text_is_a_heading(title: str) -> None:
    page = [text_at(72, 690, title, font="F4"), *paragraph(666)]
    assert pieces(page)[0] == ("HEADING", title)


@pytest.mark.parametrize(
    "page",
    [
        [text_at(72, 690, "The store of forces", font="F4"), *paragraph(678)],
        [text_at(72, 690, "The store fills slowly.", font="F4"), *paragraph(666)],
        [text_at(72, 690, "the store of forces", font="F4"), *paragraph(666)],
        [text_at(72, 690, "The store of forces", font="F4"), text_at(72, 666, PROSE, font="F4")],
        [text_at(72, 690, "Table 4 The store", font="F4"), *paragraph(666)],
        [text_at(72, 690, "The store of forces", font="F4"), *paragraph(666, left=110)],
    ],
    ids=["in step", "sentence", "small", "over slanted", "caption", "term"],
)
def test_a_slanted_line_that_need_not_be_a_heading_is_none(page: list[str]) -> None:
    assert "HEADING" not in {kind for kind, _ in pieces(page)}


def test_slanted_titles_are_under_smaller_bold_ones() -> None:
    page = [text_at(72, 690, "Relief valves", font="F3"), *paragraph(672)]
    page += [text_at(72, 600, "Of steam", 10.6, "F4"), *paragraph(576)]
    parsed = parse_pdf(
        pdf_of([[text_at(72, 760, "Valves", 18), text_at(72, 730, PROSE), *page]]), "F"
    )
    assert parsed.sections[-1].path[-2:] == ("Relief valves", "Of steam")


def test_bold_lines_that_count_sections_are_headings_where_many_lines_are_bold() -> None:
    page: list[str] = []
    heads = ["4. Comparison", "4.1. Results", "Open it", "Close it", "4.2. Limits"]
    for at, text in enumerate(heads):
        page += [text_at(72, 740 - 60 * at, text, font="F3"), text_at(72, 720 - 60 * at, PROSE)]
    parsed = parse_pdf(pdf_of([page]), "F")
    assert [one.path[-1] for one in parsed.sections] == [
        "4. Comparison",
        "4.1. Results",
        "4.2. Limits",
    ]


def test_a_counted_title_in_capitals_is_over_the_bold_lines_below_it() -> None:
    page = [text_at(180, 700, "NOTE 4: FORCES OF VALVES"), *paragraph(672)]
    page += [text_at(72, 610, "Relief valves", font="F3"), *paragraph(592)]
    others = [line for top in range(100, 540, 60) for line in paragraph(top)]
    parsed = parse_pdf(pdf_of([[text_at(72, 760, PROSE), *page, *others]]), "F")
    assert parsed.sections[-1].path[-2:] == ("NOTE 4: FORCES OF VALVES", "Relief valves")


def test_titles_that_each_numbered_one_of_their_size_has_are_parts_of_it() -> None:
    pages = []
    for at, name in enumerate(("Bread", "Rolls", "Cakes"), start=1):
        page = [text_at(72, 760, f"1.{at} {name}", 15), text_at(72, 700, "Method", 15)]
        pages.append([*page, *paragraph(670), *paragraph(600)])
    parsed = parse_pdf(pdf_of(pages), "F")
    assert parsed.sections[-1].path[-2:] == ("1.3 Cakes", "Method")


def test_a_bold_line_over_a_paragraph_whose_first_line_is_set_in_is_its_heading() -> None:
    page = [text_at(72, 690, "Relief valves", font="F3"), text_at(100, 672, PROSE[:70])]
    page += [text_at(72, 672 - 12 * at, PROSE) for at in (1, 2)]
    assert pieces(page)[0] == ("HEADING", "Relief valves")


def test_a_bold_line_over_one_line_that_is_set_in_is_a_heading_where_the_next_are_not() -> None:
    page = [text_at(72, 690, "Relief valves", font="F3"), text_at(100, 672, PROSE[:60])]
    page += [text_at(100, 648, PROSE[:70]), text_at(72, 636, PROSE), text_at(72, 624, PROSE)]
    assert pieces(page)[0] == ("HEADING", "Relief valves")


def test_a_bold_line_over_text_that_is_set_in_is_a_heading_beside_many_slanted_lines() -> None:
    page = [text_at(72, 690, "Relief valves", font="F3"), text_at(100, 672, PROSE[:60])]
    page += [text_at(72, 660, PROSE), text_at(72, 648, PROSE)]
    for at, name in enumerate(("Of steam", "Of oil", "Of air", "Of gas")):
        page += [text_at(72, 600 - 90 * at, name, font="F4"), *paragraph(576 - 90 * at)]
    heads = [text for kind, text in pieces(page) if kind == "HEADING"]
    assert heads == ["Relief valves"]


def test_a_counted_title_in_bold_may_end_as_a_sentence_does() -> None:
    page = [text_at(72, 690, "Item 1A. Spare valves.", font="F3"), *paragraph(672)]
    assert pieces(page)[0] == ("HEADING", "Item 1A. Spare valves.")


def test_bold_lines_behind_the_front_are_headings_before_any_other() -> None:
    front = [text_at(72, 690, "Printed in Leeds", font="F3"), *paragraph(672)]
    page = [text_at(72, 690, "Relief valves", font="F3"), *paragraph(672)]
    last = [text_at(72, 760, "Pumps", 18), *paragraph(672)]
    back = [text_at(72, 690, "Second printing", font="F3"), *paragraph(672)]
    others = [line for top in range(100, 600, 60) for line in paragraph(top)]
    parsed = parse_pdf(pdf_of([[*one, *others] for one in (front, back, page, last)]), "F")
    found = [parsed.text[one.start : one.end] for one in parsed.blocks]
    kinds = dict(zip(found, (one.kind.name for one in parsed.blocks), strict=True))
    assert "HEADING" not in {kinds["Printed in Leeds"], kinds["Second printing"]}
    assert kinds["Relief valves"] == kinds["Pumps"] == "HEADING"


def test_the_few_bold_lines_of_a_short_text_are_headings() -> None:
    page = []
    for at, name in enumerate(("Relief valves", "Check valves", "Gate valves")):
        page += [text_at(72, 690 - 90 * at, name, font="F3"), *paragraph(672 - 90 * at, left=72)]
    parsed = parse_pdf(pdf_of([page]), "F")
    assert [one.kind.name for one in parsed.blocks].count("HEADING") == 3


@pytest.mark.parametrize(("left", "right"), [(72, 140), (82, 140), (72, 110), (72, 500)])
def test_a_line_that_is_underlined_but_for_its_number_is_a_heading(left: int, right: int) -> None:
    title = text_at(72, 690, "A. Relief valves")
    page = [title, f"{left} 688 m {right} 688 l S", *paragraph(664, left=96)]
    assert ("HEADING" in {kind for kind, _ in pieces(page)}) is (right == 140)
