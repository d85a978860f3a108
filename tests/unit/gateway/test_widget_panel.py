"""The widget's panel has the page's parts: what both draw has the same marks, so one code serves it."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

WEB = Path(__file__).parents[3] / "services/gateway/web"
ATTRIBUTES = re.compile(r'"?([\w-]+)"?: (?:"([^"]*)"|(\d+|true))')
ELEMENT = re.compile(r'element\(\s*"(\w+)",\s*\{([^}]*)\}')
NAMED = re.compile(r"const (\w+) = \{([^}]*)\}")

Parts = dict[str, dict[str, str]]


class _Page(HTMLParser):
    """Gathers the elements of the page that have an id, with their tags as an attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: Parts = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = {name: value or "" for name, value in attrs}
        if "id" in held:
            self.parts[held["id"]] = {"tag": tag, **held}


def read_page() -> Parts:
    page = _Page()
    page.feed((WEB / "index.html").read_text("utf-8"))
    return page.parts


def read_panel() -> Parts:
    text = (WEB / "widget/panel.js").read_text("utf-8")
    for name, held in NAMED.findall(text):
        text = text.replace(f'", {name})', f'", {{{held}}})')
    parts = {}
    for tag, held in ELEMENT.findall(text):
        given = {name: word or number for name, word, number in ATTRIBUTES.findall(held)}
        given = {name: "" if value == "true" else value for name, value in given.items()}
        if "id" in given:
            parts[given["id"]] = {"tag": tag, **given}
    return parts


PAGE, PANEL = read_page(), read_panel()
OWN = {"opener", "panel", "panel-title"}
"""The widget's own: its button, and the panel that the button opens."""


@pytest.mark.parametrize("part", sorted(PANEL.keys() - OWN))
def test_a_part_of_the_widget_is_marked_up_as_on_the_page(part: str) -> None:
    assert PANEL[part] == PAGE[part]


def test_the_widget_has_no_parts_but_its_own_and_the_pages() -> None:
    assert PANEL.keys() - PAGE.keys() == OWN
    assert len(PANEL) > len(OWN)
