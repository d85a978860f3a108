"""Read what stands on the lines of a page between wide gaps."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import fmean

from services.ingest.model.book import MarkupKind
from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.line import Sign, Traits

_CODE = (MarkupKind.CODE, "")
_GAP = 0.9
"""Of a letter's height, from which on a space is more than one between words."""
_SPACE = 0.17
"""Of a letter's height: the least space between words."""
_ALIGNED = 3.0
"""Points that the edge of a cell is away from that of its header at most."""
_SMALL, _RAISED = 0.8, 0.7
"""Of a letter's height: what is smaller, and no higher above it, is raised."""
_SAME_LINE = 0.35
"""Of a letter's height: how far apart letters of one line stand."""


@dataclass(frozen=True)
class Piece:
    """What stands on a line without a wide gap; edges in points, from the lower left corner."""

    left: float
    right: float
    bottom: float
    top: float
    is_bold: bool
    leads: bool
    """Whether it is mostly the dots that lead to a number of a page."""
    is_code: bool
    text: str
    """Without space."""
    signs: tuple[Sign, ...] = field(default=(), repr=False)
    """Its characters but for space."""

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def middle(self) -> float:
        return (self.bottom + self.top) / 2

    @property
    def height(self) -> float:
        return self.top - self.bottom

    @property
    def words(self) -> str:
        """Its text with a space where its characters are not right behind each other."""
        parts = [
            " " * (sign[1] - before[2] > _SPACE * self.height) + sign[0]
            for before, sign in pairwise(self.signs)
        ]
        return "".join([*(sign[0] for sign in self.signs[:1]), *parts])

    def is_under(self, header: "Piece") -> bool:
        """Whether it is set left, right or centred as its header is."""
        left, right = self.left - header.left, self.right - header.right
        return min(abs(left), abs(right), abs(left + right) / 2) <= _ALIGNED


def pieces_of_run(run: Sequence[Sign]) -> Iterator[Piece]:
    """Yield what stands on a line between its wide gaps."""
    seen = [sign for sign in run if sign[0].strip()]
    starts = [0]
    for at, (before, sign) in enumerate(pairwise(seen), start=1):
        if sign[1] - before[2] > _GAP * (sign[4] - sign[3]) or sign[1] < before[1]:
            starts.append(at)
    for first, last in pairwise([*starts, len(seen)]):
        part = seen[first:last]
        if part:
            # Of most letters nothing is said, and a page has thousands, each read several times.
            marked = [sign[5] for sign in part if sign[5]]
            text = "".join([sign[0] for sign in part])
            yield Piece(
                min([sign[1] for sign in part]),
                max([sign[2] for sign in part]),
                fmean([sign[3] for sign in part]),
                fmean([sign[4] for sign in part]),
                2 * sum(map(_is_bold, marked)) > len(part),
                2 * text.count(".") > len(part),
                2 * sum([_CODE in traits for traits in marked]) > len(part),
                text,
                tuple(part),
            )


def _is_bold(traits: Traits) -> bool:
    return any(kind is MarkupKind.STRONG for kind, _ in traits)


def lines_of_pieces(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Return what stands at one height together, from the top, each from the left."""
    lines: list[list[Piece]] = []
    tallest: list[Piece] = []
    for piece in sorted(pieces, key=lambda piece: -piece.middle):
        if lines and tallest[-1].middle - piece.middle < _SAME_LINE * piece.height:
            lines[-1].append(piece)
            tallest[-1] = max(tallest[-1], piece, key=lambda piece: piece.height)
        elif lines and _are_raised(lines[-1], piece):
            lines[-1].append(piece)
            tallest[-1] = piece
        else:
            lines.append([piece])
            tallest.append(piece)
    return [_joined(sorted(line, key=lambda piece: piece.left)) for line in lines]


def _are_raised(above: Sequence[Piece], piece: Piece) -> bool:
    """Whether what stands over a piece is its exponents, and those of others beside it."""
    return all(
        one.height < _SMALL * piece.height and one.middle < piece.middle + _RAISED * piece.height
        for one in above
    )


def _joined(line: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of a line, those as one that have no wide gap between them."""
    found: list[Piece] = []
    for piece in line:
        before = found[-1] if found else piece
        if found and piece.left - before.right < _GAP * max(before.height, piece.height):
            tall = max(before, piece, key=lambda one: one.height)
            right, text = max(before.right, piece.right), before.text + piece.text
            signs = before.signs + piece.signs
            found[-1] = replace(tall, left=before.left, right=right, text=text, signs=signs)
        else:
            found.append(piece)
    return found


Edges = tuple[float, float]
Lines = Sequence[Sequence[Piece]]


def extents_of(table: Table, lines: Lines, touch: float) -> Mapping[int, Edges]:
    """Return how far what stands in each column reaches, but not what stands in several.

    It may reach less than `touch` points out of its column.
    """
    found: dict[int, Edges] = {}
    for piece in (piece for line in lines for piece in line):
        at = table.column_at((piece.left + piece.right) / 2)
        left, right = table.columns[at : at + 2]
        if left - touch < piece.left and piece.right < right + touch:
            one, other = found.get(at, (piece.left, piece.right))
            found[at] = (min(one, piece.left), max(other, piece.right))
    return found


def are_axes(rows: Sequence[Sequence[Piece] | dict[int, Piece]]) -> bool:
    """Whether most lines say the same in all their cells, as the axes of drawings side by side do."""
    cells = [
        [piece.text for piece in (row.values() if isinstance(row, dict) else row)] for row in rows
    ]
    several = [texts for texts in cells if len(texts) > 1]
    same = sum(len({*texts}) == 1 for texts in several)
    return 2 * same > len(several)
