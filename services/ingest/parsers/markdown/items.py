"""Read the pieces of a file in reading order from its tokens."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from markdown_it.token import Token

from services.ingest.model.book import BlockKind, Markup, MarkupKind
from services.ingest.parsers.admonitions import lead_of
from services.ingest.parsers.dropped import picture, visible
from services.ingest.parsers.invisible import HIDDEN, hidden
from services.ingest.parsers.markdown.content import (
    COMPONENT,
    DIRECTIVE,
    DRAWING,
    EMBEDDED,
    EXPRESSION,
    Items,
    place_of,
)
from services.ingest.parsers.markdown.inline import (
    Line,
    address_of,
    captions_of,
    joined,
    labels_of,
    plain,
    read_inline,
)
from services.ingest.parsers.markdown.jsx import is_comment, literal
from services.ingest.parsers.markdown.myst_names import DESCRIBED, SIGNATURE
from services.ingest.parsers.markdown.nested import EVAL_HTML, EVAL_RST, read_nested
from services.ingest.parsers.markdown.pairs import pair_blocks
from services.ingest.parsers.markdown.raw_html import (
    flatten_scripts,
    read_preformatted,
    read_table,
    read_title,
)
from services.ingest.parsers.markdown.tags import Tag
from services.ingest.parsers.markdown.unseen import UNSEEN, turn_of
from services.ingest.parsers.markup import (
    TextWithMarkup,
    cell_with,
    cut,
    join_lines,
    join_row,
    picture_of,
)
from services.ingest.parsers.outline import Item, with_last_pictures
from services.ingest.parsers.scripts import STRUCK_TAGS, moved, struck

_EMBEDDED_TAGS = frozenset(("iframe", "object", "audio", "video", "canvas", "embed"))
_SHOWN = frozenset(("label", "title", "file-name", "caption", "number", "alt"))
"""Attributes whose text is kept."""
_UNSEEN = frozenset(("classname", "class", "style", "id", "key", "src", "href", "to", "sizes"))
"""Attributes that no reader sees, whatever the component."""
_WORDS = re.compile(r"\w\s+\w")
_CONTAINER = re.compile(r"\s*([A-Za-z][\w-]*)\s*(?:\[(.*)\]|\{[^}]*\})*\s*(.*)")
_ALERT = re.compile(r"\[!([A-Za-z]+)\]\s*")
_TASK = re.compile(r"\[([ xX])\]\s+")
_CODE_TITLE = re.compile(r"\btitle=(?:\"([^\"]*)\"|'([^']*)')")
_LANGUAGE = re.compile(r"(?!title=)[^\s,{]+")
TERM, DEFINED_TERM = "*", "+"
"""Bullets of the items of a rewritten format that begin with a term: alone, or with what defines it."""


@dataclass
class _Container:
    """A list, item, quotation, admonition or footnote that is open."""

    kind: BlockKind
    label: str = ""
    number: int = 0
    is_list: bool = False
    is_term: bool = False
    is_definition: bool = False
    begins_with_term: bool = False
    """Whether it is an item whose first paragraph is a term, or begins with one."""
    is_defined: bool = False
    """Whether that paragraph goes on with a definition."""
    attribution: str = ""
    """Who says what stands in a quotation, and where."""


def read_items(
    tokens: Sequence[Token], *, has_terms: bool = False, names: Mapping[str, str]
) -> Items:
    """Return what the tokens say; if it `has_terms`, some bullets are those of definitions."""
    struck_blocks = pair_blocks(tokens, lambda tag: tag.name.lower() in STRUCK_TAGS)
    reader = _Reader(struck_blocks, has_terms=has_terms, names=names)
    for token in tokens:
        reader.read(token)
    reader.end()
    return reader.items


class _Reader:
    def __init__(
        self,
        struck_blocks: Mapping[int, int],
        *,
        has_terms: bool,
        names: Mapping[str, str],
    ) -> None:
        self._names = names
        self.items = Items()
        self._term_bullets = (TERM, DEFINED_TERM) if has_terms else ()
        self._struck_blocks = struck_blocks
        self._struck_depth = 0
        self._hidden_depth = 0
        self._token: Token | None = None
        self._out = self.items.body
        self._open: list[_Container] = []
        self._described, self._in_signature = 0, False
        self._heading: Token | None = None
        self._attribution = ""
        self._row: list[TextWithMarkup] | None = None
        self._cell: dict[MarkupKind, str] = {}
        self._rows: list[list[TextWithMarkup]] = []
        self._row_footnotes: list[str] = []
        self._waiting: list[str] = []
        """Addresses of pictures that stand alone, before the next piece."""
        self._handlers = self._list_handlers()

    def _list_handlers(self) -> dict[str, Callable[[Token], None]]:
        closers = ("bullet_list", "ordered_list", "list_item", "dt", "dd", "admonition")
        return {
            **{f"{name}_close": self._close for name in (*closers, "container_admonition")},
            "heading_open": self._open_heading,
            "heading_close": self._close_heading,
            "inline": self._inline,
            "fence": self._fence,
            "code_block": lambda token: self._code(token, ""),
            **dict.fromkeys(("math_block", "math_block_label", "amsmath"), self._math),
            "attributes": self._attributes,
            "blockquote_open": self._open_quote,
            "blockquote_close": self._close_quote,
            "bullet_list_open": self._open_list,
            "ordered_list_open": self._open_list,
            "list_item_open": self._open_item,
            "dt_open": lambda _: self._open_entry(is_term=True),
            "dd_open": lambda _: self._open_entry(is_term=False),
            "container_admonition_open": self._open_admonition,
            "admonition_open": self._open_admonition,
            "footnote_reference_open": self._open_footnote,
            "footnote_reference_close": self._close_footnote,
            "tr_open": self._open_row,
            "th_open": self._open_header,
            "td_open": self._open_cell,
            "tr_close": self._close_row,
            "table_close": self._close_table,
            "tags": self._tags,
            "raw": self._raw,
            "expression": self._expression,
            "directive": lambda token: self.items.lose(DIRECTIVE, token, token.meta["text"]),
            "comment": lambda token: self.items.lose(HIDDEN, token, token.meta["text"]),
        }

    def read(self, token: Token) -> None:
        self._token = token if token.map else self._token
        handler = self._handlers.get(token.type)
        if handler:
            handler(token)

    def _close(self, _: Token) -> None:
        self._open.pop()

    def _add(
        self,
        kind: BlockKind,
        text: str,
        *,
        level: int = 0,
        label: str = "",
        footnotes: Sequence[str] = (),
        anchor: str = "",
        markup: Sequence[Markup] = (),
    ) -> None:
        if (self._struck_depth or self._hidden_depth) and text.strip():
            assert self._token is not None
            name = hidden if self._hidden_depth else struck
            self.items.dropped_content.append(name(text, place_of(self._token)))
        elif text.strip():
            pictures = [Markup(MarkupKind.IMAGE, 0, 0, address) for address in self._waiting]
            self._waiting = []
            both = (*pictures, *markup)
            item = Item(kind, text, level, label, anchor, tuple(footnotes), markup=both)
            self._out.append(self._placed(item))
        else:
            self._waiting += [one.value for one in markup if one.kind is MarkupKind.IMAGE]

    def _add_read(self, item: Item) -> None:
        """Add a piece that another parser has read, with how it belongs to definitions there."""
        level, label, anchor, markup = item.level, item.label, item.anchor, item.markup
        before = len(self._out)
        self._add(item.kind, item.text, level=level, label=label, anchor=anchor, markup=markup)
        if item.definitions and len(self._out) > before:
            around = self._out[-1].definitions
            self._out[-1] = replace(
                self._out[-1],
                definitions=around + item.definitions,
                is_term=item.is_term,
                is_defined=item.is_defined,
            )

    def _placed(self, item: Item) -> Item:
        """Return the piece with how it belongs to the definitions that are open."""
        around = self._described + sum(one.is_term or one.is_definition for one in self._open)
        is_term = self._in_signature or any(one.is_term for one in self._open)
        is_defined = any(one.is_term and one.is_defined for one in self._open)
        if not around:
            return item
        return replace(item, definitions=around, is_term=is_term, is_defined=is_defined)

    def _open_entry(self, *, is_term: bool) -> None:
        kind = BlockKind.PARAGRAPH
        self._open.append(_Container(kind, is_term=is_term, is_definition=not is_term))

    def end(self) -> None:
        """Let pictures that nothing follows stand behind the last piece."""
        with_last_pictures(self.items.body, self._waiting)

    def _open_heading(self, token: Token) -> None:
        self._heading = token

    def _close_heading(self, _: Token) -> None:
        self._heading = None

    def _inline(self, token: Token) -> None:
        depth, self._hidden_depth = self._hidden_depth, 0  # what it reads is seen
        self._add_line(read_inline(token.children or [], is_unseen=depth > 0), token)
        self._hidden_depth = depth + (turn_of(token) if "<" in token.content else 0)

    def _add_line(self, line: Line, token: Token) -> None:
        self._note_dropped_content(line, token)
        if self._row is not None:
            self._row.append(cell_with(joined(line), self._cell))
            self._row_footnotes += line.footnotes
        elif self._heading is not None:
            self._add_heading(line, int(self._heading.tag[1]), self._heading.meta.get("id", ""))
        elif line.heading and not self._open:
            self._add_heading(line, line.heading, "")
        elif self._open and self._open[-1].begins_with_term:
            self._add_term(self._open[-1], line)
        else:
            self._add_paragraph(line)

    def _add_term(self, item: _Container, line: Line) -> None:
        """Add the first paragraph of an item that defines it."""
        self._add_paragraph(line)
        item.begins_with_term, item.is_term, item.is_definition = False, False, True

    def _note_dropped_content(self, line: Line, token: Token) -> None:
        for kind, text in line.lost:
            self.items.lose(kind, token, text)
        for text in line.struck:
            self.items.dropped_content.append(struck(text, place_of(token)))
        if line.hidden.strip():
            self.items.dropped_content.append(hidden(line.hidden, place_of(token)))
        if line.moved:
            self.items.dropped_content.append(moved(line.moved, place_of(token)))
        for description, address in line.pictures:
            self.items.dropped_content.append(picture(description, address, place_of(token)))
        for child in token.children or ():
            if child.type == "tag" and child.meta["tag"].name.lower() != "img":
                self._note_tag(child.meta["tag"], token)

    def _note_tag(self, tag: Tag, token: Token) -> None:
        name = tag.name.lower()
        if tag.closing:
            return
        if name == "img":
            description = " ".join(captions_of(tag))
            one = picture(description, address_of(tag), place_of(token))
            self.items.dropped_content.append(one)
        elif name in _EMBEDDED_TAGS:
            self.items.lose(replace(EMBEDDED, kind=name), token)
        elif tag.is_component:
            self._note_component(tag, token)

    def _note_component(self, tag: Tag, token: Token) -> None:
        """Note one that has nothing to read in it, and attributes that read like a sentence."""
        is_bare = tag.self_closing and not (labels_of(tag) or captions_of(tag))
        texts = [
            text
            for key, text in tag.attributes.items()
            if key.lower() not in _SHOWN | _UNSEEN and (is_bare or _WORDS.search(text))
        ]
        if is_bare or texts:
            lost = replace(COMPONENT, reason=COMPONENT.reason.format(tag.name))
            self.items.lose(lost, token, " ".join(texts))

    def _add_heading(self, line: Line, level: int, anchor: str) -> None:
        text, markup = joined(line)
        if self._open:
            # A heading inside a quotation or a list is no part of the book's own outline.
            self._add_paragraph(Line(text=text, footnotes=line.footnotes, markup=markup))
            return
        self._add(
            BlockKind.HEADING,
            text,
            level=level,
            footnotes=line.footnotes,
            anchor=anchor,
            markup=markup,
        )

    def _add_paragraph(self, line: Line) -> None:
        for label in line.labels:
            self._add(BlockKind.PARAGRAPH, label)
        innermost = self._open[-1] if self._open else _Container(BlockKind.PARAGRAPH)
        text = self._take_marks(innermost, line.text)
        level = 0
        if innermost.kind is BlockKind.LIST_ITEM:
            level = sum(1 for container in self._open if container.is_list)
        self._add(
            innermost.kind,
            text,
            level=level,
            label=innermost.label,
            footnotes=line.footnotes,
            markup=cut(line.markup, len(line.text) - len(text)),
        )
        if innermost.kind is BlockKind.LIST_ITEM and text:
            innermost.label = ""
        for caption, address in zip(line.captions, line.sources, strict=True):
            self._add(BlockKind.CAPTION, caption, markup=picture_of(caption, address))

    def _take_marks(self, container: _Container, text: str) -> str:
        """Move what is a mark and not text, a task's box or an alert's type, into the label."""
        if container.kind is BlockKind.LIST_ITEM and (task := _TASK.match(text)):
            container.label = "[ ]" if task[1] == " " else "[x]"
            return text[task.end() :]
        if container.kind is BlockKind.ADMONITION:
            return text[lead_of(text, container.label, may_be_title=False) :]
        if container.kind is BlockKind.QUOTE and (alert := _ALERT.match(text)):
            container.kind, container.label = BlockKind.ADMONITION, alert[1].lower()
            return text[alert.end() :]
        return text

    def _fence(self, token: Token) -> None:
        if token.info.startswith((EVAL_RST, EVAL_HTML)[: 1 + bool(self._term_bullets)]):
            items, dropped = read_nested(token, self.items.body, self._names)
            self.items.dropped_content += dropped
            for item in items:
                self._add_read(item)
            return
        title = _CODE_TITLE.search(token.info)
        if title:
            self._add(BlockKind.CAPTION, title[1] or title[2] or "")
        language = _LANGUAGE.match(token.info.strip())
        self._code(token, language[0] if language else "")

    def _code(self, token: Token, language: str, content: str | None = None) -> None:
        lines = (token.content if content is None else content).split("\n")
        kept = [line for line in lines if not _is_directive(line)]
        if len(kept) < len(lines):
            for line in filter(_is_directive, lines):
                self.items.lose(DIRECTIVE, token, line)
        self._add(BlockKind.CODE, "\n".join(kept).strip("\n"), label=language)

    def _math(self, token: Token) -> None:
        label = token.info if token.type == "math_block_label" else ""
        markup = [Markup(MarkupKind.ANCHOR, 0, 0, f"equation-{label}")] if label else []
        self._add(BlockKind.MATH, token.content.strip(), markup=markup)

    def _attributes(self, token: Token) -> None:
        self._attribution = token.meta["attribution"]

    def _open_quote(self, _: Token) -> None:
        self._open.append(_Container(BlockKind.QUOTE, attribution=self._attribution))
        self._attribution = ""

    def _close_quote(self, _: Token) -> None:
        if said_by := self._open[-1].attribution:
            self._add(BlockKind.QUOTE, f"— {plain(said_by)}")
        self._open.pop()

    def _open_list(self, token: Token) -> None:
        first = int(token.attrs.get("start", 1)) if token.type.startswith("ordered") else 0
        number = first if token.type.startswith("ordered") else -1
        self._open.append(_Container(BlockKind.LIST_ITEM, number=number, is_list=True))

    def _open_item(self, token: Token) -> None:
        parent = self._open[-1]
        label = "-"
        if parent.number >= 0:
            label = f"{parent.number}{token.markup}"
            parent.number += 1
        item = _Container(BlockKind.LIST_ITEM, label)
        if token.markup in self._term_bullets:
            item.is_term, item.begins_with_term = True, True
            item.is_defined = token.markup == DEFINED_TERM
        self._open.append(item)

    def _open_admonition(self, token: Token) -> None:
        match = _CONTAINER.match(token.info)
        label, bracketed, rest = match.groups() if match else ("", "", "")
        self._open.append(_Container(BlockKind.ADMONITION, label.lower()))
        if token.type == "container_admonition_open":  # else the title comes next
            self._add(BlockKind.ADMONITION, plain(bracketed or rest or ""), label=label.lower())

    def _open_footnote(self, token: Token) -> None:
        self._open.append(_Container(BlockKind.FOOTNOTE))
        self._out = self.items.footnotes.setdefault(token.meta["label"], [])

    def _close_footnote(self, _: Token) -> None:
        self._open.pop()
        self._out = self.items.body

    def _open_row(self, _: Token) -> None:
        self._row = []

    def _open_header(self, token: Token) -> None:
        style = str(token.attrs.get("style", ""))
        aligned = style.removeprefix("text-align:")
        self._cell = {MarkupKind.ALIGNMENT: aligned} if aligned else {}

    def _open_cell(self, _: Token) -> None:
        self._cell = {}

    def _close_row(self, _: Token) -> None:
        self._rows.append(self._row or [])
        self._row = None

    def _close_table(self, _: Token) -> None:
        self._add_table(self._rows, self._row_footnotes)
        self._rows, self._row_footnotes = [], []

    def _add_table(
        self, rows: Sequence[Sequence[TextWithMarkup]], footnotes: Sequence[str] = ()
    ) -> None:
        lines = map(join_row, rows)
        text, markup = join_lines([line for line in lines if line[0].strip(" |")])
        self._add(BlockKind.TABLE, text, footnotes=footnotes, markup=markup)

    def _tags(self, token: Token) -> None:
        line = (token.map or [0])[0]
        self._struck_depth += self._struck_blocks.get(line, 0)
        self._hidden_depth += turn_of(token)
        for tag in token.meta["tags"]:
            if tag.name == DESCRIBED:
                self._describe(tag)
                continue
            for label in labels_of(tag):
                self._add(BlockKind.PARAGRAPH, label)
            address = address_of(tag) if tag.name.lower() == "img" else ""
            for caption in captions_of(tag):
                self._add(BlockKind.CAPTION, caption, markup=picture_of(caption, address))
            if address and not (tag.closing or captions_of(tag)):
                self._waiting.append(address)
            self._note_tag(tag, token)

    def _describe(self, tag: Tag) -> None:
        """Add the signature of what a directive describes as the term of all up to its end."""
        self._described = max(0, self._described + (-1 if tag.closing else 1))
        if text := tag.attributes.get(SIGNATURE, ""):
            self._in_signature = True
            code = [Markup(MarkupKind.CODE, 0, len(text))]
            self._add(BlockKind.PARAGRAPH, text, markup=code)
            self._in_signature = False

    def _raw(self, token: Token) -> None:
        name, text = token.meta["name"], token.meta["text"]
        if name in ("pre", "table"):
            text = self._flatten(token, text)
        if name == "pre":
            self._code(token, "", read_preformatted(text))
        elif name == "table":
            caption, rows = read_table(text)
            self._add(BlockKind.CAPTION, caption)
            self._add_table([[(cell, ()) for cell in row] for row in rows])
        elif name == "svg":
            title = read_title(text)
            self._add(BlockKind.CAPTION, title)
            rest = visible(read_preformatted(text)) - visible(title)
            self.items.lose(DRAWING, token, "x" * rest)

    def _flatten(self, token: Token, markup: str) -> str:
        flat, gone, raised = flatten_scripts(markup)
        unseen = token.meta.get(UNSEEN, "")
        for left_out, name in ((unseen, hidden), (gone, struck), (raised, moved)):
            if left_out.strip():
                self.items.dropped_content.append(name(left_out, place_of(token)))
        return flat

    def _expression(self, token: Token) -> None:
        expression = token.meta["text"]
        self._add_paragraph(Line(text=literal(expression).strip()))
        if not literal(expression) and not is_comment(expression) and expression.strip():
            self.items.lose(EXPRESSION, token, expression)


def _is_directive(line: str) -> bool:
    # An mdBook line that stands for a file outside of the source, {{#include …}}.
    return line.strip().startswith("{{#") and line.strip().endswith("}}")
