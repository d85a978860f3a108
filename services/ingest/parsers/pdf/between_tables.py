"""Tell text of the page between two tables from what one table has over some of its rows."""

from collections.abc import Sequence
from itertools import pairwise

from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.grid_rivers import signs_in
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.rivers import parts_of, sign_lines

_SAME_EDGE = 3.0
_TOUCH = 0.3
"""Of a letter's height, between two letters of a word at most."""
_FEWEST = 3
"""Lines of a table: over and under its header, and below its rows."""
_LEAST_LETTERS = 40
"""Of a line that is as long as those of a text."""
_MOST_LINES = 4
"""Of what leads to the next table, down to the end of its sentence."""
_SPACE = 0.65
"""Of a letter's height, between the words of a line that reaches both edges of its text."""
_ENDS = (".", ":")


def has_text_between(table: Table, runs: Sequence[Sequence[Sign]]) -> bool:
    """Whether a sentence begins behind one of a table's lines and goes over the edges of columns.

    What stands below its header is meant; without what follows it may still be a table.
    """
    if _begins_outside(table, runs):
        return True
    for top, foot in pairwise(table.rows[1:]):
        lines = sign_lines(signs_in(Table(table.columns, (top, foot)), runs))
        for at, line in enumerate(lines):
            ordered = sorted(line, key=lambda sign: sign[1])
            if ordered[0][1] > table.columns[0] + _SAME_EDGE:
                break
            if _is_across(ordered, table.columns) and _ends_in(lines[at : at + _MOST_LINES]):
                return True
            if len(_filled(ordered, table.columns)) > 1:
                break
    return False


def _begins_outside(table: Table, runs: Sequence[Sequence[Sign]]) -> bool:
    """Whether the left edge goes through a word of a line: a title over the next table begins so."""
    left, top = table.columns[0], table.rows[0 if len(table.rows) > _FEWEST else 1]
    for run in runs:
        held = [sign for sign in run if sign[0].strip()]
        inside = [one for one in held if table.rows[-1] < (one[3] + one[4]) / 2 < top]
        for one, other in pairwise(inside):
            height = one[4] - one[3]
            is_word = (
                one[0].isalpha() and other[0].isalpha() and other[1] - one[2] < _TOUCH * height
            )
            if is_word and one[1] < left - _SAME_EDGE and left < other[2]:
                return True
    return False


def _is_across(line: Sequence[Sign], columns: Sequence[float]) -> bool:
    """Whether a long line goes on over the edge of a column, with no more space than elsewhere."""
    letters = sum(sign[0].isalpha() for sign in line)
    parts, height = parts_of(line), max(sign[4] - sign[3] for sign in line)
    gaps = (right[0] - left[1] for left, right in pairwise(parts))
    is_over = any(parts[0][0] < edge < parts[-1][1] for edge in columns[1:-1])
    return letters >= _LEAST_LETTERS and is_over and max(gaps, default=0.0) < _SPACE * height


def _ends_in(lines: Sequence[Sequence[Sign]]) -> bool:
    return any(max(line, key=lambda sign: sign[2])[0] in _ENDS for line in lines)


def _filled(line: Sequence[Sign], columns: Sequence[float]) -> set[int]:
    return {sum(left > edge for edge in columns[1:-1]) for left, _ in parts_of(line)}
