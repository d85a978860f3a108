"""Collect the text of a block of a page, and what its ranges are beside their words."""

from collections.abc import Mapping
from itertools import accumulate

from lxml import etree

from services.ingest.model.book import Markup, MarkupKind
from services.ingest.parsers.html.marks import is_before_sign
from services.ingest.parsers.markup import KINDS_OF_TAGS, MAY_BE_EMPTY, TextWithMarkup, nested
from services.ingest.parsers.scripts import TAGS, Script

_SCRIPTS = {
    name: MarkupKind.SUPERSCRIPT if script is Script.RAISED else MarkupKind.SUBSCRIPT
    for name, script in TAGS.items()
}
_MOST_OPEN = 64
"""What goes on over blocks is told of each: a page may open a thousand elements, and a thousand tables
in them."""
_OPENINGS = {"^": MarkupKind.SUPERSCRIPT, "_": MarkupKind.SUBSCRIPT}


class Line:
    """What is seen of a block so far; `written` is what stands around raised and lowered elements."""

    def __init__(self, written: Mapping[etree._Element, str]) -> None:
        self._written = written
        self._parts: list[str] = []
        self._begun: list[tuple[etree._Element, MarkupKind, int, str]] = []
        """Of each the number of parts before it, as in the next list."""
        self._ended: list[Markup] = []

    @property
    def is_empty(self) -> bool:
        return not self._parts

    def add(self, text: str) -> None:
        self._parts.append(text)

    def open(self, element: etree._Element) -> None:
        """Begin what the element says of its text, and note the name by which it can be led to."""
        tag, attributes = str(element.tag), element.attrib
        if attributes:
            anchor = attributes.get("id") or (tag == "a" and attributes.get("name"))
            if anchor:
                self.note(MarkupKind.ANCHOR, str(anchor))
            if attributes.get("lang"):
                self._begin(element, MarkupKind.LANGUAGE, str(attributes["lang"]))
            if attributes.get("dir", "").lower() in ("ltr", "rtl"):
                self._begin(element, MarkupKind.DIRECTION, str(attributes["dir"]).lower())
            if tag == "a" and attributes.get("href"):
                self._begin(element, MarkupKind.LINK, str(attributes["href"]).strip())
        written = self._written.get(element, "") if self._written else ""
        if written:
            self._begin(element, _OPENINGS[written[0]], written)
        elif tag in _SCRIPTS:
            self._begin(element, _SCRIPTS[tag])
        elif tag in KINDS_OF_TAGS:
            self._begin(element, KINDS_OF_TAGS[tag])

    def _begin(self, element: etree._Element, kind: MarkupKind, value: str = "") -> None:
        if len(self._begun) < _MOST_OPEN:
            self._begun.append((element, kind, len(self._parts), value))

    def close(self, element: etree._Element) -> None:
        """End what the element says."""
        while self._begun and self._begun[-1][0] is element:
            _, kind, start, value = self._begun.pop()
            self._ended.append(Markup(kind, start, len(self._parts), value))

    def note(self, kind: MarkupKind, value: str) -> None:
        """Say something of the place that the text has come to."""
        self._ended.append(Markup(kind, len(self._parts), len(self._parts), value))

    def refer(self, element: etree._Element, mark: str) -> None:
        """Note the mark of a footnote; the space before it is no text where a sign comes behind it."""
        if self._parts and is_before_sign(element):
            self._parts[-1] = self._parts[-1].rstrip()
        self.note(MarkupKind.FOOTNOTE_REFERENCE, mark)

    def add_marked(self, kind: MarkupKind, text: str, value: str = "") -> None:
        start = len(self._parts)
        self._parts.append(text)
        self._ended.append(Markup(kind, start, start + 1, value))

    def take(self) -> TextWithMarkup:
        """Return the text as it stands in the source, with its markup, and begin the next block.

        What has not ended goes on in that.
        """
        raw = "".join(self._parts)
        found = list(self._ended)
        if self._begun:
            found += [
                Markup(kind, start, len(self._parts), value)
                for _, kind, start, value in reversed(self._begun)
            ]
            self._begun = [(element, kind, 0, value) for element, kind, _, value in self._begun]
        if found:
            at = list(accumulate(map(len, self._parts), initial=0))
            found = nested(
                [Markup(one.kind, at[one.start], at[one.end], one.value) for one in found]
            )
        self._parts, self._ended = [], []
        return raw, [one for one in found if one.start < one.end or one.kind in MAY_BE_EMPTY]
