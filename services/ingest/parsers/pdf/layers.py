"""Tell which text of a page stands on layers that are switched off: drawn alone it leaves no ink.

Which layer a text belongs to is not asked: PDFium gives only names of layers, and two may have the
same. Texts whose boxes don't overlap are drawn together, so that most pages are drawn a few times.
"""

import ctypes
import io
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pypdfium2 as pdfium
from pypdfium2 import raw

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.invisible import HIDDEN
from services.ingest.parsers.pdf.painted import (
    MOST_MARKS,
    MOST_OBJECTS,
    Painted,
    box_of,
    count_marks,
    painted,
)

SWITCHED_OFF = replace(
    HIDDEN, reason="it stands on a layer that is switched off, so no reader of the page sees it"
)
UNTESTED = replace(
    HIDDEN, reason="its page has too much in layers or marks to tell whether a reader sees it"
)

_NAME = "OC"
"""The mark around what belongs to a layer, which PDF calls optional content."""
_NAMED, _LONGEST_NAMED = re.compile(rb"/OC(?:[\s/<]|Properties)"), 16
_ROOM = 16
_MOST_DRAWN = 24
"""Times that one page is drawn to find out: beyond that what is left is left out."""
_MOST_DRAWN_OF_BOOK = 10_000
_DOTS_PER_POINT, _MOST_SIDE = 1.5, 3000
_CELL = 2
"""Dots of a side of the squares by which texts are found to overlap."""
_PAPER = (253, 1, 251, 255)
"""No ink is of this colour, as white ink is on dark."""

_Dots = tuple[slice, slice]


@dataclass
class Draws:
    """Counts how often the pages of one book may still be drawn."""

    left: int = _MOST_DRAWN_OF_BOOK
    named: bool | None = None
    """Whether anything of the book names a layer by itself, None before it is asked."""

    def has_named(self, book: pdfium.PdfDocument) -> bool:
        """Return whether a form may name a layer of its own: PDFium does not tell which does."""
        if self.named is None:
            finder = _Finder()
            book.save(finder)
            self.named = finder.has_found
        return self.named


class _Finder(io.RawIOBase):
    """Takes a book as it is saved, all objects in plain, and looks whether one names a layer."""

    def __init__(self) -> None:
        self.has_found = False
        self._end = b""

    def writable(self) -> bool:
        return True

    def write(self, block: bytes) -> int:  # type: ignore[override]  # of bytes alone
        if not self.has_found:
            self.has_found = bool(_NAMED.search(self._end + block))
            self._end = bytes(block[-_LONGEST_NAMED:])
        return len(block)


class Layers:
    """Knows of one page what stands on layers that readers do not see."""

    def __init__(self, page: pdfium.PdfPage, draws: Draws) -> None:
        self._page, self._draws = page, draws
        self._all: list[Painted] = []
        self._texts: list[int] = []
        """The numbers of those texts that stand on layers, among all that is painted."""
        self._why: dict[int, DroppedContent | None] = {}
        self._blank: Any = None
        self._is_tested = False
        self._walk()
        self._is_cut = len(self._all) == MOST_OBJECTS
        self._left = min(_MOST_DRAWN, draws.left)
        if self._is_cut:
            for one in self._all:
                self._why.setdefault(_address(one.item), None)
        if not self._texts:
            self._all = []

    def _walk(self) -> None:
        """Find the texts on layers, their own or those of the forms around them."""
        layered: set[int] = set()
        for number, one in enumerate(painted(self._page)):
            self._all.append(one)
            kind = raw.FPDFPageObj_GetType(one.item)
            if kind not in (raw.FPDF_PAGEOBJ_TEXT, raw.FPDF_PAGEOBJ_FORM):
                continue
            is_unclear = self._why.get(one.holder) is UNTESTED or count_marks(one.item) > MOST_MARKS
            if is_unclear:
                self._why[number] = UNTESTED
            elif one.holder in layered or _has_layer(one.item) or self._may_name(one.item):
                layered.add(number)
                if kind == raw.FPDF_PAGEOBJ_TEXT:
                    self._texts.append(number)
        self._why = {_address(self._all[number].item): UNTESTED for number in self._why}

    def _may_name(self, item: raw.FPDF_PAGEOBJECT) -> bool:
        is_form = raw.FPDFPageObj_GetType(item) == raw.FPDF_PAGEOBJ_FORM
        return is_form and self._draws.has_named(self._page.pdf)

    def reason(self, found: raw.FPDF_PAGEOBJECT) -> DroppedContent | None:
        """Return why a text object is left out: its layer is off, or nobody can tell; else None."""
        if self._texts and not self._is_tested:
            self._is_tested = True
            self._test()
        return self._why.get(_address(found), UNTESTED if self._is_cut else None)

    def _test(self) -> None:
        """Draw all texts on layers, those that may share a drawing together."""
        for one in self._all:
            raw.FPDFPageObj_SetIsActive(one.item, False)
        try:
            self._blank = self._draw()
            self._test_texts()
        finally:
            for one in self._all:
                raw.FPDFPageObj_SetIsActive(one.item, True)
            self._blank, self._all = None, []

    def _test_texts(self) -> None:
        boxes = {number: self._dots_of(self._all[number]) for number in self._texts}
        groups, rest = self._groups(boxes)
        pale: list[int] = []
        for group in groups:
            ink = self._ink_of(group)
            if ink is None:
                rest += group
            else:
                pale += [number for number in group if not ink[boxes[number]].any()]
        # What a font says of the sizes of its letters may be wrong.
        ink = self._ink_of(pale) if pale else None
        if ink is not None and ink.any():
            self._test_one_by_one(pale)
        elif pale:
            self._judge(pale, SWITCHED_OFF if ink is not None else UNTESTED)
        self._judge(rest, UNTESTED)

    def _test_one_by_one(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            ink = self._ink_of([number])
            if ink is None or not ink.any():
                self._judge([number], UNTESTED if ink is None else SWITCHED_OFF)

    def _judge(self, numbers: Collection[int], why: DroppedContent) -> None:
        for number in numbers:
            self._why[_address(self._all[number].item)] = why

    def _groups(self, boxes: dict[int, _Dots]) -> tuple[list[list[int]], list[int]]:
        """Return texts in groups without overlap, and those for which there are too many groups."""
        high, wide = self._blank.shape[:2]
        taken = np.zeros((high // _CELL + 1, wide // _CELL + 1), np.int32)
        groups: list[list[int]] = [[] for _ in range(_MOST_DRAWN)]
        rest: list[int] = []
        for number, (down, across) in boxes.items():
            cells = taken[_in_cells(down), _in_cells(across)]
            used = int(np.bitwise_or.reduce(cells, axis=None))
            at = next((at for at in range(_MOST_DRAWN) if not used >> at & 1), None)
            if at is None:
                rest.append(number)
            else:
                cells |= 1 << at
                groups[at].append(number)
        return [group for group in groups if group], rest

    def _dots_of(self, one: Painted) -> _Dots:
        """Return the rows and columns of the drawn page that something covers."""
        high, wide = self._blank.shape[:2]
        left, bottom, right, top = box_of(one.item, one.place) or (0, 0, 0, 0)
        x, y = ctypes.c_int(), ctypes.c_int()
        places = []
        for across, up in ((left, bottom), (right, top)):
            raw.FPDF_PageToDevice(self._page.raw, 0, 0, wide, high, 0, across, up, x, y)
            places.append((x.value, y.value))
        (x0, x1), (y0, y1) = (sorted(pair) for pair in zip(*places, strict=True))
        return slice(_within(y0, high), _within(y1 + 1, high)), slice(
            _within(x0, wide), _within(x1 + 1, wide)
        )

    def _ink_of(self, numbers: Sequence[int]) -> Any:
        """Return which dots some texts leave ink on when they are drawn alone, None if too much was."""
        if self._left <= 0:
            return None
        self._left -= 1
        self._draws.left -= 1
        shown: set[int] = set()
        for number in numbers:
            at = number
            while at >= 0 and at not in shown:
                shown.add(at)
                at = self._all[at].holder
        for at in shown:
            raw.FPDFPageObj_SetIsActive(self._all[at].item, True)
        try:
            return (self._draw() != self._blank).any(axis=2)
        finally:
            for at in shown:
                raw.FPDFPageObj_SetIsActive(self._all[at].item, False)

    def _draw(self) -> Any:
        scale = min(_DOTS_PER_POINT, _MOST_SIDE / max(self._page.get_size()))
        drawn = self._page.render(
            scale=scale, fill_color=_PAPER, draw_annots=False, may_draw_forms=False
        )
        return drawn.to_numpy().copy()


def _within(dot: int, most: int) -> int:
    return min(max(dot, 0), most)


def _in_cells(dots: slice) -> slice:
    return slice(dots.start // _CELL, (dots.stop + _CELL - 1) // _CELL)


def _address(item: raw.FPDF_PAGEOBJECT) -> int:
    return ctypes.addressof(item.contents)


def _has_layer(item: raw.FPDF_PAGEOBJECT) -> bool:
    """Whether one of the marks around an object is that of a layer."""
    for number in range(count_marks(item)):
        mark = raw.FPDFPageObj_GetMark(item, number)
        buffer, length = (ctypes.c_ushort * _ROOM)(), ctypes.c_ulong()
        raw.FPDFPageObjMark_GetName(mark, buffer, 2 * _ROOM, length)
        if bytes(buffer)[: max(length.value, 2) - 2].decode("utf-16-le", "replace") == _NAME:
            return True
    return False
