"""Read the rows of a table in canonical text, whose cells " | " parts."""

import re
from collections.abc import Sequence
from itertools import pairwise

_BETWEEN_CELLS = " | "
_WORD = re.compile(r"[^\W\d_]{2}|[^\W\d_\x00-\u02ff]")
_SENTENCE = re.compile(r"[.!?;:。！？]['\"”’)\]]*$")
_LONGEST_LABEL = 120
_SHARE = re.compile(r"\d{1,2}(?:[.,]\d+)?|100")


def cells_of(row: str) -> list[str]:
    """Return the cells of a row; an empty one at its end may have lost the space behind its bar."""
    return [cell.strip() for cell in f" {row} ".split(_BETWEEN_CELLS)]


def label_over(rows: Sequence[str]) -> str:
    """Return the name of the group that the last of some rows stands in; "" for none.

    A name in the first column, beside which rows leave that empty, may be in the middle of its rows.
    """
    for row, below in reversed(list(pairwise(rows))):
        if (label := label_in(row)) and (cells_of(below)[0] or not cells_of(row)[0]):
            return label
    return ""


def label_in(row: str) -> str:
    """Return the words that stand alone in a row, as the name of the rows below does; "" otherwise."""
    first, _, rest = f" {row} ".partition(_BETWEEN_CELLS)
    if first.strip() and rest.strip(" |"):
        return ""  # most rows have more than one cell
    cells = cells_of(row)
    held = [cell for cell in cells if cell]
    if len(held) != 1 or len(cells) < 2 or len(held[0]) > _LONGEST_LABEL:
        return ""
    is_name = _WORD.search(held[0]) and not _SENTENCE.search(held[0])
    return held[0] if is_name else ""


def has_bare_shares(row: str) -> bool:
    """Whether all cells beside the first are numbers up to 100, as where a title says of what."""
    cells = cells_of(row)[1:]
    return bool(cells) and all(map(_SHARE.fullmatch, cells))
