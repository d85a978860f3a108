"""Find the straight lines that are drawn on a page."""

import ctypes
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from math import isnan
from operator import attrgetter
from typing import NamedTuple

import pypdfium2 as pdfium
from pypdfium2 import raw

_STRAIGHT = 1.0
_SAME_PLACE = 2.0
_SHORTEST = 4.0
_THICKEST = 2.0
"""Points: an image so thin is a line, as printing by way of PostScript makes them."""
_GROUND = 0.85
"""Of the width and the height of a page, from which on a painted surface is its ground."""
_MOST_OF_PAGE, _EDGE_TO_EDGE = 0.7, 0.98
"""The same of one that goes from edge to edge of a page, where a table has margins."""
_FEW = 2
"""Forms that are all of a page: its content and what is stamped on it."""
_MOST = 20_000
"""Corners; a page with more is a drawing."""
_WHITE = (255, 255, 255)
_MOST_BLANKS = 1000
"""_Surfaces of a page in white on white, that are looked at."""
_MOST_RULES = 300
"""Lines of a page whose cells are told by them."""
_SAME_TOP = 2.0
"""Points that the upper edges of what begins at one height differ at most."""
_BESIDE = 3.0
"""Points from the side of what is painted in a cell to the line there, at most."""
_RECTANGLE, _LEAST_PIECES = 4, 4
"""Corners of a piece of a ground at least, and pieces of one that is of many."""
_ACROSS, _BEYOND = 0.9, 1.2
"""Of the width of such a ground, that a line goes across which parts rows, and how long it is."""
_SHAPED, _LETTER = 8, 14.0
"""Segments of a path, and points from side to side: of more and less it may be a letter, drawn."""
_MOST_SURFACES = 64
"""The last ones, that the next may lie within."""
Matrix = tuple[float, float, float, float, float, float]


class Rule(NamedTuple):
    """A line at `place`, a height or a distance from the left, from `start` to `end`, in points."""

    place: float
    start: float
    end: float


class _Surface(NamedTuple):
    """What is painted in one colour: its edges in points, () for no colour or a pattern."""

    left: float
    bottom: float
    right: float
    top: float
    colour: tuple[int, ...]


class _Path(NamedTuple):
    """A path, what it paints if that is no line, and whether that is white on white."""

    path: pdfium.PdfObject
    ground: _Surface | None
    is_blank: bool


class Rules(NamedTuple):
    """The horizontal and the vertical lines of a page, and whether it has too many to tell cells by.

    Then they are those that are lines alone: each cell may have a ground.
    """

    level: list[Rule]
    upright: list[Rule]
    is_crowded: bool = False


def read_rules(page: pdfium.PdfPage) -> Rules:
    """Return the lines of a page; what lies on one line is joined."""
    drawn: tuple[list[Rule], list[Rule]] = ([], [])
    depth = _depth_of(page)
    images = page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=depth)
    for image in islice(images, _MOST):
        left, bottom, right, top = _bounds_of(image)
        if top - bottom < _THICKEST and right - left > _SHORTEST:
            drawn[0].append(Rule((bottom + top) / 2, left, right))
        elif right - left < _THICKEST and top - bottom > _SHORTEST:
            drawn[1].append(Rule((left + right) / 2, bottom, top))
    seen = _seen_paths(page, depth)
    seen = _without_pieced(seen, drawn)
    lines = _rules_of(seen, drawn)
    if sum(map(len, lines)) <= _MOST_RULES:
        return Rules(*lines)
    thin = _joined_lines((one.path for one in seen if not one.ground), drawn)
    is_few = sum(map(len, thin)) <= _MOST_RULES
    return Rules(*(thin if is_few else ([], [])), is_crowded=True)


def _without_pieced(seen: list[_Path], drawn: tuple[list[Rule], list[Rule]]) -> list[_Path]:
    """Return paths without grounds in one colour of many pieces behind some columns of a table.

    Each of its lines may have a piece: lines that are drawn across and beyond the ground part the rows.
    """
    pieced = [one for one in seen if one.ground and _is_pieced(one)]
    if not pieced:
        return seen
    level, _ = _joined_lines((one.path for one in seen if not one.ground), drawn)
    plain = {one.ground for one in pieced if one.ground and _is_crossed(one.ground, level)}
    return [one for one in seen if one.ground not in plain]


def _is_pieced(one: _Path) -> bool:
    """Whether a ground is of many pieces that leave no gap between them."""
    ground = one.ground
    if not ground or raw.FPDFPath_CountSegments(one.path.raw) < _LEAST_PIECES * _RECTANGLE:
        return False
    painted = sum(map(_area_of, _pieces_of(one.path)))
    whole = (ground.right - ground.left) * (ground.top - ground.bottom)
    return painted >= _ACROSS * whole


def _pieces_of(path: pdfium.PdfObject) -> Iterator[list[tuple[float, float]]]:
    """Yield the corners of each piece of a path."""
    piece: list[tuple[float, float]] = []
    for corner in corners(path, _matrix_of(path)):
        if isnan(corner[0]):
            yield piece
            piece = []
        else:
            piece.append(corner)
    yield piece


def _area_of(piece: Sequence[tuple[float, float]]) -> float:
    width, height = _sides_of(piece) if piece else (0.0, 0.0)
    return width * height


def _sides_of(piece: Sequence[tuple[float, float]]) -> tuple[float, float]:
    across, up = [x for x, _ in piece], [y for _, y in piece]
    return max(across) - min(across), max(up) - min(up)


def _is_crossed(ground: _Surface, level: Sequence[Rule]) -> bool:
    """Whether several lines are drawn across a ground that go on beside it."""
    width = ground.right - ground.left
    crossing = [
        rule
        for rule in level
        if ground.bottom - _BESIDE < rule.place < ground.top + _BESIDE
        and min(rule.end, ground.right) - max(rule.start, ground.left) > _ACROSS * width
        and rule.end - rule.start > _BEYOND * width
    ]
    return len(crossing) > 1


def _rules_of(
    seen: list[_Path], drawn: tuple[list[Rule], list[Rule]]
) -> tuple[list[Rule], list[Rule]]:
    """Return the lines of paths and those that are `drawn` otherwise, without grounds of text."""
    lines = _joined_lines((one.path for one in seen if not one.is_blank), drawn)
    blanks = [one.ground for one in seen if one.ground and one.is_blank]
    if not blanks:
        return lines
    few = blanks if len(blanks) <= _MOST_BLANKS else []
    plain = _grounds_of_text([one for one in few if _is_between(one, lines[1])], lines[0])
    kept = (one.path for one in seen if not one.is_blank or one.ground not in plain)
    return _joined_lines(kept, drawn)


def _grounds_of_text(blanks: Sequence[_Surface], level: Sequence[Rule]) -> set[_Surface]:
    """Return what is white behind lines of text within the cells that lines make, and no cell.

    It begins at other heights in one column than in the next, where rows would begin at the same.
    """
    places = sorted({rule.place for rule in level})
    bands: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for one in blanks:
        band = bisect_left(places, (one.bottom + one.top) / 2)
        bands[band][round(one.left)].add(round(one.top / _SAME_TOP))
    told = {band for band, tops in bands.items() if len({*map(frozenset, tops.values())}) > 1}
    return {one for one in blanks if bisect_left(places, (one.bottom + one.top) / 2) in told}


def _is_between(surface: _Surface, upright: Sequence[Rule]) -> bool:
    """Whether lines that are as high stand right at both sides of a surface; they are in order."""
    return all(
        any(
            rule.start <= surface.bottom + _BESIDE and surface.top - _BESIDE <= rule.end
            for rule in upright[
                bisect_left(upright, edge - _BESIDE, key=attrgetter("place")) : bisect_right(
                    upright, edge + _BESIDE, key=attrgetter("place")
                )
            ]
        )
        for edge in (surface.left, surface.right)
    )


def _joined_lines(
    paths: Iterable[pdfium.PdfObject], drawn: tuple[Sequence[Rule], Sequence[Rule]]
) -> tuple[list[Rule], list[Rule]]:
    """Return the lines of paths, and others, what lies on one joined: the level, the upright ones."""
    across, up = ([*one] for one in drawn)
    for path in paths:
        for (x0, y0), (x1, y1) in pairwise(corners(path, _matrix_of(path))):
            if abs(y1 - y0) < _STRAIGHT and abs(x1 - x0) > _SHORTEST:
                across.append(Rule((y0 + y1) / 2, min(x0, x1), max(x0, x1)))
            elif abs(x1 - x0) < _STRAIGHT and abs(y1 - y0) > _SHORTEST:
                up.append(Rule((x0 + x1) / 2, min(y0, y1), max(y0, y1)))
    return _joined(across), _joined(up)


def _depth_of(page: pdfium.PdfPage) -> int:
    """Return how far within forms the lines of a page are: one that is all a form has them in that.

    What else is in forms is drawings.
    """
    objects = islice(page.get_objects(max_depth=1), _FEW + 1)
    kinds = [one.type for one in objects]
    return 2 if kinds and len(kinds) <= _FEW and {*kinds} == {raw.FPDF_PAGEOBJ_FORM} else 1


def _matrix_of(path: pdfium.PdfObject) -> Matrix | None:
    """Return what puts a path within a form where it is on the page; None for any other."""
    around = path.container
    return path.get_matrix().multiply(around.get_matrix()).get() if around else None


def _bounds_of(one: pdfium.PdfObject) -> tuple[float, float, float, float]:
    left, bottom, right, top = one.get_bounds()
    if one.container:
        left, bottom, right, top = one.container.get_matrix().on_rect(left, bottom, right, top)
    return left, bottom, right, top


def _seen_paths(page: pdfium.PdfPage, depth: int) -> list[_Path]:
    """Return the paths whose edges part something; none of a drawing."""
    count = 0
    seen: list[_Path] = []
    surfaces: deque[_Surface] = deque(maxlen=_MOST_SURFACES)
    for path in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=depth):
        segments = raw.FPDFPath_CountSegments(path.raw)
        if segments > _SHAPED and _is_as_small_as_a_letter(path):
            continue
        count += segments
        if count > _MOST:
            return []
        surface = _surface_of(path)
        if surface and (_is_ground(surface, page.get_size()) or _is_unseen(surface, surfaces)):
            continue
        is_thick = surface is not None and bool(surface.colour) and _is_thick(surface)
        ground = surface if is_thick else None
        is_blank = ground is not None and _is_blank(ground, surfaces)
        if ground:
            surfaces.append(ground)
        seen.append(_Path(path, ground, is_blank))
    return seen


def _is_as_small_as_a_letter(path: pdfium.PdfObject) -> bool:
    left, bottom, right, top = _bounds_of(path)
    return max(right - left, top - bottom) < _LETTER


def _is_blank(surface: _Surface, before: Sequence[_Surface]) -> bool:
    """Whether a surface is white on white, as what stands behind lines of text may be."""
    if surface.colour[:3] != _WHITE:
        return False
    return not any(
        other.colour[:3] != _WHITE
        and other.left < surface.right
        and surface.left < other.right
        and other.bottom < surface.top
        and surface.bottom < other.top
        for other in before
    )


def _surface_of(path: pdfium.PdfObject) -> _Surface | None:
    """Return what a path paints, or cuts out, without a line around it; None if it has one.

    Of lines that are painted side by side, as printers make them of a table's, each is by itself.
    """
    mode, is_stroked = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(path.raw, mode, is_stroked)
    colour = [ctypes.c_uint() for _ in range(4)]
    if is_stroked.value:
        return None
    is_plain = mode.value and raw.FPDFPageObj_GetFillColor(path.raw, *colour)
    left, bottom, right, top = _bounds_of(path)
    painted = tuple(one.value for one in colour) if is_plain else ()
    surface = _Surface(left, bottom, right, top, painted)
    return None if _is_thick(surface) and _is_of_lines(path) else surface


def _is_of_lines(path: pdfium.PdfObject) -> bool:
    """Whether a path is of several pieces that are all as thin as lines."""
    if raw.FPDFPath_CountSegments(path.raw) < 2 * _RECTANGLE:
        return False
    pieces = [piece for piece in _pieces_of(path) if piece]
    return len(pieces) > 1 and all(min(_sides_of(piece)) < _THICKEST for piece in pieces)


def _is_ground(surface: _Surface, size: tuple[float, float]) -> bool:
    """Whether a surface is what most of the page stands on: its edges part nothing."""
    width, height = surface.right - surface.left, surface.top - surface.bottom
    less, more = sorted((width / size[0], height / size[1]))
    return less >= _GROUND or (less >= _MOST_OF_PAGE and more >= _EDGE_TO_EDGE)


def _is_thick(surface: _Surface) -> bool:
    return min(surface.right - surface.left, surface.top - surface.bottom) > _THICKEST


def _is_unseen(surface: _Surface, before: Sequence[_Surface]) -> bool:
    """Whether a surface is painted within one of its colour, as those of the lines of a cell are."""
    under = next((one for one in reversed(before) if _holds(one, surface)), None)
    return under is not None and under.colour == surface.colour != ()


def _holds(surface: _Surface, other: _Surface) -> bool:
    return (
        surface.left - _STRAIGHT < other.left
        and other.right < surface.right + _STRAIGHT
        and surface.bottom - _STRAIGHT < other.bottom
        and other.top < surface.top + _STRAIGHT
    )


def corners(path: pdfium.PdfObject, matrix: Matrix | None = None) -> Iterator[tuple[float, float]]:
    """Yield the corners of a path; a jump of the pen is a corner too, which is nowhere.

    `matrix` puts it where it is on the page, its own if nothing else is around it.
    """
    matrix = matrix or path.get_matrix().get()
    first: tuple[float, float] | None = None
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(raw.FPDFPath_CountSegments(path.raw)):
        segment = raw.FPDFPath_GetPathSegment(path.raw, index)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        point = _moved(x.value, y.value, matrix)
        if raw.FPDFPathSegment_GetType(segment) == raw.FPDF_SEGMENT_MOVETO:
            yield float("nan"), float("nan")
            first = point
        yield point
        if raw.FPDFPathSegment_GetClose(segment) and first:
            yield first


def _moved(x: float, y: float, matrix: Matrix) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _joined(rules: list[Rule]) -> list[Rule]:
    joined: list[Rule] = []
    row: list[Rule] = []
    for rule in [*sorted(rules), None]:
        if rule and row and rule.place - row[0].place < _SAME_PLACE:
            row.append(rule)
            continue
        for part in sorted(row, key=lambda part: part.start):
            last = joined[-1] if joined else None
            same = last and last.place == row[0].place and part.start - last.end < _SAME_PLACE
            if last and same:
                joined[-1] = last._replace(end=max(last.end, part.end))
            else:
                joined.append(Rule(row[0].place, part.start, part.end))
        row = [rule] if rule else []
    return joined
