"""Find the tables that drawn lines and characters make, one line of text a row."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, pairwise

import pypdfium2 as pdfium

from services.ingest.model.book import Markup, MarkupKind
from services.ingest.parsers.markup import shift
from services.ingest.parsers.pdf.dropped_pieces import DroppedPieces, changed
from services.ingest.parsers.pdf.line import HYPHEN, Line, Sign, keeps_hyphen
from services.ingest.parsers.pdf.marking import Marked, join_cells, joined, marked_text
from services.ingest.parsers.pdf.raised import height_of_line, take_raised
from services.ingest.parsers.pdf.rules import Rule, read_rules

_TOO_MANY = changed(
    "table", "its page has too many lines to tell cells by: what stands in them is plain text"
)
_SPARSE = changed("table", "most of its cells are empty: what stands in the others is plain text")
_SPANNED = changed("table", "a cell over several rows stands in the first of them")
_Row = tuple[float, list[Marked]]
"""The height of a row of a table, and its cells."""

_TOUCH = 3.0
_LEAST_ROW = 6.0
"""Points from a line to where upright ones end, if there is a row between."""
_MOST_RULES = 300
_MOST_OPEN = 12
_MOST_LOOKS = 200_000
"""Letters of a page times groups of rules of one length: each rule of a group may look at them all."""
_LEAST_GAP = 4.0
"""Points without a letter, all the way down, between two columns that no line parts."""
_NAME = re.compile(r"[/_\\\d]")
"""A path or a name of a program, whose hyphen is its own."""
_MOST_OVER = 2
"""Rows of titles and headers over one that holds all others."""
_MANY = 4
_TALLEST_HEADER = 60.0
_WITHIN_WORD = 0.12
"""Of a letter's height: letters of a word are no farther apart, those of two cells are."""


@dataclass(frozen=True)
class Table:
    """A table by the edges of its columns, from the left, and of its rows, from the top.

    `is_ruled` says that every row ends at a line. `open` are the rows and columns of cells that no
    line parts from the cell above: one cell that spans rows. `is_cut` says that it goes on at another
    page: its first or last row has no line there.
    """

    columns: tuple[float, ...]
    rows: tuple[float, ...]
    is_ruled: bool = True
    open: frozenset[tuple[int, int]] = frozenset()
    is_cut: bool = False

    def holds(self, sign: Sign) -> bool:
        x, y = (sign[1] + sign[2]) / 2, (sign[3] + sign[4]) / 2
        return (
            self.columns[0] - 1 < x < self.columns[-1] + 1
            and self.rows[-1] - 1 < y < self.rows[0] + 1
        )

    def column_of(self, sign: Sign) -> int:
        return bisect_right(self.columns[1:-1], (sign[1] + sign[2]) / 2)

    def band_of(self, y: float) -> int:
        return sum(1 for edge in self.rows[1:-1] if y < edge)

    def first_band(self, band: int, column: int) -> int:
        """Return the topmost of the rows that a cell spans."""
        while (band, column) in self.open:
            band -= 1
        return band


@dataclass(frozen=True)
class _Piece:
    """What one line of text has in one column."""

    column: int
    band: int
    y: float
    text: str
    markup: tuple[Markup, ...] = ()


def find_tables(
    page: pdfium.PdfPage, runs: Sequence[Sequence[Sign]], dropped: DroppedPieces
) -> list[Table]:
    """Return the tables of a page; `runs` are its characters, line by line."""
    level, upright = read_rules(page)
    if len(level) + len(upright) > _MOST_RULES:
        dropped.note(_TOO_MANY)
        return []
    tables = [_with_bare_rows(table, runs) for table in _grids(level, upright)]
    alone = [
        rule
        for rule in level
        if not any(_lies_in(rule, table) for table in tables)
        and not any(_crosses(rule, other) for other in upright)
    ]
    tables += _open_tables(alone, runs)
    filled = [table for table in tables if _is_filled(table, runs)]
    for table in tables:
        words = _words_in(table, runs)
        if table not in filled and words:
            dropped.note(_SPARSE, words)
        elif table.open and words:
            dropped.note(_SPANNED, words)
    return filled


def _words_in(table: Table, runs: Sequence[Sequence[Sign]]) -> str:
    """Return the first line of what stands between the edges of a table."""
    lines = ("".join(sign[0] for sign in run if table.holds(sign)).strip() for run in runs)
    return next(filter(None, lines), "")


def _with_bare_rows(table: Table, runs: Sequence[Sequence[Sign]]) -> Table:
    """Return a grid as one whose rows end at no line, if its last line holds many rows.

    Cells of several lines seldom have as many in every column.
    """
    last = len(table.rows) - 2
    if last > _MOST_OVER:
        return table
    lines: list[list[_Piece]] = []
    for piece in sorted(_pieces(table, runs), key=lambda piece: -piece.y):
        if piece.band == last:
            if not lines or lines[-1][0].y - piece.y > _TOUCH:
                lines.append([])
            lines[-1].append(piece)
    every = set(range(len(table.columns) - 1))
    is_full = all({piece.column for piece in line} == every for line in lines)
    return replace(table, is_ruled=False) if is_full and len(lines) >= _MANY else table


def rows_of(table: Table, runs: Sequence[Sequence[Sign]], number: int, mark: int) -> list[Line]:
    """Return the rows of a table on page `number`, cells parted by " | "."""
    signs = [sign for run in runs for sign in run if table.holds(sign) and sign[0].strip()]
    size = round(max((sign[4] - sign[3] for sign in signs), default=0.0), 1)
    lines = []
    for y, cells in _without_frame(list(_rows(table, runs))):
        text, markup = join_cells(cells)
        left, right = table.columns[0], table.columns[-1]
        kind = MarkupKind.FOOTNOTE_REFERENCE
        marks = tuple(one.value for one in markup if one.kind is kind)
        lines.append(
            Line(text, number, left, right, y, size, table=mark, markup=markup, marks=marks)
        )
    return lines


def _without_frame(rows: Sequence[_Row]) -> list[_Row]:
    """Leave out empty columns at the edges: what stands between the lines of a frame."""
    held = [
        at
        for at in range(max((len(cells) for _, cells in rows), default=0))
        if any(cells[at][0] for _, cells in rows)
    ]
    first, last = (held[0], held[-1]) if len(held) > 1 else (0, None)
    return [(y, cells[first : None if last is None else last + 1]) for y, cells in rows]


def _lies_in(rule: Rule, table: Table) -> bool:
    return (
        table.rows[-1] - _TOUCH <= rule.place <= table.rows[0] + _TOUCH
        and rule.end > table.columns[0]
        and rule.start < table.columns[-1]
    )


def _crosses(level: Rule, upright: Rule) -> bool:
    return (
        level.start - _TOUCH <= upright.place <= level.end + _TOUCH
        and upright.start - _TOUCH <= level.place <= upright.end + _TOUCH
    )


def _grids(level: Sequence[Rule], upright: Sequence[Rule]) -> Iterator[Table]:
    """Yield what lines in both directions make, each with two rows and two columns at least."""
    left = set(range(len(upright)))
    while left:
        across: set[int] = set()
        down = {left.pop()}
        grown = True
        while grown:
            new = {
                index
                for index, rule in enumerate(level)
                if index not in across and any(_crosses(rule, upright[one]) for one in down)
            }
            across |= new
            more = {one for one in left if any(_crosses(level[a], upright[one]) for a in new)}
            left -= more
            down |= more
            grown = bool(more)
        table = _grid([level[one] for one in across], [upright[one] for one in down])
        if table:
            yield table


def _grid(level: Sequence[Rule], upright: Sequence[Rule]) -> Table | None:
    if not level:
        return None
    ends = (min(rule.start for rule in level), max(rule.end for rule in level))
    columns = _apart([*(rule.place for rule in upright), *ends])
    cut = list(_cut_ends(level, upright))
    rows = _apart([*(rule.place for rule in level), *cut])
    if len(columns) < 3 or len(rows) < 3 - len(cut):
        return None
    rows.reverse()
    spanned = frozenset(_open_cells(columns, rows, level))
    return Table(tuple(columns), tuple(rows), open=spanned, is_cut=bool(cut))


def _cut_ends(level: Sequence[Rule], upright: Sequence[Rule]) -> Iterator[float]:
    """Yield where a table ends that was cut between two pages: at most of its upright lines."""
    top, foot = max(rule.place for rule in level), min(rule.place for rule in level)
    over = [rule.end for rule in upright if rule.end > top + _LEAST_ROW]
    under = [rule.start for rule in upright if rule.start < foot - _LEAST_ROW]
    for ends in (over, under):
        if 2 * len(ends) >= len(upright) and max(ends) - min(ends) <= _TOUCH:
            yield ends[0]


def _open_cells(
    columns: Sequence[float], rows: Sequence[float], level: Sequence[Rule]
) -> Iterator[tuple[int, int]]:
    for band, edge in enumerate(rows[1:-1], start=1):
        here = [rule for rule in level if abs(rule.place - edge) <= _TOUCH]
        for column, (left, right) in enumerate(pairwise(columns)):
            middle = (left + right) / 2
            if not any(rule.start <= middle <= rule.end for rule in here):
                yield band, column


def _apart(places: Sequence[float]) -> list[float]:
    kept: list[float] = []
    for place in sorted(places):
        if not kept or place - kept[-1] > _TOUCH:
            kept.append(place)
    return kept


def _open_tables(level: Sequence[Rule], runs: Sequence[Sequence[Sign]]) -> Iterator[Table]:
    """Yield the tables whose columns only their text shows, between lines of one length."""
    groups: dict[tuple[int, int], list[Rule]] = defaultdict(list)
    for rule in level:
        groups[round(rule.start / 4), round(rule.end / 4)].append(rule)
    letters = sum(map(len, runs))
    for rules in islice(groups.values(), _MOST_LOOKS // max(letters, 1)):
        yield from _open_tables_of(sorted(rules, reverse=True)[:_MOST_OPEN], runs)


def _open_tables_of(rules: Sequence[Rule], runs: Sequence[Sequence[Sign]]) -> list[Table]:
    """Return the tables between lines of one length, from the top; the largest first."""
    found: list[Table] = []
    spans = combinations(range(len(rules)), 2)
    for first, last in sorted(spans, key=lambda span: span[0] - span[1]):
        within = rules[first : last + 1]
        table = _open_table(within, runs)
        if table and not any(_lies_in(rule, one) for one in found for rule in within):
            found.append(table)
    return found


def _open_table(rules: Sequence[Rule], runs: Sequence[Sequence[Sign]]) -> Table | None:
    if len(rules) < 3 or rules[0].place - rules[1].place > _TALLEST_HEADER:
        return None
    edges = (min(rule.start for rule in rules), max(rule.end for rule in rules))
    whole = Table(edges, tuple(rule.place for rule in rules), is_ruled=len(rules) > 3)
    signs = [sign for run in runs for sign in run if whole.holds(sign) and sign[0].strip()]
    gaps = list(_gaps(signs))
    if not gaps:
        return None
    return Table((edges[0], *gaps, edges[1]), whole.rows, whole.is_ruled)


def _gaps(signs: Sequence[Sign]) -> Iterator[float]:
    """Yield the middles of the stripes that hold no letter from top to bottom."""
    reach = float("inf")
    for sign in sorted(signs, key=lambda sign: sign[1]):
        if sign[1] - reach > _LEAST_GAP:
            yield (sign[1] + reach) / 2
        reach = sign[2] if reach == float("inf") else max(reach, sign[2])


def _is_filled(table: Table, runs: Sequence[Sequence[Sign]]) -> bool:
    """Whether there is text in most cells, as in a table and not in a drawing."""
    rows = [[text for text, _ in cells] for _, cells in _rows(table, runs)]
    if len(rows) < (1 if table.is_cut else 2):
        return False
    cells = [cell for row in rows for cell in row]
    several = sum(1 for row in rows if sum(map(bool, row)) > 1)
    return sum(map(bool, cells)) * 2 >= len(cells) and several * 2 >= len(rows)


def _rows(table: Table, runs: Sequence[Sequence[Sign]]) -> Iterator[_Row]:
    """Yield the height and the cells of each row that holds text."""
    pieces = sorted(_pieces(table, runs), key=lambda piece: (piece.band, -piece.y))
    row: list[_Piece] = []
    for piece in pieces:
        if row and _starts_row(table, row, piece):
            yield row[0].y, _cells(table, row)
            row = []
        row.append(piece)
    if row:
        yield row[0].y, _cells(table, row)


def _starts_row(table: Table, row: Sequence[_Piece], piece: _Piece) -> bool:
    if piece.band != row[-1].band:
        return True
    if table.is_ruled or piece.band == 0:
        return False
    # Where no line parts the rows, each one has something in its first column.
    return piece.column == 0 and row[0].y - piece.y > _TOUCH


def _pieces(table: Table, runs: Sequence[Sequence[Sign]]) -> Iterator[_Piece]:
    held = [[sign for sign in run if table.holds(sign)] for run in runs]
    starts = _starts(table, held)
    for run in held:
        column, signs = -1, list[Sign]()
        # A word may reach over the start of the next text: that text is written after it.
        firsts = {table.column_of(sign): sign for sign in run if _is_at(sign, table, starts)}
        for sign in run:
            at = table.column_of(sign)
            if signs and sign is not firsts.get(at) and _goes_on(signs[-1], sign):
                at = column
            if at != column and signs:
                yield from _piece(table, column, signs)
                signs = []
            column = at
            signs.append(sign)
        yield from _piece(table, column, signs)


def _starts(table: Table, runs: Sequence[Sequence[Sign]]) -> list[float]:
    """Return where most texts of each column begin; infinity where none does."""
    counts = [Counter[float]() for _ in table.columns[1:]]
    for run in runs:
        for before, sign in zip([None, *run], run, strict=False):
            if sign[0].strip() and (before is None or not _touch(before, sign)):
                counts[table.column_of(sign)][round(sign[1])] += 1
    return [max(count, key=count.__getitem__, default=float("inf")) for count in counts]


def _is_at(sign: Sign, table: Table, starts: Sequence[float]) -> bool:
    return bool(sign[0].strip()) and abs(sign[1] - starts[table.column_of(sign)]) <= 1


def _goes_on(before: Sign, sign: Sign) -> bool:
    """Whether a character is in the cell of the one before, wherever it stands.

    A word may reach out of a column that is too narrow for it.
    """
    return not sign[0].strip() or sign[0] == HYPHEN or _touch(before, sign)


def _touch(before: Sign, sign: Sign) -> bool:
    gap = abs(sign[1] - before[2])
    return bool(before[0].strip()) and gap < _WITHIN_WORD * (sign[4] - sign[3])


def _piece(table: Table, column: int, signs: Sequence[Sign]) -> Iterator[_Piece]:
    seen = [sign for sign in signs if sign[0].strip() and sign[0] != HYPHEN]
    if not seen:
        return
    size = Counter(round(sign[4] - sign[3], 1) for sign in seen).most_common(1)[0][0]
    parts, marks = take_raised(signs, size, height_of_line(seen, size))
    # A cell that begins with a raised number is a note to the table: what it begins with is its text.
    first = marks[0][1:] if marks and marks[0].startswith("^") else ""
    text, markup = marked_text([(first, ()), *parts])
    if text:
        y = min(sign[3] for sign in signs)
        middle = (y + max(sign[4] for sign in signs)) / 2
        band = table.first_band(table.band_of(middle), column)
        yield _Piece(column, band, y, text, markup)


def _cells(table: Table, pieces: Sequence[_Piece]) -> list[Marked]:
    cells: list[Marked] = [("", ())] * (len(table.columns) - 1)
    for piece in sorted(pieces, key=lambda piece: -piece.y):
        before, markup = cells[piece.column]
        space = " " if before else ""
        head = f"{before}{space}"
        if before.endswith(HYPHEN):
            is_name = _NAME.search(before.split()[-1]) or keeps_hyphen(before, piece.text)
            head = f"{before[:-1]}-" if is_name else before[:-1]
        cells[piece.column] = (head + piece.text, (*markup, *shift(piece.markup, len(head))))
    # What goes on in the next line of its cell is one.
    return [(text.replace(HYPHEN, "-"), tuple(joined(markup, text))) for text, markup in cells]
