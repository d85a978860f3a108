"""Plans: which documents make a book, in which order, where the book's own site shows them."""

import io
from urllib.parse import unquote, urlsplit

import pytest

from libs.errors import InvalidInput
from services.ingest.edition import name_of_file
from services.ingest.fetch import fetch_source
from services.ingest.model.book import Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.parsers.archive import Limits
from services.ingest.plan import plan_book, planning_part
from tests.support.ingest_fakes import source, zipped

PAGE = "# T\n\nText."


def planned(files: dict[str, str]) -> list[str]:
    return [placed.file.path for placed in plan_book(source(files)).documents]


def urls(files: dict[str, str]) -> dict[str, str]:
    plan = plan_book(source(files))
    return {placed.file.path: placed.url for placed in plan.documents}


def at(position: int) -> str:
    return f"---\nsidebar_position: {position}\n---\n{PAGE}"


def test_documents_are_in_natural_order_with_the_index_first() -> None:
    files = dict.fromkeys(
        ["chapter-10.md", "chapter-2.md", "a/x.md", "a/index.md", "README.md", "b.md"], PAGE
    )
    assert planned(files) == [
        *("README.md", "a/index.md", "a/x.md", "b.md", "chapter-2.md", "chapter-10.md")
    ]


def test_sidebar_positions_and_number_prefixes_give_the_order() -> None:
    files = {"z.md": at(1), "a.md": at(2), "10-x.md": PAGE, "03-y.md": PAGE, "m.md": PAGE}
    assert planned(files) == ["z.md", "a.md", "03-y.md", "10-x.md", "m.md"]


def test_category_files_place_folders_and_broken_ones_are_told() -> None:
    files = {
        "a/x.md": PAGE,
        "b/x.md": PAGE,
        "a/_category_.json": '{"position": 2}',
        "b/_category_.yml": "position: 1",
        "c/x.md": PAGE,
        "c/_category_.json": "{",
    }
    assert planned(files) == ["b/x.md", "a/x.md", "c/x.md"]
    assert "c/_category_.json" in plan_book(source(files)).warnings[0]


def test_quoth_toml_orders_and_excludes() -> None:
    files = {
        "book/quoth.toml": 'order = ["z.md", "sub/y.md"]\nexclude = ["drafts/*", "b.md"]',
        **dict.fromkeys(
            ["book/a.md", "book/b.md", "book/drafts/d/x.md", "book/sub/y.md", "book/z.md"], PAGE
        ),
    }
    assert planned(files) == ["book/z.md", "book/sub/y.md", "book/a.md"]


def test_an_order_that_names_what_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"no\.md"):
        planned({"quoth.toml": 'order = ["no.md"]', "a.md": PAGE})


def test_excluding_everything_is_refused() -> None:
    with pytest.raises(InvalidInput, match="exclude"):
        planned({"quoth.toml": 'exclude = ["*"]', "a.md": PAGE})


def test_a_summary_gives_the_order_and_is_no_document() -> None:
    files = {
        "src/SUMMARY.md": "# Summary\n\n[Z](z.md)\n- [A `x`](./a/b.md)\n- [Gone](gone.md)",
        "src/a/b.md": PAGE,
        "src/lost.md": PAGE,
        "src/z.md": PAGE,
    }
    assert planned(files) == ["src/z.md", "src/a/b.md", "src/lost.md"]


def test_urls_follow_docusaurus() -> None:
    files = {
        "quoth.toml": 'base_url = "https://book.example/docs/"',
        "docs/01-intro/02-start.mdx": PAGE,
        "docs/index.md": PAGE,
        "docs/a/README.md": PAGE,
        "docs/own.md": "---\nslug: /elsewhere\n---\n" + PAGE,
        "docs/named.md": "---\nslug: other\n---\n" + PAGE,
    }
    base = "https://book.example/docs"
    assert urls(files) == {
        "docs/index.md": f"{base}/",
        "docs/01-intro/02-start.mdx": f"{base}/intro/start",
        "docs/a/README.md": f"{base}/a/",
        "docs/own.md": f"{base}/elsewhere",
        "docs/named.md": f"{base}/other",
    }


def test_urls_of_an_mdbook_end_in_html() -> None:
    files = {
        "quoth.toml": 'base_url = "https://b.example"',
        "src/SUMMARY.md": "[A](a/x.md)",
        "src/a/x.md": PAGE,
    }
    assert urls(files) == {"src/a/x.md": "https://b.example/a/x.html"}


def test_without_a_base_url_there_is_no_url() -> None:
    assert urls({"a.md": PAGE}) == {"a.md": ""}


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("x.md", "# One *two*\n\nText.", "One two"),
        ("x.md", "---\ntitle: Front\n---\nText.", "Front"),
        ("x.md", "---\ntitle: Front\n---\n# Head\n\nText.", "Head"),
        ("x.md", "## Only\n\nText\n\n### Sub\n\nText.", "Only"),
        ("01-how_it-works.md", "Text.", "How it works"),
        ("02-motors/index.md", "Text.", "Motors"),
    ],
)
def test_a_document_is_titled_by_its_heading_its_front_matter_or_its_name(
    path: str, text: str, title: str
) -> None:
    [placed] = plan_book(source({path: text})).documents
    assert parse_document(placed)[0].title == title


def test_a_file_of_a_whole_book_is_titled_as_it_is_written() -> None:
    files = dict.fromkeys(("p-pages.pdf", "02_Motors iOS.pdf"), b"%PDF-")
    plan = plan_book(Source([SourceFile(name, data) for name, data in files.items()]))
    assert {one.title for one in plan.documents} == {"p-pages", "02_Motors iOS"}
    only = plan_book(Source([SourceFile("p-pages.pdf", b"%PDF-")]))
    assert name_of_file(only) == "p-pages"
    assert name_of_file(plan) == ""
    assert name_of_file(plan_book(source({"a-b.md": "Text."}))) == ""


def test_an_empty_document_is_told() -> None:
    [placed] = plan_book(source({"a.md": "\n\n"})).documents
    document, warnings = parse_document(placed)
    assert not document.text
    assert not document.sections
    assert warnings == ['"a.md": it holds no text.']


def test_an_exclusion_that_excludes_nothing_is_told() -> None:
    files = {"quoth.toml": 'exclude = ["b*", "drafts/*"]', "a.md": "# A", "b.md": "# B"}
    plan = plan_book(source(files))
    assert [placed.file.path for placed in plan.documents] == ["a.md"]
    assert plan.warnings == (
        'quoth.toml: exclude names "drafts/*", which is no document of the source.',
    )


NAMES = (
    "فصل/مقدمة.md",
    "第一章/简介 说明.md",
    "a b/what? #1 100%.md",
    "émile/été – 1.md",
    "x/🤖.md",
    "x/it's & <b>.md",
)


def test_names_in_any_script_and_with_any_sign_are_kept_and_can_be_linked_to() -> None:
    files = {name: f"# Title {number}\n\nText." for number, name in enumerate(NAMES)}
    plan = plan_book(source({**files, "quoth.toml": 'base_url = "https://x.org/b"'}))
    assert {placed.file.path for placed in plan.documents} == set(NAMES)
    for placed in plan.documents:
        document, warnings = parse_document(placed)
        assert (document.path, warnings) == (placed.file.path, [])
        address = urlsplit(placed.url)
        assert (address.query, address.fragment) == ("", "")
        assert unquote(address.path) == "/b/" + placed.file.path.removesuffix(".md")


def test_ten_thousand_tiny_files_are_planned_in_their_order() -> None:
    files = {f"part-{n % 10}/page-{n}.md": f"# Page {n}\n\nText {n}." for n in range(10_000)}
    fetched = fetch_source("b.zip", io.BytesIO(zipped(files)), Limits())
    parts = [planning_part(file) for file in fetched.files]
    assert max(len(part.data) for part in parts) <= len("\n\n# Page 1000\n\n")
    plan = plan_book(Source(parts))
    assert len(plan.documents) == 10_000
    assert [placed.file.path for placed in plan.documents[:3]] == [
        "part-0/page-0.md",
        "part-0/page-10.md",
        "part-0/page-20.md",
    ]


def test_the_plan_is_the_same_with_no_more_of_the_files_than_it_needs() -> None:
    files = {
        "docs/b.md": "---\nsidebar_position: 1\ntitle: Bé\nslug: /first\n---\nText.",
        "docs/a.mdx": "# A",
        "index.html": "<html><body><a href='c.html'>c</a></body></html>",
        "c.html": "<h1>C</h1>",
        "d.txt": "Text.",
        "e.rst": "E\n=\n\nText.",
        "quoth.toml": 'base_url = "https://x.org"\ntitle = "T"',
    }
    whole = source(files)
    lean = Source([planning_part(file) for file in whole.files])
    told = [
        [(p.file.path, p.file.content_hash, p.position, p.url, p.title, p.names) for p in d]
        for d in (plan_book(whole).documents, plan_book(lean).documents)
    ]
    assert told[0] == told[1]
    assert len(told[0]) == 6
