"""PDF: what its letters are set in, and where its links lead, stand beside the text."""

from services.ingest.model import MarkupKind, ParsedText
from services.ingest.parsers.pdf import parse_pdf
from services.ingest.parsers.pdf.marking import marked_text
from tests.support.pdf_files import Link, pdf_of, text_at

LONG = "A line that is long enough to be one of the usual ones of this page, and says nothing more"


def marked(parsed: ParsedText) -> list[tuple[str, str, str]]:
    return [
        (one.kind.name, parsed.text[one.start : one.end], one.value)
        for one in parsed.markup
        if one.kind is not MarkupKind.ANCHOR
    ]


def test_bold_slanted_and_code_are_ranges_of_the_text() -> None:
    page = [
        text_at(72, 700, LONG),
        text_at(72, 688, "Take the"),
        text_at(116, 688, "left key", font="F3"),
        text_at(156, 688, "or"),
        text_at(168, 688, "none,", font="F4"),
        text_at(196, 688, "then type"),
        text_at(242, 688, "ls -l", font="F2"),
        text_at(274, 688, "twice."),
    ]
    parsed = parse_pdf(pdf_of([page]), "F")
    assert parsed.text.endswith("Take the left key or none, then type ls -l twice.")
    assert marked(parsed) == [
        ("STRONG", "left key", ""),
        ("EMPHASIS", "none,", ""),
        ("CODE", "ls -l", ""),
    ]


def test_markup_that_continues_on_the_next_line_is_one_range() -> None:
    page = [text_at(72, 700, LONG, font="F3"), text_at(72, 688, "to its end.", font="F3")]
    plain = [text_at(72, 600 - 12 * at, LONG) for at in range(4)]
    parsed = parse_pdf(pdf_of([[*page, *plain]]), "F")
    assert marked(parsed) == [("STRONG", f"{LONG} to its end.", "")]


def test_the_font_of_most_of_a_book_is_no_emphasis() -> None:
    page = [text_at(72, 700 - 12 * at, LONG, font="F3") for at in range(4)]
    parsed = parse_pdf(pdf_of([[*page, text_at(72, 600, "A plain word.")]]), "F")
    assert marked(parsed) == []


def test_a_heading_that_is_bold_as_a_whole_is_a_heading_and_no_more() -> None:
    page = [text_at(72, 740, "A bold heading", 16, "F3"), text_at(72, 700, LONG)]
    parsed = parse_pdf(pdf_of([page]), "F")
    assert parsed.blocks[0].kind.name == "HEADING"
    assert marked(parsed) == []


def test_links_out_are_kept_and_those_that_would_run_something_are_not() -> None:
    page = [text_at(72, 700, LONG), text_at(72, 660, "See here."), text_at(72, 620, "Not here.")]
    links = [
        Link(1, (70, 655, 130, 672), "https://example.org/a"),
        Link(1, (70, 615, 130, 632), "javascript:alert(1)"),
    ]
    parsed = parse_pdf(pdf_of([page], links=links), "F")
    assert marked(parsed) == [("LINK", "See here.", "https://example.org/a")]


def test_a_link_inside_of_the_book_leads_to_the_line_below_its_place() -> None:
    first = [text_at(72, 700, LONG), text_at(72, 660, "See there.")]
    second = [text_at(72, 700, "Another line."), text_at(72, 600, "The place that is meant.")]
    links = [Link(1, (70, 655, 130, 672), (2, 615)), Link(1, (70, 695, 90, 712), (2, 90))]
    parsed = parse_pdf(pdf_of([first, second], links=links), "F")
    places = {
        one.value: parsed.text[one.start :]
        for one in parsed.markup
        if one.kind is MarkupKind.ANCHOR
    }
    assert ("LINK", "See there.", "#page-2-615") in marked(parsed)
    assert places == {"page-2-615": "The place that is meant."}


def test_a_raised_number_is_an_exponent_or_the_mark_of_its_footnote() -> None:
    page = [
        *(text_at(72, 700, LONG), text_at(72, 660, "It holds 10"), text_at(118.3, 664, "6", 6)),
        *(
            text_at(124.5, 660, "parts"),
            text_at(146.9, 664, "1", 6),
            text_at(150.3, 660, "."),
        ),
        *(text_at(72, 100, "1", 6), text_at(76, 97, "Or some more.", 8)),
    ]
    parsed = parse_pdf(pdf_of([page]), "F")
    assert "It holds 10^6 parts." in parsed.text
    kept = {kind: (text, value) for kind, text, value in marked(parsed)}
    assert kept == {"SUPERSCRIPT": ("^6", "^"), "FOOTNOTE_REFERENCE": ("", "1")}
    [mark] = [one for one in parsed.markup if one.kind is MarkupKind.FOOTNOTE_REFERENCE]
    assert parsed.text[: mark.start].endswith("parts")


def test_the_mark_of_a_footnote_follows_its_word_where_space_is_lost() -> None:
    mark = ("", ((MarkupKind.FOOTNOTE_REFERENCE, "1"),))
    text, markup = marked_text([(" Two  parts ", ()), mark, (" in all.", ())])
    assert text == "Two parts in all."
    assert [text[: one.start] for one in markup] == ["Two parts"]


def test_a_hyphen_that_goes_with_its_line_break_takes_no_letter_of_the_next_line_in() -> None:
    lines = [text_at(72, 700 - 12 * at, LONG) for at in range(3)]
    lines += [
        text_at(72, 664, f"{LONG[:-9]} an"),
        text_at(462, 664, "under-", font="F4"),
        text_at(72, 652, "standing of it."),
    ]
    link = Link(1, (460, 660, 510, 676), "https://example.org/")
    parsed = parse_pdf(pdf_of([lines], links=[link]), "F")
    assert "understanding" in parsed.text
    assert marked(parsed) == [
        ("LINK", "under", "https://example.org/"),
        ("EMPHASIS", "under", ""),
    ]


def test_a_row_keeps_the_looks_of_its_cells_and_its_header_is_not_bold_too() -> None:
    rules = [f"72 {y} m 400 {y} l S" for y in (700, 680, 660)]
    rules += [f"{x} 700 m {x} 660 l S" for x in (72, 200, 400)]
    cells = [
        *(text_at(80, 686, "Name", font="F3"), text_at(210, 686, "Meaning", font="F3")),
        *(text_at(80, 666, "ls", font="F2"), text_at(210, 666, "shows it")),
    ]
    plain = [text_at(72, 600 - 12 * at, LONG) for at in range(4)]
    parsed = parse_pdf(pdf_of([[*rules, *cells, *plain]]), "F")
    assert "Name | Meaning\nls | shows it" in parsed.text
    assert marked(parsed) == [("CODE", "ls", "")]
