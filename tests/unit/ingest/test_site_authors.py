"""Who wrote a book stands in the settings of its site, and below the title of its first page."""

import pytest

from services.ingest.model.book import Document, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book

_PAGES = {"index.md": "# Mills\n\nThey turn.", "one.md": "# Wind\n\nIt blows.\n"}


def read(files: dict[str, str]) -> list[Document]:
    plan = plan_book(Source([SourceFile(path, text.encode()) for path, text in files.items()]))
    return [parse_document(placed)[0] for placed in plan.documents]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("mkdocs.yml", "site_name: Mills\nsite_author: Ada Kent\nnav: [index.md, one.md]"),
        ("_config.yml", "title: Mills\nauthor: Ada Kent"),
        ("_quarto.yml", "book:\n  author: Ada Kent\n  chapters: [index.md, one.md]"),
        ("_quarto.yml", "book:\n  author:\n  - name: {given: Ada, family: Kent}"),
        ("myst.yml", "project:\n  authors:\n  - name: Ada Kent\n  toc: [{file: index.md}]"),
        ("conf.py", "import os\nproject = 'Mills'\nauthor = 'Ada Kent'\n"),
    ],
)
def test_the_first_page_says_whom_the_settings_name(settings: str, said: str) -> None:
    folder = "docs/" if settings == "mkdocs.yml" else ""
    first, second = read({settings: said, **{folder + p: text for p, text in _PAGES.items()}})
    assert first.text == "Mills\n\nAuthor: Ada Kent\n\nThey turn."
    assert first.byline.authors == ("Ada Kent",)
    assert second.text == "Wind\n\nIt blows."
    assert not second.byline.authors


def test_an_mdbook_is_called_and_has_the_authors_as_its_settings_say() -> None:
    files = {
        "book.toml": '[book]\ntitle = "Of mills"\nauthors = ["Ada Kent"]\n',
        "src/SUMMARY.md": "- [Mills](index.md)\n- [Wind](one.md)\n",
        **{f"src/{path}": text for path, text in _PAGES.items()},
    }
    plan = plan_book(Source([SourceFile(path, text.encode()) for path, text in files.items()]))
    assert plan.title == "Of mills"
    assert read(files)[0].text == "Mills\n\nAuthor: Ada Kent\n\nThey turn."
    broken = {**files, "book.toml": "[book\n"}
    assert read(broken)[0].text == "Mills\n\nThey turn."


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("conf.py", "author = names[0]\n"),
        ("conf.py", "author = 'Ada"),
        ("mkdocs.yml", "site_author: [unclosed"),
        ("_config.yml", "author: unknown"),
        ("examples/conf.py", "author = 'Bo Lind'"),
    ],
)
def test_settings_that_name_nobody_or_are_of_another_book_say_nothing(
    settings: str, said: str
) -> None:
    first = read({settings: said, **_PAGES})[0]
    assert first.text == "Mills\n\nThey turn."
    assert not first.byline.authors


def test_a_page_that_names_its_author_is_told_no_other() -> None:
    pages = {**_PAGES, "index.md": "---\nauthor: Bo Lind\n---\n\n# Mills\n\nThey turn."}
    first = read({"_config.yml": "author: Ada Kent", **pages})[0]
    assert first.text == "Mills\n\nAuthor: Bo Lind\n\nThey turn."


def test_restructuredtext_and_notebooks_say_it_too() -> None:
    [page] = read({"conf.py": "author = 'Ada Kent'", "index.rst": "Mills\n=====\n\nThey turn.\n"})
    assert page.text == "Mills\n\nAuthor: Ada Kent\n\nThey turn."
    cell = (
        '{"cell_type": "markdown", "metadata": {}, "source": ["# Mills\\n", "\\n", "They turn."]}'
    )
    about = '{"authors": [{"name": "Ada Kent"}]}'
    [page] = read({"a.ipynb": f'{{"nbformat": 4, "metadata": {about}, "cells": [{cell}]}}'})
    assert page.text == "Mills\n\nAuthor: Ada Kent\n\nThey turn."


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.adoc", ":author: Ada Kent\n:doctype: book\n= Mills\n\nThey turn and turn.\n"),
        ("a.adoc", ":author: Ada Kent\n= Mills\n\ninclude::one.adoc[]\n"),
        ("a.adoc", "= Mills\nby Ada Kent\n\nThey turn.\n"),
        ("a.rst", ":Authors: - Ada Kent\n\nMills\n=====\n\nThey turn.\n"),
        ("a.rst", "Mills\n=====\n\nOn wind\n-------\n\n:Author: Ada Kent\n\nThey turn.\n"),
        ("a.txt", f"Mills\nby Ada Kent\n\n{'They turn in all winds. ' * 9}\n"),
        ("a.txt", f"{' ' * 20}Mills\n{' ' * 18}by Ada Kent\n\n{'They turn in all winds. ' * 9}\n"),
        ("a.txt", f"MILLS\n\nAda Kent <ada@mills.org>\n\n1. Wind\n\n{'They turn. ' * 30}\n"),
        ("a.html", "<h1>Mills</h1><div class='author'>Ada Kent</div><h2>Wind</h2><p>They turn."),
        ("a.html", "<h1>Mills</h1><strong class='author'>Ada Kent</strong><p>They turn.</p>"),
    ],
)
def test_a_title_block_says_who_wrote_a_document(path: str, source: str) -> None:
    [page] = read({path: source})
    assert page.byline.authors == ("Ada Kent",)
    assert "Ada Kent" in page.text
    assert "\\" not in page.text


def test_somebody_named_below_a_later_title_wrote_no_page() -> None:
    comments = "<h1>Mills</h1><p>They turn.</p><h2>Comments</h2><p class='author'>Bo Lind</p>"
    assert not read({"a.html": comments})[0].byline.authors
