"""Read the pieces of a page in reading order from its tree."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lxml import etree

from services.ingest.model.book import BlockKind, DroppedContent, Markup, MarkupKind
from services.ingest.parsers.admonitions import lead_of
from services.ingest.parsers.dropped import REWRITTEN, picture, visible
from services.ingest.parsers.html.drawn_formulas import drop_doubled, write_drawn
from services.ingest.parsers.html.formulas import Formula, bare_tex, inline_tex, read_formula
from services.ingest.parsers.html.hidden import describe_dropped, is_hidden, seen_in
from services.ingest.parsers.html.line import Line
from services.ingest.parsers.html.main_content import main_of
from services.ingest.parsers.html.marks import (
    address_of,
    admonition_of,
    anchor_of,
    classes_of,
    clear_line_numbers,
    description_of,
    is_below_title,
    is_first_of_texinfo,
    is_note,
    is_reference,
    language_of,
    note_of,
    roles_of,
    text_of,
    whole_number,
    writable,
)
from services.ingest.parsers.html.navigation import mark_ways
from services.ingest.parsers.html.preformatted import is_prose
from services.ingest.parsers.html.scripts import rewrite_scripts
from services.ingest.parsers.html.tables import is_layout, prepare_tables, read_table
from services.ingest.parsers.html.unmarked import mark_unmarked
from services.ingest.parsers.markup import TextWithMarkup, cut, picture_of, place
from services.ingest.parsers.outline import Item, with_last_pictures
from services.ingest.parsers.plain import read_layout
from services.ingest.parsers.wrapped import without_unspaced_breaks

_TITLED = frozenset(("table", "figure", "example", "equation", "abstract"))
"""What DocBook gives a title, by the classes that its style sheets write."""
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    (
        *("p", "div", "section", "article", "main", "body", "html", "header", "figure"),
        *("details", "footer"),
        *("summary", "address", "center", "fieldset", "legend", "hgroup", "aside", "dl", "dt"),
        *("dd", "ul", "ol", "li", "menu", "dir", "table", "tbody", "thead", "tfoot", "tr", "td"),
        *("th", "caption", "figcaption", "blockquote", "hr", "iframe", "pre"),
    )
)
_SPACES = re.compile(r"[ \t\n\r\f\v]+")
_AROUND_BREAK = re.compile(r" *\x1e *")
_BREAK = "\x1e"
_PAGE = "\x00"
"""Where a new page begins inside of a text; no character of any page."""


@dataclass
class Page:
    """What a page holds: pieces, footnotes by their id, and the marks readers see for them."""

    items: list[Item] = field(default_factory=list)
    footnotes: dict[str, list[Item]] = field(default_factory=dict)
    numbers: dict[str, str] = field(default_factory=dict)
    dropped_content: list[DroppedContent] = field(default_factory=list)


@dataclass
class _Container:
    element: etree._Element
    kind: BlockKind
    label: str = ""
    number: int = 0
    is_list: bool = False
    level: int = 0
    anchor: str = ""
    note: str = ""

    @property
    def is_entry(self) -> bool:
        return self.element.tag in ("dt", "dd") and not self.note


def read_page(
    root: etree._Element,
    first_page: int = 0,
    pages: Mapping[str, int] | None = None,
    *,
    is_all_text: bool = False,
    is_part: bool = False,
) -> Page:
    """Read the main content; `pages` are the numbers of the pages that begin at an id.

    Of a page that a writer of ours made `is_all_text`: nothing leads through a site, or is hidden. Of
    one that `is_part` of another text nothing leads through a site.
    """
    is_whole = not (is_all_text or is_part)
    drop_doubled(root)
    mark_unmarked(root)
    prepare_tables(root)
    if is_whole:
        mark_ways(root)
    dropped_content, written = rewrite_scripts(root, _BLOCKS)
    write_drawn(root)
    reader = _Reader(first_page, pages or {}, written, is_all_text=is_all_text)
    reader.page.dropped_content += dropped_content
    body = root.find("body")
    main = main_of(root) if is_whole or body is None else body
    if not main.get("dir") and "rtl" in (
        one.get("dir", "").lower() for one in main.iterancestors()
    ):
        main.set("dir", "rtl")
    reader.read(main)
    around = seen_in(body, main) if body is not None and main is not body else 0
    if around:
        place = f"outside of <{main.tag}> in line {main.sourceline}"
        reader.page.dropped_content.append(
            DroppedContent("surroundings", place, "the page says what its main content is", around)
        )
    return reader.page


class _Reader:
    def __init__(
        self,
        first_page: int,
        pages: Mapping[str, int],
        written: Mapping[etree._Element, str],
        *,
        is_all_text: bool,
    ) -> None:
        self._is_all_text = is_all_text
        self.page = Page()
        self._out = self.page.items
        self._open: list[_Container] = []
        self._line = Line(written)
        self._written = written
        self._anchors: list[str] = []
        """Names of the place where the next piece begins."""
        self._pictures: list[str] = []
        """Addresses of those that stand alone, before the next piece."""
        self._captions: list[tuple[str, str]] = []
        """Descriptions of pictures, and their addresses."""
        self._references: list[str] = []
        self._anchor = ""
        self._pages = pages
        self._number = first_page
        self._started = first_page
        self._page_numbers: list[int] = []

    def read(self, root: etree._Element) -> None:
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            if event == "end":
                self._line.close(element)
                if self._open and self._open[-1].element is element:
                    self._close()
                elif element.tag in _BLOCKS:
                    self._flush()
                if element is not root:
                    self._text(element.tail)
            elif element is not root and not self._is_all_text and is_hidden(element):
                self._drop(describe_dropped(element))
                self._note_page(element)
                walk.skip_subtree()
            elif self._take(element):
                self._note_page(element)
                walk.skip_subtree()
            else:
                self._note_page(element)
                self._text(element.text)
        self._flush()
        with_last_pictures(self._out, self._pictures)

    def _drop(self, dropped: DroppedContent | None) -> None:
        if dropped:
            self.page.dropped_content.append(dropped)

    def _note_page(self, element: etree._Element) -> None:
        number = self._pages.get(element.get("id") or "") if self._pages else None
        if number is not None:
            self._begin_page(number)
        elif "pagebreak" in roles_of(element) or "doc-pagebreak" in roles_of(element):
            shown = element.get("title") or element.get("aria-label") or text_of(element)
            digits = re.search(r"\d{1,6}", shown or "")
            if digits:
                self._begin_page(int(digits[0]))

    def _begin_page(self, number: int) -> None:
        self._number = number
        if not self._line.is_empty:
            self._line.add(_PAGE)
            self._page_numbers.append(number)

    def _text(self, text: str | None) -> None:
        if text:
            if self._line.is_empty and not text.isspace():
                self._started = self._number
            self._line.add(text)

    def _take(self, element: etree._Element) -> bool:
        """Open what an element opens. True for one that has been read whole."""
        tag = element.tag
        if not isinstance(tag, str):
            return True
        if tag in _BLOCKS:
            self._flush()
        self._line.open(element)
        whole = self._whole_reader(element)
        if whole:
            whole(element)
        elif tag == "br":
            self._line.add(_BREAK)
        elif tag == "img":
            self._picture(element)
        else:
            self._enter(element)
        return whole is not None

    def _picture(self, image: etree._Element) -> None:
        self._note_picture(image)
        words, address = description_of(image), address_of(image)
        if words and not self._names_box(words):
            self._captions.append((words, address))
        elif address:
            self._line.note(MarkupKind.IMAGE, address)

    def _names_box(self, words: str) -> bool:
        """Whether a picture says but what the box around it is: "[Note]"."""
        boxes = [one.label for one in self._open[-1:] if one.kind is BlockKind.ADMONITION]
        return words.strip("[] ").casefold() in boxes

    def _note_picture(self, image: etree._Element) -> None:
        place = f"line {image.sourceline}"
        self._drop(picture(description_of(image), address_of(image), place))

    def _whole_reader(self, element: etree._Element) -> Callable[[etree._Element], None] | None:
        """Return what reads an element with all that is in it; None where its parts are read."""
        tag = element.tag
        if tag == "table" and not is_layout(element):
            return self._table
        if tag == "dt" and "footnote" in classes_of(element.getparent()):
            return lambda _: None  # the number of a footnote, which its dd is
        if is_reference(element):
            return self._reference
        if inline_tex(element):
            return self._inline_tex
        return {"math": self._math, "pre": self._code}.get(str(tag))

    def _reference(self, element: etree._Element) -> None:
        self._references.append(note_of(element))
        mark = text_of(element).strip().strip("[]()")
        number = self.page.numbers.setdefault(self._references[-1], mark)
        self._line.refer(element, number)

    def _math(self, element: etree._Element) -> None:
        source, is_tex, is_rewritten = formula = read_formula(element)
        self._note_formula(formula, element)
        if element.get("display") == "block" and source:
            self._flush()
            self._add(BlockKind.PARAGRAPH if is_rewritten else BlockKind.MATH, source)
        elif is_tex:
            self._line.add_marked(MarkupKind.FORMULA, f"${source}$")
        else:
            self._line.add(source)

    def _note_formula(self, formula: Formula, element: etree._Element) -> None:
        if formula.is_rewritten:
            place = f"line {element.sourceline}"
            self._drop(replace(REWRITTEN, place=place, characters=visible(formula.text)))

    def _inline_tex(self, element: etree._Element) -> None:
        self._line.add_marked(MarkupKind.FORMULA, f"${inline_tex(element)}$")

    def _code(self, element: etree._Element) -> None:
        self._flush()
        for line_end in element.iter("br"):
            line_end.tail = "\n" + writable(line_end.tail)
        clear_line_numbers(element)
        text = text_of(element)
        if not self._open and is_prose(element, text):
            self._laid_out(element, text)
            return
        lines = [line.rstrip() for line in text.split("\n")]
        self._add(BlockKind.CODE, "\n".join(lines).strip("\n"), label=language_of(element))

    def _laid_out(self, element: etree._Element, text: str) -> None:
        """Add the pieces that the layout of preformatted prose shows; titles are below those above."""
        layout = read_layout(text)
        headings = (one for one in reversed(self._out) if one.kind is BlockKind.HEADING)
        above = next((one.level for one in headings), 0)
        apart = len(self._out)
        for item in layout.items:
            level = above + item.level if item.kind is BlockKind.HEADING else item.level
            notes = tuple(f"{label}@{apart}" for label in item.footnotes)
            self._put(replace(item, level=level, footnotes=notes))
        for label, note in layout.footnotes.items():
            self.page.footnotes[f"{label}@{apart}"] = note
            self.page.numbers[f"{label}@{apart}"] = layout.numbers[label]
        for dropped in layout.dropped_content:
            self._drop(replace(dropped, place=f"line {element.sourceline}"))

    def _table(self, element: etree._Element) -> None:
        self._flush()
        caption, rows, references = read_table(element, self._written)
        self._caption_block(*caption)
        self._references += [reference for reference, _ in references]
        for image in element.iter("img"):
            self._note_picture(image)
        for math in element.iter("math"):
            self._note_formula(read_formula(math), math)
        for reference, _ in references:
            self.page.numbers.setdefault(reference, "")
        text, markup = rows
        self._add(BlockKind.TABLE, text, markup=markup)

    def _caption_block(self, text: str, markup: Sequence[Markup] = ()) -> None:
        if text:
            self._add(BlockKind.CAPTION, text, markup=markup)

    def _enter(self, element: etree._Element) -> None:
        container = self._container(element)
        if container:
            self._flush()
            self._open.append(container)
            if container.note:
                self._out = self.page.footnotes.setdefault(container.note, [])

    def _container(self, element: etree._Element) -> _Container | None:
        tag = str(element.tag)
        note = self._note_of(element)
        if note:
            return _Container(element, BlockKind.FOOTNOTE, note=note)
        if tag in _HEADINGS and not is_below_title(element):
            anchor = anchor_of(element)
            level = _HEADINGS[tag] + is_first_of_texinfo(element)
            return _Container(element, BlockKind.HEADING, level=level, anchor=anchor)
        if tag in ("ul", "ol", "menu", "dir"):
            first = whole_number(element.get("start"), 1) if tag == "ol" else -1
            return _Container(element, BlockKind.LIST_ITEM, number=first, is_list=True)
        kind = self._kind_of(element, tag)
        if kind is None:
            return None
        label = self._label(element) if kind is BlockKind.LIST_ITEM else ""
        if kind is BlockKind.ADMONITION and tag not in ("dt", "dd"):
            label = admonition_of(element)
        return _Container(element, kind, label)

    def _kind_of(self, element: etree._Element, tag: str) -> BlockKind | None:
        found = classes_of(element)
        if tag in ("figcaption", "caption") or found & {"caption", "code-block-caption"}:
            return BlockKind.CAPTION
        if "title" in found and classes_of(element.getparent()) & _TITLED:
            return BlockKind.CAPTION
        if tag in ("dt", "dd"):
            return self._inner_kind()
        if admonition_of(element):
            return BlockKind.ADMONITION
        if "math" in found and tag == "div":
            return BlockKind.MATH
        return {"li": BlockKind.LIST_ITEM, "blockquote": BlockKind.QUOTE}.get(tag)

    def _inner_kind(self) -> BlockKind:
        kind = self._open[-1].kind if self._open else BlockKind.PARAGRAPH
        return kind if kind in (BlockKind.FOOTNOTE, BlockKind.ADMONITION) else BlockKind.PARAGRAPH

    def _depth(self) -> int:
        return sum(1 for container in self._open if container.is_list)

    def _note_of(self, element: etree._Element) -> str:
        parent = element.getparent()
        if element.tag == "dd" and parent is not None and "footnote" in classes_of(parent):
            before = element.getprevious()
            return (before.get("id") or "") if before is not None else ""
        return (element.get("id") or "") if is_note(element) else ""

    def _label(self, element: etree._Element) -> str:
        parent = self._open[-1] if self._open else None
        if parent is None or not parent.is_list or parent.number < 0:
            return "-"
        number = whole_number(element.get("value"), parent.number)
        parent.number = number + 1
        return f"{number}."

    def _close(self) -> None:
        self._flush()
        container = self._open.pop()
        if container.note:
            self._out = self.page.items

    def _flush(self) -> None:
        raw, markup = self._line.take()
        spaced = _SPACES.sub(" ", without_unspaced_breaks(raw))
        marked = _AROUND_BREAK.sub("\n", spaced).strip()
        text, breaks = self._take_page_marks(marked)
        if not text:
            self._started = self._number
            self._anchors += [one.value for one in markup if one.kind is MarkupKind.ANCHOR]
            self._pictures += [one.value for one in markup if one.kind is MarkupKind.IMAGE]
        captions, self._captions = self._captions, []
        innermost = self._open[-1] if self._open else None
        if text:
            self._add_text(innermost, text, breaks, (raw.replace(_PAGE, " "), markup))
        for words, address in captions:
            self._caption_block(words, picture_of(words, address))

    def _take_page_marks(self, marked: str) -> tuple[str, tuple[tuple[int, int], ...]]:
        """Return a text without its marks of pages, and where these stood, with their numbers."""
        numbers, self._page_numbers = self._page_numbers, []
        text, *rest = marked.split(_PAGE)
        breaks = []
        for number, part in zip(numbers, rest, strict=True):
            joins = text and not text[-1].isspace() and part[:1] == " "
            if text.strip():
                breaks.append((len(text) + bool(joins), number))
            else:
                self._started = number
            text += part if joins or (text and not text[-1].isspace()) else part.lstrip(" ")
        return text.rstrip(), tuple(breaks)

    def _add_text(
        self,
        container: _Container | None,
        text: str,
        breaks: tuple[tuple[int, int], ...],
        source: TextWithMarkup,
    ) -> None:
        raw, marks = source
        if container is None:
            self._add(BlockKind.PARAGRAPH, text, page_breaks=breaks, markup=place(raw, text, marks))
            return
        kind, level = container.kind, container.level
        if kind is BlockKind.HEADING:
            text = " ".join(text.split())
            outer = [one for one in self._open if one.kind is not BlockKind.HEADING]
            is_boxed = bool(outer) and outer[-1].kind is BlockKind.ADMONITION
            container = outer[-1] if is_boxed else container
            kind = container.kind if is_boxed or not outer else BlockKind.PARAGRAPH
            breaks = breaks if outer else ()
        elif kind is BlockKind.LIST_ITEM:
            level = self._depth()
        elif kind is BlockKind.FOOTNOTE:
            text = re.sub(r"\s*[↩⏎^]\ufe0e?$", "", text)
        elif kind is BlockKind.MATH:
            text, breaks, raw, marks = bare_tex(text), (), "", ()
        lead = lead_of(text, container.label) if kind is BlockKind.ADMONITION else 0
        self._add(
            kind,
            text[lead:],
            level=level,
            label=container.label,
            anchor=container.anchor,
            page_breaks=tuple((max(0, at - lead), number) for at, number in breaks),
            markup=cut(place(raw, text, marks), lead),
        )
        if kind is BlockKind.LIST_ITEM:
            container.label = ""

    def _add(
        self,
        kind: BlockKind,
        text: str,
        *,
        level: int = 0,
        label: str = "",
        anchor: str = "",
        page_breaks: tuple[tuple[int, int], ...] = (),
        markup: Sequence[Markup] = (),
    ) -> None:
        if text.strip():
            self._put(
                Item(
                    kind=kind,
                    text=text,
                    level=level,
                    label=label,
                    anchor=anchor,
                    page_breaks=page_breaks,
                    markup=tuple(markup),
                    definitions=sum(one.is_entry for one in self._open),
                    is_term=any(one.is_entry and one.element.tag == "dt" for one in self._open),
                )
            )

    def _put(self, item: Item) -> None:
        """Add a piece, with the names, pictures and footnotes that wait for it, and its page."""
        before = [Markup(MarkupKind.ANCHOR, 0, 0, name) for name in self._anchors]
        before += [Markup(MarkupKind.IMAGE, 0, 0, address) for address in self._pictures]
        footnotes = (*self._references, *item.footnotes)
        self._anchors, self._pictures, self._references = [], [], []
        markup = (*before, *item.markup)
        self._out.append(replace(item, footnotes=footnotes, page=self._started, markup=markup))
        self._started = self._number
