"""Parse a DOCX file into canonical text with blocks and sections."""

import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from zipfile import BadZipFile

import docx
from docx.document import Document
from docx.oxml.ns import qn
from lxml import etree

from libs.errors import InvalidInput
from services.ingest.model.book import BlockKind, DroppedContent, Markup, MarkupKind, ParsedText
from services.ingest.model.title import is_by_program
from services.ingest.parsers.admonitions import KINDS, lead_of
from services.ingest.parsers.archive import Limits, read_archive
from services.ingest.parsers.docx.levels import read_levels, with_bold_titles
from services.ingest.parsers.docx.parts import (
    Words,
    read_comments,
    read_faces,
    read_links,
    read_margins,
    read_notes,
    read_number_formats,
    read_pictures,
    read_words,
)
from services.ingest.parsers.dropped import CONTENTS, visible
from services.ingest.parsers.markup import (
    TextWithMarkup,
    cell_with,
    cut,
    join_lines,
    join_row,
    picture_of,
    place,
    shift,
    spans,
)
from services.ingest.parsers.outline import (
    Item,
    assemble,
    find_heading,
    find_heading_of,
    place_footnotes,
    with_last_pictures,
)

_HEADING = re.compile(r"heading (\d)")
_KINDS = (
    ("caption", BlockKind.CAPTION),
    ("quote", BlockKind.QUOTE),
    ("block text", BlockKind.QUOTE),
    ("code", BlockKind.CODE),
    ("preformatted", BlockKind.CODE),
    ("list", BlockKind.LIST_ITEM),
)
_DAMAGED = (KeyError, ValueError, AttributeError, IndexError, TypeError, BadZipFile, OSError)
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_MAX_NESTING = 50
_HOLDERS = frozenset(qn(f"w:{name}") for name in ("sdt", "sdtContent", "ins", "customXml"))
_SPANNED = DroppedContent(
    "table", "", "a cell over several rows stands in the first of them", dropped=False
)
_SETTINGS = frozenset(qn(f"w:{name}") for name in ("sectPr", "sdtPr", "sdtEndPr", "customXmlPr"))


def parse_docx(data: bytes, fallback_title: str) -> ParsedText:
    """Parse a document. Raises InvalidInput for a damaged one, TooLarge for one over a limit."""
    # Unpacked here first, for python-docx has no limits.
    read_archive(".zip", io.BytesIO(data), len(data), Limits(), lambda _: True)
    try:
        document = docx.Document(io.BytesIO(data))
        reader = _Reader(document)
        items = with_bold_titles(list(_merge_code(reader.read())))
        title = " ".join(document.core_properties.title.split())
        with_last_pictures(items, reader.pictures)
        dropped_content = (
            *read_margins(document),
            *read_comments(document),
            *reader.dropped_content,
        )
        marks = (one for item in items for one in item.markup)
        shown = {one.value for one in marks if one.kind is MarkupKind.IMAGE}
        pictures = read_pictures(document, shown)
    except etree.XMLSyntaxError as error:
        raise InvalidInput(f"it is damaged: {error}") from error
    except _DAMAGED as error:
        raise InvalidInput("it is damaged, or no DOCX") from error
    numbers = {label: label.split()[1] for label in reader.notes}
    ordered = list(place_footnotes(items, reader.notes, numbers))
    if reader.title >= 0:
        name = items[reader.title].text
        index = next(number for number, item in enumerate(ordered) if item.text == name)
    elif is_by_program(title):
        name, index = find_heading(ordered, fallback_title)
    else:
        name, index = title, find_heading_of(ordered, title)
    parsed = assemble(name, index, ordered, dropped_content=dropped_content)
    return replace(parsed, pictures=pictures)


def _merge_code(items: Iterator[Item]) -> Iterator[Item]:
    """Yield the pieces with the lines of a listing, which are paragraphs here, as one."""
    lines: list[str] = []
    for item in items:
        if item.kind is BlockKind.CODE:
            lines.append(item.text)
            continue
        if lines:
            yield Item(BlockKind.CODE, "\n".join(lines))
            lines = []
        yield item
    if lines:
        yield Item(BlockKind.CODE, "\n".join(lines))


def _in_one_line(paragraphs: Sequence[Words]) -> TextWithMarkup:
    joined = " ".join(one.text for one in paragraphs)
    markup: list[Markup] = []
    at = 0
    for one in paragraphs:
        markup += shift(one.markup, at)
        at += len(one.text) + 1
    text = " ".join(joined.split())
    return text, place(joined, text, markup)


class _Reader:
    def __init__(self, document: Document) -> None:
        self._body = document.element.body
        self._styles = {style.style_id: (style.name or "").lower() for style in document.styles}
        self._levels = read_levels(document)
        self._faces = read_faces(document)
        self._links = read_links(document)
        self._formats = read_number_formats(document)
        self._counts: Counter[tuple[str, int]] = Counter()
        self.notes = {
            label: [Item(BlockKind.FOOTNOTE, text) for text in texts]
            for label, texts in read_notes(document).items()
        }
        self.dropped_content: list[DroppedContent] = []
        self.pictures: list[str] = []
        """Ids of the parts of pictures that stand alone, before the next piece."""
        self.title = -1
        """The index of the piece that has the style of a title; -1 without one."""
        self._count = 0

    def read(self) -> Iterator[Item]:
        for item in self._read_children(self._body, 0):
            self._count += 1
            alone, self.pictures = self.pictures, []
            before = (Markup(MarkupKind.IMAGE, 0, 0, name) for name in alone)
            yield replace(item, markup=(*before, *item.markup)) if alone else item

    def _read_children(self, holder: etree._Element, depth: int) -> Iterator[Item]:
        if depth > _MAX_NESTING:
            raise InvalidInput("it is nested too deep to be read")
        for element in holder:
            if element.tag == qn("w:p"):
                yield from self._paragraph(element)
                for box in element.iter(qn("w:txbxContent")):
                    if not any(True for _ in box.iterancestors(_FALLBACK)):
                        yield from self._read_children(box, depth + 1)
            elif element.tag == qn("w:tbl"):
                cells = [*element.iter(qn("w:tc"))]
                # A frame around text is drawn as a table of one cell.
                framed = self._read_children(cells[0], depth + 1) if len(cells) == 1 else None
                yield from self._table(element) if framed is None else framed
            elif element.tag in _HOLDERS:
                yield from self._read_children(element, depth + 1)
            elif element.tag not in _SETTINGS and (words := read_words(element, self._faces).text):
                kind = etree.QName(element).localname
                self._drop(
                    DroppedContent(kind, "", "it is of a kind that is not read", visible(words))
                )

    def _drop(self, dropped: DroppedContent) -> None:
        self.dropped_content.append(replace(dropped, place=f"piece {self._count + 1}"))

    def _paragraph(self, element: etree._Element) -> Iterator[Item]:
        words = read_words(element, self._faces, self._links)
        style = self._style_of(element)
        if style.startswith("toc ") or style == "toc heading":
            self._drop(replace(CONTENTS, characters=visible(words.text)))
            return
        for dropped in words.dropped_content:
            self._drop(dropped)
        self.pictures += words.pictures
        if words.text:
            item = self._item(element, style, words.text, tuple(words.notes))
            if item.kind is BlockKind.ADMONITION:
                markup = cut(words.markup, len(words.text) - len(item.text))
            else:
                markup = place(words.text, item.text, words.markup)
            if item.text:
                yield replace(item, markup=tuple(markup))
        for caption, name in words.captions:
            yield Item(BlockKind.CAPTION, caption, markup=picture_of(caption, name))

    def _item(self, element: etree._Element, style: str, text: str, notes: tuple[str, ...]) -> Item:
        heading = _HEADING.match(style)
        outline = element.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
        if style == "title" and self.title < 0:
            self.title = self._count
            return Item(BlockKind.HEADING, " ".join(text.split()), 1, footnotes=notes)
        level = int(heading[1]) if heading else self._levels.get(self._style_id_of(element), 0)
        if outline is not None and outline.get(qn("w:val"), "9") < "9":
            level = int(outline.get(qn("w:val"), "0")) + 1
        if level:
            return Item(BlockKind.HEADING, " ".join(text.split()), level, footnotes=notes)
        kind = next((kind for part, kind in _KINDS if part in style), BlockKind.PARAGRAPH)
        depth, label = self._list_of(element, style)
        if depth:
            kind = BlockKind.LIST_ITEM
        elif box := KINDS.intersection(style.split()):
            kind, label = BlockKind.ADMONITION, min(box)
            text = text[lead_of(text, label) :]
        return Item(kind, text, depth, label, footnotes=notes)

    def _style_of(self, element: etree._Element) -> str:
        return self._styles.get(self._style_id_of(element), "")

    def _style_id_of(self, element: etree._Element) -> str:
        style = element.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
        return "" if style is None else style.get(qn("w:val"), "")

    def _list_of(self, element: etree._Element, style: str) -> tuple[int, str]:
        """Return how deep in lists a paragraph is, from 1, and its mark; 0 outside of lists."""
        number = element.find(f"{qn('w:pPr')}/{qn('w:numPr')}/{qn('w:numId')}")
        level = element.find(f"{qn('w:pPr')}/{qn('w:numPr')}/{qn('w:ilvl')}")
        depth = 0 if level is None else int(level.get(qn("w:val"), "0"))
        key = (style if number is None else number.get(qn("w:val"), ""), depth)
        if number is None and not style.startswith("list"):
            return 0, ""
        if "bullet" in (self._formats.get(key, ""), style.rstrip(" 0123456789")[-6:]):
            return depth + 1, "-"
        if number is None and "number" not in style:
            return depth + 1, "-"
        self._counts[key] += 1
        for deeper in [other for other in self._counts if other[0] == key[0] and other[1] > depth]:
            del self._counts[deeper]
        return depth + 1, f"{self._counts[key]}."

    def _table(self, table: etree._Element) -> Iterator[Item]:
        if any(True for _ in table.iter(qn("w:vMerge"))):
            self._drop(_SPANNED)
        rows: list[TextWithMarkup] = []
        notes: list[str] = []
        captions: list[tuple[str, str]] = []
        for row in table.iterchildren(qn("w:tr")):
            cells = []
            for cell in row.iter(qn("w:tc")):
                if any(one is not table for one in cell.iterancestors(qn("w:tbl"))):
                    continue  # of a table within a cell, whose text the cell has
                words = [read_words(one, self._faces, self._links) for one in cell.iter(qn("w:p"))]
                span = cell.find(f"{qn('w:tcPr')}/{qn('w:gridSpan')}")
                columns = None if span is None else span.get(qn("w:val"))
                cells.append(cell_with(_in_one_line(words), spans(columns, None)))
                notes += [note for one in words for note in one.notes]
                captions += [caption for one in words for caption in one.captions]
                self.pictures += [name for one in words for name in one.pictures]
                for dropped in (dropped for one in words for dropped in one.dropped_content):
                    self._drop(dropped)
            line = join_row(cells)
            if line[0].strip(" |"):
                rows.append(line)
        if rows:
            text, markup = join_lines(rows)
            yield Item(BlockKind.TABLE, text, footnotes=tuple(notes), markup=tuple(markup))
        for caption, name in captions:
            yield Item(BlockKind.CAPTION, caption, markup=picture_of(caption, name))
