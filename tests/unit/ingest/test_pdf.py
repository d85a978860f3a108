"""PDF: pages, paragraphs and headings are put together from lines at their places."""

import io
import random

import pytest

from libs.errors import InvalidInput
from libs.profiles import Chunking
from services.ingest.fetch import fetch_source
from services.ingest.model.book import ParsedText, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.parsers.archive import Limits
from services.ingest.parsers.pdf import parse_pdf
from services.ingest.parsers.pdf.accents import place_accents
from services.ingest.parsers.pdf.flow import Measures
from services.ingest.parsers.pdf.line import Line, Sign
from services.ingest.parsers.pdf.notes import split_notes
from services.ingest.parsers.pdf.pages import _usual
from services.ingest.plan import plan_book
from services.ingest.split import split_document
from tests.support.ingest_fakes import LetterTokens
from tests.support.locked_pdfs import AES_128, AES_256, LOCKED
from tests.support.pdf_files import pdf_of, text_at

LINES = (
    "The first line of a paragraph which goes all the way to the right edge of the page and to the",
    "second one, in which nothing of note is said but which is long enough all the same, up to the",
    "third one, that ends it.",
)


NAMES = ("", "Alpha starts here.", "Beta follows.", "Gamma is third.", "Delta ends.")


def block_of(
    lines: tuple[str, ...] | list[str], top: int, *, x: int = 72, size: int = 10, font: str = "F1"
) -> list[str]:
    return [text_at(x, top - 12 * number, line, size, font) for number, line in enumerate(lines)]


def pieces(parsed: ParsedText) -> list[tuple[str, int, str]]:
    return [
        (block.kind.name, block.page, parsed.text[block.start : block.end])
        for block in parsed.blocks
    ]


def book_pages(count: int) -> list[list[str]]:
    return [
        [
            text_at(72, 760, "A Book, Release 1"),
            text_at(72, 700, f"{number}.1 Section {'abcdefgh'[number]}", 16),
            *block_of([*LINES, NAMES[number]], 670),
            text_at(300, 40, f"{number}"),
        ]
        for number in range(1, count + 1)
    ]


def test_lines_are_joined_and_running_heads_and_page_numbers_are_dropped() -> None:
    parsed = parse_pdf(pdf_of(book_pages(4), title="A Book"), "F")
    assert pieces(parsed)[:4] == [
        ("HEADING", 1, "1.1 Section b"),
        ("PARAGRAPH", 1, " ".join(LINES)),
        ("PARAGRAPH", 1, "Alpha starts here."),
        ("HEADING", 2, "2.1 Section c"),
    ]
    assert parsed.title == "A Book"
    assert "Release" not in parsed.text


@pytest.mark.parametrize("size", [14, 18])
@pytest.mark.parametrize("x", [72, 400])
def test_running_heads_in_large_letters_that_name_the_part_are_no_sections(
    x: int, size: int
) -> None:
    parts = ("Strategy", "Risks", "Accounts", "Outlook")
    things = ("ships", "plans", "debts", "mines", "farms", "roads", "banks", "wells")
    pages = [
        [
            text_at(x, 765, parts[number // 2], size),
            *([] if number % 2 else [text_at(72, 700, f"What became of {thing}", 16)]),
            *block_of([*LINES, f"All the {thing} are named here."], 620),
        ]
        for number, thing in enumerate(things)
    ]
    parsed = parse_pdf(pdf_of(pages), "F")
    headings = [text for kind, _, text in pieces(parsed) if kind == "HEADING"]
    assert headings == [f"What became of {thing}" for thing in things[::2]]
    [edge] = parsed.dropped_content
    assert edge.kind == "running head or foot"


def test_titles_and_labels_that_begin_pages_now_and_then_are_no_running_heads() -> None:
    tops = {
        number: [text_at(72, 700, "Note")]
        if number % 12
        else [text_at(72, 704, f"{number // 12 + 1}.1 On {NAMES[number // 12 + 1]}", 14)]
        for number in range(0, 48, 6)
    }
    pages = [
        [*tops.get(number, []), *block_of([f"{number} {LINES[0]}", *LINES[1:]], 640 - 7 * number)]
        for number in range(48)
    ]
    texts = [text for _, _, text in pieces(parse_pdf(pdf_of(pages), "F"))]
    assert texts.count("Note") == 4
    assert [text[:6] for text in texts if ".1 On " in text] == [f"{n}.1 On" for n in range(1, 5)]


def test_the_outline_names_the_headings() -> None:
    page = [text_at(72, 700, "Chapter 4"), text_at(72, 670, "Same size"), *block_of(LINES, 640)]
    parsed = parse_pdf(pdf_of([page], [("Same size", 1)]), "Book")
    assert [section.path for section in parsed.sections] == [("Book", "Chapter 4 Same size")]


def test_a_paragraph_goes_on_over_a_page_and_keeps_the_page_it_starts_on() -> None:
    parsed = parse_pdf(pdf_of([block_of(LINES[:2], 100), block_of(LINES[2:], 700)]), "F")
    assert pieces(parsed) == [("PARAGRAPH", 1, " ".join(LINES))]


def test_a_chunk_knows_the_page_of_every_character_in_it() -> None:
    [placed] = plan_book(
        Source([SourceFile("b.pdf", pdf_of([block_of(LINES[:2], 100), block_of(LINES[2:], 700)]))])
    ).documents
    document, _ = parse_document(placed)
    sizes = Chunking("paragraph", min_tokens=10, max_tokens=400, overlap_tokens=0)
    [chunk] = split_document("b", "en", document, sizes, LetterTokens())
    assert chunk.page == 1
    assert chunk.page_breaks == ((chunk.body.index(LINES[2]), 2),)
    small = Chunking("fixed", min_tokens=1, max_tokens=5, overlap_tokens=0)
    ends = split_document("b", "en", document, small, LetterTokens())
    assert (ends[0].page, ends[-1].page, ends[-1].page_breaks) == (1, 2, ())


def test_code_that_goes_on_overleaf_is_one_block_without_the_words_that_say_so() -> None:
    first = [*block_of(["for x in y:", "    if x:"], 100, font="F2")]
    first.append(text_at(400, 60, "(continues on next page)", 8))
    second = [text_at(400, 760, "(continued from previous page)", 8)]
    second += block_of(["        go()"], 740, font="F2")
    assert pieces(parse_pdf(pdf_of([[*block_of(LINES, 700), *first], second]), "F"))[1:] == [
        ("CODE", 1, "for x in y:\n    if x:\n        go()")
    ]


def test_a_quote_that_tex_sets_as_a_grave_stands_where_it_is_seen() -> None:
    a_grave: Sign = ("\u0300", 100.0, 104.0, 0.0, 10.0, ())
    signs: list[Sign] = [
        (letter, 80.0 + 10 * n, 88.0 + 10 * n, 0.0, 10.0, ()) for n, letter in enumerate("a bc")
    ]
    placed = place_accents([*signs, (" ", 120.0, 120.0, 0.0, 10.0, ()), a_grave])
    assert "".join(sign[0] for sign in placed) == "a `bc "
    bracket: list[Sign] = [
        *(("(", 92.0, 99.5, 0.0, 10.0, ()), (" ", 99.5, 104.0, 0.0, 10.0, ())),
        *(signs[2], (" ", 0, 0, 0, 0, ()), a_grave),
    ]
    assert "".join(sign[0] for sign in place_accents(bracket)) == "(`b "


def test_an_address_or_a_word_that_is_broken_holds_its_lines_together() -> None:
    lines = ["See the guide (https:", "//example.org/a/b) for the whole of it."]
    page = [
        *block_of(LINES, 700),
        text_at(72, 640, lines[0]),
        text_at(72, 628, lines[1], 10, "F2"),
    ]
    assert pieces(parse_pdf(pdf_of([page]), "F"))[1:] == [("PARAGRAPH", 1, "".join(lines))]


ROWS = [["Kind", "Force"], ["Motor", "3 N"], ["Piston", "80 N"]]


def test_an_address_in_another_font_does_not_end_the_paragraph() -> None:
    address = "https://example.org/a/rather/long/address/that/takes/most/of/the/line"
    page = [
        *block_of(LINES[:2], 700),
        text_at(72, 676, "stands at", 10),
        text_at(118, 676, address, 9, "F2"),
        *block_of([*LINES[1:], "Here is the next."], 664),
    ]
    parsed = parse_pdf(pdf_of([page]), "F")
    whole = " ".join([*LINES[:2], "stands at", address, *LINES[1:]])
    assert pieces(parsed) == [("PARAGRAPH", 1, whole), ("PARAGRAPH", 1, "Here is the next.")]


def test_lines_that_hang_under_a_term_are_its_paragraph() -> None:
    page = [*block_of(LINES[:1], 700), *block_of([*LINES[1:]], 688, x=92)]
    page += block_of(["Next comes a paragraph."], 640)
    parsed = parse_pdf(pdf_of([page]), "F")
    assert pieces(parsed) == [
        ("PARAGRAPH", 1, " ".join(LINES)),
        ("PARAGRAPH", 1, "Next comes a paragraph."),
    ]


def cells_at(rows: list[list[str]], top: int, *, step: int = 20) -> list[str]:
    return [
        text_at(x, top - step * number + 6, cell)
        for number, row in enumerate(rows, start=1)
        for x, cell in zip((80, 240), row, strict=True)
    ]


def grid_of(rows: list[list[str]], top: int, *, step: int = 20) -> list[str]:
    """Draw a table with a line around each cell, by lines and by rectangles."""
    bottom = top - step * len(rows)
    lines = [f"72 {top - step * n} m 400 {top - step * n} l S" for n in range(len(rows) + 1)]
    boxes = [f"72 {bottom} 150 {top - bottom} re S", f"222 {bottom} 178 {top - bottom} re S"]
    return [*lines, *boxes, *cells_at(rows, top, step=step)]


def test_a_table_is_one_block_with_its_header_and_a_line_for_each_row() -> None:
    page = [*block_of(LINES, 760), *grid_of(ROWS, 700), *block_of(LINES, 560)]
    text = " ".join(LINES)
    assert pieces(parse_pdf(pdf_of([page]), "F")) == [
        ("PARAGRAPH", 1, text),
        ("TABLE", 1, "Kind | Force\nMotor | 3 N\nPiston | 80 N"),
        ("PARAGRAPH", 1, text),
    ]


def test_a_cell_of_several_lines_is_one_cell() -> None:
    page = [*grid_of([ROWS[0], ["", ""], ROWS[2]], 700, step=40), text_at(80, 646, "Motor of the")]
    page += [text_at(80, 634, "second kind"), text_at(240, 646, "3 N")]
    [(_, _, text)] = pieces(parse_pdf(pdf_of([page]), "F"))
    assert text == "Kind | Force\nMotor of the second kind | 3 N\nPiston | 80 N"


@pytest.mark.parametrize("letters", [66, 70, 72, 74], ids=["beside", "near", "touching", "over"])
def test_a_word_that_is_wider_than_its_column_stays_whole(letters: int) -> None:
    # An i is 2.2 points wide: the line between the columns is 142 points away, the next text 160.
    wide = "i" * letters
    page = grid_of([ROWS[0], [wide, "3 N"], ROWS[2]], 700)
    [(_, _, text)] = pieces(parse_pdf(pdf_of([page]), "F"))
    assert text == f"Kind | Force\n{wide} | 3 N\nPiston | 80 N"


def test_code_that_ends_a_page_goes_on_at_the_top_of_the_next() -> None:
    above = [*block_of(LINES, 760), *block_of(["make build"], 600, font="F2")]
    below = [*block_of(["make test"], 760, font="F2"), *block_of(LINES, 700)]
    parsed = parse_pdf(pdf_of([above, below]), "F")
    assert pieces(parsed)[1] == ("CODE", 1, "make build\nmake test")
    apart = parse_pdf(pdf_of([[*above, text_at(72, 560, "That was it.")], below]), "F")
    assert ("CODE", 2, "make test") in pieces(apart)


def test_a_frame_around_a_table_is_no_column_of_it() -> None:
    frame = [f"{x} 640 m {x} 700 l S" for x in (52, 540)]
    rows = [f"52 {y} m 540 {y} l S" for y in (640, 660, 680, 700)]
    bare = parse_pdf(pdf_of([grid_of(ROWS, 700)]), "F")
    framed = parse_pdf(pdf_of([[*grid_of(ROWS, 700), *frame, *rows]]), "F")
    assert pieces(framed) == pieces(bare)


def test_a_table_between_three_lines_takes_its_columns_from_the_text() -> None:
    lines = [f"72 {y} m 400 {y} l S" for y in (700, 680, 620)]
    page = [*block_of(LINES, 760), *lines, *cells_at(ROWS, 700), text_at(240, 624, "or more")]
    page += block_of(LINES, 560)
    assert pieces(parse_pdf(pdf_of([page]), "F"))[1:2] == [
        ("TABLE", 1, "Kind | Force\nMotor | 3 N\nPiston | 80 N or more")
    ]


def test_a_table_goes_on_overleaf_and_shows_its_repeated_header_once() -> None:
    second = [ROWS[0], ["Spring", "1 N"], ["Magnet", "2 N"]]
    pages = [[*block_of(LINES, 760), *grid_of(ROWS, 100)], grid_of(second, 760)]
    [_, (kind, page, text)] = pieces(parse_pdf(pdf_of(pages), "F"))
    assert (kind, page) == ("TABLE", 1)
    assert text == "Kind | Force\nMotor | 3 N\nPiston | 80 N\nSpring | 1 N\nMagnet | 2 N"


def cut_grid_of(rows: list[list[str]], top: int, *, ends: str = "") -> list[str]:
    """Draw a table that goes on from another page: no line is over its first row."""
    bottom = top - 20 * len(rows)
    lines = [f"72 {top - 20 * n} m 400 {top - 20 * n} l S" for n in range(1, len(rows) + 1)]
    ends = ends or f"{top} {top} {top}"
    upright = [
        f"{x} {bottom} m {x} {end} l S" for x, end in zip((72, 222, 400), ends.split(), strict=True)
    ]
    return [*lines, *upright, *cells_at(rows, top)]


@pytest.mark.parametrize("more", [[["Spring", "1 N"]], [["Spring", "1 N"], ["Magnet", "2 N"]]])
def test_rows_of_a_table_that_was_cut_between_pages_belong_to_it(more: list[list[str]]) -> None:
    pages = [[*block_of(LINES, 760), *grid_of(ROWS, 100)], [*cut_grid_of(more, 760)]]
    pages[1] += block_of(LINES, 600)
    [_, (kind, page, text), _] = pieces(parse_pdf(pdf_of(pages), "F"))
    assert (kind, page) == ("TABLE", 1)
    assert text.split("\n")[3:] == [" | ".join(row) for row in more]


def test_a_table_whose_first_row_has_no_line_above_has_that_row() -> None:
    page = [*cut_grid_of(ROWS, 700), *block_of(LINES, 560)]
    assert (
        pieces(parse_pdf(pdf_of([page]), "F"))[0][2] == "Kind | Force\nMotor | 3 N\nPiston | 80 N"
    )
    uneven = [*cut_grid_of(ROWS, 700, ends="720 700 680"), *block_of(LINES, 560)]
    assert pieces(parse_pdf(pdf_of([uneven]), "F"))[0][2] != "Kind | Force"


def test_a_row_alone_in_its_frame_belongs_to_the_table_of_the_page_before() -> None:
    second = [*grid_of([["Spring", "1 N"]], 760), *block_of(LINES, 600)]
    pages = [[*block_of(LINES, 760), *grid_of(ROWS, 100)], second]
    [_, (_, _, text), _] = pieces(parse_pdf(pdf_of(pages), "F"))
    assert text == "Kind | Force\nMotor | 3 N\nPiston | 80 N\nSpring | 1 N"


def test_code_in_a_frame_beside_the_numbers_of_its_lines_is_no_row() -> None:
    code = [text_at(80, 680 - 12 * at, f"{at + 1}") for at in range(3)]
    code += [text_at(240, 680 - 12 * at, "print(1)", font="F2") for at in range(3)]
    parsed = parse_pdf(pdf_of([[*grid_of([["", ""]], 700, step=60), *code]]), "F")
    assert "TABLE" not in {kind for kind, _, _ in pieces(parsed)}


def three_columns_of(rows: list[list[str]], top: int) -> list[str]:
    foot = top - 20 * len(rows)
    lines = [f"72 {top - 20 * n} m 402 {top - 20 * n} l S" for n in range(len(rows) + 1)]
    lines += [f"{x} {foot} m {x} {top} l S" for x in (72, 182, 292, 402)]
    cells = [
        text_at(80 + 110 * at, top - 20 * n - 14, cell)
        for n, row in enumerate(rows)
        for at, cell in enumerate(row)
    ]
    return [*lines, *cells]


@pytest.mark.parametrize(
    ("row", "shown"), [(["", "Steel", "1 N"], " | Steel | 1 N"), (["Spring", "Steel", ""], "Steel")]
)
def test_rows_overleaf_stay_in_a_table_one_column_of_which_is_empty_there(
    row: list[str], shown: str
) -> None:
    first = [["Kind", "Of", "Force"], ["Motor", "Iron", "3 N"], ["Piston", "Iron", "80 N"]]
    pages = [
        [*block_of(LINES, 760), *three_columns_of(first, 100)],
        three_columns_of([row] * 2, 760),
    ]
    [_, (kind, _, text)] = pieces(parse_pdf(pdf_of(pages), "F"))
    assert kind == "TABLE"
    assert text.split("\n")[-1].endswith(shown)


@pytest.mark.parametrize("font", ["F1", "F2"])
def test_the_number_of_an_empty_line_of_a_program_begins_no_footnote(font: str) -> None:
    code = [("1", "x = 5"), ("2", ""), ("3", "print(x)")]
    small = [
        text_at(x, 90 - 8 * at, one, 7, font=name)
        for at, words in enumerate(code)
        for x, name, one in zip((72, 80), (font, "F2"), words, strict=True)
    ]
    parsed = parse_pdf(pdf_of([[*block_of(LINES, 700), *small]]), "F")
    assert "FOOTNOTE" not in {kind for kind, _, _ in pieces(parsed)}


def test_a_raised_number_behind_the_text_of_a_line_begins_no_footnote() -> None:
    code = [Line("make build", 1, 44, 207, 90, 9), Line("[1]", 1, 229, 255, 90, 9, note="1")]
    lines = [Line(LINES[0], 1, 44, 500, 110, 10), *code, Line("make test", 1, 44, 186, 80, 9)]
    assert split_notes(lines, Measures(10, 12)) == (lines, [])


def test_frames_around_text_and_lines_between_paragraphs_are_no_tables() -> None:
    frames = ["60 600 480 140 re S", "60 400 480 140 re S"]
    lines = [f"60 {y} m 540 {y} l S" for y in (780, 590, 300)]
    page = [*frames, *lines, *block_of(LINES, 720), *block_of(LINES, 520), *block_of(LINES, 290)]
    assert {kind for kind, _, _ in pieces(parse_pdf(pdf_of([page]), "F"))} == {"PARAGRAPH"}


def test_captions_stand_alone() -> None:
    page = [*block_of(LINES, 700), text_at(200, 640, "Figure 2.1: A robot"), *block_of(LINES, 610)]
    assert ("CAPTION", 1, "Figure 2.1: A robot") in pieces(parse_pdf(pdf_of([page]), "F"))


def test_the_index_is_left_out_and_told() -> None:
    index = [text_at(72, 760, "Index", 16), *block_of([f"word{n}, {n}" for n in range(20)], 700)]
    parsed = parse_pdf(pdf_of([block_of(LINES, 700), index]), "F")
    assert "word3" not in parsed.text
    assert parsed.warnings == ("the index (page 2) was left out: it only names pages",)


def test_items_and_code_keep_their_kinds() -> None:
    page = [
        *block_of(LINES, 700),
        text_at(72, 640, "1. An item"),
        text_at(72, 628, "2. Another"),
        *block_of(["if x:", "    go()"], 600, font="F2"),
    ]
    assert pieces(parse_pdf(pdf_of([page]), "F"))[1:] == [
        ("LIST_ITEM", 1, "An item"),
        ("LIST_ITEM", 1, "Another"),
        ("CODE", 1, "if x:\n    go()"),
    ]


def test_two_columns_are_read_one_after_the_other() -> None:
    page = []
    for number in range(12):
        for x, side in ((50, "left"), (320, "right")):
            text = f"{side}{number} has words enough to fill one column"
            page.append(text_at(x, 700 - 12 * number, text))
    words = parse_pdf(pdf_of([page]), "F").text.split()
    sides = [word.rstrip("0123456789") for word in words if word[-1].isdigit()]
    assert sides == ["left"] * 12 + ["right"] * 12


def test_a_page_without_text_is_named() -> None:
    scan = ["q 600 0 0 800 0 0 cm /Im Do Q"]
    parsed = parse_pdf(pdf_of([block_of(LINES, 700), scan, []]), "F")
    assert parsed.warnings == ("page 2 has no text layer and was left out",)
    assert "no page has a text layer" in parse_pdf(pdf_of([scan]), "F").warnings[0]


def test_a_raised_number_is_the_mark_of_a_footnote_below() -> None:
    page = [
        *block_of(LINES, 700),
        text_at(72, 640, "A claim"),
        text_at(110, 644, "3", 6),
        *block_of(LINES, 600),
        text_at(72, 82, "3", 5),
        text_at(76, 80, "The note.", 8),
    ]
    parsed = parse_pdf(pdf_of([page]), "F")
    assert ("FOOTNOTE", 1, "The note.") in pieces(parsed)
    assert ("PARAGRAPH", 1, "A claim") in pieces(parsed)


def test_the_mark_of_a_footnote_may_come_as_a_line_of_its_own() -> None:
    page = [
        *block_of(LINES, 700),
        text_at(72, 664, "2", 5),
        text_at(72, 620, "More of it.", 10),
        text_at(72, 82, "2", 5),
        text_at(76, 80, "The note.", 8),
    ]
    assert pieces(parse_pdf(pdf_of([page]), "F")) == [
        ("PARAGRAPH", 1, " ".join(LINES)),
        ("PARAGRAPH", 1, "More of it."),
        ("FOOTNOTE", 1, "The note."),
    ]


def test_the_end_of_a_sentence_is_no_paragraph() -> None:
    page = [*block_of([LINES[0], "a package is freely"], 700), text_at(72, 676, ".", 9, "F2")]
    [(_, _, text)] = pieces(parse_pdf(pdf_of([page]), "F"))
    assert text.endswith("freely.")


TITLES = ("The first line", "all the way", "right edge", "nothing of note", "third one")
ENTRIES = [
    text_at(72, 700 - 14 * at, f"{at + 1} {title} . . . . . . . {at}")
    for at, title in enumerate(TITLES)
]
"""Of contents, whose titles stand in the text that `LINES` are."""


def test_a_contents_page_is_left_out_and_told() -> None:
    parsed = parse_pdf(pdf_of([ENTRIES, block_of(LINES, 700)]), "F")
    assert pieces(parsed) == [("PARAGRAPH", 2, " ".join(LINES))]
    assert "page 1" in parsed.warnings[0]


def test_the_last_page_of_the_contents_may_have_few_entries() -> None:
    index = [text_at(72, 700, "List of Tables", 16), text_at(72, 680, "note . . . . . . . 131")]
    parsed = parse_pdf(pdf_of([ENTRIES, index, block_of(LINES, 700)]), "F")
    assert pieces(parsed) == [("PARAGRAPH", 3, " ".join(LINES))]
    alone = parse_pdf(pdf_of([index, block_of(LINES, 700)]), "F")
    assert "note . ." in alone.text


@pytest.mark.parametrize("data", [AES_128, AES_256])
def test_an_encrypted_file_with_an_empty_password_is_read(data: bytes) -> None:
    assert pieces(parse_pdf(data, "F")) == [("PARAGRAPH", 1, "The locked page says this.")]


def test_a_file_that_is_locked_with_a_password_says_so() -> None:
    with pytest.raises(InvalidInput, match="locked with a password"):
        parse_pdf(LOCKED, "F")


def test_a_damaged_file_is_refused_by_name() -> None:
    whole = pdf_of(book_pages(2))
    for data in (b"%PDF-1.5 nothing", whole[:200]):
        source = fetch_source("b.pdf", io.BytesIO(data), Limits())
        with pytest.raises(InvalidInput, match=r'"b.pdf": it is damaged'):
            parse_document(plan_book(source).documents[0])
    with pytest.raises(InvalidInput, match=r'"b.pdf" is no PDF'):
        fetch_source("b.pdf", io.BytesIO(b"hello"), Limits())


@pytest.mark.fault("G4")
def test_broken_files_end_with_a_document_or_a_refusal() -> None:
    whole = pdf_of(book_pages(3), [("Section b", 1)])
    chance = random.Random(4)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(30):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            parsed = parse_pdf(bytes(data), "F")
        except InvalidInput:
            continue
        assert all(block.end <= len(parsed.text) for block in parsed.blocks)


def test_a_chunk_has_what_the_file_calls_its_pages() -> None:
    data = pdf_of(book_pages(4))
    labels = b"/Type/Catalog/PageLabels<</Nums[0<</S/r>>2<</S/D>>]>>"
    parsed = parse_pdf(data.replace(b"/Type/Catalog", labels), "F")
    assert parsed.page_labels == {1: "i", 2: "ii", 3: "1", 4: "2"}
    same = labels.replace(b"/S/r>>2<</S/D", b"/S/D>>2<</S/D/St 3")
    assert parse_pdf(data.replace(b"/Type/Catalog", same), "F").page_labels == {}
    assert parse_pdf(data, "F").page_labels == {}


def test_a_pdf_is_a_source() -> None:
    data = pdf_of(book_pages(1))
    assert SourceFile("b.pdf", data) == fetch_source("b.pdf", io.BytesIO(data), Limits()).files[0]


def test_a_letter_by_another_name_is_the_usual_one() -> None:
    # A Greek question mark, a Kelvin and an Ohm sign; a letter that is two, and one of its own.
    signs = "\u037e\u212a\u2126\u0344\u0130"
    assert "".join(map(_usual, signs)) == ";K\u03a9\u0344\u0130"


@pytest.mark.parametrize("raised", ["", "23"])
def test_footnotes_whose_marks_are_lost_or_run_together_stay_in_the_section_of_their_page(
    raised: str,
) -> None:
    first = [
        text_at(72, 740, "1 Arms", 16),
        *block_of(LINES, 700),
        text_at(72, 640, "A claim"),
        *([text_at(110, 644, raised, 6)] if raised else []),
        text_at(72, 102, "2", 5),
        text_at(76, 100, "The one note.", 8),
        text_at(72, 82, "3", 5),
        text_at(76, 80, "The other note.", 8),
    ]
    second = [text_at(72, 740, "2 Legs", 16), *block_of(LINES, 700)]
    texts = [text for _, _, text in pieces(parse_pdf(pdf_of([first, second]), "F"))]
    assert texts.index("The one note.") < texts.index("The other note.") < texts.index("2 Legs")


def test_a_cell_that_spans_rows_stands_in_the_first_of_them() -> None:
    lines = [f"72 {y} m 400 {y} l S" for y in (700, 680, 620)]
    inner = [f"222 {y} m 400 {y} l S" for y in (660, 640)]
    boxes = ["72 620 150 80 re S", "222 620 178 80 re S"]
    page = [*lines, *inner, *boxes, text_at(80, 686, "Kind"), text_at(240, 686, "Force")]
    page += [text_at(80, 646, "Motor")]
    page += [text_at(240, y, force) for y, force in ((666, "3 N"), (646, "4 N"), (626, "5 N"))]
    [(_, _, text)] = pieces(parse_pdf(pdf_of([page]), "F"))
    assert text == "Kind | Force\nMotor | 3 N\n | 4 N\n | 5 N"


def test_the_header_of_a_table_that_begins_a_page_is_no_running_head() -> None:
    rows = [["Gear", "1 N"], ["Belt", "2 N"], ["Chain", "3 N"]]
    pages = [
        [*grid_of([*ROWS, [f"Kind {page}", "1 N"], *rows], 780), *block_of(LINES, 500)]
        for page in range(5)
    ]
    texts = [text for kind, _, text in pieces(parse_pdf(pdf_of(pages), "F")) if kind == "TABLE"]
    assert [text.split("\n")[0] for text in texts] == ["Kind | Force"] * 5


def test_letters_of_hardly_any_size_are_named_and_stop_nothing() -> None:
    page = [text_at(72, 740 - 20 * at, f"Line {at} of the gear.", 0.01) for at in range(3)]
    parsed = parse_pdf(pdf_of([page, [text_at(72, 740, "The gear turns.", 10)]]), "F")
    assert parsed.text == "The gear turns."
    assert any("less than a point" in one.reason for one in parsed.dropped_content)
