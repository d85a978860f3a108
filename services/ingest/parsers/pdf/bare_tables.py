"""Find the tables that no line is drawn for: rows whose cells stand below each other.

Below a header in bold two rows are a table; without one it takes more, so that lists, code, an index
and text in two columns are none.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median

from services.ingest.model.book import MarkupKind
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.tables import Table

_CODE = (MarkupKind.CODE, "")
_GAP = 0.9
"""Of a letter's height, from which on a space is more than one between words."""
_ALIGNED = 3.0
"""Points that the edge of a cell is away from that of its header at most."""
_SAME_LINE = 0.35
_NEXT_LINE = 2.2
"""Of a letter's height: how far apart letters of one line stand, and lines of one table."""
_NEXT_ROW = 3.2
"""Of a letter's height: how far below the row above one may begin that has a first cell and another."""
_LEAST_ROWS = 2
"""With several cells, below the header."""
_LEAST_ALIGNED, _LEAST_PAIRS = 3, 4
"""With several cells, where there is no header: of three columns or more, and of two."""
_FILLED = 0.75
"""Of the rows, that have several cells."""
_WIDE = 0.3
"""Of the width of a page's text: two columns of lines so wide are of its layout."""
_MOST_MARKS = 2
"""Signs that the items of a list and of one within it begin with."""
_LABEL = re.compile(r"\W{1,3}|\(?\w{1,4}[.)]")
_NAMES_PAGES = re.compile(r"[^\W\d](?:,\d{1,5}(?:[–-]\d{1,5})?)+$")


@dataclass(frozen=True)
class _Piece:
    """What stands on a line without a wide gap; edges in points, from the lower left corner."""

    left: float
    right: float
    bottom: float
    top: float
    is_bold: bool
    leads: bool
    """Whether it is mostly the dots that lead to a number of a page."""
    is_code: bool
    text: str
    """Without space."""

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def middle(self) -> float:
        return (self.bottom + self.top) / 2

    @property
    def height(self) -> float:
        return self.top - self.bottom

    def is_under(self, header: "_Piece") -> bool:
        """Whether it is set left, right or centred as its header is."""
        left, right = self.left - header.left, self.right - header.right
        return min(abs(left), abs(right), abs(left + right) / 2) <= _ALIGNED


def find_bare_tables(runs: Sequence[Sequence[Sign]], others: Sequence[Table]) -> Iterator[Table]:
    """Yield the tables of a page from the top; `runs` are its characters, `others` those with lines."""
    signs = ([one for one in run if not any(other.holds(one) for other in others)] for run in runs)
    lines = _lines([piece for run in signs for piece in _pieces(run)])
    pieces = [piece for line in lines for piece in line]
    width = max((piece.right for piece in pieces), default=0.0) - min(
        (piece.left for piece in pieces), default=0.0
    )
    at = 0
    while at < len(lines):
        rows = list(_rows_under(lines, at)) if len(lines[at]) > 1 else []
        table = None
        if _is_header(lines[at]):
            several = sum(len(row) > 1 for row in rows)
            # First cells may stand in the middle of their rows: no line tells where those begin.
            is_told = several >= _LEAST_ROWS and 0 in rows[0]
            table = _table(lines[at], rows) if is_told else None
        elif _are_aligned(lines[at], rows, width):
            while len(rows[-1]) == 1 and 0 in rows[-1]:
                rows.pop()  # a short line of the text below
            table = _table(lines[at], rows)
        if table:
            yield table
        # Where lines stand below each other and are none, no line is looked at again and again.
        at += 1 + len(rows) if table else max(1, len(rows) // 2)


def _are_aligned(first: Sequence[_Piece], rows: Sequence[dict[int, _Piece]], width: float) -> bool:
    """Whether lines without a header are rows of a table; `width` is that of the page's text."""
    lines = [dict(enumerate(first)), *rows]
    several = [row for row in lines if len(row) > 1]
    if len(several) < (_LEAST_ALIGNED if len(first) > 2 else _LEAST_PAIRS):
        return False
    if len(several) < _FILLED * sum(0 in row for row in lines):
        return False  # terms, one of some with what is said of them
    pieces = [piece for row in several for piece in row.values()]
    if any(piece.leads for piece in pieces) or 2 * sum(map(_in_index, pieces)) > len(pieces):
        return False
    if 2 * sum(all(piece.is_code for piece in row.values()) for row in several) > len(several):
        return False
    if len(first) > 2:
        return True
    # Two columns may be marks of a list with their items, or the columns of the page.
    labels = [row[0].text for row in several if 0 in row]
    # A list repeats its marks; the operators of a language are each another.
    signs = {label for label in labels if not any(letter.isalnum() for letter in label)}
    is_list = all(map(_LABEL.fullmatch, labels)) and len(signs) <= _MOST_MARKS
    widths = [median([row[at].width for row in several if at in row]) for at in (0, 1)]
    return not is_list and min(widths) < _WIDE * width


def _in_index(piece: _Piece) -> bool:
    return bool(_NAMES_PAGES.search(piece.text))


def _pieces(run: Sequence[Sign]) -> Iterator[_Piece]:
    seen = [sign for sign in run if sign[0].strip()]
    starts = [0]
    for at, (before, sign) in enumerate(pairwise(seen), start=1):
        if sign[1] - before[2] > _GAP * (sign[4] - sign[3]) or sign[1] < before[1]:
            starts.append(at)
    for first, last in pairwise([*starts, len(seen)]):
        part = seen[first:last]
        if part:
            yield _Piece(
                min(sign[1] for sign in part),
                max(sign[2] for sign in part),
                fmean(sign[3] for sign in part),
                fmean(sign[4] for sign in part),
                2 * sum(map(_is_bold, part)) > len(part),
                2 * sum(sign[0] == "." for sign in part) > len(part),
                2 * sum(_CODE in sign[5] for sign in part) > len(part),
                "".join([sign[0] for sign in part]),
            )


def _is_bold(sign: Sign) -> bool:
    return any(kind is MarkupKind.STRONG for kind, _ in sign[5])


def _lines(pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    """Return what stands at one height together, from the top, each from the left."""
    lines: list[list[_Piece]] = []
    for piece in sorted(pieces, key=lambda piece: -piece.middle):
        if lines and lines[-1][0].middle - piece.middle < _SAME_LINE * piece.height:
            lines[-1].append(piece)
        else:
            lines.append([piece])
    return [sorted(line, key=lambda piece: piece.left) for line in lines]


def _is_header(line: Sequence[_Piece]) -> bool:
    return len(line) > 1 and all(piece.is_bold and not piece.leads for piece in line)


def _rows_under(lines: Sequence[Sequence[_Piece]], at: int) -> Iterator[dict[int, _Piece]]:
    """Yield the cells of the lines below a header by their columns, as far as they fit."""
    is_told = _is_header(lines[at])
    for above, line in pairwise(lines[at:]):
        begins = is_told and len(line) > 1 and line[0].is_under(lines[at][0])
        step = _NEXT_ROW * line[-1].height if begins else _NEXT_LINE * line[0].height
        if above[0].middle - line[0].middle > step or _is_header(line):
            return
        cells: dict[int, _Piece] = {}
        for piece in line:
            columns = range(max(cells, default=-1) + 1, len(lines[at]))
            column = next((one for one in columns if piece.is_under(lines[at][one])), None)
            if column is None or piece.leads or _reaches_over(piece, lines[at], column):
                return
            cells[column] = piece
        yield cells


def _reaches_over(piece: _Piece, header: Sequence[_Piece], column: int) -> bool:
    """Whether a piece is wider than its column: a line of the text below the table."""
    return column + 1 < len(header) and piece.right > header[column + 1].left


def _table(header: Sequence[_Piece], rows: Sequence[dict[int, _Piece]]) -> Table | None:
    """Return the table, a row for each line that has a first cell; None where columns overlap."""
    lines = [dict(enumerate(header)), *rows]
    lefts = [min(row[at].left for row in lines if at in row) for at in range(len(header))]
    rights = [max(row[at].right for row in lines if at in row) for at in range(len(header))]
    if any(right >= left for right, left in zip(rights, lefts[1:], strict=False)):
        return None
    between = [(right + left) / 2 for right, left in zip(rights, lefts[1:], strict=False)]
    edges = [
        (_bottom(above) + max(cell.top for cell in row.values())) / 2
        for above, row in pairwise(lines)
        if 0 in row
    ]
    columns = (lefts[0] - _ALIGNED, *between, rights[-1] + _ALIGNED)
    return Table(columns, (max(one.top for one in header), *edges, _bottom(lines[-1])))


def _bottom(row: dict[int, _Piece]) -> float:
    return min(cell.bottom for cell in row.values())
