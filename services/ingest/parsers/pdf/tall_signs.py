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


Room = tuple[float, float, float, float]
"""The left, right, lower and upper edge of what a letter takes, in points."""


def room_of(text_page: raw.FPDF_TEXTPAGE, index: int) -> Room:
    """Return what a letter takes on its page, no more than one of text in its size."""
    box = raw.FS_RECTF()
    raw.FPDFText_GetLooseCharBox(text_page, index, ctypes.byref(box))
    room = (box.left, box.right, box.bottom, box.top)
    height = room[3] - room[2]
    if height <= _NARROW * (room[1] - room[0]):
        return room
    matrix = raw.FS_MATRIX()
    if not raw.FPDFText_GetMatrix(text_page, index, matrix):
        return room
    size = raw.FPDFText_GetFontSize(text_page, index) * hypot(matrix.b, matrix.d)
    _, y = x_and_y = ctypes.c_double(), ctypes.c_double()
    if not 0 < size * _TALLEST < height:
        return room
    if not raw.FPDFText_GetCharOrigin(text_page, index, *x_and_y):
        return room
    return (*room[:2], y.value - _BELOW * size, y.value + _ABOVE * size)
