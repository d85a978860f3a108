"""Find the names over several columns that stand above the topmost line of a table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean

from services.ingest.parsers.pdf.cells import Piece, Table, pieces_of
from services.ingest.parsers.pdf.groups import columns_under
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.rivers import parts_of
from services.ingest.parsers.pdf.row_pieces import is_amount
from services.ingest.parsers.pdf.rules import Rule

_OVER, _SAME_LINE = 2.2, 0.5
"""Of a letter's height: how far over a table the names stand, and how far apart letters of one line."""
LARGER = 1.4
"""Letters of a title in several pieces, all of them, beside the largest of a table."""
_ALIGNED = 3.0
"""Points that the edge of a name is away from that of its one column at most."""
_WHOLE = 0.95
"""Of the width of a table: a line so long parts it from what is above."""
_LEAST_NAMES, _MOST_LABELS = 2, 2
"""Names in a line, and columns at the left that none of them is of."""

Edges = tuple[float, float]


def with_names_over(table: Table, runs: Sequence[Sequence[Sign]], level: Sequence[Rule]) -> Table:
    """Return a table with the line right above it, if that names its columns, some of them at once.

    `level` are the horizontal lines of the page: one as long as the table parts it from no name of its.
    """
    pieces = list(pieces_of(table, runs))
    height = max((piece.size for piece in pieces), default=0.0)
    line = _line_over(table, runs, height)
    if not line or table.title or min(sign[4] - sign[3] for sign in line) > LARGER * height:
        return table
    top = max(sign[4] for sign in line)
    foot, names = min(sign[3] for sign in line), parts_of(line)
    if len(names) < _LEAST_NAMES or _is_parted(table, foot, level):
        return table
    bars = [rule for rule in level if table.rows[0] - _ALIGNED < rule.place < foot + _ALIGNED]
    spans = _spans(names, _columns(pieces), bars)
    if not spans:
        return table
    if not table.is_open:
        return _with_row(table, top, spans)
    edges = ((table.columns[span.start], table.columns[span.stop]) for span in spans)
    over = tuple(
        (table.rows[0], *two) for two, span in zip(edges, spans, strict=True) if len(span) > 1
    )
    has_row = any(is_amount(piece.text) for piece in pieces if not piece.band)
    rows = table.rows if has_row else table.rows[1:]
    return replace(table, rows=(top, *rows), bars=(*table.bars, *over))


def _spans(
    names: Sequence[Edges], columns: Mapping[int, Edges], bars: Sequence[Rule]
) -> Sequence[range]:
    """Return the columns of each name, of some several; [] if that is not told."""
    over_bars = [_over_bar(name, columns, bars) for name in names]
    centred = columns_under(names, columns)
    told = [
        one or other or _one_under(name, columns)
        for one, other, name in zip(over_bars, centred, names, strict=True)
    ]
    for spans in (told, _in_steps(names, columns)):
        are_apart = all(one.stop <= other.start for one, other in pairwise(spans))
        if spans and all(spans) and are_apart and any(len(span) > 1 for span in spans):
            return spans
    return []


def _over_bar(name: Edges, columns: Mapping[int, Edges], bars: Sequence[Rule]) -> range:
    """Return the columns that a line is drawn over under a name, or none."""
    for bar in bars:
        if bar.start - _ALIGNED < name[0] and name[1] < bar.end + _ALIGNED:
            held = [at for at, edges in columns.items() if bar.start < fmean(edges) < bar.end]
            if held and len(held) < len(columns):
                return range(held[0], held[-1] + 1)
    return range(0)


def _in_steps(names: Sequence[Edges], columns: Mapping[int, Edges]) -> Sequence[range]:
    """Return the columns of names that stand over as many each, all but the first ones; or []."""
    for first in range(_MOST_LABELS + 1):
        size, rest = divmod(len(columns) - first, len(names))
        if rest or size < _LEAST_NAMES or columns.keys() != {*range(len(columns))}:
            continue
        spans = [range(first + size * at, first + size * (at + 1)) for at in range(len(names))]
        if all(
            columns[span[0]][0] - _ALIGNED < name[0] and name[1] < columns[span[-1]][1] + _ALIGNED
            for name, span in zip(names, spans, strict=True)
        ):
            return spans
    return []


def _line_over(table: Table, runs: Sequence[Sequence[Sign]], height: float) -> list[Sign]:
    """Return the letters of the lowest line above a table; none if it reaches beyond its sides."""
    foot, top = table.rows[0], table.rows[0] + _OVER * height
    near = [sign for run in runs for sign in run if sign[0].strip() and foot < _middle(sign) < top]
    within = [sign for sign in near if table.columns[0] - 1 < sign[1] < table.columns[-1] + 1]
    lowest = min(map(_middle, within), default=0.0)
    line = [sign for sign in near if _middle(sign) - lowest < _SAME_LINE * height]
    return line if all(sign in within for sign in line) else []


def _middle(sign: Sign) -> float:
    return (sign[3] + sign[4]) / 2


def _columns(pieces: Sequence[Piece]) -> Mapping[int, Edges]:
    """Return the edges of what stands in each column."""
    held = sorted({piece.column for piece in pieces})
    inner = {at: [piece for piece in pieces if piece.column == at] for at in held}
    return {
        at: (min(one.left for one in found), max(one.right for one in found))
        for at, found in inner.items()
    }


def _one_under(name: Edges, columns: Mapping[int, Edges]) -> range:
    """Return the one column that a name is set left, right or centred over; none if there is none."""
    for at, column in columns.items():
        left, right = name[0] - column[0], name[1] - column[1]
        if min(abs(left), abs(right), abs(left + right) / 2) <= _ALIGNED:
            return range(at, at + 1)
    return range(0)


def _is_parted(table: Table, foot: float, level: Sequence[Rule]) -> bool:
    width = table.columns[-1] - table.columns[0]
    return any(
        table.rows[0] + _ALIGNED < rule.place < foot and rule.end - rule.start >= _WHOLE * width
        for rule in level
    )


def _with_row(table: Table, top: float, spans: Sequence[range]) -> Table:
    """Return a grid with a row of names on it; what has none there goes on from the row below."""
    foot = table.rows[0]
    named = {at for span in spans for at in span}
    free = {at for at in range(len(table.columns) - 1) if at not in named}
    within = [edge for span in spans for edge in table.columns[span.start + 1 : span.stop]]
    return replace(
        table,
        rows=(top, *table.rows),
        open=frozenset({*((band + 1, at) for band, at in table.open), *((1, at) for at in free)}),
        gaps=(*table.gaps, *((edge, top, foot) for edge in within)),
    )
