"""Tell the columns of a table between drawn lines, the last row of which may span some."""

from collections.abc import Sequence

from services.ingest.parsers.pdf.grid_rivers import signs_above, signs_below
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.rivers import rivers, sign_lines
from services.ingest.parsers.pdf.rules import Rule

_FEW_RULES = 3
"""Lines of a table: its header and its rows are between them."""
_LEAST_OVER = 4
"""Lines over the last row of a table, which one text may fill."""


def open_rivers(rules: Sequence[Rule], signs: Sequence[Sign], body: Sequence[Sign]) -> list[float]:
    """Return where columns of an open table part; what its last line but one parts may span them."""
    gaps = rivers(signs, body)
    foot = rules[-2].place
    if len(rules) <= _FEW_RULES or len(sign_lines(signs_above(foot, body))) < _LEAST_OVER:
        return gaps
    if len(sign_lines(signs_below(foot, body))) > 1:
        return gaps
    return max(gaps, rivers(signs_above(foot, signs), signs_above(foot, body)), key=len)
