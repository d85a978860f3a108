"""Part the names of columns that stand a space apart, by the columns of the rows below them."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf

from services.ingest.parsers.pdf.bare_pieces import Edges, Lines, Piece
from services.ingest.parsers.pdf.line import Sign

_LEAST_ROWS, _MOST_ROWS = 2, 4
"""Rows right below a header that tell columns."""
_LEAST_COLUMNS = 3
_SPACE = 0.17
"""Of a letter's height: the least space between words."""
_ALIGNED = 3.0
"""Points that the edge of a name is away from that of its column at most."""
_MOST_WORDS = 60

_Word = tuple[int, list[Sign]]
"""Its letters, and which of the pieces of the header they are in."""


def with_names_apart(header: list[Piece], below: Lines) -> list[Piece]:
    """Return a header with a name for each column of the rows `below` it; as it is if they differ.

    Each name stands over its column, set left, right or in the middle as what is in it.
    """
    columns = _columns_of(below[:_MOST_ROWS], len(header))
    words = [(at, word) for at, piece in enumerate(header) for word in _words_of(piece)]
    if not columns or not len(columns) <= len(words) <= _MOST_WORDS:
        return header
    # By the first of the words left: how far off the names of the columns left are, and where they end.
    known: list[tuple[float, list[int]]] = [*((inf, list[int]()) for _ in words), (0.0, [])]
    for edges in reversed(columns):
        known = [
            min(
                (
                    (_off(words[at:end], edges) + known[end][0], [end, *known[end][1]])
                    for end in range(at + 1, len(words) + 1)
                ),
                default=(inf, []),
            )
            for at in range(len(words))
        ] + [(inf, [])]
    off, ends = known[0]
    if off == inf:
        return header
    return [_named(words[first:last], header) for first, last in pairwise([0, *ends])]


def _off(words: Sequence[_Word], edges: Edges) -> float:
    """Return how far off a column its name is that some words make; none goes on over a wide gap."""
    left, right = words[0][1][0][1], words[-1][1][-1][2]
    middle = abs(left + right - edges[0] - edges[1]) / 2
    off = min(abs(left - edges[0]), abs(right - edges[1]), middle)
    is_one = words[0][0] == words[-1][0]
    is_over = is_one and left < edges[1] and right > edges[0] and off <= _ALIGNED
    return off if is_over else inf


def _named(words: Sequence[_Word], header: Sequence[Piece]) -> Piece:
    signs = tuple(sign for _, word in words for sign in word)
    return replace(
        header[words[0][0]],
        left=signs[0][1],
        right=signs[-1][2],
        text="".join(sign[0] for sign in signs),
        signs=signs,
    )


def _words_of(piece: Piece) -> list[list[Sign]]:
    words: list[list[Sign]] = []
    for sign in sorted(piece.signs, key=lambda sign: sign[1]):
        if words and sign[1] - words[-1][-1][2] < _SPACE * piece.height:
            words[-1].append(sign)
        else:
            words.append([sign])
    return words


def _columns_of(rows: Lines, names: int) -> list[Edges]:
    """Return how far columns reach, where rows have more cells than there are names; [] elsewhere."""
    count = len(rows[0]) if rows else 0
    same = [row for row in rows if len(row) == count]
    if count <= max(names, _LEAST_COLUMNS - 1) or len(same) < _LEAST_ROWS or same[0] is not rows[0]:
        return []
    columns = [*zip(*same, strict=True)]
    if not all(one.is_under(column[0]) for column in columns for one in column):
        return []
    edges = [(min(one.left for one in held), max(one.right for one in held)) for held in columns]
    return [] if any(one[1] >= other[0] for one, other in pairwise(edges)) else edges
