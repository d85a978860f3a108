"""Write a DocBook document as a page of HTML, which the parser of HTML reads."""

from collections.abc import Iterator
from types import MappingProxyType

from lxml import etree

from services.ingest.parsers.docbook import names
from services.ingest.parsers.docbook.info import is_info, write_info
from services.ingest.parsers.docbook.inline import Inlines
from services.ingest.parsers.docbook.references import labels_of
from services.ingest.parsers.docbook.synopses import command_line, prototypes
from services.ingest.parsers.docbook.tables import write_cals, write_segments
from services.ingest.parsers.docbook.tree import local
from services.ingest.parsers.docbook.writer import add_text, child_of, children_of, plain

_HEADS = frozenset(("title", "subtitle"))
_TITLE = frozenset(("title",))
_TERMS = ("term", "glossterm", "question")


class Page(Inlines):
    """Writes the blocks of DocBook."""

    unseen = names.UNSEEN
    only_blocks = names.ONLY_BLOCKS
    tags = MappingProxyType({name: tag or name for name, tag in names.TAGS.items()})

    def __init__(self, root: etree._Element) -> None:
        super().__init__(root, labels_of(root))
        for handler, told in (
            (self._section, (*names.SECTIONS, "refentry")),
            (self._box, names.BOXES),
            (self._titled, names.TITLED),
            (self._list, names.LISTS),
            (self._code, names.PREFORMATTED),
            (self._table, ("table", "informaltable")),
            (self._title, ("title", "subtitle")),
            (self._paragraph, ("formalpara",)),
            (self._lines, ("literallayout", "address")),
            (self._entry, ("varlistentry", "glossentry", "qandaentry")),
            (self._names, ("refnamediv",)),
            (self._reading, ("bibliomixed", "biblioentry")),
            (self._members, ("simplelist",)),
            (self._aside, ("sidebar",)),
        ):
            self.handlers |= dict.fromkeys(told, handler)
        self.handlers |= {
            "segmentedlist": lambda source, target: write_segments(self, source, target),
            "cmdsynopsis": lambda source, target: self._synopsis(command_line(source), target),
            "funcsynopsis": lambda source, target: self._synopsis(prototypes(source), target),
        }

    def put(self, source: etree._Element, target: etree._Element) -> None:
        if is_info(source):
            write_info(self, source, target)
        else:
            super().put(source, target)

    def _section(self, source: etree._Element, target: etree._Element) -> None:
        if not len(source) and not (source.text or "").strip():
            return  # an index or contents that a program is to make
        made = self.open(target, "section", source)
        title = _title_of(source)
        self.depth += title is not None
        if title is not None:
            self.heading(made, title)
            for subtitle in _subtitles_of(source):
                self.fill(subtitle, self.open(made, "p", subtitle))
        self.fill_without(source, made, _HEADS)
        self.depth -= title is not None

    def _box(self, source: etree._Element, target: etree._Element) -> None:
        kind = f"admonition {local(source)}"
        self.fill(source, self.open(target, "div", source, kind))

    def _titled(self, source: etree._Element, target: etree._Element) -> None:
        made = self.open(target, "div", source, names.TITLED[local(source)])
        title = _title_of(source)
        if title is not None:
            self.fill(title, self.open(made, "p", title, "title"))
        self.fill_without(source, made, _TITLE)

    def _list(self, source: etree._Element, target: etree._Element) -> None:
        made = etree.Element(names.LISTS[local(source)])
        made.sourceline = source.sourceline
        parts = frozenset(("listitem", "step", "callout", "varlistentry", "glossentry"))
        parts |= {"qandaentry"}
        for child in source:
            # What stands before the first item, a title or a sentence, is no item.
            if local(child) in parts:
                if made.getparent() is None:
                    target.append(made)
                self.put(child, made)
            else:
                self.put(child, target)
        if local(source) == "orderedlist" and (source.get("startingnumber") or "").isdecimal():
            made.set("start", str(source.get("startingnumber")))

    def _code(self, source: etree._Element, target: etree._Element) -> None:
        made = self.open(target, "pre", source, names.PREFORMATTED[local(source)])
        language = (source.get("language") or "").strip().lower()
        if language and " " not in language:
            made.set("class", f"{made.get('class')} language-{language}")
        self.fill(source, made)

    def _synopsis(self, text: str, target: etree._Element) -> None:
        self.open(target, "pre", kind="synopsis").text = text

    def _lines(self, source: etree._Element, target: etree._Element) -> None:
        """Write text whose lines are kept, as code only where the letters are said to be even."""
        if source.get("class") == "monospaced":
            self.fill(source, self.open(target, "pre", source, "literallayout"))
            return
        made = self.open(target, "p", source)
        self.fill(source, made)
        for one in list(made.iter()):
            if one is made or one.tag != "br":
                _break_lines(one)

    def _table(self, source: etree._Element, target: etree._Element) -> None:
        title = _title_of(source)
        write_cals(self, source, target, title)

    def _title(self, source: etree._Element, target: etree._Element) -> None:
        self.label(target, source)

    def _paragraph(self, source: etree._Element, target: etree._Element) -> None:
        made = self.open(target, "p", source)
        title, text = child_of(source, "title"), child_of(source, "para", "simpara")
        if title is not None:
            strong = self.open(made, "strong", title)
            self.fill(title, strong)
            add_text(strong, "" if plain(title)[-1:] in tuple(".:!?") else ".")
            add_text(made, " ")
        if text is not None:
            self.fill(text, made)

    def _entry(self, source: etree._Element, target: etree._Element) -> None:
        """Write a term, or a question, with what is said of it."""
        listed = target if target.tag == "dl" else self.open(target, "dl")
        heads = children_of(source, *_TERMS)
        for head in heads:
            made = self.open(listed, "dt", source if head is heads[0] else None)
            self.fill(head, made)
        for child in source:
            name = local(child)
            if name in ("listitem", "glossdef", "answer"):
                self.fill(child, self.open(listed, "dd", child))
            elif name in ("glosssee", "glossseealso"):
                self.put(child, self.open(self.open(listed, "dd"), "p"))
            elif name not in (*_TERMS, "indexterm", "acronym", "abbrev"):
                self.put(child, self.open(listed, "dd"))

    def _names(self, source: etree._Element, target: etree._Element) -> None:
        told = ", ".join(plain(one) for one in children_of(source, "refname"))
        purpose = child_of(source, "refpurpose")
        made = self.open(target, "p", source)
        made.text = f"{told} — " if purpose is not None else told
        if purpose is not None:
            self.fill(purpose, made)

    def _reading(self, source: etree._Element, target: etree._Element) -> None:
        made = self.open(target, "p", source)
        if local(source) == "bibliomixed":
            self.fill(source, made)
            return
        parts = (plain(one) for one in _leaves(source))
        made.text = ". ".join(part.rstrip(".") for part in parts if part) + "."

    def _members(self, source: etree._Element, target: etree._Element) -> None:
        members = children_of(source, "member")
        if source.get("type") != "inline":
            made = self.open(target, "ul", source)
            for one in members:
                self.put(one, made)
            return
        made = self.open(target, "span", source)
        for one in members:
            add_text(made, ", " if one is not members[0] else "")
            self.fill(one, made)

    def _aside(self, source: etree._Element, target: etree._Element) -> None:
        self.fill(source, self.open(target, "div", source))


def _title_of(source: etree._Element) -> etree._Element | None:
    """Return the title of an element: its own, the one that its info says, or of a manual page."""
    title = child_of(source, "title")
    if title is None:
        inside = next((one for one in source if is_info(one)), None)
        title = child_of(inside, "title") if inside is not None else None
    if title is None and local(source) == "refentry":
        meta = child_of(source, "refmeta")
        title = child_of(meta, "refentrytitle") if meta is not None else None
        named = child_of(source, "refnamediv")
        if title is None and named is not None:
            title = child_of(named, "refname")
    return title


def _subtitles_of(source: etree._Element) -> list[etree._Element]:
    inside = next((one for one in source if is_info(one)), None)
    own = children_of(source, "subtitle")
    return own or (children_of(inside, "subtitle") if inside is not None else [])


def _leaves(source: etree._Element) -> Iterator[etree._Element]:
    for one in source:
        if local(one) in ("authorgroup", "biblioset", "publisher"):
            yield from _leaves(one)
        elif local(one) not in ("abbrev", "indexterm", ""):
            yield one


def _break_lines(one: etree._Element) -> None:
    """Put an end of line in place of each one in the text of an element, and behind its children."""
    if one.text and "\n" in one.text:
        first, *rest = one.text.strip("\n").split("\n") if one.tag == "p" else one.text.split("\n")
        one.text = first
        for place, line in enumerate(rest):
            made = etree.Element("br")
            made.tail = line
            one.insert(place, made)
    for child in list(one):
        if child.tag != "br" and child.tail and "\n" in child.tail:
            first, *rest = child.tail.split("\n")
            child.tail, at = first, one.index(child) + 1
            for place, line in enumerate(rest):
                made = etree.Element("br")
                made.tail = line
                one.insert(at + place, made)
