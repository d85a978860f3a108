"""Take out what a page strikes out: letters below a mark that says so, or with a line through them."""

from collections.abc import Container, Iterator, Sequence
from itertools import groupby, islice
from typing import NamedTuple

import pypdfium2 as pdfium
from pypdfium2 import raw

from services.ingest.parsers.dropped import visible
from services.ingest.parsers.pdf.dropped_pieces import DroppedPieces
from services.ingest.parsers.pdf.line import HYPHEN, Sign
from services.ingest.parsers.pdf.rules import corners
from services.ingest.parsers.scripts import STRUCK

_LOW, _HIGH = 0.25, 0.65
"""Of the height of a letter: a line between goes through it, one below is an underline."""
_BEYOND, _FURTHEST = 0.6, 3.0
"""Of the height of a letter: a line may always reach so far beyond the letters, and never further than
a word. One in between strikes out where `_SHARE` of the letters' width is more."""
_SHARE = 0.5
"""A line that reaches further beyond what it goes through is a rule, which a title may stand on."""
_WITHIN = 0.05
"""Of the height of a letter: what reaches no further beyond one alone is its own bar, drawn."""
_THIN = 2.5
_SHORTEST = 3.0
_MOST = 1000
"""Marks and thin lines; a page with more is a drawing."""
_MOST_NEAR = 60
"""Of them that are looked at for one line of text."""
_MOST_CORNERS = 20_000
_MOST_NOTES = 2000


class _Mark(NamedTuple):
    """What strikes out, in points: a box all letters in it, a line those that it goes through."""

    left: float
    right: float
    bottom: float
    top: float
    is_box: bool

    def strikes(self, sign: Sign) -> bool:
        """Whether the middle of a letter is in the box, or the line goes through the letter."""
        _, left, right, bottom, top, _ = sign
        if not self.left <= (left + right) / 2 <= self.right or top <= bottom:
            return False
        if self.is_box:
            return self.bottom <= (bottom + top) / 2 <= self.top
        return _LOW <= ((self.bottom + self.top) / 2 - bottom) / (top - bottom) <= _HIGH


def without_struck(
    page: pdfium.PdfPage, runs: Sequence[list[Sign]], dropped: DroppedPieces
) -> list[list[Sign]]:
    """Return the characters of each line that are not struck out; `dropped` gets the others."""
    marks = list(islice(_boxes(page), _MOST + 1))
    marks += islice(_lines(page), _MOST + 1 - len(marks))
    if not marks or len(marks) > _MOST:
        return list(runs)
    return [_without(signs, marks, dropped) for signs in runs]


def _without(signs: list[Sign], marks: Sequence[_Mark], dropped: DroppedPieces) -> list[Sign]:
    seen = [at for at, sign in enumerate(signs) if _is_seen(sign)]
    if not seen:
        return signs
    low, high = min(signs[at][3] for at in seen), max(signs[at][4] for at in seen)
    near = [mark for mark in marks if mark.bottom <= high and mark.top >= low]
    struck = {at for mark in near[:_MOST_NEAR] for at in _struck(signs, seen, mark)}
    gone = set[int]()
    for first, last in _together(struck, seen):
        gone.update(range(first, last + 1))
        words = "".join(sign[0] for sign in signs[first : last + 1])
        dropped.note(STRUCK, words, visible(words))
    return [sign for at, sign in enumerate(signs) if at not in gone] if gone else signs


def _is_seen(sign: Sign) -> bool:
    return not sign[0].isspace() and sign[0] != HYPHEN


def _struck(signs: Sequence[Sign], seen: Sequence[int], mark: _Mark) -> list[int]:
    found = [at for at in seen if mark.strikes(signs[at])]
    if not found or mark.is_box:
        return found
    height = signs[found[0]][4] - signs[found[0]][3]
    left, right = min(signs[at][1] for at in found), max(signs[at][2] for at in found)
    if len(found) == 1 and max(left - mark.left, mark.right - right) < _WITHIN * height:
        return []
    allowed = max(_BEYOND * height, min(_FURTHEST * height, _SHARE * (right - left)))
    return found if max(left - mark.left, mark.right - right) <= allowed else []


def _together(struck: Container[int], seen: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of characters that follow one another, but for space."""
    for is_struck, run in groupby(seen, key=lambda at: at in struck):
        if is_struck:
            numbers = list(run)
            yield numbers[0], numbers[-1]


def _boxes(page: pdfium.PdfPage) -> Iterator[_Mark]:
    """Yield the places of the marks that readers of the file have struck text out with."""
    points = raw.FS_QUADPOINTSF()
    for index in range(min(raw.FPDFPage_GetAnnotCount(page.raw), _MOST_NOTES)):
        found = raw.FPDFPage_GetAnnot(page.raw, index)
        if not found:
            continue
        try:
            if raw.FPDFAnnot_GetSubtype(found) == raw.FPDF_ANNOT_STRIKEOUT:
                for part in range(raw.FPDFAnnot_CountAttachmentPoints(found)):
                    if raw.FPDFAnnot_GetAttachmentPoints(found, part, points):
                        across = (points.x1, points.x2, points.x3, points.x4)
                        up = (points.y1, points.y2, points.y3, points.y4)
                        yield _Mark(min(across), max(across), min(up), max(up), is_box=True)
        finally:
            raw.FPDFPage_CloseAnnot(found)


def _lines(page: pdfium.PdfPage) -> Iterator[_Mark]:
    """Yield the thin level lines of a page, drawn or filled."""
    count = 0
    for path in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=1):
        count += raw.FPDFPath_CountSegments(path.raw)
        if count > _MOST_CORNERS:
            return
        part: list[tuple[float, float]] = []
        for point in (*corners(path), (float("nan"), float("nan"))):
            if point[0] == point[0]:
                part.append(point)
                continue
            if part:
                across, up = zip(*part, strict=True)
                if max(up) - min(up) < _THIN and max(across) - min(across) > _SHORTEST:
                    yield _Mark(min(across), max(across), min(up), max(up), is_box=False)
            part = []
