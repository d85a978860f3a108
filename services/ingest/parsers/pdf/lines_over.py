"""Find the lines of names that stand right above a table and that no line is drawn with."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

from services.ingest.parsers.pdf.bare_pieces import Edges, Lines, Piece, extents_of
from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.flow import begins_caption
from services.ingest.parsers.pdf.names_over import LARGER
from services.ingest.parsers.pdf.row_lines import without_row_lines
from services.ingest.parsers.pdf.row_pieces import is_amount
from services.ingest.parsers.pdf.rules import Rule

_NEXT_LINE = 0.9
"""Of a letter's height, from the top of a line to the foot of the one above it, of names too."""
_MOST_LINES = 7
_LARGER = 1.15
"""Letters of a title beside those of a table."""
_BEYOND, _FAR, _TOUCH = 6.0, 24.0, 2.0
"""Points that a name may reach out of its table, that of its last column too, and that edges differ."""
_LONGEST, _LONG = 60, 30
"""Letters of a name, without space, and of one that stands alone in its line."""
_WHOLE = 0.9
"""Of the width of a table: a line so long parts it from what is above."""
_OFF = 0.03
"""Of the width of a table, that its title is off the middle at most."""
_VALUE = re.compile(r"\W?[$€£¥]?\W?\d|[–—-]$")
_YEAR = re.compile(r"\W{0,2}(?:1[5-9]|20)\d\d(?!\d|[.,]\d)")
_ENDS = re.compile(r"[.!?;:。！？；：][\"'”’)\]]*$")
_IN_BRACKETS = re.compile(r"[(（][^()（）]+[)）]")
"""What all of a table is counted in: "(in millions)"."""
_WORD = re.compile(r"[^\W\d_]{2}|[^\W\d_\x00-\u02ff]|(?:1[5-9]|20)\d\d")


def with_lines_over(
    table: Table, others: Sequence[Table], lines: Lines, level: Sequence[Rule]
) -> Table:
    """Return a table with the lines right above it, where all that stands there names columns of it.

    `lines` are those of the page from the top, `level` its horizontal lines: what one as long as the
    table parts from it is no name of its. `others` are the other tables of the page.
    """
    body = [line for line in (_within(line, table) for line in lines) if line]
    body = [line for line in body if table.rows[-1] < line[0].middle < table.rows[0]]
    if table.title or not body or len(extents_of(table, body, _TOUCH)) < 2:
        return table
    level = without_row_lines(level, body, table.columns[0], table.columns[-1])
    over = _names_over(table, body, others, lines, level)
    topmost = [line for line in body if line[0].middle > table.rows[1]] or body[:1]
    has_names = len(body[0]) > 1 and not any(
        _are_values(line, table) or any(is_amount(piece.text) for piece in line) for line in topmost
    )
    if not over or (has_names and not _add_names(over, body[0], table)):
        return table
    top = max(piece.top for line in over for piece in line)
    foot = min(piece.bottom for line in over for piece in line)
    first = max(piece.top for piece in body[0])
    edge = min((foot + first) / 2, foot)
    right = max(table.columns[-1], *(piece.right + 1 for line in over for piece in line))
    left = min(table.columns[0], *(piece.left - 1 for line in over for piece in line))
    table = replace(table, columns=(left, *table.columns[1:-1], right))
    if has_names and table.is_open:
        return replace(table, rows=(top + 1, *table.rows[1:]))
    spanned = frozenset((band + 1, column) for band, column in table.open)
    gaps = () if table.is_open else tuple(_gaps(over, table))
    rows = (top + 1, edge, *table.rows[1:])
    return replace(table, rows=rows, open=spanned, gaps=(*table.gaps, *gaps))


def _within(line: Sequence[Piece], table: Table) -> list[Piece]:
    left, right = table.columns[0], table.columns[-1]
    return [piece for piece in line if piece.right > left and piece.left < right]


def _each(piece: Piece) -> list[Piece]:
    """Return the parts of a piece that is one word over and over, a unit for each column."""
    words = piece.words.split()
    if len(words) < 2 or len({*words}) > 1:
        return [piece]
    size = len(words[0])
    parts = [piece.signs[at : at + size] for at in range(0, len(piece.signs), size)]
    return [
        replace(piece, left=part[0][1], right=part[-1][2], text=words[0], signs=part)
        for part in parts
    ]


def _names_over(
    table: Table,
    body: Lines,
    others: Sequence[Table],
    lines: Lines,
    level: Sequence[Rule],
) -> list[list[Piece]]:
    """Return the lines of names above a table, the lowest first."""
    edge, found, waiting = table.rows[0], list[list[Piece]](), list[list[Piece]]()
    columns = extents_of(table, body, _TOUCH)
    heights = [piece.height for line in body for piece in line]
    height, highest = median(heights), max(heights)
    for whole in reversed([line for line in lines if line[0].middle > edge]):
        line = [part for piece in _within(whole, table) for part in _each(piece)]
        if not line:
            continue
        tallest = max(piece.height for piece in line)
        if min(piece.bottom for piece in line) - edge >= _NEXT_LINE * tallest:
            break
        count = len(found) + len(waiting)
        if _are_in(line, others) or (count >= _MOST_LINES and not _goes_up(line, found[-1:])):
            return []  # rows between two tables
        is_title = len(line) == 1 and (tallest > _LARGER * height or _is_long(line[0]))
        is_large = min(piece.height for piece in line) > LARGER * highest
        if is_title and _are_of_title([*found, *waiting], line[0], table):
            return []
        if is_title or is_large or not _may_name(line, whole, table, columns):
            break
        is_beside = bool(found) and min(piece.left for piece in line) > columns[min(columns)][1]
        # What all is counted in stands in a header, whatever line is drawn below it.
        is_unit = bool(_IN_BRACKETS.fullmatch(line[0].words)) and bool(found or len(line) == 1)
        if _is_parted(line, table, edge, level) and not (is_beside or is_unit):
            break
        waiting.append(line)
        edge = max(piece.top for piece in line)
        if is_unit or any(piece.right > columns[min(columns)][1] for piece in line):
            found += waiting
            waiting = []
    return found


def _goes_up(line: Sequence[Piece], below: Lines) -> bool:
    """Whether all that stands in a line is the upper part of names that stand below."""
    return all(
        any(_overlap(piece, (one.left, one.right)) for one in line_below)
        for piece in line
        for line_below in below
    )


def _are_of_title(found: Lines, over: Piece, table: Table) -> bool:
    """Whether lines of one piece each, as the long one over them, stand in the middle over a table."""
    left, right = table.columns[0], table.columns[-1]
    off = 2 * _OFF * (right - left)
    return all(
        len(line) == 1 and abs(line[0].left + line[0].right - left - right) < off
        for line in (*found, [over])
    )


def _is_long(piece: Piece) -> bool:
    return len(piece.text) > _LONG


def _may_name(
    line: Sequence[Piece], whole: Sequence[Piece], table: Table, columns: Mapping[int, Edges]
) -> bool:
    """Whether each piece of a line may name columns: short, in place, and no value."""
    text = " ".join(piece.words for piece in whole)
    if begins_caption(text) or (len(line) == 1 and _ENDS.search(text)) or _are_values(line, table):
        return False
    if not any(_WORD.search(piece.text) for piece in line):
        return False
    first = min(columns)
    left, right = table.columns[0], table.columns[-1]
    last = max(edges[1] for at, edges in columns.items() if at != max(columns))
    for piece in line:
        beyond = _FAR if piece.left > last else _BEYOND  # it is of the last column alone
        is_beyond = piece.left < left - _BEYOND or piece.right > right + beyond
        under = [at for at, edges in columns.items() if _overlap(piece, edges)]
        is_title = len(line) == 1 and abs(piece.left + piece.right - left - right) < 2 * _OFF * (
            right - left
        )
        is_across = first in under and len(under) > 1
        if is_beyond or piece.leads or len(piece.text) > _LONGEST or is_across:
            return False
        if is_title and len(under) > 1 and len(columns) > len(under) + 1:
            return False
    return True


def _overlap(piece: Piece, edges: Edges) -> bool:
    return piece.left < edges[1] and piece.right > edges[0]


def _are_values(line: Sequence[Piece], table: Table) -> bool:
    """Whether most of what stands behind the first column is numbers that are no years."""
    inner = [piece.text for piece in line if piece.left > table.columns[1] - _BEYOND]
    values = [text for text in inner if _VALUE.match(text) and not _YEAR.match(text)]
    return 2 * len(values) > len(inner)


def _add_names(over: Lines, names: Sequence[Piece], table: Table) -> bool:
    """Whether lines over a header name columns each, or one alone, or all if few have a name."""
    inner = [piece for line in over for piece in line if piece.right > table.columns[1]]
    is_sparse = len(names) < len(table.columns) - 1
    under = [sum(_overlap(piece, (one.left, one.right)) for one in names) for piece in inner]
    whole = table.columns[0] + table.columns[-1]
    off = [abs(piece.left + piece.right - whole) / 2 for piece in inner]
    is_of_one = 1 in under and min(off) > _OFF * (table.columns[-1] - table.columns[0])
    return len(inner) > 1 or is_sparse or is_of_one


def _is_parted(line: Sequence[Piece], table: Table, edge: float, level: Sequence[Rule]) -> bool:
    left, right = table.columns[0], table.columns[-1]
    foot = min(piece.bottom for piece in line)
    return any(
        table.rows[0] + _TOUCH < rule.place < foot + _TOUCH
        and edge - _TOUCH < rule.place
        and min(rule.end, right) - max(rule.start, left) >= _WHOLE * (right - left)
        for rule in level
    )


def _are_in(line: Sequence[Piece], tables: Sequence[Table]) -> bool:
    return any(
        table.rows[-1] < piece.middle < table.rows[0]
        and table.columns[0] < piece.right
        and piece.left < table.columns[-1]
        for table in tables
        for piece in line
    )


def _gaps(over: Lines, table: Table) -> Iterator[tuple[float, float, float]]:
    """Yield where names over several columns go over the edges between these."""
    for piece in (piece for line in over for piece in line):
        for edge in table.columns[1:-1]:
            if piece.left < edge < piece.right:
                yield edge, piece.top, piece.bottom
