"""Tell the text that stands over a table, below the line of a running head or of the table before."""

from collections.abc import Sequence

from services.ingest.parsers.pdf.grid_rivers import signs_above
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.rivers import parts_of, sign_lines

_LONG, _CLOSE = 0.5, 0.8
"""Of the width of a table, one line of text over it at least; of that of a line, what is no gap."""
_INDENT = 12.0
"""Points from the left edge of a table, that a line of text begins at most."""


def is_text_over(place: float, signs: Sequence[Sign], edges: tuple[float, float]) -> bool:
    """Whether lines above a height are of a text or its headings, between the `edges` of a table.

    All go from the left edge on, and none has names apart, as a header has.
    """
    lines = sign_lines(signs_above(place, signs))
    spans = [(parts[0][0], parts[-1][1], parts) for parts in map(parts_of, lines)]
    is_long = len(lines) > 1 or any(
        right - left > _LONG * (edges[1] - edges[0]) for left, right, _ in spans
    )
    return is_long and all(
        left < edges[0] + _INDENT
        and sum(end - start for start, end in parts) > _CLOSE * (right - left)
        for left, right, parts in spans
    )
