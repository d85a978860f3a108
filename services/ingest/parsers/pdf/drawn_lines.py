"""Name the drawings of a page that are made of lines, and not of an image that could be kept."""

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

import pypdfium2 as pdfium
from pypdfium2 import raw

from services.ingest.parsers.pdf.dropped_pieces import DroppedPieces, left_out
from services.ingest.parsers.pdf.line import Line
from services.ingest.parsers.pdf.pictures import Box, join_boxes, matrix_of, text_on
from services.ingest.parsers.pdf.rules import corners

_DRAWING = left_out("drawing", "it is made of lines: the page as printed shows it")
_MOST_PATHS = 3000
_MOST_BOXES = 300
_LEAST_SIDE = 36.0
"""Points, half an inch: the shorter side of what is more than an ornament."""
_LEAST_STROKES = 17
"""That are no straight edge of a box: the corners of two rounded frames are sixteen."""
_MOST_TEXT = 300
_STRAIGHT = 1.0
_DEPTH = 3


def tell_drawings(page: pdfium.PdfPage, lines: Sequence[Line], dropped: DroppedPieces) -> None:
    """Note each drawing of a page; frames, rules and what text stands on are none."""
    drawn = list(islice(_drawn(page), _MOST_BOXES))
    for region in join_boxes([box for box, _ in drawn]):
        strokes = sum(count for box, count in drawn if _lies_in(box, region))
        left, bottom, right, top = region
        is_small = min(right - left, top - bottom) < _LEAST_SIDE
        if strokes >= _LEAST_STROKES and not is_small and text_on(region, lines) <= _MOST_TEXT:
            dropped.note(_DRAWING)


def _drawn(page: pdfium.PdfPage) -> Iterator[tuple[Box, int]]:
    """Yield what encloses a path that is not all straight, and how many of its strokes are not."""
    paths = page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=_DEPTH)
    for path in islice(paths, _MOST_PATHS):
        matrix = matrix_of(path)
        points = list(islice(corners(path, matrix.get()), _MOST_PATHS)) if matrix else []
        known = [point for point in points if point[0] == point[0]]
        strokes = sum(1 for (x0, y0), (x1, y1) in pairwise(points) if _is_slanted(x1 - x0, y1 - y0))
        if strokes and known:
            across, up = zip(*known, strict=True)
            yield (min(across), min(up), max(across), max(up)), strokes


def _is_slanted(across: float, up: float) -> bool:
    return abs(across) > _STRAIGHT and abs(up) > _STRAIGHT


def _lies_in(box: Box, region: Box) -> bool:
    return (
        region[0] <= box[0] and region[1] <= box[1] and box[2] <= region[2] and box[3] <= region[3]
    )
