"""Find the tables that stand between two lines alone: rows of names and what they stand for.

No header tells their columns, only the stripes that no row has a letter in.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from services.ingest.parsers.pdf.cells import LEAST_GAP, Table
from services.ingest.parsers.pdf.flow import begins_caption
from services.ingest.parsers.pdf.grid_rivers import signs_in
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.rivers import parts_of, rivers, sign_lines
from services.ingest.parsers.pdf.rules import Rule

_LEAST_ROWS = 3
_PAIR = 2
_FULL = 0.75
"""Of the rows, that have something in every column."""
_STEP = 2.2
"""Of a letter's height, from one row to the next at most: more is a drawing's."""


def are_pairs(rules: Sequence[Rule], runs: Sequence[Sequence[Sign]]) -> bool:
    """Whether a caption stands between any two pairs of lines of one length, from the top."""
    if len(rules) <= _PAIR or len(rules) % _PAIR:
        return False
    for foot, top in zip(rules[1::_PAIR], rules[_PAIR::_PAIR], strict=False):
        between = Table((foot.start, foot.end), (foot.place, top.place))
        held = ([sign[0] for sign in run if between.holds(sign)] for run in runs)
        texts = ("".join(letters).strip() for letters in held)
        if not any(map(begins_caption, texts)):
            return False
    return True


def unparted_tables(
    rules: Sequence[Rule], level: Sequence[Rule], runs: Sequence[Sequence[Sign]]
) -> Iterator[Table]:
    """Yield the tables between the first and the second of some lines, the third and the fourth.

    `rules` are of one length, from the top, `level` all horizontal lines of the page: none of them
    lies between the two, nor as high beside them, where half of the table may stand.
    """
    if len(rules) % _PAIR:
        return
    for top, foot in zip(rules[::_PAIR], rules[1::_PAIR], strict=True):
        edges = (min(top.start, foot.start), max(top.end, foot.end))
        near = [one for one in level if foot.place - 1 < one.place < top.place + 1]
        if any(one not in (top, foot) for one in near):
            continue
        whole = Table(edges, (top.place, foot.place))
        signs = signs_in(whole, runs)
        gaps = _columns_of(signs)
        if gaps:
            yield Table((edges[0], *gaps, edges[1]), whole.rows, is_open=True)


def _columns_of(signs: Sequence[Sign]) -> list[float]:
    """Return the edges between columns that nearly all rows fill; none if they are no rows."""
    lines = sign_lines(signs)
    if len(lines) < _LEAST_ROWS or not _are_near(lines):
        return []
    gaps = rivers(signs, signs)
    filled = [_filled(line, gaps) for line in lines]
    if not gaps or min(map(len, filled)) < _PAIR:
        return []
    if sum(len(one) > len(gaps) for one in filled) < _FULL * len(lines):
        return []
    return gaps


def _filled(line: Sequence[Sign], gaps: Sequence[float]) -> set[int]:
    """Return the columns that a line has something in."""
    return {sum(left > gap for gap in gaps) for left, _ in parts_of(line)}


def _are_near(lines: Sequence[Sequence[Sign]]) -> bool:
    height = max(sign[4] - sign[3] for line in lines for sign in line) + LEAST_GAP
    tops = [max(sign[4] for sign in line) for line in lines]
    return all(above - below <= _STEP * height for above, below in pairwise(tops))
