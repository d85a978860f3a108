"""References of MyST and Sphinx show the titles of what they lead to, in whichever file that is."""

from dataclasses import replace
from functools import partial

import pytest

from services.ingest.model.book import Source
from services.ingest.parse import parse_document
from services.ingest.parsers.markdown.titles import heads_of, read_titles
from services.ingest.plan import plan_book, planning_part
from tests.support.ingest_fakes import source
from tests.support.work import count_calls

OTHERS = {
    "docs/guide/setup.md": (
        "---\nkey: x\n---\n\n```\n# No title\n```\n\n# Setting *it* up\n\n(wires)=\n\n## The wires\n"
    ),
    "docs/guide/index.md": "(guide)=\nThe guide\n=========\n\nText.\n",
    "docs/index.md": "# Welcome\n",
    "docs/old.rst": "Old ways\n========\n\n.. _valves:\n\nThe valves\n----------\n\nText.\n",
}


def shown(path: str, text: str) -> str:
    """Return the last piece of a file among the others, planned and read as the service does."""
    files = {file.path: file for file in source({**OTHERS, path: text}).files}
    plan = plan_book(Source([planning_part(file) for file in files.values()]))
    [placed] = [one for one in plan.documents if one.file.path == path]
    document, _ = parse_document(replace(placed, file=files[path]))
    return document.text.split("\n\n")[-1]


@pytest.mark.parametrize(
    ("reference", "title"),
    [
        ("{doc}`setup`", "Setting it up"),
        ("{doc}`/guide/setup`", "Setting it up"),
        ("{doc}`../index`", "Welcome"),
        ("{doc}`index`", "The guide"),
        ("{doc}`../old`", "Old ways"),
        ("{doc}`own words <setup>`", "own words"),
        ("[](setup.md)", "Setting it up"),
        ("[](../index.md)", "Welcome"),
        ("[](project:setup.md)", "Setting it up"),
        ("[](#wires)", "The wires"),
        ("[](setup.md#wires)", "The wires"),
        ("{ref}`wires`", "The wires"),
        ("{ref}`valves`", "The valves"),
        ("{any}`guide`", "The guide"),
        ("<project:setup.md>", "Setting it up"),
    ],
)
def test_a_reference_of_myst_shows_the_title_of_what_it_leads_to(
    reference: str, title: str
) -> None:
    assert shown("docs/guide/more.md", f"# More\n\nSee {reference}.") == f"See {title}."


@pytest.mark.parametrize(
    ("reference", "title"),
    [
        (":doc:`setup`", "Setting it up"),
        (":doc:`/guide/setup`", "Setting it up"),
        (":doc:`../index`", "Welcome"),
        (":ref:`wires`", "The wires"),
        (":ref:`valves`", "The valves"),
    ],
)
@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("docs/guide/more.md", "# More\n\n```{{eval-rst}}\nSee {}.\n```\n"),
        ("docs/guide/more.rst", "More\n====\n\nSee {}.\n"),
    ],
)
def test_a_reference_of_restructured_text_shows_the_title_wherever_it_stands(
    path: str, form: str, reference: str, title: str
) -> None:
    assert shown(path, form.format(reference)) == f"See {title}."


def test_a_missing_file_is_shown_by_the_words_of_its_name() -> None:
    text = "# More\n\nSee {doc}`the-missing`, [](other_page.md)."
    assert shown("docs/guide/more.md", text) == "See the missing, other page."


def test_signs_of_markdown_in_a_title_stay_signs() -> None:
    others = {"b.md": "# The \\_name\\_ and $x$ [here]\n", "a.md": "# A\n\nSee {doc}`b`."}
    placed = [one for one in plan_book(source(others)).documents if one.file.path == "a.md"]
    document, _ = parse_document(placed[0])
    assert document.text.endswith("$x$ [here].")


def test_the_part_of_a_file_that_a_plan_keeps_says_the_same_of_its_titles() -> None:
    for text in OTHERS.values():
        assert read_titles(heads_of(text)) == read_titles(text)


def test_files_that_refer_to_nothing_are_planned_without_the_titles_of_others() -> None:
    plain = {"a.md": "# A\n\nText.", "b.md": "# B\n\n[See](a.md)."}
    assert not any(one.names for one in plan_book(source(plain)).documents)


@pytest.mark.parametrize("piece", ["# ", "(a)=\n", "a\n=\n", "`" * 9, "[](", "{ref}"])
def test_titles_are_found_in_time_that_grows_as_the_text_does(piece: str) -> None:
    few, many = (count_calls(partial(heads_of, piece * count)) for count in (1000, 2000))
    assert many <= 2.2 * few + 100
