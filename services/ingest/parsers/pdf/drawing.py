"""Draw a page as a picture, and find where on it something is said."""

import ctypes
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pypdfium2 as pdfium
from pypdfium2 import raw

from libs.errors import InvalidInput, NotFound
from services.ingest.parsers.pdf.accents import ACCENTS, DOTLESS
from services.ingest.parsers.pdf.actual_text import true_text_of
from services.ingest.parsers.pdf.arabic_letters import usual_yeh
from services.ingest.parsers.pdf.drawn_order import in_drawn_order
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.png import png_of
from services.ingest.parsers.pdf.unnamed_signs import find_unnamed

_DOTS_PER_POINT = 110 / 72
_MAX_SIDE = 1600
"""Pixels; a page that is larger is drawn at fewer dots."""
_FINE = 10_000
"""Steps of a page's width and height that places are told in."""
_MOST_LETTERS = 200_000
_MOST_PLACES = 200
_LEAST_PART = 12
"""Letters of a quotation that say where it stands when the rest is on another page."""
_NEAR = 2000
_BAR = " | "
_LINE_ENDS = ("\n", "\r")


class Box(NamedTuple):
    """A part of a page: its left and upper edge, width and height, of 1."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True)
class Wanted:
    """What is looked for, and the text before it, which tells one place from another."""

    text: str
    before: str = ""


class _Letter(NamedTuple):
    """A letter, and the left, upper, right and lower edge of the character it is of, in steps."""

    letter: str
    left: int
    top: int
    right: int
    bottom: int


def draw_page(data: bytes, number: int) -> bytes:
    """Return a page as a PNG. Raises NotFound for one that is not there, InvalidInput for no PDF."""
    with _open(data) as document:
        page = _page(document, number)
        scale = min(_DOTS_PER_POINT, _MAX_SIDE / max(page.get_size()))
        bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False)
        return png_of(bitmap)


def find_on_page(data: bytes, number: int, wanted: Wanted) -> list[Box]:
    """Return the lines of a page that say what is wanted, none where it says nothing of it."""
    with _open(data) as document:
        page = _page(document, number)
        letters = list(_letters(page, true_text_of(document, page, number - 1)))
    text = "".join(letter.letter for letter in letters)
    found = sorted({at for start, end in _ranges(text, wanted) for at in range(start, end)})
    return [*_boxes([letters[at] for at in found])]


def _open(data: bytes) -> pdfium.PdfDocument:
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        raise InvalidInput("its file can't be read") from error


def _page(document: pdfium.PdfDocument, number: int) -> pdfium.PdfPage:
    if not 1 <= number <= len(document):
        raise NotFound(f"The document has {len(document)} pages.")
    return document[number - 1]


def _letters(page: pdfium.PdfPage, text_page: pdfium.PdfTextPage) -> Iterator[_Letter]:
    """Yield the letters and digits of a page, as it is seen, whichever way it is turned."""
    x, y = ctypes.c_int(), ctypes.c_int()

    def place(across: float, up: float) -> tuple[int, int]:
        raw.FPDF_PageToDevice(page.raw, 0, 0, _FINE, _FINE, 0, across, up, x, y)
        return x.value, y.value

    for run in _runs(text_page):
        for sign, left, right, bottom, top, _ in in_drawn_order(run):
            shown = _bare(sign)
            if shown:
                (x0, y0), (x1, y1) = place(left, bottom), place(right, top)
            for letter in shown:
                yield _Letter(letter, min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


def _runs(text_page: pdfium.PdfTextPage) -> Iterator[list[Sign]]:
    """Yield the characters of each line; those that a file does not name have their letters."""
    handle, box = text_page.raw, raw.FS_RECTF()
    named = find_unnamed(text_page)
    run: list[Sign] = []
    for index in range(min(text_page.count_chars(), _MOST_LETTERS)):
        code = raw.FPDFText_GetUnicode(handle, index)
        is_letter = 0 < code < 0xD800 or 0xE000 <= code <= 0x10FFFF
        letters = named.get(index, chr(code) if is_letter else "")
        if letters in _LINE_ENDS:
            yield run
            run = []
        elif letters and raw.FPDFText_GetLooseCharBox(handle, index, box):
            edges = (box.left, box.right, box.bottom, box.top)
            run += [(letter, *edges, ()) for letter in letters]
    yield run


def _bare(text: str) -> str:
    """Return letters and digits without accents: a page may have these as signs of their own."""
    whole = text if text.isascii() else unicodedata.normalize("NFD", usual_yeh(text))
    return "".join(
        DOTLESS.get(letter, letter)
        for letter in whole.casefold()
        if letter.isalnum() and letter not in ACCENTS
    )


def _ranges(page: str, wanted: Wanted) -> list[tuple[int, int]]:
    """Return the parts of a page's letters that are wanted."""
    whole = _bare(wanted.text)
    if not whole:
        return []
    if at := _best(page, whole, _bare(wanted.before)):
        return [at]
    if _BAR in wanted.text and (cells := _cells(page, wanted.text)):
        return cells
    first, last = _overlap(page, whole), _overlap(page[::-1], whole[::-1])
    found = [(first[0], first[1])] if first else []
    if last:
        found.append((len(page) - last[1], len(page) - last[0]))
    return found


def _best(page: str, text: str, before: str) -> tuple[int, int] | None:
    """Return the place of a text: where what stands before it is most like what should."""
    places = [*_places(page, text)]
    if not places:
        return None
    at = max(places, key=lambda at: _common(page[max(0, at - len(before)) : at], before))
    return at, at + len(text)


def _places(page: str, text: str) -> Iterator[int]:
    at = page.find(text)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        yield at
        at = page.find(text, at + 1)


def _common(one: str, other: str) -> int:
    """Return how many letters two texts end with alike."""
    count = 0
    while count < min(len(one), len(other)) and one[-1 - count] == other[-1 - count]:
        count += 1
    return count


def _overlap(page: str, text: str) -> tuple[int, int] | None:
    """Return where the longest beginning of a text stands on a page, if it says enough."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if text[:middle] in page else (low, middle - 1)
    if low < _LEAST_PART:
        return None
    at = page.find(text[:low])
    return at, at + low


def _cells(page: str, row: str) -> list[tuple[int, int]]:
    """Return where the cells of a row stand: the longest of them, and the others near it."""
    cells = sorted(filter(None, map(_bare, row.replace("\n", _BAR).split(_BAR))), key=len)
    if not cells:
        return []
    anchor = page.find(cells[-1])
    if anchor < 0:
        return []
    found = [(anchor, anchor + len(cells[-1]))]
    for cell in cells[:-1]:
        near = [at for at in _places(page, cell) if abs(at - anchor) < _NEAR]
        if near:
            at = min(near, key=lambda at: abs(at - anchor))
            found.append((at, at + len(cell)))
    return found


def _boxes(letters: Sequence[_Letter]) -> Iterator[Box]:
    """Yield a box of each line that letters stand in."""
    line: list[_Letter] = []
    for letter in letters:
        if line and not _goes_on(line[-1], letter):
            yield _around(line)
            line = []
        line.append(letter)
    if line:
        yield _around(line)


def _goes_on(before: _Letter, letter: _Letter) -> bool:
    high = max(before.bottom - before.top, 1)
    level = abs((before.top + before.bottom) - (letter.top + letter.bottom)) < high
    return level and -high < letter.left - before.right < 3 * high


def _around(line: Sequence[_Letter]) -> Box:
    left, top = min(one.left for one in line), min(one.top for one in line)
    right, bottom = max(one.right for one in line), max(one.bottom for one in line)
    return Box(left / _FINE, top / _FINE, (right - left) / _FINE, (bottom - top) / _FINE)
