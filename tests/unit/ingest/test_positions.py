"""Documents stand where their front matter says; marks in its title are not shown."""

import pytest

from services.ingest.parsers.markdown import parse_markdown
from services.ingest.plan import plan_book
from tests.support.ingest_fakes import source


def planned(files: dict[str, str]) -> list[str]:
    texts = {path: f"---\n{front}\n---\n\nText.\n" for path, front in files.items()}
    return [one.file.path for one in plan_book(source(texts)).documents]


def test_numbers_of_a_book_order_its_documents_part_by_part() -> None:
    files = {
        "a.md": 'number: "3.10"',
        "b.md": "title: Without",
        "c.md": 'number: "3.9.2"',
        "d.md": "number: 3.9",
        "e.md": "number: 2",
        "f.md": 'number: "3."',
    }
    assert planned(files) == ["e.md", "f.md", "d.md", "c.md", "a.md", "b.md"]


@pytest.mark.parametrize("name", ["weight", "nav_order", "order", "position", "sidebar_position"])
def test_a_place_among_the_others_orders_a_folder(name: str) -> None:
    files = {"a.md": f"{name}: 10", "b.md": f"{name}: 2.5", "c.md": "x: y", "d.md": f"{name}: -1"}
    assert planned(files) == ["d.md", "b.md", "a.md", "c.md"]


def test_values_that_are_no_place_order_nothing() -> None:
    files = {
        "a.md": "weight: 0",
        "b.md": "nav_order: 1\nparent: Other",
        "c.md": "position: engineer",
        "d.md": "order: .nan",
        "e.md": "weight: 3",
        "f.md": "order: true",
    }
    assert planned(files) == ["e.md", "a.md", "b.md", "c.md", "d.md", "f.md"]


def test_the_page_of_a_folder_states_the_place_of_the_folder() -> None:
    files = {
        "a/_index.md": "weight: 20",
        "a/x.md": "weight: 5",
        "b/_index.md": "weight: 10",
        "b/y.md": "weight: 1",
        "c.md": "weight: 15",
    }
    assert planned(files) == ["b/_index.md", "b/y.md", "c.md", "a/_index.md", "a/x.md"]


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Guests (*Personas*)", "Guests (Personas)"),
        ("**Bold** and _slanted_ `a_b *c*`", "Bold and slanted a_b *c*"),
        (
            "The [way](x.md) of __init__ and snake_case_name",
            "The way of __init__ and snake_case_name",
        ),
        ("2 * 3 * 4, a*b*c, `*args` and *", "2 * 3 * 4, a*b*c, *args and *"),
    ],
)
def test_marks_in_a_title_of_front_matter_are_not_shown(title: str, shown: str) -> None:
    parsed = parse_markdown(f"---\ntitle: '{title}'\n---\n\nText.\n", False, "X")
    assert parsed.title == shown
    assert parsed.text.split("\n")[0] == shown
