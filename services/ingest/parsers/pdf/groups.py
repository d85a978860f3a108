"""Put the names that stand over several columns of a header before each of these columns."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from math import inf
from statistics import fmean

from services.ingest.parsers.pdf.cells import Piece, Table, lines_of, pieces_of
from services.ingest.parsers.pdf.line import Sign

_ALIGNED = 3.0
"""Points that the edge of a cell is away from that of what it stands over at most."""
_DOUBLE = 6.0
"""Points between the two lines of one that is drawn double at most."""
_WORDS_APART = 0.6
"""Of a letter's height: words of one title are no farther apart."""
_APART, _SEVERAL = 1.0, 2
"""Points between two lines that are drawn at one height, at most; and names side by side."""
_OFF = 0.12
"""Of the width of some columns: how far from their middle stands what is centred over them."""
_MOST_COLUMNS, _MOST_NAMES = 24, 12
_LEAST_EDGES, _TITLE_OFF = 4, 0.05
"""Of the rows of a grid whose first is a title, and of its width: how far from the middle that is."""

Bar = tuple[float, float, float]
"""A line: its height, its left and its right end, in points."""
Edges = tuple[float, float]
"""The left and the right edge of what stands in a column, in points."""
_Chosen = tuple[int, int, float, tuple[range, ...]]
"""How many names have columns, how many these are, how far off the middle, and the columns by name."""
_NONE = range(0)
_NAME = re.compile(r"[^\W\d_]|^(?:1[5-9]|20)\d\d$")
"""In what names a column: a letter or a year, as no number of a row without a header has."""


def with_groups(pieces: Sequence[Piece], bars: Sequence[Bar] = ()) -> list[Piece]:
    """Return the pieces of a table, those of its header over several columns once for each.

    `bars` are the lines in the header under what names some columns.
    """
    lines = lines_of([piece for piece in pieces if not piece.band])
    if not lines:
        return [*pieces]
    bars = [bar for bar in bars if _is_under_one(bar, bars, lines)]
    lower = [*(piece for piece in pieces if piece.band), *lines[-1]]
    named = {piece.column for piece in lines[-1]}
    columns: dict[int, range] = {}
    for at_line, line in reversed([*enumerate(lines[:-1])]):
        if _go_on_below(line, [piece for below in lines[at_line + 1 :] for piece in below]):
            continue
        edges = {at: _edges([piece for piece in lower if piece.column == at]) for at in named}
        ordered = sorted(line, key=lambda piece: piece.left)
        spans = columns_under([(piece.left, piece.right) for piece in ordered], edges)
        columns |= {id(piece): span for piece, span in zip(ordered, spans, strict=True)}
        columns |= _columns_over_bars(line, bars, edges)
        # A name of fewer lines than others need not end at the foot of the header.
        alone = [piece for piece in line if not columns.get(id(piece))]
        lower += alone
        named |= {piece.column for piece in alone}
    body = {piece.column for piece in pieces if piece.band}
    below = {piece.column: piece.text for piece in lines[-1]}
    for line in lines:
        if not any(columns.get(id(piece)) for piece in line):
            texts = {piece.column: piece.text for piece in line}
            spans_by_column = columns_of_neighbours(texts, below, body)
            columns |= {id(piece): spans_by_column.get(piece.column, _NONE) for piece in line}
    return [
        replace(piece, column=column)
        for piece in pieces
        for column in columns.get(id(piece)) or (piece.column,)
    ]


def _go_on_below(line: Sequence[Piece], below: Sequence[Piece]) -> bool:
    """Whether each name of a line goes on in one below it, those of the first and last columns too."""
    middles = [(piece.left + piece.right) / 2 for piece in line]
    found = [
        {one.column for one in below if abs((one.left + one.right) / 2 - x) <= _ALIGNED}
        for x in middles
    ]
    columns = {one.column for one in below} - {0}
    ends = {min(columns, default=0), max(columns, default=0)}
    return len(line) > _SEVERAL and all(found) and ends <= set[int]().union(*found)


def _is_under_one(bar: Bar, bars: Sequence[Bar], lines: Sequence[Sequence[Piece]]) -> bool:
    """Whether a line is drawn under one name: under several side by side it parts rows."""
    place, left, right = bar
    upper = min((one[0] for one in bars if one[0] > place + _APART), default=inf)
    over = ([one for one in line if place < one.middle < upper] for line in lines)
    return all(
        sum(left < (one.left + one.right) / 2 < right for one in found) < _SEVERAL for found in over
    )


def _columns_over_bars(
    line: Sequence[Piece], bars: Sequence[Bar], columns: Mapping[int, Edges]
) -> dict[int, range]:
    """Return which columns the names are of that a line is drawn under, as far as these."""
    found: dict[int, range] = {}
    for piece in line:
        under = [
            bar
            for bar in bars
            if bar[0] < piece.middle
            and bar[1] - _ALIGNED < piece.left
            and piece.right < bar[2] + _ALIGNED
        ]
        _, left, right = max(under, default=(0.0, 0.0, 0.0))
        held = [at for at, edges in columns.items() if left < fmean(edges) < right]
        if len(held) > 1 and len(held) == max(held) - min(held) + 1:
            found[id(piece)] = range(min(held), max(held) + 1)
    return found


def with_spans(table: Table, pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of a table, those of its header in cells over several columns once for each.

    Lines are drawn around such a cell, and none between its columns. What names each of these columns
    in the row below is of the header too.
    """
    bands = sorted({piece.band for piece in pieces})
    filled = {piece.column for piece in pieces}
    held = {band: [piece for piece in pieces if piece.band == band] for band in bands}
    found: list[Piece] = []
    for at, band in enumerate(bands):
        spans = [(piece, _columns_of(table, piece)) for piece in held[band]]
        found += (
            replace(piece, column=column, band=bands[0])
            for piece, span in spans
            for column in span
            if column in filled
        )
        named = {column for _, span in spans if len(span) > 1 for column in span}
        below = {piece.column for one in bands[at + 1 : at + 2] for piece in held[one]}
        if not (named and below <= named):
            rest = bands[at + 1 :]
            return [*found, *(piece for one in rest for piece in held[one])]
    return found


def without_title(table: Table, runs: Sequence[Sequence[Sign]]) -> Table:
    """Return a grid without its first row, if that is one cell and what stands there is its title."""
    if table.is_open or table.is_cut or len(table.rows) < _LEAST_EDGES:
        return table
    pieces = [*pieces_of(table, runs)]
    if table.rows[0] - table.rows[1] < _DOUBLE and all(piece.band for piece in pieces):
        spanned = frozenset((band - 1, column) for band, column in table.open if band)
        return without_title(replace(table, rows=table.rows[1:], open=spanned), runs)
    over = [piece for piece in pieces if not piece.band]
    if _is_set_off(pieces):
        spanned = frozenset((band - 2, column) for band, column in table.open if band > 2)
        return replace(table, rows=table.rows[2:], open=spanned, title=table.rows[0])
    below = {_cell_of(table, piece) for piece in pieces if piece.band == 1}
    inner = range(len(table.columns) - 1)
    is_whole = {_cell_of(table, piece) for piece in over} == {inner}
    if not (is_whole and below) or inner in below:
        return table
    left, right = table.columns[0], table.columns[-1]
    # Its words may be pieces, as they stand over other columns.
    texts = [sorted(line, key=lambda piece: piece.left) for line in lines_of(over)]
    is_centred = all(
        abs(line[0].left + line[-1].right - left - right) < 2 * _TITLE_OFF * (right - left)
        and all(
            behind.left - before.right < _WORDS_APART * behind.size
            for before, behind in pairwise(line)
        )
        for line in texts
    )
    spanned = frozenset((band - 1, column) for band, column in table.open if band > 1)
    if not is_centred:
        return table
    return replace(table, rows=table.rows[1:], open=spanned, title=table.rows[0])


def _is_set_off(pieces: Sequence[Piece]) -> bool:
    """Whether an empty row follows the first of a grid, which has fewer cells than the one behind."""
    first, empty, header = ({one.column for one in pieces if one.band == at} for at in range(3))
    return not empty and 0 < 2 * len(first) < len(header)


def _columns_of(table: Table, piece: Piece) -> range:
    """Return the columns of the cell of a piece: one, if it is the only cell of its row."""
    span = _cell_of(table, piece)
    is_whole = len(span) == len(table.columns) - 1
    return range(piece.column, piece.column + 1) if is_whole else span


def _cell_of(table: Table, piece: Piece) -> range:
    """Return all columns of the cell of a piece."""
    first, last = piece.column, piece.column + 1
    inner = len(table.columns) - 1
    while first and not table.is_parted(first - 1, first, piece.middle):
        first -= 1
    while last < inner and not table.is_parted(last - 1, last, piece.middle):
        last += 1
    return range(first, last)


def columns_under(names: Sequence[Edges], columns: Mapping[int, Edges]) -> Sequence[range]:
    """Return for each name of a line which columns, several and not all, it is centred over.

    The range is empty for one that stands over a single column, or over none. `names` stand from the
    left, `columns` has the edges of those with a name of their own below.
    """
    if len(columns) > _MOST_COLUMNS or len(names) > _MOST_NAMES:
        return [_NONE] * len(names)
    chosen: dict[int, _Chosen] = {0: (0, 0, 0.0, ())}
    """The best choice for the names so far, by the first column that is left."""
    for name in names:
        further: dict[int, _Chosen] = {}
        for at, (count, width, off, spans) in chosen.items():
            for span, more in ((_NONE, 0.0), *_free_spans(name, names, columns)):
                if span and (span.start < at or (0 in span and len(names) == 1)):
                    continue  # one name over the first column too is a title
                # What the rows are called by is seldom one of the columns.
                added = len(span) - (0 in span)
                one = (count + bool(span), width + added, off - more, (*spans, span))
                place = span.stop if span else at
                further[place] = max(further.get(place, one), one, key=lambda two: two[:3])
        chosen = further
    return max(chosen.values(), key=lambda one: one[:3])[3]


def columns_of_neighbours(
    names: Mapping[int, str], below: Mapping[int, str], columns: Collection[int]
) -> Mapping[int, range]:
    """Return which columns each name of a line is of that stands over the first or last of them.

    `names`, and what stands `below` them in the header, by their columns. There are none where names
    do not stand over the columns behind the first in equal steps, or where what is below does not
    repeat in these steps: then it is the next line of a name, of one column.
    """
    named, last = sorted(names.keys() - {0}), max(columns, default=0)
    size = last // len(named) if len(named) > 1 else 0
    texts = [names[column] for column in named]
    if size < 2 or len({*texts}) < len(texts) or not all(map(_NAME.search, texts)):
        return {}
    if {*columns} - {0} != {*range(1, last + 1)} or size * len(named) != last:
        return {}
    is_regular = any(named == [*range(first, last + 1, size)] for first in (1, size))
    repeats = all(below.get(at) == below.get(at + size) for at in range(1, last + 1 - size))
    if not is_regular or not (repeats or below.keys() - {0} <= {*named}):
        return {}
    return {at: range(1 + size * n, 1 + size * (n + 1)) for n, at in enumerate(named)}


def _free_spans(
    name: Edges, names: Sequence[Edges], columns: Mapping[int, Edges]
) -> Iterator[tuple[range, float]]:
    """Yield the columns a name may be centred over, if no other name is there."""
    for span, off in _spans(name, columns):
        left, right = columns[span[0]][0], columns[span[-1]][1]
        is_free = not any(left < fmean(other) < right for other in names if other != name)
        if is_free:
            yield span, off


def _spans(name: Edges, columns: Mapping[int, Edges]) -> Iterator[tuple[range, float]]:
    """Yield the columns that a name may be centred over, and how far from their middle it is."""
    if any(_is_over(name, one) for one in columns.values()):
        return
    whole = (min(columns), max(columns))
    least = _off(name, whole, columns) if 0 in columns else _OFF
    for first, last in combinations(sorted(columns), 2):
        span = range(first, last + 1)
        left, right = columns[first][0], columns[last][1]
        off = _off(name, (first, last), columns)
        is_inside = left - _ALIGNED < name[0] and name[1] < right + _ALIGNED
        is_named = len(span) < len(columns) and all(at in columns for at in span)
        if is_inside and is_named and off < min(_OFF, least):
            yield span, off


def _off(name: Edges, span: tuple[int, int], columns: Mapping[int, Edges]) -> float:
    """Return how far a name is from the middle of some columns, as a share of their width."""
    left, right = columns[span[0]][0], columns[span[1]][1]
    return abs(sum(name) - left - right) / 2 / max(right - left, 1.0)


def _is_over(name: Edges, column: Edges) -> bool:
    left, right = name[0] - column[0], name[1] - column[1]
    return min(abs(left), abs(right), abs(left + right) / 2) <= _ALIGNED


def _edges(pieces: Sequence[Piece]) -> Edges:
    return min(piece.left for piece in pieces), max(piece.right for piece in pieces)
