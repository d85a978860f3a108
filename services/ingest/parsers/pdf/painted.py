"""Go through what is painted on a page, also within forms, and the marks around it: within bounds."""

import ctypes
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pypdfium2 as pdfium
from pypdfium2 import raw

MOST_MARKS = 16
"""Around one object. Tagged files have up to five or so; each is looked at for every object in it."""
MOST_OBJECTS = 100_000
"""Of one page, forms and what they hold included: maps and plots have some ten thousand."""

_Holder = tuple[Callable[..., Any], Any, Iterator[int], int, pdfium.PdfMatrix | None]


class Painted(NamedTuple):
    """Something painted; `holder` is the number of the form around it, counted from 0, -1 for none.

    `place` moves what its form holds to where that is on the page, None for what needs no move.
    """

    item: raw.FPDF_PAGEOBJECT
    holder: int
    place: pdfium.PdfMatrix | None


def painted(
    page: pdfium.PdfPage, most: int = MOST_OBJECTS, depth: int | None = None
) -> Iterator[Painted]:
    """Yield the first `most` things of a page in the order in which they are painted.

    What a form holds follows it, of forms in no more than `depth` others; None is any depth.
    """
    numbers = iter(range(raw.FPDFPage_CountObjects(page.raw)))
    opened: list[_Holder] = [(raw.FPDFPage_GetObject, page.raw, numbers, -1, None)]
    count = 0
    while opened and count < most:
        take, holder, numbers, within, place = opened[-1]
        number = next(numbers, None)
        if number is None:
            opened.pop()
            continue
        item = take(holder, number)
        yield Painted(item, within, place)
        is_form = raw.FPDFPageObj_GetType(item) == raw.FPDF_PAGEOBJ_FORM
        if is_form and (depth is None or len(opened) <= depth):
            held = iter(range(max(raw.FPDFFormObj_CountObjects(item), 0)))
            opened.append((raw.FPDFFormObj_GetObject, item, held, count, _placed(item, place)))
        count += 1


def count_marks(item: raw.FPDF_PAGEOBJECT) -> int:
    """Return how many marks are around an object within its form."""
    return max(int(raw.FPDFPageObj_CountMarks(item)), 0)


def box_of(
    item: raw.FPDF_PAGEOBJECT, place: pdfium.PdfMatrix | None
) -> tuple[float, float, float, float] | None:
    """Return left, bottom, right and top on the page in points; None for what has no box."""
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not raw.FPDFPageObj_GetBounds(item, left, bottom, right, top):
        return None
    box = (left.value, bottom.value, right.value, top.value)
    return place.on_rect(*box) if place else box


def _placed(form: raw.FPDF_PAGEOBJECT, place: pdfium.PdfMatrix | None) -> pdfium.PdfMatrix | None:
    """Return what moves what a form holds to where it is on the page."""
    found = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(form, found):
        return place
    own = pdfium.PdfMatrix.from_raw(found)
    return own.multiply(place) if place else own
