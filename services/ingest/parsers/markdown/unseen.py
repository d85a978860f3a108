"""Find what nobody sees of the HTML in a Markdown file, by the rules for pages of HTML."""

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from markdown_it.token import Token

from services.ingest.parsers.lazy import load_html
from services.ingest.parsers.markdown.tags import Tag, scan_tag

_INSIDE = re.compile(r"<(?P<name>\w+)[^<>]{0,1000}>(?P<text>.*?)(?:</(?P=name)|\Z)", re.DOTALL)
_TOLD = re.compile("tags|raw|.*admonition")
_JSX = re.compile(r"\s*\{\s*`(?P<text>.*)`\s*\}\s*", re.DOTALL)
_EMPTY = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)
"""Elements that have no end, and nothing in them."""
_RAW_TEXTS = ("pre", "table")
"""Elements of HTML that are read to their ends at once and have text."""
UNSEEN, _TAGS = "unseen", "raw tags"
"""Of such an element, the text in it that nobody sees, and its tags with where they begin."""
_UNSHOWN = frozenset(("noscript", "template", "datalist", "dialog", "noembed", "noframes"))
"""Elements of which a browser that runs scripts draws nothing, a dialog as long as it is not open."""
_TELLING = frozenset(
    (
        *("style", "hidden", "popover", "class", "classname", "color", "bgcolor", "background"),
        "text",
    )
)
"""Attributes without which all elements of a file without sheets are seen."""
_UNKNOWN_GROUND = "background:var(--unknown);"
_DEEPEST = 100
"""Elements in one another; what is further in is looked at as if it stood no deeper."""


@dataclass
class _Element:
    """An element with the one around it; only one that has an end says anything of what is in it."""

    tag: Tag
    around: "_Element | None"
    is_boxed: bool
    depth: int
    end: Tag | None = None
    number: int = -1
    """Its place among those that are judged."""


@dataclass
class _Opened:
    """The elements that are open, in the one around all of them."""

    around: _Element | None = None
    elements: list[_Element] = field(default_factory=list)
    names: Counter[str] = field(default_factory=Counter)

    def innermost(self) -> _Element | None:
        return self.elements[-1] if self.elements else self.around

    def begin(self, tag: Tag, *, is_boxed: bool) -> Iterator[_Element]:
        """Yield the element that begins with a tag, if one does."""
        name = tag.name.lower()
        if not tag.self_closing and name not in _EMPTY:
            around = self.innermost()
            if around and around.depth >= _DEEPEST:
                around = around.around
            element = _Element(tag, around, is_boxed, around.depth + 1 if around else 0)
            self.elements.append(element)
            self.names[name] += 1
            yield element

    def end(self, tag: Tag) -> bool:
        """End the element that a tag closes; return whether there is one."""
        name = tag.name.lower()
        if not self.names[name]:
            return False
        ended = ""
        while ended != name:  # what has no end of its own ends with what it is in
            element = self.elements.pop()
            ended = element.tag.name.lower()
            self.names[ended] -= 1
        element.end = tag
        return True


def hide_unseen(tokens: Sequence[Token], path: str, sheets: Mapping[str, str]) -> Sequence[Token]:
    """Return the tokens, with tags that know whether they turn what is seen into what is not.

    `sheets` are those of the source of the file at `path`, by their paths.
    """
    # Most pieces have no tags: asked first, and of all of them at once.
    told = [one for one in tokens if _TOLD.match(one.type) or "<" in one.content]
    styles = [(inside, _attributes(one)) for one in told if (inside := _inside(one, "style"))]
    links = [tag.attributes for one in told for tag in _tags_of(one) if _is_sheet(tag)]
    elements = [one for one in _elements(told) if one.end]
    if not (styles or links or any(map(_may_be_unseen, elements))):
        return tokens
    # Loaded only by a file that has some: most have none.
    pages = load_html()
    scripts = [inside for one in told if (inside := _inside(one, "script"))]
    for number, one in enumerate(elements):
        one.number = number
    arounds = [_number_around(one) for one in elements]
    named = [
        (one.tag.name, _told(one), around) for one, around in zip(elements, arounds, strict=True)
    ]
    unseen = pages.hides_tags(pages.Around(styles, scripts, links), named, path, sheets.get)
    for one, around in zip(elements, arounds, strict=True):
        turn = int(unseen[one.number]) - int(around >= 0 and unseen[around])
        one.tag.turn = turn
        if one.end:
            one.end.turn = -turn
    for token in filter(_has_raw_text, told):
        _cut_unseen(token)
    return tokens


def _has_raw_text(token: Token) -> bool:
    return token.type == "raw" and token.meta["name"] in _RAW_TEXTS


def _scan_raw(token: Token) -> Iterator[Tag]:
    """Yield the tags of a table or code that is HTML, which are kept with where they begin."""
    text, found = token.meta["text"], list[tuple[int, Tag]]()
    start = text.find("<")
    while start >= 0:
        tag = scan_tag(text, start, mdx=False)
        if tag:
            found.append((start, tag))
            yield tag
        start = text.find("<", tag.end if tag else start + 1)
    token.meta[_TAGS] = found


def _cut_unseen(token: Token) -> None:
    """Part what is seen of a table or code from what is not, with the tags of its elements."""
    text, seen, unseen, at, depth = token.meta["text"], "", "", 0, 0
    for start, tag in token.meta[_TAGS]:
        if depth > 0:
            unseen += text[at:start]
        else:
            seen += text[at:start]
        depth += tag.turn
        seen += text[start : tag.end] if depth <= 0 else ""
        at = tag.end
    token.meta["text"], token.meta[UNSEEN] = seen + text[at:], html.unescape(unseen)


def _elements(tokens: Sequence[Token]) -> list[_Element]:
    """Return the elements in order: those of lines of tags, and those within one paragraph."""
    found, outer, boxes = list[_Element](), _Opened(), 0
    for token in tokens:
        boxes += token.nesting if "admonition" in token.type else 0
        if token.type not in ("tags", "inline") and not _has_raw_text(token):
            continue
        inner = outer if token.type == "tags" else _Opened(outer.innermost())
        for tag in _tags_of(token):
            if not tag.closing:
                found += inner.begin(tag, is_boxed=boxes > 0)
            elif not inner.end(tag) and token.type != "raw":
                outer.end(tag)
    return found


def turn_of(token: Token) -> int:
    """Return by how much a line of tags, or a paragraph, turns what follows it."""
    return sum(tag.turn for tag in _tags_of(token))


def _tags_of(token: Token) -> Iterator[Tag]:
    yield from token.meta["tags"] if token.type == "tags" else ()
    yield from _scan_raw(token) if _has_raw_text(token) else ()
    children = token.children or () if token.type == "inline" else ()
    yield from (child.meta["tag"] for child in children if child.type == "tag")


def _number_around(element: _Element) -> int:
    """Return the number of the innermost judged element around another; -1 where there is none."""
    around = element.around
    while around is not None and not around.end:
        around = around.around
    return around.number if around else -1


def _may_be_unseen(element: _Element) -> bool:
    name = element.tag.name.lower()
    return name in _UNSHOWN or not _TELLING.isdisjoint(map(str.lower, element.tag.attributes))


def _told(element: _Element) -> dict[str, str]:
    """Return the attributes as a page of HTML has them.

    Of a box and of a component it is not known what letters in it stand on.
    """
    tag, name = element.tag, element.tag.name.lower()
    told = {key.lower(): value for key, value in tag.attributes.items()}
    if name in _UNSHOWN and not tag.is_component and not (name == "dialog" and "open" in told):
        told["hidden"] = ""
    if "classname" in told:
        told["class"] = told.pop("classname")
    if tag.is_component or element.is_boxed:
        told["style"] = _UNKNOWN_GROUND + told.get("style", "")
    return told


def _is_sheet(tag: Tag) -> bool:
    relations = tag.attributes.get("rel", "").lower().split()
    is_one = "stylesheet" in relations and "alternate" not in relations
    return tag.name.lower() == "link" and is_one and bool(tag.attributes.get("href"))


def _inside(token: Token, name: str) -> str:
    """Return what stands in an element of its own lines, such as a sheet; "" in any other."""
    if token.type != "raw" or token.meta["name"] != name:
        return ""
    found = _INSIDE.match(token.meta["text"])
    text = found["text"] if found else ""
    jsx = _JSX.fullmatch(text)
    return jsx["text"] if jsx else text


def _attributes(token: Token) -> Mapping[str, str]:
    tag = scan_tag(token.meta["text"], 0, mdx=True)
    return tag.attributes if tag else {}
