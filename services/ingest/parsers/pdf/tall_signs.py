"""Tell how high a letter is whose font says that it takes several lines.

Fonts of formulas leave room for the tallest of their signs around each one: what stands in them would
be in the rows above and below too.
"""

import ctypes
from math import hypot

from pypdfium2 import raw

_NARROW = 2.0
"""Of its width, that the room of a letter is higher which is looked at."""
_TALLEST = 2.5
"""Of the size of a font, the room of its letters."""
_BELOW, _ABOVE = 0.25, 0.75
"""Of the size of a font: from the line that a letter stands on to its edges, where that is so."""


def with_usual_height(text_page: raw.FPDF_TEXTPAGE, index: int, box: raw.FS_RECTF) -> None:
    """Cut the room of a letter on its page to that of a letter of text in its size."""
    height = box.top - box.bottom
    if height <= _NARROW * (box.right - box.left):
        return
    matrix = raw.FS_MATRIX()
    if not raw.FPDFText_GetMatrix(text_page, index, matrix):
        return
    size = raw.FPDFText_GetFontSize(text_page, index) * hypot(matrix.b, matrix.d)
    if not 0 < size * _TALLEST < height:
        return
    x, y = ctypes.c_double(), ctypes.c_double()
    if raw.FPDFText_GetCharOrigin(text_page, index, x, y):
        box.bottom, box.top = y.value - _BELOW * size, y.value + _ABOVE * size
