"""Tell the lines between two drawn ones that are rows by what they have: numbers, amounts, units."""

import re
from collections.abc import Sequence

from services.ingest.parsers.pdf.cells import Piece
from services.ingest.parsers.pdf.row_pieces import by_column, is_number, is_value

_LEAST_LINES, _FEW = 3, 2
"""Lines that may be rows of one column of numbers, and of several."""
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d(?![.,\d])")


def are_values(lines: Sequence[Sequence[Piece]], *, is_header: bool) -> bool:
    """Whether lines are rows by their values; `is_header` says that they may have names of columns."""
    if is_header:
        return _are_counted(lines)
    return _are_numbered(lines) or _are_labelled(lines)


def _are_counted(lines: Sequence[Sequence[Piece]]) -> bool:
    """Whether lines over a table's second line are rows of it: labels, and numbers that are no years.

    The names of its columns stand over them, and no line is drawn there.
    """
    cells = [piece for line in lines for piece in line if piece.column]
    return (
        len(lines) > 1
        and _are_numbered(lines)
        and sum(map(is_value, cells)) > len(cells) / 2
        and not any(_YEAR.search(piece.text) for piece in cells)
    )


def _are_numbered(lines: Sequence[Sequence[Piece]]) -> bool:
    """Whether each line has all cells, and those of a column behind the first are numbers."""
    first, *others = found = [by_column(line) for line in lines]
    if not others or 0 not in first or any(line.keys() != first.keys() for line in others):
        return False
    return any(all(is_number(line[column]) for line in found) for column in first.keys() - {0})


def _are_labelled(lines: Sequence[Sequence[Piece]]) -> bool:
    """Whether lines with a label have numbers alone behind it; others may have a label alone.

    A second column may have the label in another language.
    """
    found = [by_column(line) for line in lines]
    wordy = {piece.column for line in lines for piece in line if not is_value(piece)}
    labels = {0} | (wordy if wordy <= {0, 1} else set())
    counted = [line for line in found if line.keys() - labels]
    inner = {column for line in counted for column in line} - labels
    if len(counted) < (_FEW if len(inner) > 1 else _LEAST_LINES):
        return False
    cells = [piece for line in counted for column, piece in line.items() if column in inner]
    are_values = all(map(is_value, cells))
    return are_values and all(0 in line for line in counted) and any(map(is_number, cells))
