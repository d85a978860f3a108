"""Find the HTML of a Markdown file whose letters have the colour of the page that they stand on."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from markdown_it.token import Token

from services.ingest.parsers.css.effect import Around
from services.ingest.parsers.css.hides import effect_in
from services.ingest.parsers.markdown.tags import Tag

_EMPTY = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)
"""Elements that have no end, and nothing in them."""
_ON_UNKNOWN = ("class", "classname", "background")
"""Attributes with which the colour of an element's ground is not known."""


class _Open(NamedTuple):
    """An element that has not ended, and how what is in it is seen."""

    name: str
    around: Around
    tag: Tag


def hide_by_colour(tokens: Sequence[Token]) -> None:
    """Give the tags of a file without sheets the attribute that hides, where their colour does.

    A page is white. Of a box, of a component and of what has a class the ground is not known; an
    element stays in which another one is seen.
    """
    elements, boxes = _Elements(), 0
    for token in tokens:
        boxes += token.nesting if "admonition" in token.type else 0
        if token.type == "tags":
            for tag in token.meta["tags"]:
                elements.follow(tag, is_boxed=boxes > 0)
        elif token.type == "inline":
            depth = elements.depth
            for child in token.children or ():
                if child.type == "tag":
                    elements.follow(child.meta["tag"], is_boxed=boxes > 0)
            elements.end(depth)


class _Elements:
    """The elements that are open, the outermost first, and those of them that their colour hides."""

    def __init__(self) -> None:
        self._opened: list[_Open] = []
        self._names: Counter[str] = Counter()
        self._hidden: list[_Open] = []

    @property
    def depth(self) -> int:
        return len(self._opened)

    def end(self, depth: int) -> None:
        """End all elements but the outermost `depth`."""
        while len(self._opened) > depth:
            self._close()

    def follow(self, tag: Tag, *, is_boxed: bool) -> None:
        name = tag.name.lower()
        if tag.closing:
            while self._names[name] and self._close() != name:
                pass
        elif not (tag.self_closing or name in _EMPTY):
            self._open(name, tag, is_boxed=is_boxed)

    def _close(self) -> str:
        ended = self._opened.pop()
        self._names[ended.name] -= 1
        if self._hidden and self._hidden[-1] is ended:
            self._hidden.pop()
        return ended.name

    def _open(self, name: str, tag: Tag, *, is_boxed: bool) -> None:
        around = self._opened[-1].around if self._opened else Around()
        told = {key.lower(): value for key, value in tag.attributes.items()}
        if is_boxed or tag.is_component or not told.keys().isdisjoint(_ON_UNKNOWN):
            around = around._replace(ground=None)
        effect = effect_in(_style(name, told), around)
        self._opened.append(_Open(name, effect.around, tag))
        self._names[name] += 1
        if effect.hides_words == "color":
            tag.attributes["hidden"] = ""
            self._hidden.append(self._opened[-1])
        elif not (effect.hides_all or effect.hides_words):
            for one in self._hidden:
                one.tag.attributes.pop("hidden", None)
            self._hidden.clear()


def _style(name: str, told: dict[str, str]) -> str:
    """Return the style of an element behind what browsers and old attributes say of its colours."""
    said = []
    if name == "a" and "href" in told:
        said.append("color:#0000ee")
    if name == "mark":
        said.append("background-color:yellow;color:black")
    if name == "font" and told.get("color"):
        said.append(f"color:{told['color']}")
    if told.get("bgcolor"):
        said.append(f"background-color:{told['bgcolor']}")
    return ";".join((*said, told.get("style", "")))
