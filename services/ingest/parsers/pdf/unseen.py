"""Tell which letters of a page nobody sees: without ink, too small, outside, in the colour below."""

import ctypes
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pypdfium2 as pdfium
from pypdfium2 import raw

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.invisible import HIDDEN
from services.ingest.parsers.pdf.dropped_pieces import changed
from services.ingest.parsers.pdf.layers import Draws, Layers
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.painted import box_of, painted
from services.ingest.parsers.pdf.pictures import Box, clip_of

NO_INK = replace(HIDDEN, reason="it is drawn without ink, so no reader of the page sees it")
SQUEEZED = replace(HIDDEN, reason="it is squeezed to a line, so no reader of the page sees it")
TINY = replace(HIDDEN, reason="it is set in less than a point, so no reader of the page sees it")
OUTSIDE = replace(HIDDEN, reason="it stands outside of the page, so no reader sees it")
COVERED = replace(
    HIDDEN, reason="it has the colour of what it stands on, or lies under it: no reader sees it"
)
RUNS_OVER = changed("text", "it runs over the edge of the page, where no reader sees it")
OCR_LAYER = changed(
    "page", "it is a picture, and its text is what lies unseen on that, as OCR puts it"
)

_LEAST_SIZE = 1.0
"""Points, of the longer side of a letter's box."""
_SQUEEZED, _SQUEEZED_TINY, _SQUEEZED_FEW, _FEW = 0.1, 0.2, 0.03, 4
"""Share of a letter's longer side from which on its shorter one shows a shape: of any, of one that is
below a point, and of few letters, which may all be as thin as an "l"."""
_EVEN, _VARIED = 0.5, 6
"""Share of one way that the other one is drawn in; different letters, of which one is a wide one."""
_BEYOND = 1.0
_THICKEST_RULE = 3.0
_NEAR = 20
"""Of 255 of each colour: less is the same to eyes."""
_INKLESS = frozenset((raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP))
_STROKED = frozenset((raw.FPDF_TEXTRENDERMODE_STROKE, raw.FPDF_TEXTRENDERMODE_STROKE_CLIP))
_SHAPES = frozenset((raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING))
_DEPTH = 3
_MOST_OBJECTS = 20_000
_MOST_SHAPES = 400
"""That are compared with each run of letters; of a page with more all of it is looked at as drawn."""
_DOTS_PER_POINT = 2.0
_MOST_SIDE = 4000
_WHOLE_PAGE, _MOST_OF_PAGE = 0.8, 0.4
"""Shares of a page that its images cover: alone, and where no letter of the page has ink."""

_Colour = tuple[int, int, int]


class _Shape(NamedTuple):
    """Something painted on a page: its place in the order, what it covers, its colour if it has one."""

    order: int
    box: Box
    colour: _Colour | None


class UnseenText:
    """Judges the letters of one page."""

    def __init__(self, page: pdfium.PdfPage, draws: Draws) -> None:
        self._page = page
        self._sheet: Box = page.get_bbox()
        self._orders: dict[int, int] = {}
        self._shapes: list[_Shape] = []
        self._images = 0.0
        self._scan_order = -1
        self._has_ink = False
        self._drawn: Any = None
        self._layers = Layers(page, draws)
        for order, one in enumerate(painted(page, _MOST_OBJECTS, _DEPTH)):
            self._note(order, one.item, one.place)
        self.is_ocr_layer = False
        """Whether letters without ink, or below it, were taken for what the page's picture says."""

    def _note(self, order: int, item: raw.FPDF_PAGEOBJECT, place: pdfium.PdfMatrix | None) -> None:
        kind = raw.FPDFPageObj_GetType(item)
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            self._orders[ctypes.addressof(item.contents)] = order
            self._has_ink |= raw.FPDFTextObj_GetTextRenderMode(item) not in _INKLESS
        elif kind in _SHAPES and (box := box_of(item, place)) and _is_wide(box):
            if kind == raw.FPDF_PAGEOBJ_IMAGE:
                self._images += _area(box)
                if _area(box) >= _WHOLE_PAGE * _area(self._sheet):
                    self._scan_order = order
            self._shapes.append(_Shape(order, box, _fill_of(item) if kind == _PATH else None))

    def reason(self, found: raw.FPDF_PAGEOBJECT, signs: Sequence[Sign]) -> DroppedContent | None:
        """Return why nobody sees the letters of a text object, `signs`; None where they are seen."""
        mode = raw.FPDFTextObj_GetTextRenderMode(found)
        if mode in _INKLESS or self._is_below_scan(found):
            self.is_ocr_layer |= self._is_scan()
            return None if self._is_scan() else NO_INK
        if all(max(sign[2] - sign[1], sign[4] - sign[3]) < _LEAST_SIZE for sign in signs):
            return TINY
        if _are_squeezed(signs, _evenness(found)):
            return SQUEEZED
        if not any(_holds(self._sheet, sign, _BEYOND) for sign in signs):
            return OUTSIDE
        if off := self._layers.reason(found):
            return off
        # Signs may be drawn beyond their boxes, as roots and brackets are.
        says = [sign for sign in signs if sign[0].isalnum()]
        is_hidden = says and self._may_be_covered(found, mode, says) and not self._shows(says)
        return COVERED if is_hidden else None

    def runs_over(self, before: Sign, letters: Sequence[Sign]) -> bool:
        """Whether letters outside of the page go on from `before`, as lines do that are too long."""
        left, _, right, _ = self._sheet
        goes_on = abs(letters[0][1] - before[2]) < before[4] - before[3]
        level = letters[0][3] < before[4] and before[3] < letters[0][4]
        return goes_on and level and letters[-1][2] < right + (right - left) / 2

    def _is_below_scan(self, found: raw.FPDF_PAGEOBJECT) -> bool:
        """Whether one picture of the whole page was painted over the letters, as some OCR leaves it."""
        order = self._orders.get(ctypes.addressof(found.contents), 0)
        return order < self._scan_order

    def _is_scan(self) -> bool:
        share = self._images / max(_area(self._sheet), 1)
        return share >= (_WHOLE_PAGE if self._has_ink else _MOST_OF_PAGE)

    def _may_be_covered(self, found: raw.FPDF_PAGEOBJECT, mode: int, signs: Sequence[Sign]) -> bool:
        """Whether ink may be that of the paper or of a shape below, lie below one, or be cut off."""
        colour, alpha = _ink_of(found, mode)
        if colour is None or alpha <= _NEAR or _is_near(colour, (255, 255, 255)):
            return True
        if len(self._shapes) > _MOST_SHAPES:
            return True
        order = self._orders.get(ctypes.addressof(found.contents), 0)
        middle = signs[len(signs) // 2]
        clip = clip_of(found)
        if clip and not _holds(clip, middle):
            return True
        return any(
            (shape.order > order or (shape.colour and _is_near(shape.colour, colour)))
            and _holds(shape.box, middle)
            for shape in self._shapes
        )

    def _shows(self, signs: Sequence[Sign]) -> bool:
        """Whether the drawn page has more than one colour where letters stand."""
        if self._drawn is None:
            scale = min(_DOTS_PER_POINT, _MOST_SIDE / max(self._page.get_size()))
            self._drawn = self._page.render(scale=scale).to_numpy()[:, :, :3].astype("int16")
        return any(map(self._shows_one, signs))

    def _shows_one(self, sign: Sign) -> bool:
        high, wide = self._drawn.shape[:2]
        x, y = ctypes.c_int(), ctypes.c_int()
        places = []
        for across, up in ((sign[1], sign[3]), (sign[2], sign[4])):
            raw.FPDF_PageToDevice(self._page.raw, 0, 0, wide, high, 0, across, up, x, y)
            places.append((x.value, y.value))
        (x0, x1), (y0, y1) = (sorted(pair) for pair in zip(*places, strict=True))
        # The letters of the lines above and below may reach in.
        inset = (y1 - y0) // 5
        part = self._drawn[max(y0 + inset, 0) : y1 - inset + 1, max(x0, 0) : x1 + 1]
        if not part.size:
            return False
        spread = part.max(axis=(0, 1)) - part.min(axis=(0, 1))
        return bool(spread.max() > _NEAR)


_PATH = raw.FPDF_PAGEOBJ_PATH


def _are_squeezed(signs: Sequence[Sign], evenness: float) -> bool:
    """Whether all letters are so flat or so narrow that they show no shape.

    Letters that are drawn evenly may all be as thin as an "l", unless there are many different ones.
    """
    letters = [(sign[2] - sign[1], sign[4] - sign[3]) for sign in signs if sign[0].isalnum()]
    is_uneven = evenness < _EVEN and len(letters) >= _FEW
    if not is_uneven and len({sign[0] for sign in signs if sign[0].isalnum()}) < _VARIED:
        return bool(letters) and all(min(one) < _SQUEEZED_FEW * max(one) for one in letters)
    return all(
        min(one) < (_SQUEEZED_TINY if min(one) < _LEAST_SIZE else _SQUEEZED) * max(one)
        for one in letters
    )


def _evenness(found: raw.FPDF_PAGEOBJECT) -> float:
    """Return by how much letters are drawn smaller one way than the other, 1 for the same."""
    matrix = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(found, matrix):
        return 1.0
    a, b, c, d = matrix.a, matrix.b, matrix.c, matrix.d
    half, area = (a * a + b * b + c * c + d * d) / 2, abs(a * d - b * c)
    rest = math.sqrt(max(half * half - area * area, 0.0))
    return math.sqrt(max(half - rest, 0.0) / (half + rest)) if half + rest else 0.0


def _holds(box: Box, sign: Sign, beyond: float = 0) -> bool:
    """Whether the middle of a letter is in a box, or not further beyond its edges."""
    across, up = (sign[1] + sign[2]) / 2, (sign[3] + sign[4]) / 2
    left, bottom, right, top = box
    is_level = left - beyond <= across <= right + beyond
    return is_level and bottom - beyond <= up <= top + beyond


def _is_wide(box: Box) -> bool:
    """Whether something may hide a letter: rules don't."""
    return min(box[2] - box[0], box[3] - box[1]) >= _THICKEST_RULE


def _area(box: Box) -> float:
    return max(box[2] - box[0], 0) * max(box[3] - box[1], 0)


def _fill_of(item: raw.FPDF_PAGEOBJECT) -> _Colour | None:
    colour, _ = _colour_of(raw.FPDFPageObj_GetFillColor, item)
    return colour


def _ink_of(item: raw.FPDF_PAGEOBJECT, mode: int) -> tuple[_Colour | None, int]:
    """Return the colour of letters and how dense it is, of 255; None for a pattern."""
    strokes = mode in _STROKED
    take = raw.FPDFPageObj_GetStrokeColor if strokes else raw.FPDFPageObj_GetFillColor
    return _colour_of(take, item)


def _colour_of(take: Any, item: raw.FPDF_PAGEOBJECT) -> tuple[_Colour | None, int]:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not take(item, red, green, blue, alpha):
        return None, 255
    return (red.value, green.value, blue.value), alpha.value


def _is_near(one: _Colour, other: _Colour) -> bool:
    return all(abs(a - b) <= _NEAR for a, b in zip(one, other, strict=True))
