"""Read the inside of a paragraph as its text, and what ranges of that are beside their words."""

import re

from docutils import nodes

from services.ingest.model.book import Markup, MarkupKind
from services.ingest.parsers.markup import nested, place, with_scripts
from services.ingest.parsers.rst.sphinx import LINK, ROLE_KIND, STRUCK
from services.ingest.parsers.scripts import Piece, Script, write_scripts
from services.ingest.parsers.wrapped import without_unspaced_breaks

SKIPPED = (
    nodes.comment,
    nodes.system_message,
    nodes.substitution_definition,
    nodes.target,
    nodes.raw,
    nodes.pending,
    nodes.transition,
    nodes.decoration,
    nodes.docinfo,
)
_SCRIPTS = {nodes.superscript: Script.RAISED, nodes.subscript: Script.LOWERED}
_KINDS = {
    nodes.emphasis: MarkupKind.EMPHASIS,
    nodes.title_reference: MarkupKind.EMPHASIS,
    nodes.strong: MarkupKind.STRONG,
    nodes.literal: MarkupKind.CODE,
}
_NOT_FOUND = re.compile(r"(\[[^\[\]]+\])_")
"""A reference to a work, or a note, that another file of the book lists."""


class Line:
    """Collects what is seen of one node; `apart` is put between the blocks in it."""

    def __init__(self, apart: str) -> None:
        self._apart = apart
        self._parts: list[Piece] = []
        self._length = 0
        self._markup: list[Markup] = []

    def read(self, node: nodes.Node) -> tuple[str, str, tuple[Markup, ...]]:
        """Return the text in one line, what of it stood raised or lowered, and its markup."""
        self._read(node, Script.LINE)
        written, raised, runs = write_scripts(self._parts)
        text = " ".join(without_unspaced_breaks(written).split())
        if not (self._markup or runs):
            return text, raised, ()
        raw = "".join(part for part, _ in self._parts)
        raw, markup = with_scripts(raw, self._markup, runs)
        return text, raised, place(raw, text, nested(markup))

    def _add(self, text: str, script: Script) -> None:
        self._parts.append((text, script))
        self._length += len(text)

    def _close_up(self) -> None:
        """Leave out the space before a mark, which docutils wants there and the text does not."""
        if self._parts:
            text, script = self._parts[-1]
            self._length -= len(text) - len(text.rstrip())
            self._parts[-1] = text.rstrip(), script

    def _mark(self, kind: MarkupKind, start: int, value: str = "") -> None:
        self._markup.append(Markup(kind, start, self._length, value))

    def _read(self, node: nodes.Node, script: Script) -> None:
        start = self._length
        if isinstance(node, nodes.Text):
            self._add(node.astext(), script)
        elif isinstance(node, nodes.math):
            self._add(f"${node.astext()}$", script)
            self._mark(MarkupKind.FORMULA, start)
        elif isinstance(node, nodes.footnote_reference):
            self._close_up()
            self._mark(MarkupKind.FOOTNOTE_REFERENCE, self._length, node.astext())
        elif isinstance(node, nodes.citation_reference):
            self._add(f"[{node.astext()}]", script)
        elif isinstance(node, nodes.problematic) and (found := _NOT_FOUND.fullmatch(node.astext())):
            self._add(found[1], script)
        elif isinstance(node, nodes.target):
            names = () if node.get("refuri") else node.get("ids", ())
            self._markup += [Markup(MarkupKind.ANCHOR, start, start, name) for name in names]
        elif not isinstance(node, SKIPPED) and not _is_struck(node):
            self._read_inside(node, script)
            self._mark_element(node, start)

    def _read_inside(self, node: nodes.Node, script: Script) -> None:
        if self._apart and isinstance(node, nodes.image):
            start = self._length
            self._add(node.get("alt", ""), script)
            self._mark(MarkupKind.IMAGE, start, str(node.get("uri", "")).strip())
        script = _SCRIPTS.get(type(node), script)
        for child in node.children:
            self._read(child, script)
        if self._apart and isinstance(node, (nodes.Body, nodes.title)):
            self._add(self._apart, script)

    def _mark_element(self, node: nodes.Node, start: int) -> None:
        kind = _KINDS.get(type(node))
        if kind:
            self._mark(kind, start)
        if isinstance(node, nodes.reference):
            address = node.get("refuri") or (f"#{node['refid']}" if node.get("refid") else "")
            if address:
                self._mark(MarkupKind.LINK, start, address)
        elif isinstance(node, nodes.inline):
            if node.get(ROLE_KIND):
                self._mark(node[ROLE_KIND], start)
            if node.get(LINK):
                self._mark(MarkupKind.LINK, start, node[LINK])


def _is_struck(node: nodes.Node) -> bool:
    return isinstance(node, nodes.inline) and STRUCK in node["classes"]
