"""Read the pieces of a file in reading order from its tree."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from docutils import nodes

from services.ingest.model.book import BlockKind, DroppedContent, Markup, MarkupKind
from services.ingest.parsers.admonitions import kind_of
from services.ingest.parsers.dropped import picture, visible
from services.ingest.parsers.markup import (
    TextWithMarkup,
    cell_with,
    join_lines,
    join_row,
    picture_of,
    shift,
    spans,
)
from services.ingest.parsers.outline import Item, with_last_pictures
from services.ingest.parsers.rst.line import SKIPPED, Line
from services.ingest.parsers.rst.sphinx import LABEL, STRUCK, UNKNOWN
from services.ingest.parsers.scripts import STRUCK_NAMES, moved, struck
from services.ingest.parsers.sphinx_labels import NOT_KNOWN, VERSIONS

_SHOWN = 60
"""Characters of words that the report shows."""


@dataclass
class Found:
    """What a file holds: pieces, footnotes by their id, and the numbers readers see for them."""

    items: list[Item] = field(default_factory=list)
    footnotes: dict[str, list[Item]] = field(default_factory=dict)
    numbers: dict[str, str] = field(default_factory=dict)
    dropped_content: list[DroppedContent] = field(default_factory=list)


@dataclass(frozen=True)
class _Place:
    """Where a node stands: what its text is to the reader, how deep in sections and lists."""

    kind: BlockKind = BlockKind.PARAGRAPH
    label: str = ""
    section: int = 0
    depth: int = 0
    definitions: int = 0
    is_term: bool = False


def read_doctree(tree: nodes.document) -> Found:
    """Raises RecursionError for a tree that is nested too deep."""
    reader = _Reader()
    reader.read_all(tree, _Place())
    with_last_pictures(reader.found.items, reader.pictures)
    return reader.found


class _Reader:
    def __init__(self) -> None:
        self.found = Found()
        self._out = self.found.items
        self._anchors: list[str] = []
        """Names of the place where the next piece begins."""
        self.pictures: list[str] = []
        """Addresses of pictures that stand alone, before the next piece."""
        self._handlers: dict[type[nodes.Node], Callable[[nodes.Element, _Place], None]] = {
            nodes.section: self._section,
            nodes.title: self._title,
            nodes.paragraph: self._text,
            nodes.definition_list_item: self._entry,
            nodes.term: self._term,
            nodes.attribution: self._attribution,
            nodes.rubric: self._text,
            nodes.caption: self._caption,
            nodes.image: self._image,
            nodes.bullet_list: self._list,
            nodes.enumerated_list: self._list,
            nodes.literal_block: self._code,
            nodes.doctest_block: self._code,
            nodes.math_block: self._math,
            nodes.line_block: self._lines,
            nodes.block_quote: self._quote,
            nodes.table: self._table,
            nodes.footnote: self._footnote,
            nodes.citation: self._citation,
            nodes.field: self._pair,
            nodes.option_list_item: self._pair,
        }

    def read_all(self, node: nodes.Element, place: _Place) -> None:
        for child in node.children:
            if isinstance(child, SKIPPED) or not isinstance(child, nodes.Element):
                self._note_dropped_content(child)
                continue
            if not STRUCK_NAMES.isdisjoint(child.get("classes", ())):
                self.found.dropped_content.append(struck(child.astext(), _place_of(child)))
                continue
            if not isinstance(child, (nodes.section, nodes.footnote)):
                self._anchors += child.get("ids", ())
            handler = self._handlers.get(type(child))
            if handler:
                handler(child, place)
            elif isinstance(child, nodes.Admonition):
                self._admonition(child, place)
            elif isinstance(child, nodes.Inline):
                self._text(child, place)
            else:
                self.read_all(child, place)

    def _note_dropped_content(self, node: nodes.Node) -> None:
        """Note what a directive left out, and keep what docutils could not read as it stands."""
        if isinstance(node, nodes.comment) and "dropped" in node:
            self.found.dropped_content.append(node["dropped"])
        if not isinstance(node, nodes.system_message):
            return
        for block in node.findall(nodes.literal_block):
            text = block.astext()
            is_markup = text.lstrip().startswith("..")
            kind = "directive" if is_markup else "block"
            reason = " ".join(node.children[0].astext().split()).rstrip(".")
            place = f"line {node.get('line', '')}"
            lost = DroppedContent(kind, place, reason, visible(text), dropped=is_markup)
            self.found.dropped_content.append(lost)
            if not is_markup:
                self._code(block, _Place())

    def _add(
        self,
        kind: BlockKind,
        text: str | TextWithMarkup,
        place: _Place,
        *,
        level: int = 0,
        anchor: str = "",
    ) -> None:
        words, markup = (text, ()) if isinstance(text, str) else text
        if words.strip():
            before = [Markup(MarkupKind.ANCHOR, 0, 0, name) for name in self._anchors]
            before += [Markup(MarkupKind.IMAGE, 0, 0, address) for address in self.pictures]
            self._anchors, self.pictures = [], []
            both = (*before, *markup)
            item = Item(kind, words, level, place.label, anchor, markup=both)
            self._out.append(replace(item, definitions=place.definitions, is_term=place.is_term))

    def _line_of(self, node: nodes.Node, apart: str = "") -> TextWithMarkup:
        """Return the text of a node in one line, and note what it is not the same as in the book."""
        text, raised, markup = Line(apart).read(node)
        if raised:
            self.found.dropped_content.append(moved(raised, _place_of(node)))
        for inner in node.findall(nodes.inline) if isinstance(node, nodes.Element) else ():
            if STRUCK in inner["classes"]:
                self.found.dropped_content.append(struck(inner.astext(), _place_of(node)))
            if reason := inner.get(UNKNOWN):
                words = inner.astext()
                place = f"{_place_of(node)}, “{words[:_SHOWN]}”"
                kind = "reference" if reason == NOT_KNOWN else "role"
                lost = DroppedContent(kind, place, reason, visible(words), dropped=False)
                self.found.dropped_content.append(lost)
        return text, markup

    def _section(self, node: nodes.Element, place: _Place) -> None:
        if "system-messages" in node.get("classes", []):
            return
        self._anchors += node.get("ids", ())[1:]
        self.read_all(node, replace(place, section=place.section + 1))

    def _title(self, node: nodes.Element, place: _Place) -> None:
        parent = node.parent
        if isinstance(parent, nodes.section):
            text = self._line_of(node)
            ids = parent.get("ids") or [""]
            self._add(BlockKind.HEADING, text, _Place(), level=place.section, anchor=ids[0])
            self._note_references(node)
        else:
            self._text(node, place)

    def _text(self, node: nodes.Element, place: _Place) -> None:
        level = place.depth if place.kind is BlockKind.LIST_ITEM else 0
        before = len(self._out)
        self._add(place.kind, self._line_of(node), place, level=level)
        if len(self._out) > before:
            self._note_references(node)
        for image in node.findall(nodes.image):
            self._image(image, place)

    def _attribution(self, node: nodes.Element, place: _Place) -> None:
        text, markup = self._line_of(node)
        self._add(place.kind, (f"— {text}", shift(markup, 2)), place)

    def _note_references(self, node: nodes.Element) -> None:
        labels = [one.get("refid", "") for one in node.findall(nodes.footnote_reference)]
        if labels and self._out:
            self._out[-1] = replace(self._out[-1], footnotes=tuple(filter(None, labels)))

    def _caption(self, node: nodes.Element, place: _Place) -> None:
        self._text(node, replace(place, kind=BlockKind.CAPTION, label=""))

    def _image(self, node: nodes.Element, _: _Place) -> None:
        words, address = " ".join(node.get("alt", "").split()), str(node.get("uri", "")).strip()
        self.found.dropped_content.append(picture(words, address, _place_of(node)))
        if words:
            self._add(BlockKind.CAPTION, (words, picture_of(words, address)), _Place())
        elif address:
            self.pictures.append(address)

    def _list(self, node: nodes.Element, place: _Place) -> None:
        number = int(node.get("start", 1))
        for item in node.children:
            label = f"{number}." if isinstance(node, nodes.enumerated_list) else "-"
            number += 1
            inner = replace(place, kind=BlockKind.LIST_ITEM, label=label, depth=place.depth + 1)
            if place.kind is BlockKind.FOOTNOTE:
                inner = place
            start = len(self._out)
            if isinstance(item, nodes.Element):
                self.read_all(item, inner)
            for index in range(start + 1, len(self._out)):
                if self._out[index].label == label and self._out[index].level == inner.depth:
                    self._out[index] = replace(self._out[index], label="")

    def _code(self, node: nodes.Element, _: _Place) -> None:
        languages = [name for name in node.get("classes", []) if name not in ("code", "literal")]
        text = "\n".join(line.rstrip() for line in node.astext().split("\n")).strip("\n")
        self._add(BlockKind.CODE, text, _Place(label=languages[0] if languages else ""))

    def _math(self, node: nodes.Element, _: _Place) -> None:
        if label := node.get(LABEL):
            self._anchors.append(nodes.make_id(f"equation-{label}"))
        self._add(BlockKind.MATH, node.astext().strip(), _Place())

    def _lines(self, node: nodes.Element, place: _Place) -> None:
        lines = [self._line_of(line) for line in node.findall(nodes.line)]
        self._add(place.kind, join_lines([line for line in lines if line[0]]), place)

    def _quote(self, node: nodes.Element, place: _Place) -> None:
        is_plain = place.kind is BlockKind.PARAGRAPH
        self.read_all(node, replace(place, kind=BlockKind.QUOTE) if is_plain else place)

    def _admonition(self, node: nodes.Element, place: _Place) -> None:
        names = [*node.get("classes", ()), node.tagname]
        label = next((name for name in names if name in VERSIONS), "") or kind_of(names)
        self.read_all(node, replace(place, kind=BlockKind.ADMONITION, label=label))

    def _table(self, node: nodes.Element, place: _Place) -> None:
        for title in (one for one in node.children if isinstance(one, nodes.title)):
            self._caption(title, place)
        rows = [
            join_row([self._cell_of(cell) for cell in row.children])
            for row in node.findall(nodes.row)
            if _table_of(row) is node  # and of no table in a cell, whose text the cell has
        ]
        before = len(self._out)
        self._add(
            BlockKind.TABLE, join_lines([row for row in rows if row[0].strip(" |")]), _Place()
        )
        if len(self._out) > before:
            self._note_references(node)

    def _cell_of(self, cell: nodes.Element) -> TextWithMarkup:
        columns, rows = (str(1 + int(cell.get(name, 0))) for name in ("morecols", "morerows"))
        return cell_with(self._line_of(cell, " "), spans(columns, rows))

    def _footnote(self, node: nodes.Element, place: _Place) -> None:
        label = (node.get("ids") or [""])[0]
        mark = next(iter(node.findall(nodes.label)), None)
        self.found.numbers[label] = mark.astext() if mark is not None else ""
        self._out = self.found.footnotes.setdefault(label, [])
        self.read_all(node, replace(place, kind=BlockKind.FOOTNOTE, label="", depth=0))
        self._out = self.found.items

    def _citation(self, node: nodes.Element, place: _Place) -> None:
        """Add what a list of works says of one, behind its mark, as Sphinx shows it."""
        label, *said = node.children
        if said and isinstance(said[0], nodes.paragraph):
            said[0].insert(0, nodes.Text(f"[{label.astext()}] "))
        self.read_all(node, place)

    def _entry(self, node: nodes.Element, place: _Place) -> None:
        self.read_all(node, replace(place, definitions=place.definitions + 1))

    def _term(self, node: nodes.Element, place: _Place) -> None:
        self._text(node, replace(place, is_term=True))

    def _pair(self, node: nodes.Element, place: _Place) -> None:
        place = replace(place, definitions=place.definitions + 1)
        name, *bodies = node.children
        start = len(self._out)
        for body in bodies:
            if isinstance(body, nodes.Element):
                self.read_all(body, place)
        text, markup = self._line_of(name)
        if isinstance(name, nodes.option_group):
            text, markup = ", ".join(one.astext() for one in name.children), ()
        shown = f"{text}:" if isinstance(node, nodes.field) else text
        if start < len(self._out) and self._out[start].kind is place.kind:
            first = self._out[start]
            after = shift(first.markup, len(shown) + 1)
            self._out[start] = replace(
                first,
                text=f"{shown} {first.text}",
                markup=(*markup, *after),
                is_term=True,
                is_defined=True,
            )
        else:
            item = Item(place.kind, shown, markup=tuple(markup))
            self._out.insert(start, replace(item, definitions=place.definitions, is_term=True))


def _table_of(row: nodes.Node) -> nodes.Node | None:
    while row is not None and not isinstance(row, nodes.table):
        row = row.parent
    return row


def _place_of(node: nodes.Element) -> str:
    """Return the line of a node, or of the nearest one around it that knows its own."""
    while node.line is None and node.parent is not None:
        node = node.parent
    return f"line {node.line or 1}"
