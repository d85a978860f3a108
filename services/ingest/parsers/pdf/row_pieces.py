"""Tell what the pieces of a line of a table are, and whether they go on in the next line."""

import re
from collections.abc import Mapping, Sequence

from services.ingest.parsers.pdf.cells import Piece

_SPACE = 0.3
"""Of a letter's height, between two words."""
_NUMBER = re.compile(r"\W{0,2}\d[\d.,:/–-]*\s?(?:[^\W\d]{1,4}|\W{0,2})")
"""One with its unit: it does not go on in the next line."""
_VALUE = re.compile(r"\W{1,3}|[NX(]\W?[Aa]?\W?|n\W?a\W?|\W?[$€£¥]?\W?\d[\d.,\s]*\W{0,4}\w?\W?")
"""What stands for a number too: none, a dash, or one with a mark or a currency."""
_AMOUNT = re.compile(
    r"\W?[$€£¥₹](?:\s?\W?\d[\d.,]*\W{0,2})?|\W{0,2}\d{1,3}(?:[.,'’ ]\d{3})+(?:[.,]\d+)?\W{0,3}[$€£¥₹]?"
)
"""One with a currency, or so large that its digits are parted: it names no column."""

PiecesOfLine = Mapping[int, Piece]
"""What stands at one height, by its columns."""


def by_column(line: Sequence[Piece]) -> PiecesOfLine:
    return {piece.column: piece for piece in sorted(line, key=lambda piece: -piece.left)}


def had_room(above: Piece, below: Piece, width: float) -> bool:
    """Whether the next word would have found room in its cell, so that a line ended on purpose."""
    if is_mark(above) and is_mark(below):
        return True
    word = len(below.text.split(" ", 1)[0]) / len(below.text)
    needed = word * (below.right - below.left) + _SPACE * below.size
    return above.right - above.left + needed < width


def is_mark(piece: Piece) -> bool:
    """Whether a cell says by one sign that something is so: no text goes on behind it."""
    return len(piece.text.strip("()")) == 1


def is_number(piece: Piece) -> bool:
    return bool(_NUMBER.fullmatch(piece.text))


def is_value(piece: Piece) -> bool:
    """Whether a cell has a number, or what stands for one."""
    return is_number(piece) or bool(_VALUE.fullmatch(piece.text))


def is_amount(text: str) -> bool:
    return bool(_AMOUNT.fullmatch(text))
