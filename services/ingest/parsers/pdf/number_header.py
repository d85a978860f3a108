"""Find what names columns of numbers: the lines right above them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

from services.ingest.parsers.pdf.bare_pieces import Piece
from services.ingest.parsers.pdf.flow import begins_caption
from services.ingest.parsers.pdf.number_rows import Column, Group, NumberLine
from services.ingest.parsers.pdf.row_lines import without_row_lines
from services.ingest.parsers.pdf.rules import Rule
from services.ingest.parsers.pdf.value_cells import cells_of_line

_NEXT_LINE, _FIRST_ROW, _UNDER_RULE = 1.8, 2.2, 4.0
"""Of a letter's height, without text: from one line of a header to the next, and from the last to the
rows, where no line is drawn between and where one is."""
_MOST_LINES, _MOST_MOVED = 10, 2
_BEYOND = 6.0
"""Points that a name may reach out of its table."""
_OFF = 3.0
"""Of a letter's height: how far the middle of a wide name is from that of the numbers below it."""
_LARGER = 1.3
"""Letters of a title beside those of a table."""
_WHOLE, _TOUCH = 0.9, 2.0
"""Of the width of a table: a line so long parts its header from what is above."""
_THOUSANDS = re.compile(r"\D*000(?:[,.\s]?000)?[^\d,.]*")
_AMOUNT = re.compile(r"\d[.,]\d|\d\s?%|[$€£¥₹]\s?\d")


@dataclass
class Header:
    """The names over columns of numbers.

    `top` and `bottom` are its edges, in points, 0 where there is none; `named` has the names over each
    column alone; `rows_moved` is how many of the first rows are its lowest lines.
    """

    top: float = 0.0
    bottom: float = 0.0
    named: dict[int, list[Piece]] = field(default_factory=dict)
    rows_moved: int = 0


def header_over(
    group: Group, left: float, lines: Sequence[Sequence[Piece]], level: Sequence[Rule]
) -> Header:
    """Return the header of some rows, whose labels begin at `left`; leave titles of rows to `group`.

    `lines` are those of the page, `level` its horizontal lines.
    """
    header, first = Header(), group.rows[0]
    header.rows_moved = _count_over_line(group, left, level) or _count_naming(group)
    for row in group.rows[: header.rows_moved]:
        _take(header, group, row.pieces, left)
    edge, height = first.top, first.height
    level = without_row_lines(level, [row.pieces for row in group.rows], left, group.right)
    waiting, found = list[list[Piece]](), header.rows_moved
    for at in range(first.at - 1, max(-1, first.at - 1 - _MOST_LINES), -1):
        if not (line := _within(lines[at], left, group.right)):
            continue
        is_under_rule = _is_parted(line, edge, group, left, level)
        if not found and _is_row_over(line, edge, group):
            edge = max(piece.top for piece in line)
            group.over += [*_as_lines(waiting, at), _as_line(line, at)]
            waiting = []
            continue
        reach = _NEXT_LINE if found else _UNDER_RULE if is_under_rule else _FIRST_ROW
        may_name = _is_near(line, edge, reach * height, height)
        may_name = may_name and _may_name(line, group, left, lines[at], is_over=bool(found))
        if (found and is_under_rule) or not may_name:
            break
        edge = max(piece.top for piece in line)
        if line[-1].right < group.left:
            waiting.append(line)
            continue
        for part in (*waiting, line) if found else (line,):
            _take(header, group, part, left)
        if not found:
            group.over += _as_lines(waiting, at)
        waiting = []
        found += 1
    return header


def _as_lines(lines: Sequence[Sequence[Piece]], at: int) -> Iterator[NumberLine]:
    """Yield the titles over the first rows, the lowest first; the header stands at line `at`."""
    for place, line in enumerate(reversed(lines), start=1):
        yield _as_line(line, at + place)


def _as_line(line: Sequence[Piece], at: int) -> NumberLine:
    return NumberLine(tuple(cells_of_line(line)), tuple(line), at)


def _within(line: Sequence[Piece], left: float, right: float) -> list[Piece]:
    """Return what of a line stands over a table."""
    return [piece for piece in line if piece.right > left and piece.left < right + _BEYOND]


def _is_near(line: Sequence[Piece], edge: float, reach: float, height: float) -> bool:
    tallest = max(piece.height for piece in line)
    return min(piece.bottom for piece in line) - edge < reach and tallest < _LARGER * height


def _may_name(
    line: Sequence[Piece], group: Group, left: float, whole: Sequence[Piece], *, is_over: bool
) -> bool:
    """Whether a line may be one of a header: no caption, no sentence, nothing across the labels."""
    text = " ".join(piece.words for piece in whole)
    if begins_caption(text) or any(piece.leads for piece in line) or _is_row(line, group):
        return False
    if is_over and _is_text(line, group, left):
        return False
    if any(
        _is_beyond(piece, group, left) and not _is_of_edge(piece, group, left) for piece in line
    ):
        return False
    has_labels = left < group.left - _TOUCH
    return not any(
        piece.left < group.left
        and _spanned(piece, group.columns) > has_labels
        and not _is_of_edge(piece, group, left)
        for piece in line
    )


def _is_beyond(piece: Piece, group: Group, left: float) -> bool:
    return piece.left < left - _BEYOND or piece.right > group.right + _BEYOND


def _is_of_edge(piece: Piece, group: Group, left: float) -> bool:
    """Whether a name is wider than the numbers below it, which are the first of all or the last."""
    first, last = group.columns[0], group.columns[-1]
    edge = last if piece.right > group.right + _BEYOND else first
    is_edge = edge is last or left >= group.left - _TOUCH
    off = abs(piece.left + piece.right - edge.left - edge.right) / 2
    is_over = _spanned(piece, group.columns) == 1 and _overlap(piece, edge) > 0
    return is_edge and is_over and off < _OFF * piece.height


def _is_text(line: Sequence[Piece], group: Group, left: float) -> bool:
    """Whether a line over a header begins over the labels and goes on over the numbers."""
    begin, end = line[0].left, line[0].right
    return len(line) == 1 and begin < (left + group.left) / 2 and end > group.left + _TOUCH


def _spanned(piece: Piece, columns: Sequence[Column]) -> int:
    """Return how many columns a piece stands over."""
    return sum(piece.left < column.right and piece.right > column.left for column in columns)


def _is_parted(
    line: Sequence[Piece], edge: float, group: Group, left: float, level: Sequence[Rule]
) -> bool:
    """Whether a line as long as the table is drawn below a line of text, over the header."""
    width = group.right - left
    foot = min(piece.bottom for piece in line)
    return any(
        edge - _TOUCH < rule.place < foot + _TOUCH
        and min(rule.end, group.right) - max(rule.start, left) >= _WHOLE * width
        for rule in level
    )


def _count_over_line(group: Group, left: float, level: Sequence[Rule]) -> int:
    """Return how many of the first rows stand over the one line as long as the table; 0 if many do."""
    rows = group.rows[: _MOST_MOVED + 1]
    width = group.right - left
    places = [
        rule.place
        for rule in level
        if min(rule.end, group.right) - max(rule.start, left) >= _WHOLE * width
        and group.rows[-1].bottom < rule.place < rows[0].top + _UNDER_RULE * rows[0].height
    ]
    for count, (above, below) in enumerate(pairwise(rows), start=1):
        if places and all(below.middle < place < above.middle for place in places):
            return count
    return 0


def _is_row(line: Sequence[Piece], group: Group) -> bool:
    """Whether a line over some rows says amounts of something too."""
    values = [cell.text for cell in cells_of_line(line) if cell.right > group.left]
    return line[0].right < group.left and len(values) > 1 and _are_amounts(values)


def _is_row_over(line: Sequence[Piece], edge: float, group: Group) -> bool:
    """Whether a line is one more row right over a group: all of its columns have a value, or a dash."""
    row = _as_line(line, 0)
    is_full = len(row.values) == len(group.columns) and bool(row.labels)
    has_dash = any(not cell.has_digit for cell in row.values)
    height = group.rows[0].height
    is_near = _is_near(line, edge, _FIRST_ROW * height, height)
    return is_near and is_full and has_dash and row.labels[-1].right < group.left


def _are_amounts(texts: Sequence[str]) -> bool:
    return 2 * sum(bool(_AMOUNT.search(text)) for text in texts) > len(texts)


def _count_naming(group: Group) -> int:
    """Return how many of the first rows have years, or days, and then what is counted in."""
    first, *others = group.rows
    dated = bool(others) and first.is_of_dates and not others[0].is_of_dates
    counted = takewhile(_is_of_units, group.rows[dated:])
    return dated + len(list(counted))


def _is_of_units(row: NumberLine) -> bool:
    """Whether a row has thousands of a currency alone, as "€000" and "£'000"."""
    return bool(row.values) and all(_THOUSANDS.fullmatch(cell.text) for cell in row.values)


def _take(header: Header, group: Group, line: Sequence[Piece], left: float) -> None:
    """Add a line to a header, and its names to their columns."""
    held = _within(line, left, group.right)
    header.top = max([header.top, *(piece.top + 1 for piece in held)])
    foot = min(piece.bottom - 1 for piece in held)
    header.bottom = min(header.bottom or foot, foot)
    for piece in held:
        at = _column_under(piece, group.columns)
        if at is not None:
            header.named.setdefault(at, []).append(piece)


def _column_under(piece: Piece, columns: Sequence[Column]) -> int | None:
    """Return the one column that a name is over; None if there are several, or none."""
    under = [at for at, column in enumerate(columns) if _overlap(piece, column) > 0]
    return under[0] if len(under) == 1 else None


def _overlap(piece: Piece, column: Column) -> float:
    return min(piece.right, column.right) - max(piece.left, column.left)
