"""Read the lines of a PDF with their places, and its outline."""

import threading
import unicodedata
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Literal

import pypdfium2 as pdfium
from pypdfium2 import raw

from libs.errors import InvalidInput, TooLarge
from services.ingest.model.book import MarkupKind
from services.ingest.parsers.heartbeat import beat
from services.ingest.parsers.pdf.accents import place_accents
from services.ingest.parsers.pdf.actual_text import true_text_of
from services.ingest.parsers.pdf.annotations import tell_annotations
from services.ingest.parsers.pdf.arabic_letters import with_arabic_yeh
from services.ingest.parsers.pdf.cells import Table, held_of
from services.ingest.parsers.pdf.drawn_letters import without_drawn_letters
from services.ingest.parsers.pdf.drawn_lines import tell_drawings
from services.ingest.parsers.pdf.drawn_order import in_drawn_order
from services.ingest.parsers.pdf.dropped_pieces import (
    DroppedPiece,
    DroppedPieces,
    left_out,
)
from services.ingest.parsers.pdf.layers import Draws
from services.ingest.parsers.pdf.line import HYPHEN, Line, Sign
from services.ingest.parsers.pdf.marking import marked_text
from services.ingest.parsers.pdf.ocr import can_read_scans, read_scan
from services.ingest.parsers.pdf.page_frame import without_page_frame
from services.ingest.parsers.pdf.pictures import (
    Picture,
    draw_pictures,
    find_pictures,
    has_image,
    tell_unkept,
)
from services.ingest.parsers.pdf.raised import height_of_line, joined_runs, take_raised, with_spaces
from services.ingest.parsers.pdf.rules import read_rules
from services.ingest.parsers.pdf.runs_beside import runs_beside
from services.ingest.parsers.pdf.struck import without_struck
from services.ingest.parsers.pdf.tables import find_tables, rows_of
from services.ingest.parsers.pdf.tall_signs import Room, room_of
from services.ingest.parsers.pdf.traits import PageTraits
from services.ingest.parsers.pdf.turned import load_upright
from services.ingest.parsers.pdf.turned_brackets import with_turned_brackets
from services.ingest.parsers.pdf.underlined import with_underlines
from services.ingest.parsers.pdf.unnamed_signs import find_unnamed

_WIDE_GAP = 1.2
_SHARE_OF_LINE = 0.1
"""Of its characters: from here on a size is one that the line is set in, less is a mark or a symbol."""
_MAX_PAGES = 20_000
_SAMPLED = 24
"""Pages that are looked at to tell which text it is."""
_MAX_CHARACTERS = 20_000_000
_HYPHENS = (2, 0xFFFE)
_ENDS = frozenset((10, 13, *_HYPHENS))
"""What ends a line."""
_FIRST_HALVES, _SECOND_HALVES = range(0xD800, 0xDC00), range(0xDC00, 0xE000)
_FORMULA_LETTERS = range(0x1D400, 0x1D800)
"""Slanted, bold and other letters of formulas, each of which is a plain one in another font."""
_BROKEN = "←-"
"""What DocBook's printing puts at the end of a line of code that goes on in the next."""
_RESTS = (",→", "\u02d3→")
"""What Sphinx's printing puts before the rest of a line of code: a hooked arrow, made of two signs."""
_REST_SIGNS = 2
_CODE = (MarkupKind.CODE, "")
_LONGEST_LABEL = 20
_UNKNOWN = left_out("sign", "the file does not say which letter it is")
_PDFIUM = threading.Lock()
"""PDFium serves one thread at a time."""


@dataclass(frozen=True)
class Bookmark:
    """A line of the outline; level counts from 1, page from 1, 0 where it leads nowhere."""

    title: str
    level: int
    page: int


@dataclass
class Book:
    """What a file shows."""

    title: str = ""
    authors: str = ""
    """As the file has them, in one line."""
    pages: list[list[Line]] = field(default_factory=list)
    outline: list[Bookmark] = field(default_factory=list)
    without_text: list[int] = field(default_factory=list)
    """Pages that are pictures and were not read."""
    scanned: list[int] = field(default_factory=list)
    """Pages that are pictures and were read by OCR."""
    pictures: list[Picture] = field(default_factory=list)
    """Those that stand beside text."""
    labels: dict[int, str] = field(default_factory=dict)
    """What its pages are called, where that is not all of their numbers from 1."""
    dropped: list[DroppedPiece] = field(default_factory=list)
    """What its pages have beside letters and pictures that is not kept, or not as it was."""


def read_pdf(data: bytes) -> Book:
    """Read all pages. Raises InvalidInput for a damaged or locked file, TooLarge for a huge one."""
    with _opened(data) as document:
        return _read(document)


def sample_lines(data: bytes) -> list[str]:
    """Return the lines of some pages from all over a file, as they stand. Raises as read_pdf does."""
    with _opened(data) as document:
        step = max(1, len(document) // _SAMPLED)
        numbers = range(0, len(document), step)[:_SAMPLED]
        texts = [document[number].get_textpage().get_text_range() for number in numbers]
    return [line for text in texts for line in text.splitlines()]


@contextmanager
def _opened(data: bytes) -> Iterator[pdfium.PdfDocument]:
    with _PDFIUM:
        try:
            document = pdfium.PdfDocument(data)
        except pdfium.PdfiumError as error:
            is_locked = "assword" in str(error)
            reason = "it is locked with a password" if is_locked else "it is damaged or no PDF"
            raise InvalidInput(reason) from error
        try:
            yield document
        except pdfium.PdfiumError as error:
            raise InvalidInput(f"it is damaged: {error}") from error
        finally:
            document.close()


def _read(document: pdfium.PdfDocument) -> Book:
    count = len(document)
    if count > _MAX_PAGES:
        raise TooLarge(f"The PDF has more than {_MAX_PAGES} pages.")
    book = Book(
        title=" ".join(document.get_metadata_value("Title").split()),
        authors=document.get_metadata_value("Author"),
    )
    total, draws = 0, Draws()
    pictures: list[Picture] = []
    for number in range(1, count + 1):
        page = load_upright(document, number - 1)
        try:
            dropped = DroppedPieces(number)
            text_page = true_text_of(document, page, number - 1, dropped)
            total += text_page.count_chars()
            if total > _MAX_CHARACTERS:
                raise TooLarge(f"The PDF has more than {_MAX_CHARACTERS} characters.")
            traits = PageTraits(document, page, text_page, dropped, draws)
            lines = _read_lines(page, text_page, traits, dropped)
            traits.tell()
            tell_annotations(page, dropped)
            tell_drawings(page, lines, dropped)
            if lines:
                tell_unkept(page, dropped)
            book.dropped += dropped.found
            shows_image = not lines and has_image(page)
            pictures += find_pictures(page, number, lines) if lines else []
            if shows_image and can_read_scans():
                lines = read_scan(page, number)
                beat()
        finally:
            page.close()
        book.pages.append(lines)
        if shows_image:
            (book.scanned if lines else book.without_text).append(number)
    book.pictures = draw_pictures(document, pictures)
    book.outline = _read_outline(document)
    book.labels = _read_labels(document)
    return book


def _read_labels(document: pdfium.PdfDocument) -> dict[int, str]:
    """Return what the file calls its pages, such as "iv"; nothing where it counts them as they lie."""
    named = ((at + 1, document.get_page_label(at).strip()) for at in range(len(document)))
    labels = {number: label for number, label in named if 0 < len(label) <= _LONGEST_LABEL}
    return labels if any(label != str(number) for number, label in labels.items()) else {}


def _read_outline(document: pdfium.PdfDocument) -> list[Bookmark]:
    found = []
    for bookmark in document.get_toc(max_depth=10):
        target = bookmark.get_dest()
        index = target.get_index() if target else None
        title = " ".join(bookmark.get_title().replace("\0", "").split())
        if title:
            found.append(Bookmark(title, bookmark.level + 1, 0 if index is None else index + 1))
    return found


def _read_lines(
    page: pdfium.PdfPage,
    text_page: pdfium.PdfTextPage,
    traits: PageTraits,
    dropped: DroppedPieces,
) -> list[Line]:
    number = dropped.page
    seen = without_struck(page, list(_read_runs(text_page, traits, dropped)), dropped)
    joined = joined_runs(with_arabic_yeh(seen))
    whole = [with_turned_brackets(in_drawn_order(run)) for run in joined]
    drawn = without_drawn_letters(read_rules(page), whole)
    rules = without_page_frame(drawn, page.get_size())
    beside = {*map(id, runs_beside(whole, rules.level))}
    runs = [run for run in whole if id(run) not in beside]
    tables = find_tables(rules, runs, dropped)
    waiting = dict(enumerate(tables, start=1))
    lines: list[Line] = []
    for signs in whole:
        if id(signs) in beside:
            lines += (replace(line, is_steep=True) for line in _to_line(signs, number))
            continue
        marks, rest = _take_tables(signs, tables)
        for mark in filter(waiting.__contains__, marks):
            table = waiting.pop(mark)
            for run in runs if table.title else ():
                title = _to_line(list(filter(table.is_in_title, run)), number)
                lines += (replace(line, titled=mark, parts=()) for line in title)
            lines += rows_of(table, runs, number, mark)
        titled = [table for table in tables if table.title]
        below = [one for one in rest if not _is_in_title(one, titled)] if titled else rest
        lines += _to_line(below, number)
    return with_underlines(lines, rules.level) if rules.level else lines


def _is_in_title(sign: Sign, tables: Sequence[Table]) -> bool:
    return any(table.is_in_title(sign) for table in tables)


def _take_tables(signs: list[Sign], tables: Sequence[Table]) -> tuple[list[int], list[Sign]]:
    """Return the numbers of the tables that a line of text belongs to, and what is outside of them.

    Tables may stand side by side.
    """
    marks, rest = list[int](), signs
    top, bottom = max(sign[4] for sign in signs), min(sign[3] for sign in signs)
    for mark, table in enumerate(tables, start=1):
        if table.rows[-1] - 1 > top or table.rows[0] + 1 < bottom:
            continue
        held = set(map(id, held_of(table, rest)))
        if held:
            marks.append(mark)
            rest = [sign for sign in rest if id(sign) not in held]
    return marks, rest


def _read_runs(
    text_page: pdfium.PdfTextPage, traits: PageTraits, dropped: DroppedPieces
) -> Iterator[list[Sign]]:
    """Yield the characters of each line."""
    unknown = 0
    unnamed = find_unnamed(text_page)
    handle = text_page.raw
    signs: list[Sign] = []
    indices: list[int] = []
    first = 0
    for index in range(text_page.count_chars()):
        code = raw.FPDFText_GetUnicode(handle, index)
        if index in unnamed:
            parts = _parts_of(unnamed[index], room_of(handle, index))
            signs += parts
            indices += [index] * len(parts)
        elif code in _ENDS:
            if code in _HYPHENS and signs:
                signs.append((HYPHEN, *signs[-1][1:]))
                indices.append(indices[-1])
            yield from map(place_accents, traits.apply(signs, indices))
            signs, indices = [], []
        elif code in _FIRST_HALVES:
            first = code
        elif code not in (0, 0xFFFF):
            sign = (_sign_of(first, code), *room_of(handle, index), ())
            # Word names each letter of its formulas twice.
            if not first or signs[-1:] != [sign]:
                signs.append(sign)
                indices.append(index)
            first = 0
        else:
            unknown += 1
    yield from map(place_accents, traits.apply(signs, indices))
    if unknown:
        dropped.note(_UNKNOWN, characters=unknown)


def _parts_of(letters: str, room: Room) -> list[Sign]:
    """Return the letters of one sign side by side."""
    start, end, bottom, top = room
    width = (end - start) / len(letters)
    edges = [start + width * at for at in range(len(letters) + 1)]
    return [
        (letter, left, right, bottom, top, ())
        for letter, (left, right) in zip(letters, pairwise(edges), strict=True)
    ]


@lru_cache(4096)
def _sign_of(first: int, code: int) -> str:
    """Return the character of a number, or of the two halves that PDFium makes of one beyond 0xFFFF."""
    if code in _SECOND_HALVES and first:
        pair = first.to_bytes(2, "little") + code.to_bytes(2, "little")
        return _usual(pair.decode("utf-16-le"))
    return " " if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF else _usual(chr(code))


def _usual(sign: str) -> str:
    """Return the character that Unicode says is the same: fonts name ";" as a Greek question mark.

    The letters of formulas are plain ones, as nobody types others into a question.
    """
    form: Literal["NFC", "NFKC"] = "NFKC" if ord(sign) in _FORMULA_LETTERS else "NFC"
    usual = sign if sign.isascii() else unicodedata.normalize(form, sign)
    return usual if len(usual) == 1 else sign


def _to_line(signs: list[Sign], number: int) -> list[Line]:
    seen = [sign for sign in signs if not sign[0].isspace() and sign[0] != HYPHEN]
    is_broken, is_rest = _is_broken(seen), _is_rest(seen)
    if is_broken or is_rest:
        seen = seen[_REST_SIGNS * is_rest : len(seen) - len(_BROKEN) * is_broken]
        signs = signs[signs.index(seen[0]) : signs.index(seen[-1]) + 1]
    if not seen:
        return []
    heights = Counter(round(top - bottom, 1) for _, _, _, bottom, top, _ in seen)
    size = heights.most_common(1)[0][0]
    y = height_of_line(seen, size)
    parts, marks = take_raised(with_spaces(signs))
    note = marks.pop(0)[1:] if marks and marks[0].startswith("^") else ""
    text, markup = marked_text(parts)
    is_mono = all(_CODE in seen[at][5] for at in (0, len(seen) // 2, -1))
    left, right = min(sign[1] for sign in seen), max(sign[2] for sign in seen)
    halves = _halves(signs, size)
    split = [half for signs_of in halves for half in _to_line(signs_of, number)]
    least = _SHARE_OF_LINE * len(seen)
    sizes = frozenset(height for height, count in heights.items() if count >= least)
    return [
        Line(
            text=text,
            page=number,
            left=left,
            right=right,
            y=y,
            size=size,
            is_mono=is_mono,
            sizes=sizes,
            marks=tuple(marks),
            note=note,
            parts=tuple(split),
            markup=markup,
            is_broken=is_broken,
            is_rest=is_rest,
        )
    ]


def _is_broken(seen: Sequence[Sign]) -> bool:
    """Whether a line of code has the sign that it goes on in the next."""
    code, sign = seen[: -len(_BROKEN)], seen[-len(_BROKEN) :]
    is_code = bool(code) and all(_CODE in one[5] for one in (code[0], code[-1]))
    return is_code and "".join(one[0] for one in sign) == _BROKEN


def _is_rest(seen: Sequence[Sign]) -> bool:
    """Whether a line of code has the sign that it goes on from the line above."""
    sign, code = seen[:_REST_SIGNS], seen[_REST_SIGNS:]
    is_code = bool(code) and all(_CODE in one[5] for one in (code[0], code[-1]))
    return is_code and "".join(one[0] for one in sign) in _RESTS


def _halves(signs: Sequence[Sign], size: float) -> list[list[Sign]]:
    seen = [at for at, sign in enumerate(signs) if not sign[0].isspace() and sign[0] != HYPHEN]
    wide = [
        index
        for before, index in pairwise(seen)
        if signs[index][1] - signs[before][2] > _WIDE_GAP * size
    ]
    if len(wide) != 1:
        return []
    return [list(signs[: wide[0]]), list(signs[wide[0] :])]


def in_reading_order(lines: list[Line]) -> list[Line]:
    """Return the lines of a page, columns one after the other and tables before what is below them."""
    ordered: list[Line] = []
    for mark, of_mark in groupby(_order_columns(lines), key=_table_of):
        held = list(of_mark)
        at = len(ordered)
        while mark and at and _is_below(ordered[at - 1], held):
            at -= 1
        is_between = bool(at) and ordered[at - 1].y > held[0].y
        at = at if is_between else len(ordered)
        ordered[at:at] = held
    return ordered


def _table_of(line: Line) -> int:
    return line.table or line.titled


def _is_below(line: Line, table: Sequence[Line]) -> bool:
    is_under = not line.table and line.y < min(row.y for row in table)
    return is_under and line.left < table[-1].right and line.right > table[-1].left


def _order_columns(lines: list[Line]) -> list[Line]:
    if len(lines) < 8:
        return lines
    start, end = min(line.left for line in lines), max(line.right for line in lines)
    middle, width = (start + end) / 2, end - start
    cuts = [bool(line.parts) and line.parts[0].right < middle < _gap_end(line) for line in lines]
    if sum(cuts) * 2 >= len(lines):
        halves = (line.parts if cut else (line,) for line, cut in zip(lines, cuts, strict=True))
        lines = [part for parts in halves for part in parts]
    left = [line for line in lines if line.right <= middle + 0.02 * width]
    right = [line for line in lines if line.left >= middle - 0.02 * width]
    wide = len(lines) - len(left) - len(right)
    full = [line for line in (*left, *right) if line.right - line.left > 0.3 * width]
    if min(len(left), len(right)) < 8 or wide > len(lines) // 4 or len(full) * 2 < len(lines):
        return lines
    in_columns = {*map(id, left), *map(id, right)}
    bands = sorted((line for line in lines if id(line) not in in_columns), key=_down)
    return list(_between_bands(bands, left, right))


def _between_bands(
    bands: Sequence[Line], left: Sequence[Line], right: Sequence[Line]
) -> Iterator[Line]:
    """Yield what stands above each band in the left and in the right column, then the band."""
    sides = [deque(sorted(side, key=_down)) for side in (left, right)]
    for band in [*bands, None]:
        edge = float("-inf") if band is None else band.y
        for side in sides:
            while side and side[0].y > edge:
                yield side.popleft()
        if band:
            yield band


def _gap_end(line: Line) -> float:
    return line.parts[1].left + 0.02 * line.right


def _down(line: Line) -> float:
    return -line.y
