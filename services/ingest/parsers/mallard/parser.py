"""Parse a page of Mallard into canonical text, by way of a page of HTML."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from lxml import etree

from services.ingest.model.book import ParsedText
from services.ingest.parsers.docbook.tree import id_of, local, read_tree
from services.ingest.parsers.docbook.writer import Writer, add_text, child_of, children_of, plain
from services.ingest.parsers.html import parse_written

NAME = "mallard:"
"""What stands before the ids of pages and sections among the names that references show."""
_CODE = ("file", "cmd", "input", "output", "sys", "var")
_BLOCKS = frozenset(("page", "section", "item", "note", "list", "steps", "terms", "tree", "info"))
_BOXES = frozenset(("important", "tip", "warning", "danger", "caution"))
_LISTS = {"list": "ul", "steps": "ol", "terms": "dl", "tree": "ul"}
_HEADS = frozenset(("title", "subtitle", "info", "desc"))
_AUTHORS = frozenset(("author", "maintainer"))


def parse_mallard(
    source: str, fallback_title: str, names: Mapping[str, str] = MappingProxyType({})
) -> ParsedText:
    """Parse a page; `names` are titles of pages and sections, by their ids behind NAME.

    What a program makes of its links to topics is no text of it. Raises InvalidInput as
    `parse_docbook` does.
    """
    writer = _Page(read_tree(source), names)
    parsed = parse_written(writer.write(), fallback_title)
    return replace(
        parsed,
        warnings=(*writer.warnings(), *parsed.warnings),
        dropped_content=(*writer.dropped, *parsed.dropped_content),
    )


class _Page(Writer):
    unseen = frozenset(("links", "comment", "rules", "thumb", "locNote", "else", "info"))
    only_blocks = _BLOCKS
    tags = MappingProxyType(
        {
            **dict.fromkeys(_CODE, "code"),
            **dict.fromkeys(("app", "gui", "span", "cite"), "span"),
            "p": "p",
            "em": "em",
            "key": "kbd",
            "hi": "mark",
        }
    )

    def __init__(self, root: etree._Element, names: Mapping[str, str]) -> None:
        super().__init__(root)
        self._names = names
        for handler, told in (
            (self._section, ("page", "section")),
            (self._list, _LISTS),
            (self._titled, ("figure", "listing", "example", "note", "quote", "synopsis")),
            (self._table, ("table",)),
            (self._code, ("code", "screen")),
            (self._keys, ("keyseq", "guiseq")),
        ):
            self.handlers |= dict.fromkeys(told, handler)
        self.handlers |= {
            "link": self._link,
            "media": self._media,
            "title": lambda source, target: self.label(target, source),
            "desc": lambda source, target: self.fill(source, self.open(target, "p", source)),
            "choose": self._choose,
            "when": self.fill,
            "if": self.fill,
        }

    def _section(self, source: etree._Element, target: etree._Element) -> None:
        # The id of a page is its address: within it nothing leads there.
        made = self.open(target, "section", source if source is not self.source else None)
        title, info = child_of(source, "title"), child_of(source, "info")
        self.depth += 1
        if title is not None:
            self.heading(made, title)
        for subtitle in children_of(source, "subtitle"):
            self.label(made, subtitle)
        if info is not None:
            self._describe(info, made)
        self.fill_without(source, made, _HEADS)
        self.depth -= 1

    def _describe(self, info: etree._Element, target: etree._Element) -> None:
        """Write what a page says it is about, which readers see where others lead to it."""
        for told in children_of(info, "desc"):
            self.put(told, target)
        for credit in children_of(info, "credit"):
            name = child_of(credit, "name")
            if name is not None and _AUTHORS & set((credit.get("type") or "").split()):
                etree.SubElement(self.head, "meta", {"name": "author", "content": plain(name)})

    def _list(self, source: etree._Element, target: etree._Element) -> None:
        tag = _LISTS[local(source)]
        numbered = local(source) == "list" and source.get("type") in ("numbered", "decimal")
        title = child_of(source, "title")
        if title is not None:
            self.label(target, title)
        made = self.open(target, "ol" if numbered else tag, source)
        for item in children_of(source, "item"):
            if tag == "dl":
                self._entry(item, made)
            else:
                self._item(item, made, is_tree=local(source) == "tree")

    def _entry(self, item: etree._Element, target: etree._Element) -> None:
        for title in children_of(item, "title"):
            self.fill(title, self.open(target, "dt", item))
        self.fill_without(item, self.open(target, "dd"), frozenset(("title",)))

    def _item(self, item: etree._Element, target: etree._Element, *, is_tree: bool) -> None:
        made = self.open(target, "li", item)
        if not is_tree:
            self.fill(item, made)
            return
        self.fill_without(item, made, frozenset(("item",)))
        inner = children_of(item, "item")
        listed = self.open(made, "ul") if inner else made
        for one in inner:
            self._item(one, listed, is_tree=True)

    def _titled(self, source: etree._Element, target: etree._Element) -> None:
        name = local(source)
        if name == "quote":
            self.fill(source, self.open(target, "blockquote", source))
            return
        kind = {"figure": "figure", "listing": "example", "example": ""}.get(name, "")
        if name == "note":
            styles = set((source.get("style") or "").split())
            kind = f"admonition {next(iter(sorted(styles & _BOXES)), 'note')}"
        made = self.open(target, "div", source, kind)
        title = child_of(source, "title")
        if title is not None and name in ("figure", "listing"):
            self.fill(title, self.open(made, "p", title, "title"))
        elif title is not None:
            self.label(made, title)
        self.fill_without(source, made, frozenset(("title",)))

    def _table(self, source: etree._Element, target: etree._Element) -> None:
        made = self.open(target, "table", source)
        title = child_of(source, "title")
        if title is not None:
            self.fill(title, self.open(made, "caption", title))
        for one in source:
            if local(one) in ("thead", "tbody", "tfoot", "tr"):
                self._rows(one, made)

    def _rows(self, source: etree._Element, target: etree._Element) -> None:
        made = self.open(target, local(source), source)
        is_head = local(source) == "tr" and target.tag == "thead"
        for one in source:
            if local(one) == "tr":
                self._rows(one, made)
            elif local(one) in ("td", "th"):
                cell = self.open(made, "th" if is_head else local(one), one)
                for name in ("rowspan", "colspan"):
                    if one.get(name):
                        cell.set(name, str(one.get(name)))
                self.fill(one, cell)

    def _code(self, source: etree._Element, target: etree._Element) -> None:
        is_block = local(source) == "screen" or self._guess(source) == "div"
        language = (source.get("mime") or "").rpartition("/")[2].removeprefix("x-")
        if not is_block:
            self.fill(source, self.open(target, "code", source))
            return
        kind = f"screen language-{language}" if language not in ("", "plain") else "screen"
        self.fill(source, self.open(target, "pre", source, kind))

    def _keys(self, source: etree._Element, target: etree._Element) -> None:
        between = " → " if local(source) == "guiseq" else "+"
        between = " " if source.get("type") == "sequence" else between
        made = self.open(target, "span", source)
        parts = [one for one in source if local(one)]
        if not parts:
            self.fill(source, made)
        for one in parts:
            add_text(made, between if one is not parts[0] else "")
            self.put(one, made)

    def _link(self, source: etree._Element, target: etree._Element) -> None:
        xref, href = source.get("xref") or "", source.get("href") or ""
        made = self.open(target, "a", source)
        page, _, section = xref.partition("#")
        own = page in ("", id_of(self.source))
        address = f"#{section}" if own else f"{page}.page" + (f"#{section}" if section else "")
        if xref or href:
            made.set("href", address if xref else href)
        self.fill(source, made)
        if not plain(source):
            named = f"{NAME}{id_of(self.source) if own else page}"
            named += f"#{section}" if section else ""
            add_text(made, self._names.get(named) or xref or href)

    def _media(self, source: etree._Element, target: etree._Element) -> None:
        words = plain(source)
        if (source.get("type") or "image") != "image":
            self.fill(source, self.open(target, "div", source))
            return
        made = self.open(target, "img", source)
        made.set("src", source.get("src") or "")
        if words:
            made.set("alt", words)

    def _choose(self, source: etree._Element, target: etree._Element) -> None:
        """Write the first of several texts, each of which is for another program or system."""
        chosen = child_of(source, "when", "else")
        if chosen is not None:
            self.fill(chosen, target)
