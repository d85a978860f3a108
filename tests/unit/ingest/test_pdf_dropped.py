"""PDF: what is lost of links, looks, tables, pictures, formulas and code is named with its place."""

import re
from dataclasses import replace

from services.ingest.model.book import BlockKind
from services.ingest.parsers.pdf import parse_pdf
from services.ingest.parsers.pdf.dropped_pieces import DroppedPiece, changed, name_pieces
from services.ingest.parsers.pdf.flow import Paragraph
from services.ingest.parsers.pdf.line import Line
from services.ingest.parsers.pdf.unkept import code_in_notes
from services.ingest.parsers.pdf.unseen import OCR_LAYER
from tests.support.pdf_files import Link, pdf_of, raised_at, text_at

LONG = "A line that is long enough to be one of the usual ones of this page, and says nothing more"
CURVE = "72 400 m 90 430 120 380 172 500 c 190 430 220 380 272 420 c S"


def named(data: bytes) -> list[tuple[str, str, str, int, bool]]:
    """What the report names: kind, place, reason, characters, and whether it is left out."""
    return [
        (one.kind, one.place, one.reason, one.characters, one.dropped)
        for one in parse_pdf(data, "F").dropped_content
    ]


def with_object(data: bytes, old: bytes, new: bytes) -> bytes:
    """Return a file with an object of it replaced; its readers repair the table of offsets."""
    assert old in data
    return data.replace(old, new)


def test_links_that_lead_nowhere_elsewhere_or_to_what_runs_are_named_by_their_words() -> None:
    page = [text_at(72, 700 - 40 * at, f"Word {at} of the text.") for at in range(5)]
    box = [(70.0, 695.0 - 40 * at, 200.0, 712.0 - 40 * at) for at in range(5)]
    links = [
        Link(1, box[0], "https://example.org/a"),
        Link(1, box[1], "javascript:alert(1)"),
        Link(1, box[2], "file:///etc/passwd"),
        Link(1, box[3], (1, 700)),
        Link(1, (300, 100, 400, 120), "https://example.org/on-a-picture"),
    ]
    machine = "it leads into the reader's own machine, or would run something"
    data = with_object(pdf_of([page], links=links), b"[0/XYZ null 700 null]", b"(unknown)")
    assert named(data) == [
        ("link", "page 1, “Word 1 of the text.”", machine, 0, False),
        ("link", "page 1, “Word 2 of the text.”", machine, 0, False),
        ("link", "page 1, “Word 3 of the text.”", "it leads nowhere in this file", 0, False),
        (
            "link",
            "page 1, “https://example.org/on-a-picture”",
            "no text stands in its box, as on a picture",
            0,
            True,
        ),
    ]


def test_a_link_to_a_page_without_text_is_named() -> None:
    link = Link(1, (70, 695, 200, 712), (2, 700))
    data = pdf_of([[text_at(72, 700, "See overleaf.")], []], links=[link])
    assert ("link", "page 1, “See overleaf.”", "what it leads to is not in the text", 0, False) in (
        named(data)
    )


def test_notes_and_fields_that_lie_on_a_page_are_named_with_what_they_say() -> None:
    data = pdf_of([[text_at(72, 700, "A text.")]], links=[Link(1, (0, 0, 9, 9), "https://e.org")])
    link = re.search(rb"<</Type/Annot/Subtype/Link.*?>>>>", data)
    assert link
    notes = (
        b"<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Contents(Ask Ada)>>"
        b"<</Type/Annot/Subtype/Widget/FT/Tx/Rect[0 0 9 9]>>"
        b"<</Type/Annot/Subtype/FileAttachment/Rect[0 0 9 9]>>"
    )
    reason = "it lies on the page and is no part of its text"
    assert named(with_object(data, link[0], notes)) == [
        ("note", "page 1, “Ask Ada”", reason, 6, True),
        ("field of a form", "page 1", reason, 0, True),
        ("attached file", "page 1", reason, 0, True),
    ]


def test_looks_that_most_of_a_book_has_are_named_once() -> None:
    page = [text_at(72, 700 - 12 * at, LONG, font="F3") for at in range(4)]
    [one] = named(pdf_of([page]))
    assert one[0] == "bold text"
    assert one[2] == "most of the book is set so: it stresses nothing"


def test_looks_and_links_in_code_are_named() -> None:
    page = [
        text_at(72, 740, LONG),
        *(text_at(72, 700 - 12 * at, f"make part {at}", font="F2") for at in range(3)),
        text_at(72, 600, LONG),
    ]
    links = [Link(1, (70, 697, 96, 710), "https://example.org")]
    found = named(pdf_of([page], links=links))
    in_code = "it stands in code, which is shown as it stands"
    assert ("link", "page 1, “make”", in_code, 0, False) in found


def test_code_in_a_footnote_is_named_unless_it_is_kept_as_such() -> None:
    words = Line("Run this:", 1, 72, 120, 100, 8)
    code = replace(words, text="make install", y=90, is_mono=True)
    assert [piece.words for piece in code_in_notes([Paragraph([words, code])])] == ["make install"]
    assert not list(code_in_notes([Paragraph([code], is_code=True)]))


def test_raised_numbers_that_are_no_footnotes_and_lowered_ones_are_named() -> None:
    page = [
        text_at(72, 700, LONG),
        raised_at(72, 660, "An area in general", "2"),
        raised_at(72, 640, "An area in m", "2", " here."),
        *(text_at(72, 600, "Pure H"), text_at(103, 597, "2", 6), text_at(107, 600, "O.")),
    ]
    assert named(pdf_of([page])) == [
        ("lowered text", "page 1, “Pure H2”", "it stands in the line", 1, False),
        (
            "raised or lowered text",
            "page 1, “An area in m^2”",
            "it is written with ^ or _",
            0,
            False,
        ),
        (
            "raised number",
            "page 1, “An area in general[2]”",
            "no footnote of its page has it: it may be a power",
            1,
            True,
        ),
    ]


def test_formulas_are_named_and_a_letter_of_one_in_a_line_is_not() -> None:
    page = [
        text_at(72, 700, LONG),
        text_at(72, 660, "a+b=c", font="F4"),
        *(text_at(72, 620, "A number"), text_at(120, 620, "n", font="F4")),
    ]
    data = pdf_of([page]).replace(b"Helvetica-Oblique", b"CMMI10")
    reason = "its signs stand one after the other, without fractions, roots and limits"
    assert named(data) == [("formula", "page 1, “a+b=c”", reason, 0, False)]


def _grid(rows: list[float], columns: list[float]) -> list[str]:
    level = [f"{columns[0]} {y} m {columns[-1]} {y} l S" for y in rows]
    return level + [f"{x} {rows[0]} m {x} {rows[-1]} l S" for x in columns]


def test_tables_that_are_no_tables_to_us_and_cells_over_rows_are_named() -> None:
    sparse = [
        *_grid([700, 680, 660, 640], [72, 172, 272, 372]),
        text_at(80, 686, "Alone"),
    ]
    spanned = [
        *(f"72 {y} m 372 {y} l S" for y in (500, 480, 440)),
        "172 460 m 372 460 l S",
        *(f"{x} 500 m {x} 440 l S" for x in (72, 172, 372)),
        *(text_at(80, 486, "Kind"), text_at(180, 486, "Name")),
        *(text_at(80, 466, "Big"), text_at(180, 466, "One"), text_at(180, 446, "Two")),
    ]
    empty = "most of its cells are empty: what stands in the others is plain text"
    first = "a cell over several rows stands in the first of them"
    assert sorted(named(pdf_of([[text_at(72, 750, LONG), *sparse, *spanned]]))) == [
        ("table", "page 1, “Alone”", empty, 0, False),
        ("table", "page 1, “Kind Name”", first, 0, False),
    ]


def test_a_drawing_of_lines_is_named_and_a_rounded_frame_is_none() -> None:
    reason = "it is made of lines: the page as printed shows it"
    assert named(pdf_of([[text_at(72, 700, LONG), *[CURVE] * 6]])) == [
        ("drawing", "page 1", reason, 0, True)
    ]
    frame = "72 500 m 72 520 80 530 90 530 c 300 530 l 310 530 320 520 320 500 c 72 500 l S"
    assert named(pdf_of([[text_at(72, 700, LONG), frame]])) == []


def test_small_pictures_and_grounds_are_named_by_their_pages() -> None:
    lines = [text_at(72, 700 - 60 * at, f"Part {at} holds what it is shown.") for at in range(4)]
    small, ground = "q 9 0 0 9 60 700 cm /Im Do Q", "q 590 0 0 795 2 2 cm /Im Do Q"
    assert named(
        pdf_of([[lines[0], small], [lines[1]], [lines[2], small], [lines[3], ground]])
    ) == [
        (
            "picture",
            "pages 1, 3",
            "it is smaller than a quarter of an inch, as marks are (2 times)",
            0,
            True,
        ),
        (OCR_LAYER.kind, "page 4", OCR_LAYER.reason, 0, False),
        ("picture", "page 4", "it covers the whole page, and text stands on it", 0, True),
    ]


def test_pages_with_more_lines_or_pictures_than_are_looked_at_are_named() -> None:
    grid = _grid([50 + 4.0 * at for at in range(160)], [20 + 3.0 * at for at in range(160)])
    [lines] = named(pdf_of([[text_at(72, 750, LONG), *grid]]))
    assert lines[:2] == ("table", "page 1")
    assert lines[2].startswith("its page has too many lines to tell cells by")
    pictures = ["q 40 0 0 40 300 300 cm /Im Do Q"] * 201
    found = named(pdf_of([[text_at(72, 750, LONG), *pictures]]))
    assert ("picture", "page 1", "its page has 200 before it", 0, True) in found


def test_signs_that_no_letter_is_known_of_are_counted() -> None:
    page = [text_at(72, 700, LONG), text_at(72, 660, "Odd \0\0\0 signs.")]
    reason = "the file does not say which letter it is"
    assert named(pdf_of([page])) == [("sign", "page 1", reason, 3, True)]


def test_a_line_of_the_outline_that_no_heading_is_and_a_footnote_without_a_mark_are_named() -> None:
    page = [
        *(text_at(72, 700, "First", 16), text_at(72, 660, LONG), text_at(72, 640, LONG)),
        *(text_at(72, 100, "7", 6), text_at(76, 97, "A note of nothing.", 8)),
    ]
    assert named(pdf_of([page], outline=[("First", 1), ("Second", 1)])) == [
        (
            "footnote",
            "page 1, “7”",
            "nothing on its page refers to it: it stands at the end of its section",
            0,
            False,
        ),
        (
            "heading",
            "page 1, “Second”",
            "the outline names it, and no line of its page says the same",
            0,
            False,
        ),
    ]


def test_dropped_pieces_of_a_page_that_is_left_out_are_not_named_beside_it() -> None:
    titles = ("A line", "long enough", "the usual ones", "says nothing")
    entries = [text_at(72, 700 - 20 * n, f"{t} . . . . . . . {n}") for n, t in enumerate(titles)]
    links = [Link(1, (70, 695, 200, 712), "javascript:alert(1)")]
    assert [one[0] for one in named(pdf_of([entries, [text_at(72, 700, LONG)]], links=links))] == [
        "table of contents"
    ]


def test_the_first_pieces_are_named_one_by_one_and_the_others_by_their_pages() -> None:
    what = changed("link", "it leads nowhere")
    dropped = [DroppedPiece(what, page, f"word {page} " * 20, 3) for page in range(1, 31)]
    found = list(name_pieces([*dropped, DroppedPiece(what, 99)]))
    assert len(found) == 21
    assert found[0].place.startswith("page 1, “word 1 word 1")
    assert found[0].place.endswith("…”")
    assert len(found[0].place) < 80
    last = found[-1]
    assert (last.place, last.reason, last.characters) == (
        "pages 21-30, 99",
        "it leads nowhere (11 more)",
        30,
    )
    [many] = name_pieces(DroppedPiece(what, page) for page in range(1, 200, 2))
    assert many.place == "100 pages from 1 to 199"


def test_items_inside_of_items_are_as_deep_as_their_indent() -> None:
    page = [
        text_at(72, 740, LONG),
        *(text_at(72, 700, "- Gates"), text_at(90, 688, "- of oak"), text_at(90, 676, "- of iron")),
        *(text_at(72, 664, "- Wheels"), text_at(72, 600, LONG), text_at(90, 560, "- Alone")),
    ]
    parsed = parse_pdf(pdf_of([page]), "F")
    items = [
        (parsed.text[block.start : block.end], block.level)
        for block in parsed.blocks
        if block.kind is BlockKind.LIST_ITEM
    ]
    assert items == [("Gates", 1), ("of oak", 2), ("of iron", 2), ("Wheels", 1), ("Alone", 1)]
