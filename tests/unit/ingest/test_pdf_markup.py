"""PDF: what its letters are set in, and where its links lead, stand beside the text."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from services.ingest.model.book import Markup, MarkupKind, ParsedText
from services.ingest.parsers.pdf import parse_pdf, traits
from services.ingest.parsers.pdf.flow import Paragraph, text_of
from services.ingest.parsers.pdf.line import Line
from services.ingest.parsers.pdf.marking import marked_text
from services.ingest.parsers.pdf.pages import _to_line
from tests.support import pdf_files
from tests.support.pdf_files import Link, pdf_of, raised_at, text_at

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


@pytest.mark.parametrize(("colour", "is_bold"), [(0, True), (0.9, False)])
def test_letters_traced_in_the_colour_that_fills_them_are_bold(
    colour: float, is_bold: bool
) -> None:
    traced = f"{colour} G .4 w 2 Tr {text_at(116, 688, 'left key')} 0 Tr"
    page = [text_at(72, 700, LONG), text_at(72, 688, "Take the"), traced]
    parsed = parse_pdf(pdf_of([[*page, text_at(156, 688, "or none of those.")]]), "F")
    assert (("STRONG", "left key", "") in marked(parsed)) == is_bold


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


def raised_behind(before: str, raised: str, after: str, *notes: str) -> str:
    """Return the text of a line with a raised number, on a page with footnotes of these numbers."""
    page = [text_at(72, 700, LONG), raised_at(72, 660, before, raised, after)]
    for at, note in enumerate(notes):
        page += [text_at(72, 103 - 12 * at, note, 6), text_at(76, 100 - 12 * at, "A note.", 8)]
    text = parse_pdf(pdf_of([page]), "F").text
    return next(line for line in text.split("\n") if line.startswith(before[:4]))


@pytest.mark.parametrize(
    ("before", "raised", "after", "notes", "text"),
    [
        ("A room of 12 m", "2", " is small.", "", "A room of 12 m^2 is small."),
        ("A room of 12 m", "2", " is small.", "1", "A room of 12 m^2 is small."),
        ("A force of kg m/s", "2", ".", "", "A force of kg m/s^2."),
        ("Take (a + b)", "2", " first.", "", "Take (a + b)^2 first."),
        ("A room of 12 m", "2", " is small.", "2", "A room of 12 m is small."),
        ("A room of mine", "2", " is small.", "", "A room of mine is small."),
        ("A work of GNU", "2", " it is.", "", "A work of GNU it is."),
        ("It is so in it", "2", " all.", "", "It is so in it all."),
        ("It is so (see there)", "2", " all.", "", "It is so (see there) all."),
        ("A room of 12 m", "17", " is small.", "", "A room of 12 m is small."),
    ],
)
def test_a_number_raised_behind_a_unit_or_brackets_is_a_power_if_no_footnote_has_it(
    before: str, raised: str, after: str, notes: str, text: str
) -> None:
    assert raised_behind(before, raised, after, *notes) == text


def test_the_one_of_two_equal_raised_numbers_behind_a_unit_is_the_power() -> None:
    page = [text_at(72, 700, LONG), raised_at(72, 660, "Some parts", "2", " of it are here.")]
    page += [raised_at(72, 648, "They cover 9 m", "2", " in all.")]
    page += [text_at(72, 103, "2", 6), text_at(76, 100, "Not all.", 8)]
    parsed = parse_pdf(pdf_of([page]), "F")
    assert "They cover 9 m^2 in all." in parsed.text
    [mark] = [one for one in parsed.markup if one.kind is MarkupKind.FOOTNOTE_REFERENCE]
    assert parsed.text[: mark.start].endswith("parts")


def test_a_number_raised_in_a_cell_keeps_its_meaning() -> None:
    lines = [f"72 {y} m 400 {y} l S" for y in (700, 680, 660, 640)]
    boxes = ["72 640 150 60 re S", "222 640 178 60 re S"]
    page = [*lines, *boxes, text_at(72, 740, LONG), text_at(80, 686, "Kind")]
    page += [text_at(240, 686, "Parts"), text_at(80, 666, "Gear"), raised_at(240, 666, "10", "6")]
    page += [raised_at(80, 646, "Belt", "1"), raised_at(240, 646, "9 m", "2", " at most")]
    page += [text_at(72, 103, "1", 6), text_at(76, 100, "A broad one.", 8)]
    parsed = parse_pdf(pdf_of([page]), "F")
    assert "Kind | Parts\nGear | 10^6\nBelt | 9 m^2 at most" in parsed.text
    [mark] = [one for one in parsed.markup if one.kind is MarkupKind.FOOTNOTE_REFERENCE]
    assert parsed.text[: mark.start].endswith("Belt")


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


@pytest.mark.parametrize(
    ("above", "below", "joined"),
    [
        ("Multi-", "Arch is a field.", "Multi-Arch is"),
        ("lib-", "8.0 is a version.", "lib-8.0 is"),
        ("under-", "standing is a word.", "understanding is"),
        ("UNDER-", "STANDING is a word.", "UNDERSTANDING is"),
    ],
)
def test_a_hyphen_before_a_capital_or_a_number_is_its_word_s_own(
    above: str, below: str, joined: str
) -> None:
    lines = [text_at(72, 700 - 12 * at, LONG) for at in range(3)]
    lines += [text_at(72, 664, f"{LONG[:-9]} {above}"), text_at(72, 652, below)]
    assert joined in parse_pdf(pdf_of([lines]), "F").text


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


def test_code_is_known_by_the_width_of_its_letters_whatever_the_font_is_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(traits, "_MONO", re.compile("(?!)"))
    page = [text_at(72, 700, LONG), text_at(72, 660, "ls -l", font="F2")]
    assert marked(parse_pdf(pdf_of([page]), "F")) == []
    assert [block.kind.name for block in parse_pdf(pdf_of([page]), "F").blocks] == [
        "PARAGRAPH",
        "CODE",
    ]


def test_a_font_whose_letters_differ_in_width_is_no_code_though_the_file_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fixed = "Helvetica/FontDescriptor<</Type/FontDescriptor/FontName/Helvetica/Flags 33>>"
    monkeypatch.setitem(pdf_files.FONTS, "F1", fixed)
    parsed = parse_pdf(pdf_of([[text_at(72, 700, LONG)]]), "F")
    assert [block.kind.name for block in parsed.blocks] == ["PARAGRAPH"]


def _font_of(widths: dict[str, int], other: int) -> str:
    """Return a font that has these letters and gives all others the width of what it lacks."""
    every = " ".join(str(widths.get(chr(number), other)) for number in range(256))
    described = "/FontDescriptor<</Type/FontDescriptor/FontName/X/Flags 32>>"
    return f"X{described}/Encoding/WinAnsiEncoding/FirstChar 0/LastChar 255/Widths[{every}]"


@pytest.mark.parametrize(
    ("widths", "kind"),
    [
        (dict.fromkeys("oac", 500) | dict.fromkeys("rhdn", 556), "HEADING"),
        (dict.fromkeys("12", 500), "HEADING"),
        (dict.fromkeys("ijl.,:;'!|mwMW@%", 365), "CODE"),
    ],
    ids=["letters of a title", "digits alone", "one width"],
)
def test_a_font_that_lacks_narrow_and_wide_letters_is_not_taken_for_one_of_one_width(
    monkeypatch: pytest.MonkeyPatch, widths: dict[str, int], kind: str
) -> None:
    monkeypatch.setitem(pdf_files.FONTS, "F2", _font_of(widths, 365))
    page = [text_at(72, 700, "Orchard 12", 20, "F2"), text_at(72, 640, LONG)]
    parsed = parse_pdf(pdf_of([page]), "F")
    assert [block.kind.name for block in parsed.blocks] == [kind, "PARAGRAPH"]


def test_a_font_of_one_width_is_code_though_what_it_lacks_has_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    letters = dict.fromkeys("ijl.,:;'!|mwMW@%ls -", 600)
    monkeypatch.setitem(pdf_files.FONTS, "F2", _font_of(letters, 365))
    page = [text_at(72, 700, LONG), text_at(72, 660, "ls -l", font="F2")]
    parsed = parse_pdf(pdf_of([page]), "F")
    assert [block.kind.name for block in parsed.blocks] == ["PARAGRAPH", "CODE"]


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        (
            "the speci\x1cc o\x1b of \x1dags \x15 its su\x1ex",
            "the specific off of flags – its suffix",
        ),
        ("the speci\x0cc o\x0b of its su\x0ex, k\x1cre", "the specific off of its suffix, køre"),
    ],
)
def test_ligatures_of_fonts_that_name_no_letter_are_letters(
    monkeypatch: pytest.MonkeyPatch, drawn: str, read: str
) -> None:
    widths = " ".join(str(300 + 50 * (number % 7)) for number in range(256))
    drawings = "/FontBBox[0 -200 600 800]/FontMatrix[.001 0 0 .001 0 0]/CharProcs<<>>/Encoding<<>>"
    font = f"X/Subtype/Type3{drawings}/FirstChar 0/LastChar 255/Widths[{widths}]"
    monkeypatch.setitem(pdf_files.FONTS, "F2", font)
    page = [text_at(72, 700, drawn, font="F2")]
    assert parse_pdf(pdf_of([page]), "F").text.startswith(read)


def test_code_that_begins_with_the_mark_of_a_list_is_code() -> None:
    listed = [text_at(72, 640, "- a thing of a list"), text_at(72, 628, "- another one")]
    page = [text_at(72, 700, LONG), text_at(72, 660, "* Closes: #12345", font="F2"), *listed]
    parsed = parse_pdf(pdf_of([page]), "F")
    kinds = [block.kind.name for block in parsed.blocks]
    assert kinds == ["PARAGRAPH", "CODE", "LIST_ITEM", "LIST_ITEM"]
    assert "* Closes: #12345" in parsed.text


def test_a_line_of_code_that_print_has_broken_is_one() -> None:
    letter = (" ", 0.0, 0.0, 0.0, 0.0, ((MarkupKind.CODE, ""),))
    signs = [
        ("l", *letter[1:]),
        ("s", *letter[1:]),
        ("←", *letter[1:5], ()),
        ("-", *letter[1:5], ()),
    ]
    [line] = _to_line(signs, 1)
    assert (line.text, line.is_mono, line.is_broken) == ("ls", True, True)
    rest = replace(line, text="-l", y=-12.0, is_broken=False)
    assert text_of(Paragraph([line, rest], is_code=True), Counter()).text == "ls-l"


def test_markup_of_a_cell_does_not_reach_into_the_next_row() -> None:
    row = Line("a | b", 1, 0, 9, 9, 9, table=1, markup=(Markup(MarkupKind.CODE, 4, 5),))
    below = replace(row, y=0.0, markup=(Markup(MarkupKind.CODE, 0, 1),))
    paged = text_of(Paragraph([row, below]), Counter())
    assert [(one.start, one.end) for one in paged.markup] == [(4, 5), (6, 7)]


@pytest.mark.parametrize(
    ("base", "raised", "behind", "text"),
    [
        ("There are 2", "n - 1", "kinds", "There are 2^(n - 1) kinds"),
        ("10", "-6", "metres", "10^-6 metres"),
        ("clean", "-x2", "files", "clean^-x2 files"),
        ("On the 1", "st", "of May", "On the 1st of May"),
        ("Quoth", "TM", "reads", "QuothTM reads"),
    ],
)
def test_raised_text_is_written_so_that_a_plain_line_means_the_same(
    base: str, raised: str, behind: str, text: str
) -> None:
    x = 72 + 4.9 * len(base)
    page = [
        text_at(72, 700, LONG),
        text_at(72, 660, base),
        text_at(x, 664, raised, 6.5),
        text_at(x + 3.6 * len(raised) + 3, 660, behind),
    ]
    parsed = parse_pdf(pdf_of([page]), "F")
    assert parsed.text.split("\n")[-1].replace(" ", "") == text.replace(" ", "")
    [mark] = [one for one in parsed.markup if one.kind is MarkupKind.SUPERSCRIPT]
    assert raised.replace(" ", "") in parsed.text[mark.start : mark.end].replace(" ", "")


def test_the_raised_letter_of_a_logo_is_no_exponent() -> None:
    page = [text_at(72, 660, "L"), text_at(76, 664, "A", 6.5), text_at(81, 660, "TEX is set.")]
    assert "^" not in parse_pdf(pdf_of([page]), "F").text


def test_words_of_two_fonts_are_apart_where_there_is_a_narrow_space() -> None:
    page = [text_at(72, 660, "rules", font="F3"), text_at(98.4, 660, "script")]
    assert parse_pdf(pdf_of([page]), "F").text == "rules script"
    page = [text_at(72, 660, "rules", font="F3"), text_at(96.7, 660, "et")]
    assert parse_pdf(pdf_of([page]), "F").text == "ruleset"


def test_a_smaller_font_on_the_line_is_not_raised() -> None:
    page = [
        text_at(72, 660, "Call the"),
        text_at(112, 660, "mill -v", 7, "F2"),
        text_at(146, 660, "now."),
    ]
    parsed = parse_pdf(pdf_of([page]), "F")
    assert parsed.text == "Call the mill -v now."
    assert marked(parsed) == [("CODE", "mill -v", "")]


def test_the_letters_of_the_font_of_the_euro_are_its_sign() -> None:
    page = pdf_of([[text_at(72, 700, "Juice 0,50"), text_at(122, 700, "e", font="F2")]])
    page = page.replace(b"/BaseFont/Courier", b"/BaseFont/feymr10")
    assert parse_pdf(page, "F").text == "Juice 0,50 €"
