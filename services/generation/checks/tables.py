"""Tell the tables of a passage apart, and which of two a numbered title between them belongs to."""

import re
from collections.abc import Sequence

from libs.table_rows import cells_of
from services.generation.model import BlockKind, Passage, Span

_UNIT = re.compile(r"\b[A-Za-z]\b")
_NUMBERED = re.compile(r"\W*[^\W\d_]+\.?[ \u00a0]\d+(?:[.-]\d+)*[.:：)]?\s+\S")
"""A title that counts: "Table 1: Sales of cars"."""


def is_one_table(passage: Passage, before: Span, after: Span) -> bool:
    """Whether two rows of a passage, in order, stand in one table: no empty line is between them."""
    start = passage.locator.start
    between = passage.text[max(0, before.end - start) : max(0, after.start - start)]
    return "\n\n" not in between


def is_of_table_above(spans: Sequence[Span], texts: Sequence[str], at: int) -> bool:
    """Whether the span at `at` is the numbered title below a table, which has none above it.

    Of a table that begins the spans it is not known what stands above it.
    """
    if not at or spans[at - 1].kind is not BlockKind.TABLE or not _NUMBERED.match(texts[at]):
        return False
    above = at - 1
    while above >= 0 and spans[above].kind is BlockKind.TABLE:
        above -= 1
    return above >= 0 and not _NUMBERED.match(texts[above])


def told_in_row(row: str, header: str) -> str:
    """Return what a row says, and of what: the names of its columns but for the first.

    That one says what any row is of, "Kiln", and what is said of kilns elsewhere is not said of it.
    Nor is what has its unit: "°C".
    """
    _, *columns = cells_of(header)
    return _UNIT.sub(" ", " ".join((row, *columns)))


def is_of_other_row(said: str, row: str, rows: Sequence[str]) -> bool:
    """Whether what is said names another one of the rows, and not this: "the E5 needs no fuel"."""
    own, *others = (cells_of(one)[0] for one in (row, *rows[1:]))
    return not _is_named(own, said) and any(_is_named(one, said) for one in others if one != own)


def _is_named(name: str, said: str) -> bool:
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said) is not None
