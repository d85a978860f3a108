"""A table of contents in a PDF: its entries are left out, and all else on its pages is text."""

import pytest

from services.ingest.model.book import ParsedText
from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at

PROSE = "The wheel of a mill turns as long as there is water in the race, and no longer than that."
TITLES = ("1. Wheels", "2. Stones", "3. Races of mills", "4. Millers")


def entry(at: int, title: str, y: int) -> str:
    return text_at(72, y, f"{title} {'.' * 60} {at + 1}")


def entries(top: int, titles: tuple[str, ...] = TITLES) -> list[str]:
    return [entry(at, title, top - 14 * at) for at, title in enumerate(titles)]


def chapters(titles: tuple[str, ...], top: int = 760) -> list[str]:
    lines = list[str]()
    for at, title in enumerate(titles):
        lines.append(text_at(72, top - 90 * at, title, 16))
        lines += [text_at(72, top - 90 * at - 24 - 12 * row, PROSE) for row in range(3)]
    return lines


def front(*, below: tuple[str, ...] = TITLES[:1]) -> list[str]:
    over = [text_at(200, 760, "The Mill Book", 23), text_at(230, 730, "Ada Wong", 12)]
    over += [text_at(240, 712, "Version 0.72"), text_at(72, 680, "Table of Contents", 16)]
    return [*over, *entries(660), *chapters(below, 560)]


def told(parsed: ParsedText) -> list[tuple[str, str, str]]:
    return [(one.kind, one.place, one.reason) for one in parsed.dropped_content]


def read(*pages: list[str]) -> ParsedText:
    return parse_pdf(pdf_of(list(pages)), "slug")


def test_a_title_page_that_has_the_contents_and_a_chapter_stays() -> None:
    parsed = read(front(), chapters(TITLES[1:]))
    assert parsed.title == "The Mill Book"
    for shown in ("Ada Wong", "Version 0.72", *TITLES):
        assert shown in parsed.text
    assert [section.path[-1] for section in parsed.sections][-4:] == [*TITLES]
    assert parsed.text.count(PROSE) == 12
    assert "...." not in parsed.text
    assert "Table of Contents" not in parsed.text
    assert told(parsed) == [("table of contents", "page 1", "the headings stand in the text")]


def test_contents_that_begin_a_page_of_much_text_are_left_out_by_their_name() -> None:
    parsed = read(front(below=TITLES))
    assert "...." not in parsed.text
    assert parsed.text.count(PROSE) == 12


def test_the_last_entries_may_stand_over_the_first_chapter() -> None:
    more = ("5. Sacks", "6. Flour")
    parsed = read(
        [text_at(72, 760, "Contents", 16), *entries(730)],
        [*entries(760, more), *chapters(TITLES[:3], 700)],
        chapters((*TITLES[3:], *more)),
    )
    assert "...." not in parsed.text
    assert parsed.text.count(PROSE) == 18
    assert [one[1] for one in told(parsed)] == ["page 1", "page 2"]


def test_entries_without_dots_and_those_of_two_lines_are_left_out() -> None:
    long = "5. Of the many ways to carry flour"
    lines = [
        text_at(72, 760, "Contents", 16),
        text_at(72, 732, "1. Wheels 1"),
        *(entry(at, title, 732 - 14 * at) for at, title in enumerate(TITLES) if at),
        text_at(72, 676, long),
        entry(5, "over a bridge", 662),
        entry(6, "6. Sacks", 648),
        text_at(72, 634, "7. Sieves 9"),
    ]
    parsed = read(
        lines, chapters(TITLES), chapters((f"{long} over a bridge", "6. Sacks", "7. Sieves"))
    )
    assert parsed.text.startswith("1. Wheels\n")
    assert parsed.text.count("Sieves") == parsed.text.count("over a bridge") == 1
    assert "...." not in parsed.text


def test_a_sentence_between_two_entries_stays() -> None:
    said = "This chapter says who built the first mill of the valley"
    lines = [text_at(72, 760, "Contents", 16), entry(0, TITLES[0], 732), text_at(72, 718, said)]
    lines += [entry(at, TITLES[at], 718 - 14 * at) for at in (1, 2, 3)]
    assert said in read(lines, chapters(TITLES)).text


def test_a_list_with_dots_whose_lines_stand_nowhere_else_is_no_contents() -> None:
    prices = entries(700, ("Rye", "Barley", "Oats", "Spelt", "Millet"))
    parsed = read(prices, chapters(TITLES))
    assert "Spelt" in parsed.text
    assert told(parsed) == []


def test_a_list_with_dots_below_the_contents_stays() -> None:
    prices = [entry(at, what, 560 - 14 * at) for at, what in enumerate(("Rye", "Barley"))]
    parsed = read([*entries(700), *prices], chapters(TITLES))
    assert "Barley" in parsed.text
    assert "Stones" not in parsed.text.split("Barley")[0]


@pytest.mark.parametrize("number", [1, 2])
def test_the_report_counts_the_titles_that_the_text_has_not(number: int) -> None:
    gone = ("8. Eels", "9. Otters")[:number]
    [(_, _, reason)] = told(read(entries(700, (TITLES[0], *gone, *TITLES[1:])), chapters(TITLES)))
    assert reason == f"all but {number} of the headings stand in the text"


def test_an_index_with_dots_goes_with_its_letters_and_lists_of_pages() -> None:
    words = ("race", "water", "wheel")
    lines = list[str]()
    for at, word in enumerate(words):
        lines.append(text_at(72, 700 - 40 * at, word[0].upper(), 14))
        lines.append(text_at(72, 680 - 40 * at, f"{word} {'.' * 60} {at + 1}, {at + 4}"))
    lines += [
        entry(3, "mill", 570),
        entry(4, "long", 556),
        entry(5, "there", 542),
        entry(6, "no", 528),
    ]
    parsed = read(chapters(TITLES), lines)
    assert "...." not in parsed.text
    assert "\nW\n" not in parsed.text
