"""The page that a book of several documents opens with names the book."""

import pytest

from services.ingest.model.book import Source, SourceFile
from services.ingest.plan import plan_book, planning_part

CHAPTER = "# Tools\n\nAn awl and a bone folder."


def title_of(first: str, text: str, *others: str) -> str:
    texts = {first: text, **dict.fromkeys(others or ("01-tools.md",), CHAPTER)}
    return title_in(texts)


def title_in(texts: dict[str, str]) -> str:
    files = [SourceFile(path, text.encode(), path) for path, text in texts.items()]
    return plan_book(Source([planning_part(file) for file in files])).title


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("00-prologo.md", "# Binding at home\n\nA course.\n\n## What it takes"),
        ("0_Préface.md", "Binding at home\n===\n\nA course."),
        ("README.md", "# Binding at home\n"),
        ("index.md", "---\ntitle: Binding at home\n---\n\nA course."),
        ("00-序言.md", "# Binding at home\n"),
    ],
)
def test_the_title_of_a_front_page_is_the_books(path: str, text: str) -> None:
    assert title_of(path, text) == "Binding at home"


@pytest.mark.parametrize(
    "title",
    [
        "Preface",
        "Preface to the second edition",
        "Prólogo",
        "Vorwort",
        "Introduction",
        "Table of contents",
        "README",
        "Welcome to the course",
        "Chapter 1: Paper",
        "1. Paper",
    ],
)
def test_a_title_of_the_page_itself_or_of_a_chapter_is_not_the_books(title: str) -> None:
    assert title_of("00-preface.md", f"# {title}\n\nA course.") == ""


@pytest.mark.parametrize(
    ("path", "text", "others"),
    [
        ("00-paper.md", "# Paper\n", ["01-tools.md"]),
        ("README.md", "<h1>Binding</h1>\n\n## Installing\n", ["01-tools.md"]),
        ("a/README.md", "# The first part\n", ["b/tools.md"]),
        ("README.md", "A course.\n", ["01-tools.md"]),
    ],
    ids=["a chapter", "a title of a part alone", "a page of one folder", "no title"],
)
def test_no_other_page_names_the_book(path: str, text: str, others: list[str]) -> None:
    assert title_of(path, text, *others) == ""


def test_settings_go_before_the_front_page() -> None:
    texts = {
        "book.toml": '[book]\ntitle = "From settings"',
        "src/SUMMARY.md": "[Home](README.md)\n\n- [Tools](tools.md)\n",
        "src/README.md": "# From the page\n",
        "src/tools.md": CHAPTER,
    }
    files = [SourceFile(path, text.encode(), path) for path, text in texts.items()]
    assert plan_book(Source([planning_part(file) for file in files])).title == "From settings"


LISTED = "* [Tools](tools.md)\n* [Glue](glue.md)\n"


@pytest.mark.parametrize(
    ("path", "text", "summary"),
    [
        ("book.json", '{"title": "Binding at home"}', f"# Summary\n\n{LISTED}"),
        ("README.md", "# Binding at home\n", f"# Summary\n\n{LISTED}"),
        ("notes.txt", "Some.", f"# Binding at home\n\n{LISTED}"),
        ("notes.txt", "Some.", f"---\ntitle: Binding at home\n---\n{LISTED}"),
    ],
    ids=["settings", "a page that is not listed", "a heading over the list", "front matter"],
)
def test_a_book_with_a_list_of_its_chapters_is_called_as_it_says(
    path: str, text: str, summary: str
) -> None:
    pages = {"tools.md": CHAPTER, "glue.md": "# Glue\n\nPaste."}
    assert title_in({path: text, "SUMMARY.md": summary, **pages}) == "Binding at home"


@pytest.mark.parametrize(
    "over",
    ["# Summary\n\n", "# Table of contents\n\n", "# Sommaire\n\n", "[Glue](glue.md)\n\n# Part A\n"],
)
def test_a_title_of_the_list_or_of_a_part_of_it_names_no_book(over: str) -> None:
    pages = {"tools.md": CHAPTER, "glue.md": "# Glue\n\nPaste."}
    assert title_in({"SUMMARY.md": over + LISTED, **pages}) == ""
