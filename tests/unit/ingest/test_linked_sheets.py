"""Style sheets in files of their own: what they strike out, raise or hide in pages."""

import io
import zipfile

import pytest

from services.ingest.edition import source_digests
from services.ingest.fetch import fetch_source
from services.ingest.model.book import Edition, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.parsers.archive import Limits
from services.ingest.plan import plan_book

GONE = ".gone{text-decoration:line-through} .up{vertical-align:super} .off{display:none}"
PAGE = (
    "<html><head>{head}</head><body><p><span class=gone>Never </span>open it. It is 10<span "
    "class=up>6</span> ohms.<span class=off> Trust me.</span></p></body></html>"
)
READ, UNREAD = "open it. It is 10^6 ohms.", "Never open it. It is 106 ohms. Trust me."


def zipped(files: dict[str, str]) -> io.BytesIO:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer


def read(files: dict[str, str], head: str) -> str:
    """Return the text of a page as it comes out of an upload with these sheets."""
    page = {"guide/page.html": PAGE.format(head=head)}
    source = fetch_source("book.zip", zipped(files | page), Limits())
    [placed] = plan_book(source).documents
    return parse_document(placed)[0].text


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("guide/local.css", "local.css"),
        ("css/a b.css", "../css/a%20b.css?v=12#x"),
        ("_static/theme.css", "../_static/theme.css"),
        ("LOCAL.CSS", "../LOCAL.CSS"),
    ],
)
def test_a_linked_sheet_of_the_same_upload_is_read(path: str, address: str) -> None:
    assert read({path: GONE}, f"<link rel=stylesheet href='{address}'>") == READ


@pytest.mark.parametrize(
    "head",
    [
        "<link rel=stylesheet href='https://site.example/local.css'>",
        "<link rel=stylesheet href='/guide/local.css'>",
        "<link rel=stylesheet href='../../guide/local.css'>",
        "<link rel='alternate stylesheet' href='local.css'>",
        "<link rel=stylesheet href='other.css'>",
        "<link rel=stylesheet>",
        "<style>@import 'https://site.example/local.css';</style>",
        "<style>/* @import 'local.css'; */</style>",
    ],
)
def test_a_sheet_that_no_reader_of_the_page_sees_is_none_of_it(head: str) -> None:
    assert read({"guide/local.css": GONE}, head) == UNREAD


@pytest.mark.parametrize(
    "imported",
    [
        "@import 'b.css';",
        '@import url("b.css");',
        "@import url(b.css) screen;",
        "@IMPORT url( b.css );",
    ],
)
def test_imported_sheets_are_read(imported: str) -> None:
    in_page = f"<style>{imported}</style>"
    assert read({"guide/b.css": GONE}, in_page) == READ
    linked = "<link rel=stylesheet href='../css/a.css'>"
    assert read({"css/a.css": imported, "css/b.css": GONE}, linked) == READ


def test_an_imported_sheet_may_hold_characters_that_no_page_may() -> None:
    files = {"guide/b.css": "/**/\x00\x01" + GONE}
    assert read(files, "<style>@import 'b.css';</style>") == READ


def test_sheets_that_import_each_other_are_read_a_few_times() -> None:
    files = {"guide/a.css": "@import 'b.css';" + GONE, "guide/b.css": "@import 'a.css';"}
    assert read(files, "<link rel=stylesheet href=a.css>") == READ


def test_a_sheet_alone_makes_no_document_and_too_large_a_one_is_left_out() -> None:
    page = SourceFile("a.html", PAGE.format(head="<link rel=stylesheet href=b.css>").encode())
    sheet = SourceFile("b.css", (" " * 600_000 + GONE).encode())
    [placed] = plan_book(Source([page, sheet])).documents
    assert parse_document(placed)[0].text == UNREAD


def test_a_page_is_read_anew_when_its_sheet_changes() -> None:
    files = [SourceFile("a.html", b"<p>a</p>"), SourceFile("c.md", b"# C")]
    plans = [plan_book(Source([*files, SourceFile("b.css", css)])) for css in (b"p{}", b"i{}")]
    (page, text), (page_then, text_then) = (source_digests(plan, Edition()) for plan in plans)
    assert page != page_then
    assert text == text_then


MARKDOWN = """\
# Arms

{head}

It holds <span class="off">no </span>10 kg.

<div class="off">

Trust me.

</div>

<div class="fold">

What a button opens.

</div>
"""


def read_markdown(files: dict[str, str], head: str, name: str = "arms.md") -> str:
    page = {f"guide/{name}": MARKDOWN.format(head=head)}
    [placed] = plan_book(fetch_source("b.zip", zipped(files | page), Limits())).documents
    return parse_document(placed)[0].text


@pytest.mark.parametrize(
    ("files", "head", "name"),
    [
        ({}, f"<style>\n{GONE}\n</style>", "arms.md"),
        ({}, f"<style>{{`\n{GONE}\n`}}</style>", "arms.mdx"),
        ({"css/a.css": GONE}, '<link rel="stylesheet" href="../css/a.css">', "arms.md"),
    ],
)
def test_sheets_of_markdown_hide_what_they_hide_of_a_page(
    files: dict[str, str], head: str, name: str
) -> None:
    assert read_markdown(files, head, name) == "Arms\n\nIt holds 10 kg.\n\nWhat a button opens."


@pytest.mark.parametrize(
    "head",
    [
        "",
        "<style>\n.other{display:none}\n</style>",
        "<style>\n@media print{.off{display:none}}\n</style>",
        '<link rel="stylesheet" href="https://site.example/a.css">',
        '<link rel="alternate stylesheet" href="../css/a.css">',
    ],
)
def test_words_that_no_sheet_of_markdown_hides_stay(head: str) -> None:
    text = read_markdown({"css/a.css": GONE}, head)
    assert "It holds no 10 kg." in text
    assert "Trust me." in text


def test_boxes_that_a_script_in_markdown_opens_stay() -> None:
    sheet = "<style>\n.fold{display:none} .fold.open{display:block}\n</style>"
    script = "<script>\nbox.classList.toggle('open')\n</script>"
    assert "What a button opens." in read_markdown({}, f"{sheet}\n\n{script}")
    assert "What a button opens." not in read_markdown({}, sheet)
