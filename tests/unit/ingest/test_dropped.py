"""What a parser leaves out, or can't keep as it was, is named with place, reason and size."""

import json
from dataclasses import asdict, replace

import pytest

from services.ingest.adapters.reports import read_document_report
from services.ingest.model.book import Block, BlockKind, Document, DroppedContent
from services.ingest.parse import parse_document
from services.ingest.parsers.dropped import name_lines, name_pages
from services.ingest.parsers.epub import parse_epub
from services.ingest.parsers.html import parse_html
from services.ingest.parsers.pdf import parse_pdf
from services.ingest.parsers.pdf.unseen import OCR_LAYER
from services.ingest.parsers.plain import parse_plain
from services.ingest.plan import plan_book
from services.ingest.report import report_document
from services.ingest.wire import _from_document_report
from tests.support.ingest_fakes import source, zipped
from tests.support.pdf_files import pdf_of, text_at
from tests.unit.ingest.test_epub import FILES
from tests.unit.ingest.test_plain import W3M

FORMULA = "it is written in one line, with ^, _, / and √"
UNSAFE = "it leads into the reader's own machine, or would run something"
OF_SITE = "its label stands for the number or title that the book's own site writes"
UNKNOWN = "what “{}” makes of it is not known: its words are plain text"
AROUND = "it leads through the site and is no part of the text"


def dropped_from(path: str, data: str) -> list[DroppedContent]:
    [placed] = plan_book(source({path: data})).documents
    return list(parse_document(placed)[0].dropped_content)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.md",
            "# A\n\n![](x.png)\n\nSee {{#include b.rs}} here.\n\n```rust\n{{#include c.rs}}\n```\n",
            [
                DroppedContent("picture", "line 3", "it has no description"),
                DroppedContent("include", "line 5", "what it stands for is not in the file", 16),
                DroppedContent("include", "line 7", "what it stands for is not in the file", 16),
            ],
        ),
        (
            "a.mdx",
            "# A\n\nIt costs {props.price} now.\n\n{list.map(x => x)}\n",
            [
                DroppedContent(
                    "expression", "line 3", "the book's own site computes what it shows", 11
                ),
                DroppedContent(
                    "expression", "line 5", "the book's own site computes what it shows", 14
                ),
            ],
        ),
        (
            "a.mdx",
            (
                '# A\n\n<Chart bar="visible?" src="a b"/>\n\nSee <Icon/> and <Note title="Seen"/>.\n\n'
                '<Quiz question="Why so?" size="m">Text</Quiz>\n\n<Tabs groupId="os">x</Tabs>\n\n'
                "<img src=a /> <img src=a alt=b />\n\n<video src=x></video>\n"
            ),
            [
                DroppedContent(
                    "component", "line 3", "the book's own site decides what <Chart> shows", 8
                ),
                DroppedContent(
                    "component", "line 5", "the book's own site decides what <Icon> shows"
                ),
                DroppedContent(
                    "component", "line 7", "the book's own site decides what <Quiz> shows", 6
                ),
                DroppedContent("picture", "line 11", "it has no description"),
                DroppedContent("picture", "line 11", "only its description is text", dropped=False),
                DroppedContent("video", "line 13", "what it shows is no text"),
            ],
        ),
        (
            "a.md",
            "---\na: [\n---\nText.",
            [DroppedContent("front matter", "line 1", "it is not valid YAML", 9)],
        ),
        (
            "a.md",
            "# A\n\n<svg>\n<title>Gears</title><text>big</text>\n</svg>\n",
            [DroppedContent("drawing", "line 3", "only its title is text", 3, False)],
        ),
        (
            "a.html",
            (
                "<body><nav>Next page</nav>\n<h1>A <a class=headerlink>¶</a></h1><p>Text"
                "<img src=x>\n<script>x</script><iframe src=y></iframe>"
                "<ruby>字<rt>zi</rt></ruby><form>Name</form>"
                "<table><tr><td>a<td><img src=x><td><img alt=b src=y></table>"
            ),
            [
                DroppedContent("nav", "line 1", AROUND, 8),
                DroppedContent("picture", "line 2", "it has no description"),
                DroppedContent("iframe", "line 3", "what it shows is no text"),
                DroppedContent("reading", "line 3", "it says how to read the word beside it", 2),
                DroppedContent("form", "line 3", "it is there to be filled in", 4),
                DroppedContent("picture", "line 3", "it has no description"),
                DroppedContent("picture", "line 3", "only its description is text", dropped=False),
            ],
        ),
        (
            "a.html",
            "<body><div class=toc>One Two</div><main><p>Text.</p></main>By me<style>x</style></body>",
            [
                DroppedContent(
                    "surroundings",
                    "outside of <main> in line 1",
                    "the page says what its main content is",
                    10,
                )
            ],
        ),
        (
            "a.rst",
            "A\n=\n\n.. include:: b.txt\n\n.. index:: gears\n\n.. image:: x.png\n",
            [
                DroppedContent("include", "line 4", "what it shows is in another file", 5),
                DroppedContent("picture", "line 8", "it has no description"),
            ],
        ),
    ],
)
def test_dropped_content_is_named(path: str, text: str, expected: list[DroppedContent]) -> None:
    assert dropped_from(path, text) == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.rst",
            "A\n=\n\nSee :gh:`12` and :ref:`here`.\n\n.. panels:: Two\n\n   Body.\n",
            [
                DroppedContent("role", "line 4, “12”", UNKNOWN.format(":gh:"), 2, dropped=False),
                DroppedContent("reference", "line 4, “here”", OF_SITE, 4, dropped=False),
                DroppedContent("directive", "line 6", UNKNOWN.format("panels"), 8, dropped=False),
            ],
        ),
        (
            "a.html",
            (
                "<body><p><a href='javascript:x()'>Run</a> <a href='https://e.org'>go</a></p>"
                "<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math><math><mi>n</mi></math>"
            ),
            [
                DroppedContent("formula", "line 1", FORMULA, 3, dropped=False),
                DroppedContent("link", "“Run”", UNSAFE, dropped=False),
            ],
        ),
    ],
)
def test_markup_whose_words_are_all_that_is_kept_is_named(
    path: str, text: str, expected: list[DroppedContent]
) -> None:
    assert dropped_from(path, text) == expected


def test_code_of_sphinx_doctests_is_code_and_what_they_hide_is_no_text() -> None:
    text = "A\n=\n\n.. testsetup::\n\n   import a\n\n.. testcode::\n\n   print(1)\n"
    [placed] = plan_book(source({"a.rst": text})).documents
    document, _ = parse_document(placed)
    assert document.text == "A\n\nprint(1)"
    assert [block.kind for block in document.blocks][1] is BlockKind.CODE


def test_the_table_of_contents_of_a_text_is_named_with_its_first_line() -> None:
    [dropped] = parse_plain(W3M, "F").dropped_content
    assert (dropped.kind, dropped.dropped) == ("table of contents", True)
    line = int(dropped.place.removeprefix("line "))
    assert W3M.split("\n")[line - 1].startswith("1.1.")
    assert dropped.characters > 60


def test_lines_that_are_drawn_with_signs_are_named_and_those_below_headings_are_headings() -> None:
    text = "A\n=\n\nOne.\n\n-----\n\n* * *\nTwo.\n\nRun:\n\n    a\n    ---\n    b\n\n***\n\n"
    assert dropped_from("a.txt", f"\fB\n=\n\n{text}") == [
        DroppedContent(
            "rule", "lines 9, 11, 20", "it is a line drawn with signs, and says nothing", 11
        )
    ]


def test_directives_that_docutils_cannot_read_are_kept_as_they_stand() -> None:
    table = "==== ====\na    b\n==== ====\ntoo long a cell\n==== ===="
    [placed] = plan_book(source({"a.rst": f"A\n=\n\n{table}\n\nText.\n"})).documents
    document, _ = parse_document(placed)
    assert document.text == f"A\n\n{table}\n\nText."
    assert [block.kind for block in document.blocks][1] is BlockKind.CODE
    [dropped] = document.dropped_content
    assert (dropped.kind, dropped.dropped, dropped.characters) == ("block", False, 38)
    assert dropped.reason.startswith("Malformed table.")


def test_running_heads_and_contents_of_a_pdf_are_counted() -> None:
    words = ("Gears", "Motors", "Valves", "Springs")
    pages = [
        [
            text_at(72, 760, "A Book of Machines", 10),
            text_at(72, 700, f"The {word} are explained here.", 10),
            text_at(72, 30, str(number), 10),
        ]
        for number, word in enumerate(words, 1)
    ]
    lines = [
        text_at(72, 700 - 20 * n, f"{word} . . . . . . . {n}", 10) for n, word in enumerate(words)
    ]
    data = pdf_of([*pages, lines])
    document = parse_pdf(data, "F")
    edges, contents = document.dropped_content
    assert (edges.kind, edges.place, edges.characters) == ("running head or foot", "pages 1-4", 64)
    assert (contents.kind, contents.place) == ("table of contents", "page 5")
    assert "Machines" not in document.text


def test_pictures_beside_the_text_of_a_pdf_are_named_apart_from_marks_and_grounds() -> None:
    line = text_at(72, 700, "The gripper holds what it is shown.", 10)
    sizes = ("200 0 0 100 72 500", "20 0 0 20 72 400", "9 0 0 9 60 700", "590 0 0 795 2 2")
    pictures = [f"q {size} cm /Im Do Q" for size in sizes]
    document = parse_pdf(pdf_of([[line], [line, *pictures]]), "F")
    assert document.dropped_content == (
        *(DroppedContent("picture", "page 2", "what it shows is no text"),) * 2,
        replace(OCR_LAYER, place="page 2"),
        DroppedContent(
            "picture", "page 2", "it is smaller than a quarter of an inch, as marks are"
        ),
        DroppedContent("picture", "page 2", "it covers the whole page, and text stands on it"),
    )


def test_epub_items_that_are_not_read_are_named() -> None:
    aside = FILES["OPS/text/one .xhtml"].replace("<p>", "<nav>Go on</nav><p>")
    parsed = parse_epub(zipped({**FILES, "OPS/text/one .xhtml": aside}), "F")
    assert parsed.dropped_content == (
        DroppedContent("table of contents", "OPS/nav.xhtml", "the headings stand in the text", 15),
        DroppedContent("nav", "OPS/text/one .xhtml, line 1", AROUND, 4),
    )


def test_pages_are_named_in_runs() -> None:
    assert name_pages([3]) == "page 3"
    assert name_pages([1, 4, 5, 6, 9]) == "pages 1, 4-6, 9"
    assert name_lines([2, 3]) == "lines 2-3"


def test_dropped_content_is_in_the_report_stored_with_the_edition_and_on_the_wire() -> None:
    lost = [DroppedContent("picture", f"line {n}", "it has no description", n) for n in range(1500)]
    text = "Text."
    document = Document(
        path="a.md",
        position=0,
        url="",
        content_hash="",
        title="A",
        text=text,
        blocks=[Block(BlockKind.PARAGRAPH, 0, 5)],
        sections=[],
        dropped_content=lost,
    )
    report = report_document(document, [], [])
    assert report.dropped_content[:1000] == lost[:1000]
    last = report.dropped_content[1000]
    assert (last.kind, last.place) == ("picture", "line 1000 to line 1499")
    assert last.characters == sum(range(1000, 1500))
    message = _from_document_report(report)
    assert (message.dropped_content[7].place, message.dropped_content[7].characters) == (
        "line 7",
        7,
    )
    assert message.dropped_content[7].dropped


def test_a_report_of_before_dropped_content_was_told_can_be_read() -> None:
    report = report_document(
        Document(
            path="a.md",
            position=0,
            url="",
            content_hash="",
            title="A",
            text="",
            blocks=[],
            sections=[],
        ),
        [],
        [],
    )
    fields = asdict(report)
    del fields["dropped_content"]
    assert read_document_report(json.dumps(fields)) == report


def test_a_stored_report_that_says_losses_can_be_read() -> None:
    document = Document(
        path="a.md",
        position=0,
        url="",
        content_hash="",
        title="A",
        text="",
        blocks=[],
        sections=[],
        dropped_content=[DroppedContent("picture", "line 1", "it has no description", 3)],
    )
    report = report_document(document, [], [])
    fields = asdict(report)
    fields["losses"] = fields.pop("dropped_content")
    assert read_document_report(json.dumps(fields)) == report


def test_a_picture_whose_description_says_that_there_is_none_has_no_caption() -> None:
    page = '<p>Before.</p><img src="a.png" alt="(missing alt)"><p>After.</p>'
    parsed = parse_html(page, "F")
    assert parsed.text == "Before.\n\nAfter."
    assert [(one.reason, one.address) for one in parsed.dropped_content] == [
        ("it has no description", "a.png")
    ]
