"""Find the tables without lines whose rows end with numbers: accounts, statistics, results.

Their numbers stand below each other, whatever stands between them: titles over some rows, labels of two
lines, totals in bold, more space. What stands right above names their columns.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from services.ingest.parsers.pdf.bare_pieces import Piece, lines_of_pieces, pieces_of_run
from services.ingest.parsers.pdf.broken_prose import is_prose
from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.number_header import Header, header_over
from services.ingest.parsers.pdf.number_rows import (
    Group,
    NumberLine,
    groups_of,
    number_lines,
)
from services.ingest.parsers.pdf.rules import Rule
from services.ingest.parsers.pdf.value_cells import Cell
from services.ingest.parsers.wrapped import first_word

_LEAST_ROWS, _LEAST_BARE, _LEAST_NAMED = 3, 4, 2
"""Rows of three columns or more, rows that have no labels, and rows with a name over most columns."""
_PAIR, _LEAST_PAIRS = 2, 5
"""Rows of two columns of numbers, without names."""
_NUMBERS, _LEAST_NUMBERS = 0.6, 0.3
"""Of the cells behind labels, that have a digit: of those that are no dash, and of all."""
_THOUSANDS, _PARTED = 3, re.compile(r"\d[.,]\d{3}(?!\d)")
"""Digits of a number below a thousand, and the sign between those of one above."""
_LABELLED = 0.6
"""Of the rows of a table, that have a label."""
_MANY_MORE = 1.5
"""More than so many times the columns that lines show are those of numbers, and no parts of cells."""
_MOST = 0.8
"""Of the lines of a table, that are rows of those in it."""
_EDGE, _TOUCH = 3.0, 2.0
_GUTTER, _BOTH = 6.0, 0.7
"""Points between two columns of labels at least, and the rows that have something in both."""
_MARGIN, _FILLED, _LONG = 3.0, 0.5, 20
"""Points that lines of a text end from its edge, how many of them do, and their letters at least."""
_WITHIN = 0.25
"""Of the lines of a text, that begin with a small letter."""
_SAME_LEFT = 1.0
"""Points that labels of one rank begin apart at most."""
_ROW_STEP = 1.2
"""Of the step between the lines of a label: rows are farther apart."""
_INDENT = 0.3
"""Of a letter's height, that the next line of a label begins farther in."""
_NEXT_LINE = 1.6
"""Of a letter's height, from one line of a label to the next."""


def find_number_tables(
    lines: Sequence[Sequence[Piece]], others: Sequence[Table], level: Sequence[Rule]
) -> list[Table]:
    """Return the tables of some lines of a page, from the top, that lie in none of `others`.

    `level` are the horizontal lines of the page.
    """
    found: list[Table] = []
    if sum(_may_be_counted(line) for line in lines) < _LEAST_NAMED:
        return found
    for stream in number_lines(lines):
        for group in groups_of(stream):
            table = _table_of(group, lines, level)
            if table and not any(overlap(table, one) for one in (*others, *found)):
                found.append(table)
    return found


def overlap(one: Table, other: Table) -> bool:
    """Whether two tables share a place: what stands there would be in both."""
    return (
        one.columns[0] + _TOUCH < other.columns[-1]
        and other.columns[0] + _TOUCH < one.columns[-1]
        and one.rows[-1] + _TOUCH < other.rows[0]
        and other.rows[-1] + _TOUCH < one.rows[0]
    )


def with_number_columns(
    table: Table,
    others: Sequence[Table],
    runs: Sequence[Sequence[Sign]],
    level: Sequence[Rule],
) -> list[Table]:
    """Return a table between lines, or those that its numbers show, if they have many more columns.

    What stands side by side in it may be two. `others` are the tables of the page.
    """
    if not table.is_open or table.title:
        return [table]
    signs = ([sign for sign in run if table.holds(sign)] for run in runs)
    lines = lines_of_pieces([piece for run in signs for piece in pieces_of_run(run)])
    found = find_number_tables(lines, [one for one in others if not overlap(one, table)], level)
    rows = sum(len(one.rows) - 1 for one in found)
    columns = sum({one.columns[0]: len(one.columns) - 1 for one in found}.values())
    is_more = columns > _MANY_MORE * (len(table.columns) - 1) and rows > _MOST * (len(lines) - 1)
    return found if is_more else [table]


def _may_be_counted(line: Sequence[Piece]) -> bool:
    return len(line) > 1 and any(map(str.isdigit, line[-2].text + line[-1].text))


@dataclass(frozen=True)
class _Labels:
    """Where what the rows are called by begins, and the edges between its columns."""

    left: float
    edges: tuple[float, ...]


def _table_of(
    group: Group, lines: Sequence[Sequence[Piece]], level: Sequence[Rule]
) -> Table | None:
    labels = _labels_of(group)
    rows = group.rows
    header = header_over(group, labels.left, lines, level)
    if not _are_rows(group, labels, header):
        return None
    first = header.rows_moved
    body = [[row] for row in rows[first:]]
    if not body:
        return None
    body = _with_labels(body, group, labels.left)
    columns = _edges_of(group, labels, header)
    places = _row_edges([(_top(row), _bottom(row)) for row in body])
    head = (header.top,) if header.top else ()
    if head:
        places[0] = (header.bottom + _top(body[0])) / 2
    walls = tuple(
        (edge, _top([line]) + 1, _bottom([line]) - 1)
        for row in body
        for line in row
        if line.values
        for edge in columns[1:-1]
        if not any(cell.left < edge < cell.right for cell in line.labels)
    )
    return Table(columns, (*head, *places), is_open=True, walls=walls)


def _are_rows(group: Group, labels: _Labels, header: Header) -> bool:
    """Whether rows are of a table, and not of a text, a program, a drawing or an index."""
    rows = [row for row in group.rows[header.rows_moved :] if len(row.values) > 1]
    count, columns = len(rows), len(group.columns)
    labelled = sum(bool(_within(row.labels, labels.left)) for row in rows)
    is_labelled = labelled >= _LABELLED * count
    is_full = 2 * sum(2 * len(row.values) > columns for row in rows) >= count
    if (
        columns < _PAIR
        or not _are_of_numbers(rows)
        or not is_full
        or 0 < labelled < _LABELLED * count
    ):
        return False
    if 3 * len(header.named) >= 2 * columns:
        return count >= _LEAST_NAMED
    if columns == _PAIR:
        return is_labelled and count >= _LEAST_PAIRS
    return count >= (_LEAST_ROWS if is_labelled else _LEAST_BARE)


def _are_of_numbers(rows: Sequence[NumberLine]) -> bool:
    """Whether most of what stands behind labels has digits, is no code, and differs in its row.

    The axes of drawings side by side have the same numbers.
    """
    pieces = [piece for row in rows for piece in row.pieces]
    cells = [cell for row in rows for cell in row.values]
    digits = sum(cell.has_digit for cell in cells)
    dashes = sum(cell.is_dash for cell in cells)
    same = sum(len({cell.text for cell in row.values}) == 1 for row in rows)
    is_code = 2 * sum(piece.is_code for piece in pieces) > len(pieces)
    return (
        not (is_code and not _are_accounts(cells))
        and digits >= max(_NUMBERS * (len(cells) - dashes), _LEAST_NUMBERS * len(cells))
        and 2 * same <= len(rows)
    )


def _are_accounts(cells: Sequence[Cell]) -> bool:
    """Whether a sign parts the thousands of most numbers that have such: no program prints them so."""
    large = [cell.text for cell in cells if sum(map(str.isdigit, cell.text)) > _THOUSANDS]
    return 2 * sum(bool(_PARTED.search(text)) for text in large) > len(large)


def _within(cells: Sequence[Cell], left: float) -> list[Cell]:
    return [cell for cell in cells if cell.left > left - _EDGE]


def _labels_of(group: Group) -> _Labels:
    """Return where the labels of rows begin, but not what text stands beside a table."""
    rows = [row for row in group.rows if row.labels]
    if not rows:
        return _Labels(group.left, ())
    parts = _merged(cell for row in rows for cell in row.labels)
    if len(rows) >= _LEAST_BARE:
        while (
            len(parts) > 1 and sum(row.labels[0].left < parts[0][1] for row in rows) < _LEAST_NAMED
        ):
            del parts[0]  # a number of a page in the margin
    edges = [
        (one[1] + other[0]) / 2
        for one, other in pairwise(parts)
        if other[0] - one[1] >= _GUTTER and _are_both(rows, (one[1] + other[0]) / 2)
    ]
    titles = [line.cells[0].left for line in group.labels]
    left = min([parts[0][0], *(edge for edge in titles if edge < parts[-1][1])])
    for at in reversed(range(len(edges))):
        texts = [cell for row in group.rows for cell in row.cells if cell.right < edges[at]]
        inner = [cell for cell in texts if at == 0 or cell.left > edges[at - 1]]
        if _is_of_page(inner):
            beside = [cell.left for row in rows for cell in row.labels if cell.left > edges[at]]
            return _Labels(min(beside, default=group.left), tuple(edges[at + 1 :]))
    labels = [cell for row in rows for cell in row.labels]
    if _are_full(labels) and _begin_within(labels):
        return _Labels(group.left, ())  # text of the page stands beside them
    return _Labels(left, tuple(edges))


def _are_both(rows: Sequence[NumberLine], edge: float) -> bool:
    """Whether most rows have labels on both sides of an edge."""
    both = sum(
        any(cell.right < edge for cell in row.labels)
        and any(cell.left > edge for cell in row.labels)
        for row in rows
    )
    return both >= _BOTH * len(rows)


def _is_of_page(cells: Sequence[Cell]) -> bool:
    """Whether lines are of a text: long, and most of them as long as the others."""
    if len(cells) < _LEAST_ROWS:
        return False
    return is_prose([cell.text for cell in cells]) or _are_full(cells)


def _are_full(cells: Sequence[Cell]) -> bool:
    """Whether lines are long, and most of them end at one edge, as those of a text do.

    What is said in several rows ends at one edge anyhow.
    """
    cells = [*{cell.text: cell for cell in cells}.values()]
    edge = max(cell.right for cell in cells)
    full = sum(edge - cell.right < _MARGIN for cell in cells)
    is_long = median([len(cell.text) for cell in cells]) > _LONG
    return len(cells) >= _LEAST_ROWS and full >= _FILLED * len(cells) and is_long


def _begin_within(cells: Sequence[Cell]) -> bool:
    """Whether some lines begin within a sentence, as those of a text do: no leaders behind them.

    Each label begins with a capital letter, where its script has such.
    """
    if any(cell.text.endswith("..") for cell in cells):
        return False
    begins = [cell.text[0] for cell in cells if cell.text[0].isalpha()]
    if any(letter.lower() == letter.upper() for letter in begins):
        return True
    return sum(map(str.islower, begins)) >= _WITHIN * len(cells)


def _merged(cells: Iterator[Cell]) -> list[tuple[float, float]]:
    """Return where labels stand, those that overlap as one."""
    found: list[tuple[float, float]] = []
    for left, right in sorted((cell.left, cell.right) for cell in cells):
        if found and left <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], right))
        else:
            found.append((left, right))
    return found


def _with_labels(
    body: Sequence[list[NumberLine]], group: Group, left: float
) -> list[list[NumberLine]]:
    """Return rows with the lines of labels between them: each its own, or of a row beside it."""
    lines = [row[0] for row in body]
    lines += [line for line in (*group.labels, *group.over) if _within(line.cells, left)]
    lines.sort(key=lambda line: line.at)
    found: list[list[NumberLine]] = []
    near = _near_below(lines, left)
    right = max((cell.right for line in lines for cell in _within(line.labels, left)), default=left)
    for at, line in enumerate(lines):
        above = found[-1] if found else None
        below = lines[at + 1] if at + 1 < len(lines) else None
        is_near = at in near and not (line.values and above and any(one.values for one in above))
        if above and (
            is_near
            or _is_rest(above, line, left)
            or _hangs_alone(above, line, below, left, right)
            or _hangs_below(above, line, below, left)
        ):
            above.append(line)
        else:
            found.append([line])
    return found


def _near_below(lines: Sequence[NumberLine], left: float) -> set[int]:
    """Return which lines are nearer to the one above than rows are that have a label and numbers each.

    A label of two lines may have its numbers beside the second, or between the two.
    """
    whole = [bool(line.values and _within(line.labels, left)) for line in lines]
    steps = [one.middle - other.middle for one, other in pairwise(lines)]
    rows = [step for step, both in zip(steps, pairwise(whole), strict=True) if all(both)]
    if len(rows) < _LEAST_ROWS:
        return set()
    return {at for at, step in enumerate(steps, start=1) if _ROW_STEP * step < min(rows)}


def _is_rest(above: Sequence[NumberLine], line: NumberLine, left: float) -> bool:
    """Whether a line goes on with the label above: it begins with a small letter."""
    last = above[-1]
    names, name = _within(last.labels, left), _within(line.labels, left)
    if not (names and name) or last.middle - line.middle > _NEXT_LINE * line.height:
        return False
    has_values = any(one.values for one in above)
    if has_values and line.values:
        return False
    is_small = name[0].text[:1].islower()
    ends = names[-1].text.rstrip()[-1:] in ":;.!?"
    is_inside = not line.values or has_values or name[0].left >= names[0].left - _EDGE
    return is_small and is_inside and not ends


def _had_room(names: Sequence[Cell], line: NumberLine, right: float) -> bool:
    """Whether the first word of a line would have stood in the one above, up to an edge."""
    first = line.pieces[0]
    share = len(first_word(first.words)) / len(first.words)
    return names[-1].right + share * first.width < right


def _hangs_alone(
    above: Sequence[NumberLine],
    line: NumberLine,
    below: NumberLine | None,
    left: float,
    right: float,
) -> bool:
    """Whether a row hangs below a label, and what follows begins where the label does.

    Rows of which a title is said follow each other.
    """
    first = above[0]
    names, name = _within(first.labels, left), _within(line.labels, left)
    if len(above) > 1 or first.values or not (names and name and line.values and below):
        return False
    if first.middle - line.middle > _NEXT_LINE * line.height or names[0].is_bold:
        return False
    if _had_room(names, line, right):
        return False
    next_names = _within(below.labels, left)
    begins = [one[0].left for one in (names, name, next_names) if one]
    is_title = names[-1].text.rstrip()[-1:] in ":;.!?" or names[-1].text.isupper()
    return (
        not is_title
        and len(begins) > 2
        and begins[1] > begins[0] + _INDENT * line.height
        and begins[2] < begins[1] - _INDENT * line.height
    )


def _hangs_below(
    above: Sequence[NumberLine], line: NumberLine, below: NumberLine | None, left: float
) -> bool:
    """Whether the rest of a label hangs below a row, and the next begins where that does."""
    first = above[0]
    names, name = _within(first.labels, left), _within(line.labels, left)
    if not (names and name and first.values and below) or line.values or len(above) > 1:
        return False
    if first.middle - line.middle > _NEXT_LINE * line.height or name[0].is_bold > names[0].is_bold:
        return False
    next_names = _within(below.labels, left)
    indent = name[0].left - names[0].left
    is_back = bool(next_names) and abs(next_names[0].left - names[0].left) <= _SAME_LEFT
    return is_back and bool(below.values) and indent > _INDENT * line.height


def _edges_of(group: Group, labels: _Labels, header: Header) -> tuple[float, ...]:
    """Return the edges of the columns, in the middle between what stands in them."""
    extents = []
    for at, column in enumerate(group.columns):
        names = header.named.get(at, [])
        left = min([column.left, *(name.left for name in names)])
        right = max([column.right, *(name.right for name in names)])
        extents.append((left, right))
    edges = []
    for at, (one, other) in enumerate(pairwise(extents)):
        plain = (group.columns[at].right, group.columns[at + 1].left)
        ends = (one[1], other[0]) if one[1] < other[0] else plain
        edges.append((ends[0] + ends[1]) / 2)
    rights = [cell.right for row in group.rows for cell in _within(row.labels, labels.left)]
    rights = [edge for edge in rights if edge < group.left + _EDGE]
    if not rights:
        return (extents[0][0] - _EDGE, *edges, extents[-1][1] + _EDGE)
    right = max(rights)
    begin = extents[0][0] if extents[0][0] > right else group.left
    first = (right + begin) / 2
    return (labels.left - _EDGE, *labels.edges, first, *edges, extents[-1][1] + _EDGE)


def _row_edges(rows: Sequence[tuple[float, float]]) -> list[float]:
    """Return where rows begin and end, by how high and low each reaches."""
    between = [(above[1] + below[0]) / 2 for above, below in pairwise(rows)]
    return [rows[0][0] + 1, *between, rows[-1][1] - 1]


def _top(row: Sequence[NumberLine]) -> float:
    return max(line.top for line in row)


def _bottom(row: Sequence[NumberLine]) -> float:
    return min(line.bottom for line in row)
