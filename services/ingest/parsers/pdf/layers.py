"""Tell which layers of a page are switched off: without what they hold it looks the same."""

import ctypes
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pypdfium2 as pdfium
from pypdfium2 import raw

_NAME = "OC"
"""The mark around what belongs to a layer, which PDF calls optional content."""
_ROOM = 16
_MOST_TRIES = 24
"""Times that a page is drawn to find out: beyond that what is left is judged as any text is."""
_DOTS_PER_POINT, _MOST_SIDE = 1.5, 3000


class Layers:
    """Knows of one page what stands on layers that readers do not see."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        self._page = page
        self._runs: list[list[raw.FPDF_PAGEOBJECT]] = []
        self._run_of: dict[int, int] = {}
        self._is_off: dict[int, bool] = {}
        self._whole: Any = None
        marked = ((layer, item) for item, layer in _objects(page) if layer)
        for _, run in groupby(marked, key=lambda one: one[0]):
            self._runs.append([item for _, item in run])
            for item in self._runs[-1]:
                self._run_of[ctypes.addressof(item.contents)] = len(self._runs) - 1

    def hides(self, found: raw.FPDF_PAGEOBJECT) -> bool:
        """Whether a text object stands on a layer without which the drawn page is the same."""
        number = self._run_of.get(ctypes.addressof(found.contents))
        if number is None:
            return False
        if number not in self._is_off:
            self._is_off[number] = len(self._is_off) < _MOST_TRIES and self._changes_nothing(number)
        return self._is_off[number]

    def _changes_nothing(self, number: int) -> bool:
        if self._whole is None:
            self._whole = self._draw()
        for item in self._runs[number]:
            raw.FPDFPageObj_SetIsActive(item, False)
        try:
            return bool((self._draw() == self._whole).all())
        finally:
            for item in self._runs[number]:
                raw.FPDFPageObj_SetIsActive(item, True)

    def _draw(self) -> Any:
        scale = min(_DOTS_PER_POINT, _MOST_SIDE / max(self._page.get_size()))
        return self._page.render(scale=scale).to_numpy().copy()


def _objects(page: pdfium.PdfPage) -> Iterator[tuple[raw.FPDF_PAGEOBJECT, int]]:
    """Yield what is painted on a page in that order, each with the layer of it or of what holds it."""
    numbers = iter(range(raw.FPDFPage_CountObjects(page.raw)))
    opened = [(raw.FPDFPage_GetObject, page.raw, numbers, 0)]
    while opened:
        take, holder, numbers, around = opened[-1]
        number = next(numbers, None)
        if number is None:
            opened.pop()
            continue
        item = take(holder, number)
        layer = _layer_of(item) or around
        yield item, layer
        if raw.FPDFPageObj_GetType(item) == raw.FPDF_PAGEOBJ_FORM:
            inner = iter(range(max(raw.FPDFFormObj_CountObjects(item), 0)))
            opened.append((raw.FPDFFormObj_GetObject, item, inner, layer))


def _layer_of(item: raw.FPDF_PAGEOBJECT) -> int:
    """Return where the mark of the layer is that an object belongs to, 0 for none."""
    for number in range(max(raw.FPDFPageObj_CountMarks(item), 0)):
        mark = raw.FPDFPageObj_GetMark(item, number)
        buffer, length = (ctypes.c_ushort * _ROOM)(), ctypes.c_ulong()
        raw.FPDFPageObjMark_GetName(mark, buffer, 2 * _ROOM, length)
        if bytes(buffer)[: max(length.value, 2) - 2].decode("utf-16-le", "replace") == _NAME:
            return ctypes.addressof(mark.contents)
    return 0
