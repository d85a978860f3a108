"""Running heads of PDFs, and the titles at the top of pages that are none."""

import pytest

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at

NAMES = ("Ada", "Bert", "Cara", "Dora", "Emil", "Fay", "Gus", "Hal")
PROSE = (
    "went all the way to the right edge of the page, as lines of a book do, until on the way to the",
    "house there was nothing of note that had not been said before by those who had been there and",
)


def body(name: str, top: int = 700, *, ends: bool = True) -> list[str]:
    lines = [
        f"{name if ends else name.lower()} {PROSE[0]}",
        *(f"{PROSE[at % 2]}" for at in range(9)),
    ]
    lines += [f"saw what {name} had seen." if ends else f"saw what {name} had"]
    return [text_at(72, top - 12 * at, line) for at, line in enumerate(lines)]


def read(pages: list[list[str]]) -> tuple[list[tuple[str, str]], int]:
    """Return the pieces of a file, and how many characters of running heads it was told to have."""
    parsed = parse_pdf(pdf_of(pages), "F")
    texts = [(block.kind.name, parsed.text[block.start : block.end]) for block in parsed.blocks]
    return texts, sum(one.characters for one in parsed.dropped_content)


@pytest.mark.parametrize(("size", "font"), [(18, "F1"), (12, "F1"), (10, "F3")])
def test_titles_that_differ_in_their_number_alone_are_no_running_heads(
    size: int, font: str
) -> None:
    titles = [f"Lesson {number}" for number in range(1, len(NAMES) + 1)]
    pages = [
        [text_at(72, 730, title, size, font), *body(name)]
        for title, name in zip(titles, NAMES, strict=True)
    ]
    texts, gone = read(pages)
    assert [text for _, text in texts if text.startswith("Lesson")] == titles
    assert gone == 0
    if size > 10:
        assert [text for kind, text in texts if kind == "HEADING"] == titles


@pytest.mark.parametrize("step", [1, 2])
def test_bold_titles_over_pages_of_their_own_stay(step: int) -> None:
    pages = []
    for number, name in enumerate(NAMES, start=1):
        pages.append([text_at(72, 730, f"Lesson {number}", 10, "F3"), *body(name)])
        pages += [body(f"{name}a")] * (step - 1)
    assert sum(text.startswith("Lesson") for _, text in read(pages)[0]) == len(NAMES)


def head(number: int, words: str, y: int, size: int) -> list[str]:
    outer, inner = (540, 72) if number % 2 else (72, 400)
    return [text_at(outer, y, str(number), size), text_at(inner, y, words, size)]


@pytest.mark.parametrize("size", [9, 12])
@pytest.mark.parametrize("left_page", [770, 764, 758])
def test_heads_of_facing_pages_of_a_short_book_are_no_text(size: int, left_page: int) -> None:
    pages = [
        [
            *head(number, *(("Of Houses", 770) if number % 2 else ("A. Writer", left_page)), size),
            *body(name, ends=False),
        ]
        for number, name in enumerate(NAMES[:5], start=1)
    ]
    texts, gone = read(pages)
    assert {kind for kind, _ in texts} == {"PARAGRAPH"}
    assert not any("Writer" in text or "Of Houses" in text for _, text in texts)
    assert gone == 45


def test_large_heads_with_the_number_of_the_page_are_no_titles() -> None:
    pages = [
        [text_at(72, 770, f"A Short Report {number}", 12), *body(name, ends=False)]
        for number, name in enumerate(NAMES[:5], start=1)
    ]
    texts, gone = read(pages)
    assert {kind for kind, _ in texts} == {"PARAGRAPH"}
    assert gone > 0


@pytest.mark.parametrize(
    ("gap", "said"),
    [
        (12, "Section {} was checked by {}. on Monday."),
        (20, "Section {} was checked by {}. on Monday."),
        (12, "It was all signed."),
    ],
)
def test_sentences_that_end_pages_alike_in_step_with_their_lines_are_text(
    gap: int, said: str
) -> None:
    pages = []
    for number, name in enumerate(NAMES[:6], start=1):
        first, second = body(name, 750)[:6], body(f"{name}a", 750 - 5 * 12 - gap)[:6]
        last = text_at(72, 750 - 10 * 12 - 2 * gap, said.format(number, name[0]))
        pages.append([*first, *second, last])
    texts, gone = read(pages)
    assert gone == 0
    assert " ".join(text for _, text in texts).count(said[:3]) >= len(pages)


def test_feet_of_two_lines_with_a_gap_to_the_text_are_no_text() -> None:
    pages = [
        [
            *body(name, ends=False),
            text_at(72, 60 + 12, "A Report of the Society of Friends"),
            text_at(72, 60, f"Part of the whole, page {number}"),
        ]
        for number, name in enumerate(NAMES[:5], start=1)
    ]
    texts, gone = read(pages)
    assert gone > 0
    assert not any("Society" in text or "Part of" in text for _, text in texts)


def test_captions_at_the_top_of_pages_are_no_running_heads() -> None:
    captions = [f"Table {number}: Forces of {name}" for number, name in enumerate(NAMES, start=1)]
    pages = [
        [text_at(72, 760, "The Book"), text_at(150, 730, caption), *body(name)]
        for caption, name in zip(captions, NAMES, strict=True)
    ]
    texts, _ = read(pages)
    assert [text for kind, text in texts if kind == "CAPTION"] == captions
    assert "The Book" not in {text for _, text in texts}


def test_large_titles_of_slides_that_repeat_stay_where_they_are_new() -> None:
    titles = ["Forces of motors"] * 2 + ["Ranges of pistons"] * 2 + ["All that was seen"]
    pages = [
        [text_at(72, 730, title, 20), *body(name)]
        for title, name in zip(titles, NAMES, strict=False)
    ]
    texts = [text for _, text in read(pages)[0] if text in titles]
    assert texts == [*dict.fromkeys(titles)]


def test_a_title_at_the_top_of_a_page_ends_none_of_the_page_before() -> None:
    above = "Forces of the motors and the pistons in all of the works"
    pages = [[text_at(72, 730, above, 20)]]
    pages.append(
        [
            text_at(72, 730, "Ranges of pistons in most of the years that were seen", 20),
            *body("Bert"),
        ]
    )
    texts = [text for _, text in read(pages)[0]]
    assert above in texts
    assert "Ranges of pistons in most of the years that were seen" in texts


def test_large_running_heads_with_a_gap_are_no_titles_of_slides() -> None:
    sections = [name for name in NAMES[:4] for _ in range(2)]
    pages = [
        [text_at(72, 730, "Motors", 20), text_at(400, 730, section, 20), *body(name)]
        for section, name in zip(sections, NAMES, strict=True)
    ]
    assert not [text for _, text in read(pages)[0] if "Motors" in text]


@pytest.mark.parametrize("size", [11, 16])
@pytest.mark.parametrize("subject", ["", "Class "])
def test_a_large_title_over_the_table_of_each_page_stays(size: int, subject: str) -> None:
    title, pages = "Marks of the whole school", []
    for at, name in enumerate(NAMES[:5]):
        rows = [["Pupil", "Spring", "Autumn"], *([one, f"{at}4", f"{at}7"] for one in NAMES[:4])]
        top = 730 - 22 * bool(subject)
        page = [text_at(110, 740, title, size)]
        page += [text_at(110, 718, f"{subject}{name}", size)] if subject else []
        for row, cells in enumerate(rows):
            y = top - 30 - 18 * row
            page += [f"80 {y + 14} m 400 {y + 14} l S", f"80 {y - 4} m 400 {y - 4} l S"]
            page += [text_at(x, y, cell, 10) for x, cell in zip((90, 200, 310), cells, strict=True)]
            page += [f"{x} {y - 4} m {x} {y + 14} l S" for x in (80, 190, 300, 400)]
        pages.append([*page, *body(name, top - 150)])
    kept = [text for _, text in read(pages)[0] if title in text]
    assert len(kept) == (5 if size > 11 else 0)


def test_a_title_of_three_lines_over_the_table_of_each_page_stays_whole() -> None:
    title, pages = ["Common fund", "History of its duties", "in all of its years"], []
    for name in NAMES[:5]:
        page = [
            text_at(x, 740 - 18 * at, text, 16)
            for at, (x, text) in enumerate(zip((190, 160, 170), title, strict=True))
        ]
        for row in range(5):
            y = 664 - 18 * row
            page += [f"80 {y + 14} m 500 {y + 14} l S", f"80 {y - 4} m 500 {y - 4} l S"]
            page += [text_at(90, y, f"{name} {row}"), text_at(310, y, f"{row}4")]
            page += [f"{x} {y - 4} m {x} {y + 14} l S" for x in (80, 300, 500)]
        pages.append([*page, *body(name, 540)])
    whole = [text for _, text in read(pages)[0] if "History of its" in text]
    assert whole == [" ".join(title)] * 5


def test_a_title_that_ends_with_a_year_over_a_table_of_all_pages_stays_on_the_first() -> None:
    title = "Forces of all motors since 1975"
    pages = []
    for page in range(4):
        level = [f"60 {y} m 540 {y} l S" for y in range(712, 400, -16)]
        upright = [f"{x} {level[-1].split()[1]} m {x} 712 l S" for x in (60, 300, 540)]
        rows = [
            text_at(x, 700 - 16 * at, cell)
            for at in range(len(level) - 1)
            for x, cell in ((70, f"Motor {20 * page + at}"), (310, f"{at} N"))
        ]
        pages.append([text_at(70, 740, title, 18), *level, *upright, *rows])
    texts, _ = read(pages)
    assert [text for kind, text in texts if kind != "TABLE"] == [title]
    assert [kind for kind, _ in texts] == ["HEADING", "TABLE"]
