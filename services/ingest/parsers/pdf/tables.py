"""Find the tables that drawn lines and characters make, one line of text a row."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, groupby, islice, pairwise, product

from services.ingest.model.book import MarkupKind
from services.ingest.parsers.pdf.bands import with_rows
from services.ingest.parsers.pdf.bare_pieces import lines_of_pieces, pieces_of_run
from services.ingest.parsers.pdf.bare_tables import find_bare_tables
from services.ingest.parsers.pdf.between_tables import has_text_between
from services.ingest.parsers.pdf.borders import without_borders
from services.ingest.parsers.pdf.broken_prose import are_long, are_prose
from services.ingest.parsers.pdf.cells import Piece, Table, cells_of, lines_of, pieces_of
from services.ingest.parsers.pdf.drawn_order import in_reading_direction
from services.ingest.parsers.pdf.dropped_pieces import DroppedPieces, changed
from services.ingest.parsers.pdf.flow import begins_caption
from services.ingest.parsers.pdf.grid_rivers import (
    signs_below,
    signs_in,
    with_rivers,
)
from services.ingest.parsers.pdf.groups import with_groups, with_spans, without_title
from services.ingest.parsers.pdf.halves import in_halves
from services.ingest.parsers.pdf.header_cells import with_header_cells
from services.ingest.parsers.pdf.line import Line, Sign
from services.ingest.parsers.pdf.lines_over import with_lines_over
from services.ingest.parsers.pdf.marking import Marked, join_cells
from services.ingest.parsers.pdf.named_parts import with_named_parts
from services.ingest.parsers.pdf.names_over import with_names_over
from services.ingest.parsers.pdf.number_tables import with_number_columns
from services.ingest.parsers.pdf.open_cells import with_cells_of_rows
from services.ingest.parsers.pdf.open_rivers import open_rivers
from services.ingest.parsers.pdf.outer_rows import with_outer_rows
from services.ingest.parsers.pdf.overlapping import largest
from services.ingest.parsers.pdf.rows_by_lines import with_rows_by_lines
from services.ingest.parsers.pdf.rules import Rule, Rules
from services.ingest.parsers.pdf.shaded_rows import without_grounds_of_rows
from services.ingest.parsers.pdf.stripes import with_stripes
from services.ingest.parsers.pdf.text_over import is_text_over
from services.ingest.parsers.pdf.unparted import are_pairs, unparted_tables
from services.ingest.parsers.pdf.whole_rows import without_parts

_TOO_MANY = changed(
    "table", "its page has too many lines to tell cells by: what stands in them is plain text"
)
_SPARSE = changed("table", "most of its cells are empty: what stands in the others is plain text")
_SPANNED = changed("table", "a cell over several rows stands in the first of them")
_Point = tuple[float, float]
_Row = tuple[float, list[Marked]]
"""The height of a row of a table, and its cells."""

_TOUCH = 3.0
_NEARLY = 4.0
"""Points from a level line to where upright ones end that TeX sets space behind."""
_DOUBLE = 3.0
"""Points between the two lines of one that is drawn double, at most."""
_FRAME = 24.0
"""Points between two lines of one frame at most."""
_LEAST_ROW = 6.0
"""Points from a line to where upright ones end, if there is a row between."""
_MOST_OPEN, _MOST_SPANS = 60, 66
"""Lines of one length that are looked at, and pairs of them that a table may lie between."""
_MOST_LOOKS = 200_000
"""Letters of a page times groups of rules of one length: each rule of a group may look at them all."""
_FEW_BANDS = 3
_TALLEST_HEADER, _TALLEST_ROW = 80.0, 100.0
_PAIR = 2
_LEAST_PROSE = 8
"""Lines of each column, that are of a page."""
_WHOLE = 0.95
"""Of the width of a table: a line so long is under all of its columns."""
_STEP = 0.1
"""Of a letter's height: lines at one height are no farther apart."""
_SPARSEST = 4
"""Of how many cells of a grid one has text at least, where each column has a name."""
_LABELLED = 0.8
"""Of the rows of such a grid, that have a first cell."""
_CODE, _MOST_CODE = (MarkupKind.CODE, ""), 0.95
"""Of the letters of a table between a few lines, that are in a font of code at most."""


def find_tables(
    rules: Rules,
    runs: Sequence[Sequence[Sign]],
    dropped: DroppedPieces,
) -> list[Table]:
    """Return the tables of a page by its lines, and its characters line by line."""
    level, _, is_crowded = rules
    if is_crowded:
        dropped.note(_TOO_MANY)
    lines = lines_of_pieces([piece for run in runs for piece in pieces_of_run(run)])
    drawn = [] if is_crowded else _drawn_tables(rules, runs, dropped)
    drawn = without_grounds_of_rows(drawn, lines, level)
    tables = [read for table in drawn for read in with_number_columns(table, drawn, runs, level)]
    tables = without_parts(largest(tables), lines, level)
    tables += find_bare_tables(runs, tables, level)
    tables = [with_header_cells(one, rules.upright, runs) for one in tables]
    whole = [_with_bars(one, level) for one in tables]
    named = [
        _with_bars(with_lines_over(one, [*({*whole} - {one})], lines, level), level)
        for one in whole
    ]
    return [part for table in named for part in in_halves(table, runs)]


def _with_bars(table: Table, level: Sequence[Rule]) -> Table:
    """Return a table with the lines that are drawn under some columns of its header."""
    left, right = table.columns[0], table.columns[-1]
    bars = tuple(
        rule
        for rule in level
        if table.rows[1] + _TOUCH < rule.place < table.rows[0] - _TOUCH
        and left - _TOUCH < rule.start < rule.end < right + _TOUCH
        and rule.end - rule.start < _WHOLE * (right - left)
    )
    return replace(table, bars=tuple(dict.fromkeys([*table.bars, *bars])))


def _drawn_tables(
    rules: Rules,
    runs: Sequence[Sequence[Sign]],
    dropped: DroppedPieces,
) -> list[Table]:
    level, upright, _ = rules
    tables = with_stripes([*_grids(level, upright, _middles(runs))], runs, level)
    alone = [
        rule
        for rule in level
        if not any(_lies_in(rule, table) for table in tables)
        and not any(_crosses(rule, other) and not _ends(rule, other) for other in upright)
    ]
    tables += [with_outer_rows(table, runs, level) for table in _open_tables(alone, upright, runs)]
    tables = [table for table in tables if not _is_of_prose(table, runs)]
    tables = [without_title(with_rivers(table, runs), runs) for table in tables]
    tables = [with_named_parts(table, runs) for table in tables]
    tables = [with_rows_by_lines(table, runs) for table in tables]
    tables = [with_rows(with_cells_of_rows(table, runs), runs) for table in tables]
    tables = [with_names_over(table, runs, level) for table in tables]
    filled = [table for table in tables if _is_filled(table, runs)]
    for table in tables:
        words = _words_in(table, runs)
        if table not in filled and words:
            dropped.note(_SPARSE, words)
        elif table.open and words:
            dropped.note(_SPANNED, words)
    return filled


def _is_of_prose(table: Table, runs: Sequence[Sequence[Sign]]) -> bool:
    """Whether lines over and under the columns of a page were taken for those of a table."""
    if not table.is_open:
        return False
    pieces = sorted(pieces_of(table, runs), key=lambda piece: -piece.base)
    body: dict[int, list[Piece]] = defaultdict(list)
    for piece in pieces:
        if piece.band:
            body[piece.column].append(piece)
    columns = [body[at] for at in sorted(body)]
    has_header = len({piece.column for piece in pieces if not piece.band}) > 1
    texts = [[piece.text for piece in column] for column in columns]
    return (not has_header and are_prose(texts)) or _are_out_of_step(columns)


def _are_out_of_step(columns: Sequence[Sequence[Piece]]) -> bool:
    """Whether two columns of long lines go down side by side, each with lines at heights of its own."""
    if len(columns) != _PAIR or min(map(len, columns)) < _LEAST_PROSE:
        return False
    if not all(are_long([piece.text for piece in column]) for column in columns):
        return False
    fewer, more = sorted(columns, key=len)
    heights = [piece.base for piece in more]
    alone = [one for one in fewer if min(abs(one.base - y) for y in heights) > _STEP * one.size]
    return 2 * len(alone) > len(fewer)


def _words_in(table: Table, runs: Sequence[Sequence[Sign]]) -> str:
    """Return the first line of what stands between the edges of a table."""
    lines = ("".join(sign[0] for sign in run if table.holds(sign)).strip() for run in runs)
    return next(filter(None, lines), "")


def rows_of(table: Table, runs: Sequence[Sequence[Sign]], number: int, mark: int) -> list[Line]:
    """Return the rows of a table on page `number`, cells parted by " | "."""
    signs = [sign for run in runs for sign in run if table.holds(sign) and sign[0].strip()]
    edges = tuple(edge - table.columns[0] for edge in table.columns)
    size = round(max((sign[4] - sign[3] for sign in signs), default=0.0), 1)
    lines = []
    rows = _without_frame(table, list(_rows(table, runs)))
    for y, cells in in_reading_direction(rows, runs):
        text, markup = join_cells(cells)
        left, right = table.columns[0], table.columns[-1]
        kind = MarkupKind.FOOTNOTE_REFERENCE
        marks = tuple(one.value for one in markup if one.kind is kind)
        lines.append(
            Line(
                text,
                number,
                left,
                right,
                y,
                size,
                table=mark,
                columns=edges,
                markup=markup,
                marks=marks,
            )
        )
    return lines


def _without_frame(table: Table, rows: Sequence[_Row]) -> list[_Row]:
    """Leave out empty columns at the edges: what stands between the lines of a frame.

    A wide first one is what the rows are called by, which may stand on another page.
    """
    held = [
        at
        for at in range(max((len(cells) for _, cells in rows), default=0))
        if any(cells[at][0] for _, cells in rows)
    ]
    first, last = (held[0], held[-1]) if len(held) > 1 else (0, None)
    first = 0 if table.columns[1] - table.columns[0] > _FRAME else first
    return [(y, cells[first : None if last is None else last + 1]) for y, cells in rows]


def _lies_in(rule: Rule, table: Table) -> bool:
    return (
        table.rows[-1] - _TOUCH <= rule.place <= table.rows[0] + _TOUCH
        and rule.end > table.columns[0]
        and rule.start < table.columns[-1]
    )


def _ends(level: Rule, upright: Rule) -> bool:
    """Whether an upright line is at an end of a level one, as that of a frame."""
    return min(abs(level.start - upright.place), abs(level.end - upright.place)) <= _TOUCH


def _crosses(level: Rule, upright: Rule) -> bool:
    return (
        level.start - _TOUCH <= upright.place <= level.end + _TOUCH
        and upright.start - _NEARLY <= level.place <= upright.end + _NEARLY
    )


def _middles(runs: Sequence[Sequence[Sign]]) -> list[_Point]:
    return [
        ((sign[1] + sign[2]) / 2, (sign[3] + sign[4]) / 2)
        for run in runs
        for sign in run
        if sign[0].strip()
    ]


def _grids(
    level: Sequence[Rule], upright: Sequence[Rule], letters: Sequence[_Point]
) -> Iterator[Table]:
    """Yield what lines in both directions make, each with two rows and two columns at least.

    `letters` are the middles of those of the page.
    """
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
        table = _grid([level[one] for one in across], [upright[one] for one in down], letters)
        if table:
            yield table


def _grid(
    level: Sequence[Rule], upright: Sequence[Rule], letters: Sequence[_Point]
) -> Table | None:
    if not level:
        return None
    ends = (min(rule.start for rule in level), max(rule.end for rule in level))
    columns = _apart([*(rule.place for rule in upright), *ends])
    cut = list(_cut_ends(level, upright))
    rows = _apart([*(rule.place for rule in level), *cut])
    is_low = rows[-1] - rows[0] <= _TALLEST_ROW
    if len(columns) < 3 or len(rows) < (2 if is_low else 3) - len(cut):
        return None
    rows.reverse()
    # What names several columns may stand over the space between them.
    top = rows[1] if len(rows) > _FEW_BANDS else rows[0]
    within = [x for x, y in letters if rows[-1] < y < top]
    columns = without_borders(columns, within, upright)
    spanned = frozenset(_open_cells(columns, rows, level))
    gaps = tuple(_gaps(columns, rows, upright))
    return Table(tuple(columns), tuple(rows), open=spanned, is_cut=bool(cut), gaps=gaps)


def _gaps(
    columns: Sequence[float], rows: Sequence[float], upright: Sequence[Rule]
) -> Iterator[tuple[float, float, float]]:
    """Yield where no line parts two columns: the place, and from where to where of which row."""
    for edge in columns[1:-1]:
        near = [rule for rule in upright if abs(rule.place - edge) <= _TOUCH]
        for top, foot in pairwise(rows):
            # Below a name over both columns the line between them begins within the row.
            begin = max((rule.end for rule in near if rule.start < foot + _TOUCH), default=foot)
            if top - max(begin, foot) > _TOUCH:
                yield edge, top, max(begin, foot)


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


def _open_tables(
    level: Sequence[Rule], upright: Sequence[Rule], runs: Sequence[Sequence[Sign]]
) -> Iterator[Table]:
    """Yield the tables whose columns only their text shows, between lines of one length.

    They may stand in one frame; lines of several frames make none.
    """
    groups: dict[tuple[int, ...], list[Rule]] = defaultdict(list)
    for rule in level:
        frames = (at for at, other in enumerate(upright) if _crosses(rule, other))
        groups[round(rule.start / 4), round(rule.end / 4), next(frames, -1)].append(rule)
    letters = sum(map(len, runs))
    for rules in islice(groups.values(), _MOST_LOOKS // max(letters, 1)):
        for lines in _completed([*_shorter_over(rules, level), *rules], level):
            ordered = _single(sorted(lines, reverse=True))[:_MOST_OPEN]
            found = [] if are_pairs(ordered, runs) else _open_tables_of(ordered, runs)
            yield from found or unparted_tables(ordered, level, runs)


def _single(rules: Sequence[Rule]) -> list[Rule]:
    """Return lines from the top, the upper one of those that are drawn double left out."""
    near = [above for above, rule in pairwise(rules) if above.place - rule.place <= _DOUBLE]
    return [rule for rule in rules if rule not in near]


def _shorter_over(rules: Sequence[Rule], level: Sequence[Rule]) -> Iterator[Rule]:
    """Yield the line over the columns of a header alone, at the height of which its table begins."""
    top = max(rules)
    over = [
        rule
        for rule in level
        if top.place < rule.place < top.place + _TALLEST_HEADER
        and abs(rule.end - top.end) <= _TOUCH
        and top.start + _TOUCH < rule.start
    ]
    if len(rules) > 1 and over:
        yield max(over)._replace(start=top.start, end=top.end)


def _completed(rules: Sequence[Rule], level: Sequence[Rule]) -> Iterator[list[Rule]]:
    """Yield the lines of each table whose last goes on under what stands beside it, and the others."""
    start, end = min(rule.start for rule in rules), max(rule.end for rule in rules)
    longer = [
        rule
        for rule in level
        if (abs(rule.start - start) <= _TOUCH) != (abs(rule.end - end) <= _TOUCH)
        and rule.start <= start + _TOUCH
        and rule.end >= end - _TOUCH
    ]
    over: list[Rule] = []
    for rule in sorted([*rules, *longer], reverse=True):
        if rule not in longer:
            over.append(rule)
        elif len(over) == _PAIR:
            yield [*over, rule._replace(start=start, end=end)]
            over = []
    if over:
        yield over


def _open_tables_of(rules: Sequence[Rule], runs: Sequence[Sequence[Sign]]) -> list[Table]:
    """Return the tables between lines of one length, from the top; the largest first.

    A caption stands over the lines of its table, or else over its header.
    """
    found: list[Table] = []
    spans = sorted(combinations(range(len(rules)), 2), key=lambda span: span[0] - span[1])
    for may_have_caption, (first, last) in product((False, True), spans[:_MOST_SPANS]):
        within = rules[first : last + 1]
        table = _open_table(within, runs, may_have_caption=may_have_caption)
        if table and not any(_lies_in(rule, one) for one in found for rule in within):
            found.append(table)
    return found


def _open_table(
    rules: Sequence[Rule], runs: Sequence[Sequence[Sign]], *, may_have_caption: bool
) -> Table | None:
    if len(rules) < 3 or rules[0].place - rules[1].place > _TALLEST_HEADER:
        return None
    edges = (min(rule.start for rule in rules), max(rule.end for rule in rules))
    whole = Table(edges, tuple(rule.place for rule in rules))
    caption = _band_of_caption(whole, runs)
    if caption is not None and (caption or not may_have_caption):
        return None  # two tables, or one and the line under the head of the page
    signs = signs_in(whole, runs)
    body = signs_below(rules[1].place, signs)
    if is_text_over(rules[1].place, signs, edges):
        return None  # what stands between the line under the head of the page, or a table, and one
    if sum(_CODE in sign[5] for sign in body) > _MOST_CODE * len(body):
        return None  # a program between lines
    gaps = open_rivers(rules, signs, body)
    table = Table((edges[0], *gaps, edges[1]), whole.rows, is_open=True)
    return None if not gaps or has_text_between(table, runs) else table


def _band_of_caption(table: Table, runs: Sequence[Sequence[Sign]]) -> int | None:
    """Return between which lines, counted from 0 at the top, the last caption stands."""
    bands = [
        table.band_of((held[0][3] + held[0][4]) / 2)
        for run in runs
        if (held := [sign for sign in run if table.holds(sign)])
        and begins_caption("".join(sign[0] for sign in held).strip())
    ]
    return max(bands, default=None)


def _is_filled(table: Table, runs: Sequence[Sequence[Sign]]) -> bool:
    """Whether there is text in most cells, as in a table and not in a drawing."""
    rows = [[text for text, _ in cells] for _, cells in _rows(table, runs)]
    if len(rows) < (1 if table.is_cut or _is_row(table, runs) else 2):
        return False
    cells = [cell for row in rows for cell in row]
    several = sum(1 for row in rows if sum(map(bool, row)) > 1)
    # Lines on all sides of cells with a name over or beside each are no drawing, however few it fills.
    is_grid = not table.is_open and len(rows) > _FEW_BANDS
    labels = sum(bool(row[0]) for row in rows)
    share = _SPARSEST if is_grid and labels >= _LABELLED * len(rows) else 2
    is_named = is_grid and all(rows[0][1:])
    filled = sum(map(bool, cells)) * (_SPARSEST if is_named else share)
    return filled >= len(cells) and several * share >= len(rows)


def _is_row(table: Table, runs: Sequence[Sequence[Sign]]) -> bool:
    """Whether what lines enclose is one row of a table, and no code beside the numbers of its lines."""
    pieces = list(pieces_of(table, runs))
    is_wide = len({piece.column for piece in pieces}) > _PAIR
    return len(table.rows) == _PAIR and (is_wide or len(lines_of(pieces)) == 1)


def _rows(table: Table, runs: Sequence[Sequence[Sign]]) -> Iterator[_Row]:
    """Yield the height and the cells of each row that holds text."""
    pieces = sorted(pieces_of(table, runs), key=lambda piece: piece.band)
    pieces = with_groups(pieces, table.bars) if table.is_open else with_spans(table, pieces)
    for _, row in groupby(pieces, key=lambda piece: piece.band):
        held = list(row)
        yield max(piece.y for piece in held), cells_of(table, held)
