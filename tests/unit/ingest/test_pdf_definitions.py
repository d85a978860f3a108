"""PDF: terms with their definitions, what goes on with an item, and footnotes of several paragraphs."""

import pytest

from libs.profiles import Chunking
from services.ingest.model.book import ParsedText, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.parsers.pdf import parse_pdf
from services.ingest.plan import plan_book
from services.ingest.split import split_document
from tests.support.ingest_fakes import LetterTokens
from tests.support.pdf_files import pdf_of, text_at

LONG = (
    "This line reaches from the left edge of the page to the right one, as those of any text do, so",
    "that the next one goes on with it and ends here.",
)
PLAIN, CODE, BOLD = "F1", "F2", "F3"


def lines_at(
    x: int, top: int, *lines: str, font: str = PLAIN, size: int = 10, step: int = 12
) -> list[str]:
    return [text_at(x, top - step * at, line, size, font) for at, line in enumerate(lines)]


def shown(parsed: ParsedText) -> list[tuple[str, int, str]]:
    return [
        (block.kind.name, block.level, parsed.text[block.start : block.end])
        for block in parsed.blocks
    ]


def defined(parsed: ParsedText) -> list[tuple[str, str]]:
    """Return the terms, each with all that it leads."""
    return [
        (parsed.text[lead.start : lead.end], parsed.text[lead.end : lead.until].strip())
        for lead in parsed.lead_ins
        if lead.is_term
    ]


@pytest.mark.parametrize("font", [CODE, BOLD])
def test_lines_set_apart_over_text_that_stands_further_in_are_terms(font: str) -> None:
    page = [
        *lines_at(72, 740, *LONG),
        *lines_at(72, 704, "valve", font=font),
        *lines_at(96, 692, "A valve lets water through."),
        *lines_at(96, 674, "It is made of brass."),
        *lines_at(72, 656, "gauge", font=font),
        *lines_at(96, 644, "A gauge says how much."),
        *lines_at(72, 620, *LONG),
    ]
    parsed = parse_pdf(pdf_of([page]), "F")
    assert defined(parsed) == [
        ("valve", "A valve lets water through.\n\nIt is made of brass."),
        ("gauge", "A gauge says how much."),
    ]
    assert ("PARAGRAPH", 0, "valve") in shown(parsed)


def test_a_term_keeps_what_defines_it_overleaf() -> None:
    first = [
        *(text_at(72, 760 - 12 * at, LONG[0]) for at in range(40)),
        *lines_at(72, 262, "Valve", font=BOLD),
    ]
    second = [*lines_at(96, 740, "A valve lets water through."), *lines_at(72, 716, *LONG)]
    parsed = parse_pdf(pdf_of([first, second]), "F")
    assert defined(parsed) == [("Valve", "A valve lets water through.")]


def test_words_in_the_letters_of_the_text_are_terms_where_another_stands_beside_them() -> None:
    page = [
        *lines_at(72, 740, *LONG),
        *lines_at(72, 704, "Valve"),
        *lines_at(96, 692, "A valve lets water through."),
        *lines_at(72, 674, "Gauge"),
        *lines_at(96, 662, "A gauge says how much."),
    ]
    assert [term for term, _ in defined(parse_pdf(pdf_of([page]), "F"))] == ["Valve", "Gauge"]
    alone = [*page[:4], *lines_at(72, 674, *LONG)]
    assert not defined(parse_pdf(pdf_of([alone]), "F"))


def test_works_of_a_list_whose_lines_hang_are_no_terms() -> None:
    work = "A. Author and B. Writer. On the valves of mills, with a long title that goes on, and on"
    page = [
        *lines_at(72, 740, *LONG),
        *(
            line
            for at in range(3)
            for line in (
                *lines_at(72, 704 - 30 * at, work),
                *lines_at(92, 692 - 30 * at, "Journal of Mills, 12, 1995."),
            )
        ),
    ]
    assert not defined(parse_pdf(pdf_of([page]), "F"))


def test_a_command_over_text_that_stands_no_further_in_stays_code() -> None:
    page = [
        *lines_at(72, 740, *LONG),
        *lines_at(96, 704, "make valve", font=CODE),
        *lines_at(96, 680, "This makes it, and nothing else."),
        *lines_at(72, 656, "make gauge", font=CODE),
        *lines_at(72, 632, *LONG),
    ]
    parsed = parse_pdf(pdf_of([page]), "F")
    assert not defined(parsed)
    assert [text for kind, _, text in shown(parsed) if kind == "CODE"] == [
        "make valve",
        "make gauge",
    ]


def test_a_term_is_never_parted_from_its_definition_in_a_list() -> None:
    page = [*lines_at(72, 760, *LONG)]
    for at in range(4):
        top = 720 - 60 * at
        page += [
            text_at(84, top, f"{at + 1}."),
            text_at(98, top, f"Part {'abcd'[at]} of it", 10, BOLD),
        ]
        page += lines_at(
            120, top - 12, "What it is and does is said here,", "in two lines of text."
        )
    data = pdf_of([page])
    [placed] = plan_book(Source([SourceFile("a.pdf", data)])).documents
    document, _ = parse_document(placed)
    for size in range(90, 260, 10):
        chunking = Chunking("heading", size // 3, size, 0, size, (1, 2))
        for chunk in split_document("b", "en", document, chunking, LetterTokens()):
            assert not chunk.body.rstrip().endswith("of it"), (size, chunk.body)


def test_paragraphs_where_the_text_of_an_item_stands_go_on_with_it() -> None:
    page = [
        *lines_at(72, 776, *LONG, *LONG, *LONG),
        *lines_at(84, 704, "1. The first item of the list:"),
        *lines_at(107, 686, "a. An item in it, which is short."),
        *lines_at(119, 668, "It goes on in this paragraph."),
        *lines_at(96, 650, "And so does the first one here."),
        *lines_at(84, 632, "2. The second item."),
        *lines_at(72, 614, *LONG),
    ]
    assert shown(parse_pdf(pdf_of([page]), "F"))[3:] == [
        ("LIST_ITEM", 1, "The first item of the list:"),
        ("LIST_ITEM", 2, "An item in it, which is short."),
        ("LIST_ITEM", 2, "It goes on in this paragraph."),
        ("LIST_ITEM", 1, "And so does the first one here."),
        ("LIST_ITEM", 1, "The second item."),
        ("PARAGRAPH", 0, " ".join(LONG)),
    ]


def test_paragraphs_that_only_an_indent_parts_do_not_go_on_with_an_item() -> None:
    page = [
        *lines_at(72, 740, "- One item."),
        *lines_at(84, 728, "This is said in a paragraph of its own."),
        *lines_at(72, 704, *LONG),
    ]
    kinds = [kind for kind, _, _ in shown(parse_pdf(pdf_of([page]), "F"))]
    assert kinds == ["LIST_ITEM", "PARAGRAPH", "PARAGRAPH"]


def noted(*foot: str) -> list[str]:
    return [*lines_at(72, 740, *LONG), text_at(310, 731, "1", 6), *foot]


def test_paragraphs_items_and_code_of_a_footnote_stay_apart() -> None:
    page = noted(
        text_at(72, 160, "1", 6),
        *lines_at(76, 157, "There are two reasons for that:", size=8),
        *lines_at(84, 144, "- It is cheap.", size=8),
        *lines_at(84, 131, "- It holds.", size=8),
        *lines_at(76, 118, "make install", size=8, font=CODE),
    )
    assert shown(parse_pdf(pdf_of([page]), "F"))[1:] == [
        ("FOOTNOTE", 0, "There are two reasons for that:"),
        ("LIST_ITEM", 1, "It is cheap."),
        ("LIST_ITEM", 1, "It holds."),
        ("CODE", 0, "make install"),
    ]


def test_a_footnote_that_goes_on_overleaf_is_one() -> None:
    first = noted(text_at(72, 60, "1", 6), *lines_at(76, 57, "Some of these (such", size=8))
    second = [
        *lines_at(72, 740, *LONG),
        *lines_at(76, 57, "as this one) go on overleaf.", size=8),
    ]
    parsed = parse_pdf(pdf_of([first, second]), "F")
    notes = [text for kind, _, text in shown(parsed) if kind == "FOOTNOTE"]
    assert notes == ["Some of these (such as this one) go on overleaf."]
    ended = noted(text_at(72, 60, "1", 6), *lines_at(76, 57, "It ends here.", size=8))
    parsed = parse_pdf(pdf_of([ended, second]), "F")
    assert [text for kind, _, text in shown(parsed) if kind == "FOOTNOTE"] == ["It ends here."]


def test_a_name_broken_at_its_hyphen_keeps_it() -> None:
    filled = "This line reaches from the left edge of the page to the right one, and names MySQL"
    page = lines_at(72, 740, f"{filled}-", "compatible software by that.")
    parsed = parse_pdf(pdf_of([page]), "F")
    assert "MySQL-compatible" in parsed.text
