"""Tell the numbers at the end of a line of a page from what they are said of."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from services.ingest.parsers.pdf.bare_pieces import Piece
from services.ingest.parsers.pdf.line import Sign

_WORD = 0.17
"""Of a letter's height: the least space between words."""
_APART = 0.5
"""Of a letter's height: the least space between what a number is said of and the number."""
_WITHIN_NUMBER = 0.5
"""Of a letter's height, before the thousands of a number, or behind its sign, at most."""
_BEHIND_NUMBER = 1.6
"""Of a letter's height, from a number to its sign at the right edge of the column, at most."""
_CLOSE = 0.4
"""Of a letter's height: the most space between a number and what is said of it behind it."""
_LEADERS = re.compile(r"(?:[.·…_]\s*){3,}$")
_SIGN = re.compile(r"(?:[-–—−+±<>≤≥~(\[]|(?:[A-Z]{0,3}[$€£¥₹]|Rs\.?))+")
"""What stands before a number, with space behind it or none."""
_SYMBOL = re.compile(r"[(\[]?(?:[A-Z]{0,3}[$€£¥₹]|Rs\.?)[(\[]?|[(\[]")
"""What stands at the left edge of a column: a currency, and the bracket of what is taken away."""
_BEHIND = re.compile(r"[%‰)\]*†‡]{1,3}")
_NUMBER = re.compile(
    r"[(\[<>≤≥~±+–—−$€£¥₹-]{0,4}(?:\d|[.,]\d)[\d.,:/'’–×-]*[%‰)\]*†‡]{0,4}[a-zA-Z]?\)?[*†‡]?"
)
_NONE = re.compile(r"[-–—−.·…*]{1,4}|n\W?a\W?|N\W?A\W?|n\.?s\.?|nil|X", re.IGNORECASE)
"""What stands for a number."""
_DASH = re.compile(r"(?:[A-Z]{0,3}[$€£¥₹]\s?)?[-–—−]")
"""What stands for nothing in a table of numbers, with a currency or without."""
_DATE = re.compile(
    r"\W{0,2}(?:(?:1[89]|20)\d\d(?:\s?[–/-]\s?\d{2,4})?[a-zA-Z*]?|\d{1,4}([./-])\d{1,2}\1\d{1,4})\W{0,2}"
)
_LISTED = tuple(",;:")
_BETWEEN = re.compile(r"[±–—−×/-]")
"""Parts a number from its error, or from the last of a range."""
_ASIDE = re.compile(r"[(\[]\W{0,2}\d[\d.,–-]*\W{0,3}")
_GROUP = re.compile(r"[(–—−$€£¥₹-]*\d{1,3}(?:[ .,]\d{3})*")
_THREE = re.compile(r"\d{3}(?:[.,]\d+)?[%)*]{0,2}")
_PRINTED_OVER = 1.0
"""Points that a number lies over the one before it, if both are printed in one place."""
_SHORT = 3
"""Letters at most of a word among numbers, as of one who did not come in."""


@dataclass(frozen=True)
class Cell:
    """What stands in one cell of a line: edges in points, from the lower left corner."""

    left: float
    right: float
    bottom: float
    top: float
    text: str
    is_value: bool
    is_bold: bool = False

    @property
    def middle(self) -> float:
        return (self.bottom + self.top) / 2

    @property
    def height(self) -> float:
        return self.top - self.bottom

    @property
    def has_digit(self) -> bool:
        return any(map(str.isdigit, self.text))

    @property
    def is_dash(self) -> bool:
        return bool(_DASH.fullmatch(self.text))

    @property
    def is_date(self) -> bool:
        return is_date(self.text)

    @property
    def is_number(self) -> bool:
        return self.has_digit and bool(_NUMBER.fullmatch(self.text.replace(" ", "")))


def cells_of_line(line: Sequence[Piece]) -> list[Cell]:
    """Return the cells of a line: its numbers each for itself, what else has no wide gap as one."""
    cells = [cell for piece in line for cell in _cells_of(piece)]
    return _with_short_words(_with_symbols(cells))


def _cells_of(piece: Piece) -> Iterator[Cell]:
    is_plain = not any(map(str.isdigit, piece.text)) and not _SYMBOL.search(piece.text[-4:])
    if is_plain and not _NONE.fullmatch(piece.text):
        yield _cell(piece, piece.left, piece.right, piece.text, is_value=False)
        return
    words = _joined(_printed_once(list(_words(piece.signs))), piece.height)
    at = len(words)
    while at and (is_value(words[at - 1][2]) or _is_of_number(words, at - 1)):
        at -= 1
    # Numbers right behind a word are of it.
    while 0 < at < len(words) and not _is_apart(words[at - 1], words[at], piece.height):
        at += 1
    is_symbol = at == len(words) > 1 and bool(_SYMBOL.fullmatch(words[-1][2]))
    if is_symbol and _is_apart(words[-2], words[-1], piece.height):
        at -= 1
    if at:
        text = " ".join(word[2] for word in words[:at])
        is_whole = at == 1 and is_value(text)
        yield _cell(piece, words[0][0], words[at - 1][1], text, is_value=is_whole)
    for left, right, text in words[at:]:
        yield _cell(piece, left, right, text, is_value=is_value(text))


_Word = tuple[float, float, str]


def _is_of_number(words: Sequence[_Word], at: int) -> bool:
    """Whether a word behind a number is its sign, or the currency or bracket of the next."""
    word = words[at][2]
    if not at or not is_value(words[at - 1][2]):
        return False
    is_first = at == len(words) - 1 or is_value(words[at + 1][2])
    return bool(_BEHIND.fullmatch(word)) or (is_first and bool(_SYMBOL.fullmatch(word)))


def _is_apart(word: _Word, number: _Word, height: float) -> bool:
    return number[0] - word[1] >= _APART * height or bool(_LEADERS.search(word[2]))


def _cell(piece: Piece, left: float, right: float, text: str, *, is_value: bool) -> Cell:
    return Cell(left, right, piece.bottom, piece.top, text, is_value, piece.is_bold)


def is_value(text: str) -> bool:
    """Whether a word is a number, or stands for one."""
    bare = text.replace(" ", "")
    if bare[-1:] in _LISTED:
        return False  # one of several, as the pages of an index
    return bool(_NUMBER.fullmatch(bare) or _NONE.fullmatch(bare))


def is_date(text: str) -> bool:
    """Whether a text is a year or a day, as stand over columns."""
    return bool(_DATE.fullmatch(text))


def _words(signs: Sequence[Sign]) -> Iterator[_Word]:
    """Yield the left and right edge and the text of each word; dots that lead to a number end one."""
    starts = [0]
    for at, (before, sign) in enumerate(pairwise(signs), start=1):
        is_apart = sign[1] - before[2] > _WORD * (sign[4] - sign[3])
        ends_leaders = at > 2 and sign[0] not in ".…·" and _are_leaders(signs[at - 3 : at])
        if is_apart or ends_leaders or sign[2] < before[1]:
            starts.append(at)
    for first, last in pairwise([*starts, len(signs)]):
        part = signs[first:last]
        if part:
            yield part[0][1], max(sign[2] for sign in part), "".join(sign[0] for sign in part)


def _printed_once(words: Sequence[_Word]) -> list[_Word]:
    """Return words but for those over which others are printed, to look bold."""
    if all(one[1] <= other[0] for one, other in pairwise(words)):
        return [*words]
    return [
        word
        for at, word in enumerate(words)
        if not any(
            later[0] < word[0] + _PRINTED_OVER and later[1] > word[1] - _PRINTED_OVER
            for later in words[at + 1 :]
        )
    ]


def _are_leaders(signs: Sequence[Sign]) -> bool:
    return all(sign[0] in ".…·" for sign in signs)


def _joined(words: Sequence[_Word], height: float) -> list[_Word]:
    """Return words, those of one number as one: its sign, its thousands, what stands behind it."""
    found: list[_Word] = []
    for left, right, text in words:
        before = found[-1] if found else None
        gap = left - before[1] if before else 0.0
        near = gap < _WITHIN_NUMBER * height
        if (
            before
            and near
            and (_goes_on(before[2], text) or (gap < _CLOSE * height and _is_part(before[2], text)))
        ):
            found[-1] = (before[0], right, f"{before[2]} {text}")
        else:
            found.append((left, right, text))
    return found


def _goes_on(before: str, text: str) -> bool:
    if _SIGN.fullmatch(before):
        return bool(_NUMBER.fullmatch(text))
    is_number = bool(_NUMBER.fullmatch(before.replace(" ", "")))
    if is_number and _BEHIND.fullmatch(text):
        return True
    return bool(_GROUP.fullmatch(before) and _THREE.fullmatch(text))


def _is_part(before: str, text: str) -> bool:
    """Whether a word right behind a number is its error, its share, or the end of a range."""
    bare = before.replace(" ", "")
    if bare[:1].isdigit() and _BETWEEN.fullmatch(bare[-1:]) and text[:1].isdigit():
        return True
    is_number = bool(_NUMBER.fullmatch(bare)) and bare[-1:].isdigit()
    return is_number and bool(_BETWEEN.fullmatch(text) or _ASIDE.fullmatch(text))


def _with_symbols(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a line, a currency at the left edge of its column with the number there."""
    found: list[Cell] = []
    for cell in cells:
        if not found or not (cell.is_value or found[-1].is_value):
            found.append(cell)
        elif found[-1].is_value and _is_behind(found[-1], cell):
            found[-1] = _both(found[-1], cell)
        elif not cell.is_value or cell.left >= found[-1].right - _PRINTED_OVER:
            found.append(cell)  # else printed twice, to look bold
        while len(found) > 1 and found[-1].is_value and _SYMBOL.fullmatch(found[-2].text):
            found[-2:] = [_both(found[-2], found[-1])]
    return found


def _both(one: Cell, other: Cell) -> Cell:
    """Return a number with its sign, in the order that they stand."""
    number = one if one.is_value else other
    return replace(number, left=one.left, right=other.right, text=f"{one.text} {other.text}")


def _is_behind(number: Cell, cell: Cell) -> bool:
    """Whether a cell is the sign of a share or a closing bracket, at the right edge of its column."""
    near = cell.left - number.right < _BEHIND_NUMBER * cell.height
    return near and number.has_digit and bool(_BEHIND.fullmatch(cell.text))


def _with_short_words(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a line, a short word among its numbers as one that stands for a number."""
    return [
        cell
        if cell.is_value or len(cell.text) > _SHORT or at == 0 or not cells[at - 1].is_value
        else replace(cell, is_value=True)
        for at, cell in enumerate(cells)
    ]
