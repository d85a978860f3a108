"""Write a page of HTML from a tree of XML: what the writers of DocBook and of Mallard share."""

import re
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from lxml import etree

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.docbook.entities import MISSING, UNDEFINED
from services.ingest.parsers.docbook.tree import XML, id_of, local, undefined_in
from services.ingest.parsers.dropped import visible

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_@.][\w-]{1,20})*")
_DEEPEST_HEADING = 6


class Handler(Protocol):
    """Writes an element into one of the page."""

    def __call__(self, source: etree._Element, target: etree._Element, /) -> None: ...


class Writer:
    """Writes elements by a table: a handler by name, or only the tag that they become.

    `unseen` are names of what readers do not see; `only_blocks` of elements in which no line of text
    may stand, so that an entity there is whole paragraphs; `inline` of those inside of lines.
    """

    unseen: frozenset[str] = frozenset()
    only_blocks: frozenset[str] = frozenset()
    tags: Mapping[str, str] = MappingProxyType({})

    def __init__(self, root: etree._Element) -> None:
        self.html = etree.Element("html")
        self.head = etree.SubElement(self.html, "head")
        self.body = etree.SubElement(self.html, "body")
        self.dropped: list[DroppedContent] = []
        self.depth = 0
        self.source = root
        self.handlers: dict[str, Handler] = {}
        self._with_text: dict[etree._Element, bool] = {}
        self._notes: list[etree._Element] = []
        language = language_of(root)
        if language:
            self.html.set("lang", language)

    def write(self) -> etree._Element:
        """Return the page."""
        self.put(self.source, self.body)
        for note in self._notes:
            self.body.append(note)
        return self.html

    def warnings(self) -> list[str]:
        """Return what is to be said of entities that nothing defines."""
        names = Counter(undefined_in(self.source))
        if not names:
            return []
        told = ", ".join(f"{name} ({count})" for name, count in names.most_common(12))
        more = f" and {len(names) - 12} more" if len(names) > 12 else ""
        return [f"entities that nothing in the source defines stand as their names: {told}{more}"]

    def put(self, source: etree._Element, target: etree._Element) -> None:
        """Write an element without what follows it."""
        name = local(source)
        if not name:
            self._instruct(source, target)
        elif name in self.unseen:
            return
        elif name in self.handlers:
            self.handlers[name](source, target)
        else:
            tag = self.tags.get(name) or self._guess(source)
            self.fill(source, self.open(target, tag, source))

    def fill(self, source: etree._Element, target: etree._Element) -> None:
        """Write what is in an element."""
        add_text(target, source.text)
        for child in source:
            self.put(child, target)
            add_text(target, child.tail)

    def fill_without(
        self, source: etree._Element, target: etree._Element, names: frozenset[str]
    ) -> None:
        """Write what is in an element but those children."""
        add_text(target, source.text)
        for child in source:
            if local(child) not in names:
                self.put(child, target)
                add_text(target, child.tail)

    def open(
        self, target: etree._Element, tag: str, source: etree._Element | None = None, kind: str = ""
    ) -> etree._Element:
        """Add an element to the page, with the name, the language and the line of its source."""
        made = etree.SubElement(target, tag)
        if kind:
            made.set("class", kind)
        line = target.sourceline if source is None else source.sourceline
        if line:
            made.sourceline = line
        if source is not None:
            if id_of(source):
                made.set("id", id_of(source))
            language = language_of(source) if source is not self.source else ""
            if language:
                made.set("lang", language)
        return made

    def heading(self, target: etree._Element, source: etree._Element) -> etree._Element:
        """Add the title of the section that is open."""
        made = self.open(target, f"h{min(max(self.depth, 1), _DEEPEST_HEADING)}", source)
        self.fill(source, made)
        for picture in made.iter("img"):
            picture.attrib.pop("alt", "")  # a sign beside the words, which are the title
        return made

    def label(self, target: etree._Element, source: etree._Element) -> None:
        """Add a title that is no heading: of a list, of a box."""
        self.fill(source, self.open(self.open(target, "p"), "strong", source))

    def note(self, source: etree._Element, target: etree._Element) -> None:
        """Add the mark of a footnote, whose text stands at the end of the page."""
        number = str(len(self._notes) + 1)
        name = id_of(source) or f"footnote-{number}"
        aside = etree.Element("aside", {"class": "footnote", "id": name, "role": "doc-footnote"})
        aside.sourceline = source.sourceline
        self._notes.append(aside)
        self.refer_to_note(name, number, target)
        self.fill(source, aside)

    def refer_to_note(self, name: str, number: str, target: etree._Element) -> None:
        mark = self.open(target, "a", kind="footnote-reference")
        mark.set("href", f"#{name}")
        mark.set("role", "doc-noteref")
        mark.text = number

    def drop(self, source: etree._Element, kind: str, reason: str) -> None:
        """Say of what a reader of the source sees that it is left out."""
        seen = visible(plain(source)) if local(source) else 0
        place = f"line {source.sourceline}"
        self.dropped.append(DroppedContent(kind, place, reason, seen))

    def _instruct(self, source: etree._Element, target: etree._Element) -> None:
        if getattr(source, "target", "") == MISSING:
            name, _, reason = (source.text or "").partition(": ")
            self.drop(source, f'file "{name}"', reason)
        elif getattr(source, "target", "") == UNDEFINED:
            around = source.getparent()
            if around is not None and local(around) in self.only_blocks:
                self.drop(source, f'entity "{source.text}"', "nothing in the source defines it")
            else:
                add_text(target, source.text)

    def _guess(self, source: etree._Element) -> str:
        """Return how an element that no table has is written: as a line's part beside any text."""
        around = source.getparent()
        holds_lines = any(local(one) in ("para", "p", "title") for one in source)
        return (
            "span" if around is not None and not holds_lines and self._has_text(around) else "div"
        )

    def _has_text(self, source: etree._Element) -> bool:
        if source not in self._with_text:
            parts = (source.text, *(one.tail for one in source))
            self._with_text[source] = any((text or "").strip() for text in parts)
        return self._with_text[source]


def add_text(target: etree._Element, text: str | None) -> None:
    """Add text behind all that an element has."""
    if not text:
        return
    if len(target):
        target[-1].tail = (target[-1].tail or "") + text
    else:
        target.text = (target.text or "") + text


def language_of(source: etree._Element) -> str:
    """Return the language that an element says it is in, as HTML writes it; "" for none."""
    said = source.get(f"{XML}lang") or source.get("lang") or ""
    return re.split("[@.]", said)[0].replace("_", "-") if _LANGUAGE.fullmatch(said) else ""


_BESIDE = frozenset(
    ("indexterm", "footnote", "remark", "comment", "media", "mediaobject", "inlinemediaobject")
)


def plain(source: etree._Element) -> str:
    """Return the text of an element in one line, without what is no part of it."""
    parts = list[str]()
    walk = etree.iterwalk(source, events=("start", "end", "pi"))
    for event, one in walk:
        if event == "start" and local(one) in _BESIDE and one is not source:
            walk.skip_subtree()
        elif event == "start":
            parts.append(one.text or "")
        elif event == "pi":
            parts += [one.text or ""] if one.target == UNDEFINED else []
            parts.append(one.tail or "")
        elif one is not source:
            parts.append(one.tail or "")
    return " ".join("".join(parts).split())


def child_of(source: etree._Element, *names: str) -> etree._Element | None:
    """Return the first child of one of these names."""
    return next((one for one in source if local(one) in names), None)


def children_of(source: etree._Element, *names: str) -> list[etree._Element]:
    return [one for one in source if local(one) in names]
