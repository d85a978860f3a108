"""Tell what stands in the cells of a table, and in which of its rows."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from services.ingest.model.book import Markup, MarkupKind
from services.ingest.parsers.markup import shift
from services.ingest.parsers.pdf.line import HYPHEN, Sign, keeps_hyphen
from services.ingest.parsers.pdf.marking import Marked, joined, marked_text
from services.ingest.parsers.pdf.raised import take_raised

LEAST_GAP = 4.0
"""Points without a letter, all the way down, between two columns that no line parts."""
_AFTER_STOP = 1.35
"""Beside the space between other words of a line."""
_BASE = 0.3
"""Of a letter's height: how far below its middle it stands on its line."""
_CODE = (MarkupKind.CODE, "")
_CODE_SPACE = 0.35
"""Of a letter's height, that a space in a code font is wider than in others."""
_CUT = re.compile(r"[^\W_]-$")
"""A word that a hyphen breaks, not a dash with space before it."""
_NAME = re.compile(r"[/_\\\d]")
"""A path or a name of a program, whose hyphen is its own."""
_SPACE = 0.17
"""Of a letter's height: the least space between words."""
_POWER = re.compile(r"[\d)]$|(?<![^\W\d_])[^\W\d_]{1,3}$")
"""A number, a bracket or a unit: what is raised behind it is a power."""
_SAME_LINE = 0.35
"""Of a letter's height: how far apart letters of one line stand at most."""
_NEAR_LINE = 0.5
_NAMES_APART = 1.2
"""Of a letter's height, between two names of a header."""
_SMALL, _RAISED = 0.8, 0.7
"""Of the size of a line: letters over it are raised that are smaller, and no higher above it."""
_STEP_OF_SIZE = 0.1
"""Of a letter's height: sizes that differ by less are the same."""
_SIDEWAYS = 1.5
"""Of its width, that a line is higher which runs up; one of a letter may do so anyhow."""
_WITHIN_WORD = 0.12
"""Of a letter's height: letters of a word are no farther apart, those of two cells are."""


def reach(sign: Sign) -> float:
    """Return how far right a character reaches, with the wide space behind one of a code font."""
    return sign[2] + _CODE_SPACE * (sign[4] - sign[3]) * (_CODE in sign[5])


@dataclass(frozen=True)
class Table:
    """A table by the edges of its columns, from the left, and of its rows, from the top.

    `open` are the rows and columns of cells that no line parts from the cell above: one cell that spans
    rows. `is_cut` says that it goes on at another page: its first or last row has no line there.
    `is_open` says that text alone, and no line, parts some of its columns; `gaps` are where the line
    between two columns is not drawn: its distance from the left, from a height down to another. `walls`
    are where an open table has columns that are parted however near what stands in them is. `bars` are
    the lines in its header under what names several columns: height, left and right end.
    `title` is how high the row reaches that has its title, over the others; 0 without one.
    """

    columns: tuple[float, ...]
    rows: tuple[float, ...]
    open: frozenset[tuple[int, int]] = frozenset()
    is_cut: bool = False
    is_open: bool = False
    gaps: tuple[tuple[float, float, float], ...] = ()
    walls: tuple[tuple[float, float, float], ...] = ()
    bars: tuple[tuple[float, float, float], ...] = ()
    title: float = 0.0

    def holds(self, sign: Sign) -> bool:
        x, y = (sign[1] + sign[2]) / 2, (sign[3] + sign[4]) / 2
        return (
            self.columns[0] - 1 < x < self.columns[-1] + 1
            and self.rows[-1] - 1 < y < self.rows[0] + 1
        )

    def is_in_title(self, sign: Sign) -> bool:
        x, y = (sign[1] + sign[2]) / 2, (sign[3] + sign[4]) / 2
        is_between = self.columns[0] - 1 < x < self.columns[-1] + 1
        return is_between and self.rows[0] < y < self.title

    def column_at(self, x: float) -> int:
        return bisect_right(self.columns[1:-1], x)

    def column_of(self, sign: Sign) -> int:
        return self.column_at((sign[1] + sign[2]) / 2)

    def is_parted(self, first: int, last: int, y: float) -> bool:
        """Whether a line parts two columns, or some between them, at a height."""
        edges = self.columns[min(first, last) + 1 : max(first, last) + 1]
        if self.is_open:
            return any(place in edges and foot < y < top for place, top, foot in self.walls)
        gaps = {place for place, top, foot in self.gaps if foot < y < top}
        return not gaps.issuperset(edges)

    def band_of(self, y: float) -> int:
        return sum(1 for edge in self.rows[1:-1] if y < edge)

    def first_band(self, band: int, column: int) -> int:
        """Return the topmost of the rows that a cell spans."""
        while (band, column) in self.open:
            band -= 1
        return band


@dataclass(frozen=True)
class Piece:
    """What one line of text has in one column; `base` is what most of its letters stand on."""

    column: int
    band: int
    y: float
    text: str
    left: float
    right: float
    middle: float
    base: float
    size: float
    markup: tuple[Markup, ...] = ()


def held_of(table: Table, run: Sequence[Sign]) -> list[Sign]:
    """Return what of a line is in a table; a word may reach over its right edge."""
    held: list[Sign] = []
    before: Sign | None = None
    for sign in run:
        goes_on = bool(held) and before is held[-1] and sign[1] >= held[-1][1]
        if table.holds(sign) or (goes_on and _touch(held[-1], sign)):
            held.append(sign)
        before = sign
    return held


def pieces_of(table: Table, runs: Sequence[Sequence[Sign]]) -> Iterator[Piece]:
    held = [held_of(table, run) for run in runs]
    starts = _starts(table, held)
    for run in held:
        column, signs = -1, list[Sign]()
        # A word may reach over the start of the next text: that text is written after it.
        firsts = {table.column_of(sign): sign for sign in run if _is_at(sign, table, starts)}
        for sign in run:
            at = table.column_of(sign)
            if signs and at != column:
                is_parted = table.is_parted(column, at, (sign[3] + sign[4]) / 2)
                is_same = _is_in_cell(signs, sign, firsts.get(at), is_parted=is_parted)
                at = column if is_same else at
            is_far = table.is_open and bool(signs) and sign[1] - signs[-1][2] > LEAST_GAP
            if signs and (at != column or (is_far and _is_next_name(table, signs[-1], sign))):
                yield from _piece(table, column, signs)
                signs = []
            column = at
            signs.append(sign)
        yield from _piece(table, column, signs)


def _is_next_name(table: Table, before: Sign, sign: Sign) -> bool:
    """Whether a name in the header of an open table ends before a letter, in one column or in two."""
    height = sign[4] - sign[3]
    is_in_header = sign[3] > table.rows[1]
    return is_in_header and bool(sign[0].strip()) and sign[1] - before[2] > _NAMES_APART * height


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


def _is_in_cell(signs: Sequence[Sign], sign: Sign, first: Sign | None, *, is_parted: bool) -> bool:
    """Whether a character is in the cell of those before, wherever it stands."""
    if not is_parted and sign[0].strip():
        # No line parts the columns: what spans some of them has no gap there.
        before = next((one for one in reversed(signs) if one[0].strip()), sign)
        # TeX sets more space behind a full stop, that of "No. of motors" too.
        least = LEAST_GAP * (_AFTER_STOP if before[0] == "." and sign[0].islower() else 1.0)
        gap = _gap(before, sign)
        return abs(gap) < least or 0 < sign[1] - reach(before) < least
    # A word may reach out of a column that is too narrow for it.
    return sign is not first and (
        not sign[0].strip() or sign[0] == HYPHEN or _touch(signs[-1], sign)
    )


def _touch(before: Sign, sign: Sign) -> bool:
    gap = abs(_gap(before, sign))
    return bool(before[0].strip()) and gap < _WITHIN_WORD * (sign[4] - sign[3])


def _gap(before: Sign, sign: Sign) -> float:
    """Return how far behind another a character begins: those of a ligature stand in one place."""
    return 0.0 if sign[1:3] == before[1:3] else sign[1] - before[2]


def _piece(table: Table, column: int, signs: Sequence[Sign]) -> Iterator[Piece]:
    seen = [sign for sign in signs if sign[0].strip() and sign[0] != HYPHEN]
    if not seen:
        return
    size = Counter(round(sign[4] - sign[3], 1) for sign in seen).most_common(1)[0][0]
    parts, marks = take_raised(signs)
    # A cell that begins with a raised number is a note to the table: what it begins with is its text.
    first = marks[0][1:] if marks and marks[0].startswith("^") else ""
    text, markup = marked_text([(first, ()), *parts])
    if not text:
        return
    usual = [sign for sign in seen if abs(sign[4] - sign[3] - size) < 0.1 * size + 0.1] or seen
    middle = fmean((sign[3] + sign[4]) / 2 for sign in usual)
    base = middle - _BASE * size
    left, right = min(sign[1] for sign in seen), max(sign[2] for sign in seen)
    band = table.band_of(middle)
    if table.is_open and band == 0:
        column = table.column_at((left + right) / 2)
    band = table.first_band(band, column)
    y = min(sign[3] for sign in signs)
    yield Piece(column, band, y, text, left, right, middle, base, size, markup)


def lines_of(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Return what stands on one line together, from the top; what is raised with what it is over.

    Words tell the lines: signs of other fonts may stand higher or lower in theirs.
    """
    ordered = sorted(pieces, key=lambda piece: -piece.base)
    lines = _clustered([piece for piece in ordered if _is_word(piece)])
    heights = [-line[0].base for line in lines]
    loose: list[Piece] = []
    for piece in ordered:
        if _is_word(piece):
            continue
        at = bisect_right(heights, -piece.base)
        near = min(
            lines[max(0, at - 1) : at + 1],
            key=lambda line: abs(line[0].base - piece.base),
            default=None,
        )
        if near and abs(near[0].base - piece.base) < _NEAR_LINE * max(piece.size, near[0].size):
            near.append(piece)
        else:
            loose.append(piece)
    return _with_raised(sorted([*lines, *_clustered(loose)], key=lambda line: -line[0].base))


def _with_raised(lines: Sequence[list[Piece]]) -> list[list[Piece]]:
    joined: list[list[Piece]] = []
    for line in lines:
        above = joined[-1] if joined else []
        if above and _is_raised(above, line):
            joined[-1] = [*line, *above]
        else:
            joined.append(line)
    return joined


def _clustered(pieces: Sequence[Piece]) -> list[list[Piece]]:
    lines: list[list[Piece]] = []
    for piece in pieces:
        reach = _SAME_LINE * max(piece.size, lines[-1][0].size) if lines else 0.0
        if lines and lines[-1][0].base - piece.base < reach:
            lines[-1].append(piece)
        else:
            lines.append([piece])
    return lines


def _is_word(piece: Piece) -> bool:
    return sum(map(str.isalnum, piece.text)) > 1


def _is_raised(above: Sequence[Piece], line: Sequence[Piece]) -> bool:
    size = max(piece.size for piece in line)
    are_small = all(
        piece.size < _SMALL * size and piece.base < line[0].base + _RAISED * size for piece in above
    )
    # Beside taller text, a line of a cell may stand as near above its next one.
    return are_small and not any(_is_line_over(one, piece) for one in above for piece in line)


def _is_line_over(above: Piece, piece: Piece) -> bool:
    """Whether two pieces are lines of one cell: in one size, one below the other."""
    is_same = abs(above.size - piece.size) < _STEP_OF_SIZE * piece.size
    is_over = above.left < piece.right and piece.left < above.right
    return above.column == piece.column and is_same and is_over


def cells_of(table: Table, pieces: Sequence[Piece]) -> list[Marked]:
    """Return the cells of a row by its pieces."""
    held: dict[int, list[Piece]] = defaultdict(list)
    for line in lines_of(pieces):
        for piece in sorted(line, key=lambda piece: piece.left):
            held[piece.column].append(piece)
    return [_cell(_in_order(held[column])) for column in range(len(table.columns) - 1)]


def _in_order(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces of a cell in reading order: lines that run up begin at the left."""
    run_up = all(len(piece.text) > _SIDEWAYS and _runs_up(piece) for piece in pieces)
    return sorted(pieces, key=lambda piece: piece.left) if run_up else pieces


def _runs_up(piece: Piece) -> bool:
    return 2 * (piece.middle - piece.y) > _SIDEWAYS * (piece.right - piece.left)


def _cell(pieces: Sequence[Piece]) -> Marked:
    """Return what the pieces of a cell say; what goes on in the next line is one."""
    text, markup = "", list[Markup]()
    for before, piece in zip([None, *pieces], pieces, strict=False):
        if before and _is_broken(text, piece, before):
            text = f"{text[:-1]}{HYPHEN}"
        if text.endswith(HYPHEN):
            is_name = _NAME.search(text.rsplit(maxsplit=1)[-1]) or keeps_hyphen(text, piece.text)
            text = f"{text[:-1]}-" if is_name else text[:-1]
        elif before and _is_over(piece, before):
            text += "^" * bool(_POWER.search(text))
        elif not (before and _is_beside(piece, before)):
            text += " " * bool(text)
        markup += shift(piece.markup, len(text))
        text += piece.text
    return text.replace(HYPHEN, "-"), tuple(joined(markup, text))


def _is_broken(text: str, piece: Piece, before: Piece) -> bool:
    """Whether a word of a cell goes on in its next line; PDFium tells only at the end of a line."""
    is_below = piece.base < before.base - _SAME_LINE * before.size
    return is_below and bool(_CUT.search(text))


def _is_beside(piece: Piece, before: Piece) -> bool:
    """Whether a piece follows another in its line without a space."""
    gap, size = piece.left - before.right, max(piece.size, before.size)
    is_near = abs(gap) < _SPACE * size and abs(piece.base - before.base) < size
    return is_near and not _runs_up(piece)


def _is_over(piece: Piece, before: Piece) -> bool:
    """Whether a piece is raised right behind another, so that PDFium takes it for a line of its own."""
    small, gap = piece.size < _SMALL * before.size, piece.left - before.right
    return small and piece.base > before.base and -1 < gap < _SAME_LINE * before.size
