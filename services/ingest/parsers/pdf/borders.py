"""Tell the edges of columns from those of the grounds within their cells."""

from collections.abc import Sequence

from services.ingest.parsers.pdf.rules import Rule

_TOUCH = 3.0
"""Points that a line is away from the edge it makes at most."""
_BORDER = 14.0
"""Points between the grounds of two cells at most."""
_LEAST_EDGES = 3
_SAME = 0.5
"""Points from the end of an upright line to the level one that it meets, at most."""


def without_borders(
    columns: Sequence[float], letters: Sequence[float], upright: Sequence[Rule]
) -> list[float]:
    """Leave out the space between the ground of a cell and the lines around it, which are edges too.

    Where only some cells have a ground, the longer lines are those of the table.
    """
    kept = list(columns)
    for edge in columns[1:]:
        at = kept.index(edge)
        is_empty = not any(kept[at - 1] < x < edge for x in letters)
        if is_empty and edge - kept[at - 1] < _BORDER and len(kept) > _LEAST_EDGES:
            is_last = at == len(kept) - 1
            is_longer = at > 1 and _length_at(edge, upright) > _length_at(kept[at - 1], upright)
            del kept[at - 1 if is_last or is_longer else at]
    return kept


def _length_at(edge: float, upright: Sequence[Rule]) -> float:
    return sum(rule.end - rule.start for rule in upright if abs(rule.place - edge) <= _TOUCH)
