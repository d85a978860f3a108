"""Tell how far the lines of a page can reach: to the right edge of the column they stand in."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence

from services.ingest.parsers.pdf.line import Line

_FEW = 4
"""Lines that a column has at least."""
_WITHIN = 0.75
"""Of the lines that begin left of a column, that end there too: the others span columns."""
_FULL, _LEAST_FULL = 0.75, 0.5
"""Of a column's width, that full lines have; of its lines, that are full."""


def right_edge(lines: Sequence[Line]) -> float:
    """Return how far to the right most lines reach, in points; 0 if there are none."""
    return _most(sorted(line.right for line in lines))


def line_ends(lines: Sequence[Line]) -> list[float]:
    """Return how far to the right each line of a page could reach, in points."""
    whole = right_edge(lines)
    starts = _starts_of_columns(line for line in lines if not line.table)
    columns: dict[int, list[float]] = {}
    places = [0 if _spans(line, starts) else bisect_right(starts, line.left) for line in lines]
    for line, place in zip(lines, places, strict=True):
        columns.setdefault(place, []).append(line.right)
    edges = {place: _most(sorted(found)) for place, found in columns.items() if place}
    return [edges.get(place, whole) for place in places]


def _spans(line: Line, starts: Sequence[float]) -> bool:
    return bool(line.table) or bisect_left(starts, line.right) > bisect_right(starts, line.left)


def _starts_of_columns(lines: Iterable[Line]) -> list[float]:
    """Return where columns begin from left to right, the first included; none if there is one."""
    ordered = sorted(lines, key=lambda line: line.left)
    starts = [line.left for line in ordered[:1]]
    rights: list[float] = []
    for at, line in enumerate(ordered):
        ended = bisect_right(rights, line.left)
        is_beside = ended >= max(_FEW, _WITHIN * len(rights)) and len(ordered) - at >= _FEW
        if is_beside and _are_full(rights, ended, starts[-1]):
            starts.append(line.left)
            rights = []
        insort(rights, line.right)
    return starts if len(starts) > 1 else []


def _are_full(rights: Sequence[float], count: int, left: float) -> bool:
    """Whether most of the first `count` lines, by their right edges, fill a column from `left` on."""
    edge = rights[count * 9 // 10]
    short = bisect_left(rights, left + _FULL * (edge - left), 0, count)
    return count - short >= _LEAST_FULL * count


def _most(rights: Sequence[float]) -> float:
    """Return how far most of the sorted edges reach."""
    return rights[len(rights) * 9 // 10] if rights else 0.0
