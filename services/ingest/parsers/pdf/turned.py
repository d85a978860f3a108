"""Turn pages upright whose text runs up, down or upside down, as that of wide tables does."""

from collections import Counter
from itertools import islice
from math import atan2, pi

import pypdfium2 as pdfium
from pypdfium2 import raw

from services.ingest.parsers.pdf.pictures import matrix_of

_LOOKED_AT, _DEPTH = 400, 3
"""Texts of a page, and how far within forms these stand."""
_MOST = 0.5
"""Of these, that run one way if the page is turned: names beside the lines of a drawing turn none."""
_UPSIDE_DOWN = 2


def load_upright(document: pdfium.PdfDocument, index: int) -> pdfium.PdfPage:
    """Return a page, counted from 0; one whose text lies on its side is turned first.

    How a viewer has to turn it tells nothing: only some of the pages that it turns have text which
    runs another way.
    """
    page = document[index]
    if not _turn(page):
        return page
    page.close()  # what is drawn on it has changed
    return document[index]


def _turn(page: pdfium.PdfPage) -> bool:
    """Turn what is drawn on a page whose text lies on its side, and say whether it did."""
    quarters = _quarters(page)
    if not quarters:
        return False
    left, bottom, right, top = page.get_cropbox()
    matrix = {
        1: (0, -1, 1, 0, -bottom, right),
        2: (-1, 0, 0, -1, right, top),
        3: (0, 1, -1, 0, top, -left),
    }[quarters]
    sides = (right - left, top - bottom)
    sides = sides if quarters == _UPSIDE_DOWN else sides[::-1]
    # What it clips to is the page as it is once turned: a wide one lost its right end.
    whole = raw.FS_RECTF(left=0, bottom=0, right=sides[0], top=sides[1])
    raw.FPDFPage_TransFormWithClip(page.raw, raw.FS_MATRIX(*matrix), whole)
    raw.FPDFPage_TransformAnnots(page.raw, *map(float, matrix))
    page.set_mediabox(0, 0, *sides)
    page.set_cropbox(0, 0, *sides)
    page.set_rotation(0)
    return True


def _quarters(page: pdfium.PdfPage) -> int:
    """Return by how many quarters, to the left, most texts of a page are turned."""
    texts = page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT], max_depth=_DEPTH)
    found = (matrix_of(text) for text in islice(texts, _LOOKED_AT))
    turned = Counter(round(atan2(one.b, one.a) * 2 / pi) % 4 for one in found if one)
    quarters, most = max(turned.items(), key=lambda one: one[1], default=(0, 0))
    return quarters if most > _MOST * turned.total() else 0
