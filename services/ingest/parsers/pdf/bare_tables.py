"""Find the tables that no line is drawn for: rows whose cells stand below each other.

Below a header in bold two rows are a table; without one it takes more, so that lists, code, an index
and text in two columns are none.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from services.ingest.parsers.pdf.bands import with_rows
from services.ingest.parsers.pdf.bare_pieces import (
    Piece,
    are_axes,
    lines_of_pieces,
    pieces_of_run,
)
from services.ingest.parsers.pdf.broken_prose import is_prose
from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.centred_cells import with_centred_cells
from services.ingest.parsers.pdf.flow import begins_caption
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.number_tables import find_number_tables
from services.ingest.parsers.pdf.rules import Rule
from services.ingest.parsers.pdf.told_tables import without_told

_STRETCHED = 3.5
"""Of a letter's height: the widest space between the words of a line that fills its cell."""
_ALIGNED = 3.0
"""Points that the edge of a cell is away from that of its header at most."""
_MOST_OVERLAP = 2.0
"""Points that the longest cell of a column reaches over the start of the next: of another row's."""
_NEXT_LINE = 2.2
"""Of a letter's height: how far apart lines of one table stand."""
_NEXT_ROW = 3.2
"""Of a letter's height: how far below the row above one may begin that has a first cell and another."""
_NEXT_WHOLE_ROW = 5.0
"""One that has as many cells as the first line, three at least."""
_LEAST_ROWS = 2
"""With several cells, below the header."""
_LEAST_ALIGNED, _LEAST_PAIRS = 3, 4
"""With several cells, where there is no header: of three columns or more, and of two."""
_FILLED = 0.75
"""Of the rows, that have several cells."""
_WIDE = 0.3
"""Of the width of a page's text: two columns of lines so wide are of its layout."""
_MOST_OVER = 0.15
"""Of the lines of a page in two columns, that reach over its middle."""
_MIDDLE = 0.08
"""Of the width of a page's text: how far from its middle the second of two columns of a page begins."""
_FULL_LINES = 0.4
"""Of the lines of a text, that reach its right edge."""
_LEAST_LAYOUT, _STEP = 8, 0.1
"""Lines of a page in two columns, and how far apart, of a letter's height, lines at one height are."""
_MOST_LOOKS = 8
"""At a line, on average."""
_MOST_MARKS = 2
"""Signs that the items of a list and of one within it begin with."""
_LABEL = re.compile(r"\W{1,3}|\(?\w{1,4}[.)]|\[[^\]]{1,20}\]")
_LONG_NUMBER, _LEAST_STEP = 7, 11
_AMOUNT = re.compile(r"\W{0,3}\d")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d(?:[–/-]\d{2,4})?")

_NAMES_PAGES = re.compile(r"[^\d,](?:,\d{1,5}(?:[–-]\d{1,5})?)+,?$")


@dataclass(frozen=True)
class _Text:
    """Where the text of a page begins, its width, and whether few lines reach over its middle."""

    left: float
    width: float
    is_parted: bool


def find_bare_tables(
    runs: Sequence[Sequence[Sign]], others: Sequence[Table], level: Sequence[Rule]
) -> Iterator[Table]:
    """Yield the tables of a page from the top; `runs` are its characters, `others` those with lines.

    `level` are the horizontal lines of the page: one may part a header from its rows.
    """
    signs = ([one for one in run if not any(other.holds(one) for other in others)] for run in runs)
    lines = lines_of_pieces([piece for run in signs for piece in pieces_of_run(run)])
    lines = with_centred_cells(lines)
    counted = _without_told(find_number_tables(lines, others, level), lines, runs, level)
    yield from counted
    lines = [kept for line in lines if (kept := [one for one in line if not _is_in(one, counted)])]
    text = _text_of(lines)
    for table, _ in _tables_in(lines, text, level):
        yield with_rows(table, runs)


def _without_told(
    counted: Sequence[Table],
    lines: Sequence[Sequence[Piece]],
    runs: Sequence[Sequence[Sign]],
    level: Sequence[Rule],
) -> list[Table]:
    """Return tables of numbers but for those that a header in bold tells as well."""
    if not counted:
        return []
    found = _tables_in([[*line] for line in lines], _text_of(lines), level)
    told = [with_rows(table, runs) for table, is_told in found if is_told]
    return without_told(counted, told, runs)


def _is_in(piece: Piece, tables: Sequence[Table]) -> bool:
    middle = (piece.left + piece.right) / 2
    return any(
        table.rows[-1] < piece.middle < table.rows[0]
        and table.columns[0] < middle < table.columns[-1]
        for table in tables
    )


def _tables_in(
    lines: list[list[Piece]], text: _Text, level: Sequence[Rule]
) -> Iterator[tuple[Table, bool]]:
    """Yield each table, and whether it has a header."""
    at = looked = last = 0
    while at < len(lines):
        is_told = _is_header(lines[at]) or _is_underlined(lines[at : at + 2], level)
        whole = _header_of_two(lines[at : at + 2])
        if whole:
            lines[at : at + 2] = [whole]
        if is_told:
            lines[at] = _with_unnamed_first(lines[at], lines[at + 1 : at + 2])
        rows = list(_rows_under(lines, at, is_told)) if len(lines[at]) > 1 else []
        table = None
        if is_told:
            rows = rows or _rows_in_order(lines, at)
            several = sum(len(row) > 1 for row in rows)
            # First cells may stand in the middle of their rows: no line tells where those begin.
            begins = several >= _LEAST_ROWS and 0 in rows[0] and not _are_layout(rows, text)
            table = _table(lines[at], rows, has_header=True) if begins else None
        elif _are_aligned(lines[at], rows, text) and not are_axes([lines[at], *rows]):
            while len(rows[-1]) == 1 and 0 in rows[-1]:
                rows.pop()  # a short line of the text below
            table = _table(lines[at], rows, has_header=False)
            table = table and _with_rows_above(table, lines[last:at])
        if table:
            last = at + 1 + len(rows)
            yield table, is_told
        looked += len(rows)
        # Where lines stand below each other and are none, no line is looked at without end.
        is_long = looked > _MOST_LOOKS * len(lines)
        at += 1 + len(rows) if table else max(1, len(rows) // 2 * is_long)


def _text_of(lines: Sequence[Sequence[Piece]]) -> _Text:
    left = min((line[0].left for line in lines), default=0.0)
    rights = sorted(line[-1].right for line in lines)
    # A line or two may run out of the page.
    width = (rights[len(rights) * 19 // 20] if rights else 0.0) - left
    middle = left + width / 2
    over = sum(any(piece.left < middle < piece.right for piece in line) for line in lines)
    return _Text(left, width, over < _MOST_OVER * len(lines))


def _with_rows_above(table: Table, lines: Sequence[Sequence[Piece]]) -> Table:
    """Return a table with the lines right above it that have some of its columns."""
    top = table.rows[0]
    for line in reversed(lines):
        columns = [table.column_at((piece.left + piece.right) / 2) for piece in line]
        fits = all(
            piece.left > table.columns[at] - _ALIGNED
            and piece.right < table.columns[at + 1] + _ALIGNED
            for piece, at in zip(line, columns, strict=True)
        )
        is_near = line[0].bottom - top < (_NEXT_LINE - 1) * line[0].height
        if len(set(columns)) < max(2, len(line)) or not fits or not is_near:
            break
        top = max(piece.top for piece in line)
    return replace(table, rows=(top, *table.rows[1:]))


def _are_aligned(first: Sequence[Piece], rows: Sequence[dict[int, Piece]], text: _Text) -> bool:
    """Whether lines without a header are rows of a table."""
    lines = [dict(enumerate(first)), *rows]
    several = [row for row in lines if len(row) > 1]
    if len(several) < (_LEAST_ALIGNED if len(first) > 2 else _LEAST_PAIRS):
        return False
    if len(several) < _FILLED * sum(0 in row for row in lines):
        return False  # terms, one of some with what is said of them
    pieces = [piece for row in several for piece in row.values()]
    if any(piece.leads for piece in pieces) or 3 * sum(map(_in_index, pieces)) > len(pieces):
        return False
    is_code = 2 * sum(all(piece.is_code for piece in row.values()) for row in several) > len(
        several
    )
    is_counted = _count_lines([row[0].text for row in several if 0 in row])
    if is_code or (is_counted and _are_code(several)):
        return False
    columns = [[row[at].text for row in lines if at in row] for at in range(len(first))]
    return not is_prose(columns[0]) if len(first) > 2 else _are_pairs(several, text)


def _are_code(rows: Sequence[dict[int, Piece]]) -> bool:
    """Whether most of what stands beside the first cells is in a font of code."""
    pieces = [piece for row in rows for column, piece in row.items() if column]
    return 2 * sum(piece.is_code for piece in pieces) > len(pieces)


def _are_pairs(rows: Sequence[dict[int, Piece]], text: _Text) -> bool:
    """Whether lines of two cells are not marks and items of a list, or columns of the page."""
    left, width = text.left, text.width
    labels = [row[0].text for row in rows if 0 in row]
    # A list repeats its marks; the operators of a language are each another.
    signs = {label for label in labels if not any(letter.isalnum() for letter in label)}
    is_list = all(map(_LABEL.fullmatch, labels)) and len(signs) <= _MOST_MARKS
    widths = [median([row[at].width for row in rows if at in row]) for at in (0, 1)]
    sides = [[row[at] for row in rows if at in row] for at in (0, 1)]
    at_middle = abs(median(one.left for one in sides[1]) - left - width / 2) < _MIDDLE * width
    full = [widths[at] > _WIDE * width and _are_filled(sides[at]) for at in (0, 1)]
    is_wide = text.is_parted and max(one.width for one in sides[1]) > _WIDE * width
    is_text = full[0] or (at_middle and (full[1] or is_wide))
    return not (is_list or is_text) and min(widths) < _WIDE * width


def _are_layout(rows: Sequence[dict[int, Piece]], text: _Text) -> bool:
    """Whether what stands under two titles is the text of a page in two columns."""
    both = [row for row in rows if row.keys() == {0, 1}]
    if len(both) < _LEAST_LAYOUT:
        return False
    sides = [[row[at] for row in both] for at in (0, 1)]
    are_wide = all(median(one.width for one in side) > _WIDE * text.width for side in sides)
    off = [
        abs(one.middle - other.middle) > _STEP * one.height
        for one, other in zip(*sides, strict=True)
    ]
    return are_wide and (2 * sum(off) > len(off) or all(map(_are_filled, sides)))


def _are_filled(pieces: Sequence[Piece]) -> bool:
    """Whether most of some lines are as long, as those of a text are."""
    edge = median(piece.right for piece in pieces)
    same = sum(abs(piece.right - edge) < _ALIGNED for piece in pieces)
    return same >= _FULL_LINES * len(pieces)


def _count_lines(labels: Sequence[str]) -> bool:
    """Whether the labels count the lines of a program."""
    numbers = [int(label) for label in labels if label.isdecimal() and len(label) < _LONG_NUMBER]
    steps = [below - above for above, below in pairwise(numbers)]
    return len(numbers) == len(labels) and all(0 < step < _LEAST_STEP for step in steps)


def _in_index(piece: Piece) -> bool:
    return bool(_NAMES_PAGES.search(piece.text))


def _is_header(line: Sequence[Piece]) -> bool:
    return len(line) > 1 and all(piece.is_bold and not piece.leads for piece in line)


def _is_total(line: Sequence[Piece], *, is_whole: bool) -> bool:
    """Whether a line in bold has a name and numbers that are no years: it is a row."""
    name, *others = (piece.text for piece in line)
    numbers = [text for text in others if _AMOUNT.match(text) and not _YEAR.fullmatch(text)]
    return is_whole and not name[:1].isdigit() and 2 * len(numbers) > len(others)


def _header_of_two(lines: Sequence[Sequence[Piece]]) -> list[Piece] | None:
    """Return the cells of a header in two lines: of each column the one, the other, or both."""
    if len(lines) < 2 or not all(map(_is_header, lines)):
        return None
    if lines[0][0].middle - lines[1][0].middle > _NEXT_LINE * lines[0][0].height:
        return None
    fewer, more = sorted(lines, key=len)
    cells = dict(enumerate(more))
    for piece in fewer:
        column = next((at for at, cell in enumerate(more) if piece.is_under(cell)), None)
        if column is None or cells[column] is not more[column]:
            return None
        cells[column] = _both(cells[column], piece)
    return [*cells.values()]


def _with_unnamed_first(header: list[Piece], below: Sequence[Sequence[Piece]]) -> list[Piece]:
    """Return a header with an empty cell over the first column, if only the others have names."""
    first = below[0][0] if below else header[0]
    if len(below) and len(below[0]) == len(header) + 1 and first.right < header[0].left:
        return [replace(header[0], left=first.left, right=first.right, text=""), *header]
    return header


def _both(one: Piece, other: Piece) -> Piece:
    return replace(
        one,
        left=min(one.left, other.left),
        right=max(one.right, other.right),
        bottom=min(one.bottom, other.bottom),
        top=max(one.top, other.top),
        text=one.text + other.text,
    )


def _is_underlined(lines: Sequence[Sequence[Piece]], level: Sequence[Rule]) -> bool:
    """Whether a drawn line parts the first of two lines, of several cells, from the second."""
    if len(lines) < 2 or min(map(len, lines)) < 2:
        return False
    first, second = lines
    return any(
        second[0].middle < rule.place < first[0].middle
        and rule.start < first[0].right
        and rule.end > first[-1].left
        for rule in level
    )


def _rows_under(
    lines: Sequence[Sequence[Piece]], at: int, is_told: bool
) -> Iterator[dict[int, Piece]]:
    """Yield the cells of the lines below a header by their columns, as far as they fit."""
    header = lines[at]
    last = dict(enumerate(header)) if not is_told else {}
    for above, line in pairwise(lines[at:]):
        begins = len(line) > 1 and line[0].is_under(last.get(0, header[0]))
        begins = begins and (is_told or line[1].is_under(last.get(1, header[1])))
        is_whole = begins and len(line) == len(header) > 2
        is_priced = begins and all(_AMOUNT.match(one[-1].text) for one in (above, line))
        row = _NEXT_WHOLE_ROW if is_whole or is_priced else _NEXT_ROW
        step = row * line[-1].height if begins else _NEXT_LINE * line[0].height
        is_next = _is_header(line) and not _is_total(line, is_whole=is_whole)
        is_next = is_next or (len(line) == 1 and begins_caption(line[0].words))
        if above[0].middle - line[0].middle > step or is_next:
            return
        cells: dict[int, Piece] = {}
        for piece in line:
            columns = range(max(cells, default=-1) + 1, len(header))
            column = next(
                (one for one in columns if _fits(piece, header[one], last.get(one))), None
            )
            if column is None and is_told and cells:
                column = _stretched(piece, cells)
            if column is None or piece.leads or _reaches_over(piece, header, column):
                return
            cells[column] = _both(cells[column], piece) if column in cells else piece
        last = {**last, **cells}
        yield cells


def _rows_in_order(lines: Sequence[Sequence[Piece]], at: int) -> list[dict[int, Piece]]:
    """Return the whole rows below a header whose names are set another way; [] if they are few."""
    header, rows = lines[at], list[dict[int, Piece]]()
    for above, line in pairwise(lines[at:]):
        is_near = above[0].middle - line[0].middle < _NEXT_ROW * line[-1].height
        is_whole = is_near and len(line) == len(header) > 2
        names = pairwise(header) if is_whole else ()
        fits = [
            before.right < piece.left and other.right < name.left
            for (before, name), (other, piece) in zip(names, pairwise(line), strict=False)
        ]
        if not (is_whole and all(fits)) or any(piece.leads for piece in line):
            break
        rows.append(dict(enumerate(line)))
    return rows if len(rows) >= _LEAST_ALIGNED else []


def _stretched(piece: Piece, cells: dict[int, Piece]) -> int | None:
    """Return the column of the cell before a piece, if only words set wide apart part the two."""
    column = max(cells)
    gap = piece.left - cells[column].right
    return column if gap < _STRETCHED * piece.height else None


def _fits(piece: Piece, header: Piece, last: Piece | None) -> bool:
    """Whether a piece is in a column: as its header is, or the cell above, or else the first below."""
    if piece.is_under(header):
        return True
    if last:
        return piece.is_under(last)
    return piece.left < header.right and piece.right > header.left


def _reaches_over(piece: Piece, header: Sequence[Piece], column: int) -> bool:
    """Whether a piece is wider than its column: a line of the text below the table."""
    return column + 1 < len(header) and piece.right > header[column + 1].left


def _table(
    header: Sequence[Piece], rows: Sequence[dict[int, Piece]], *, has_header: bool
) -> Table | None:
    """Return the table with its header apart; None where columns overlap."""
    lines = [dict(enumerate(header)), *rows]
    lefts = [min(row[at].left for row in lines if at in row) for at in range(len(header))]
    rights = [max(row[at].right for row in lines if at in row) for at in range(len(header))]
    if any(right >= left + _MOST_OVERLAP for right, left in zip(rights, lefts[1:], strict=False)):
        return None
    between = [sum(edge) / 2 for edge in zip(rights, lefts[1:], strict=False)]
    columns = (lefts[0] - _ALIGNED, *between, rights[-1] + _ALIGNED)
    top, foot = max(map(_top, header)), min(map(_foot, lines[-1].values()))
    first = max(map(_top, rows[0].values()))
    edge = ((min(map(_foot, header)) + first) / 2,) if has_header else ()
    return Table(columns, (top, *edge, foot), is_open=True)


def _top(piece: Piece) -> float:
    """Return the upper edge of a piece, which may be of several lines."""
    top = max((sign[4] for sign in piece.signs), default=piece.top)
    return top if top > piece.top + piece.height / 2 else piece.top


def _foot(piece: Piece) -> float:
    foot = min((sign[3] for sign in piece.signs), default=piece.bottom)
    return foot if foot < piece.bottom - piece.height / 2 else piece.bottom
