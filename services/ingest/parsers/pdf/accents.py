"""Put the accents of a line where they are seen: fonts of TeX have them as signs of their own.

PDFium gives such a sign before its letter, or at the line's end, as it stands higher than the line.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from services.ingest.parsers.pdf.line import Sign

_TOUCHING = 1.0
_GRAVE = "\u0300"
ACCENTS = dict(
    zip(
        "`\u00b4\u02c6\u02dc\u00af\u02d8\u02d9\u00a8\u02da\u02dd\u02c7\u00b8\u02db",
        "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327\u0328",
        strict=True,
    )
)
"""Accents that take a place of their own, and what joins each to a letter."""
DOTLESS = {"\u0131": "i", "\u0237": "j"}
_LIFTED = 0.5
"""Of a letter's height: how much higher an accent may stand, over a capital."""
_LOOKED_AT = 4
"""Letters that begin left of the middle of an accent."""
_SPACE = 0.15
"""Of a letter's height: the least space between words."""


def place_accents(signs: list[Sign]) -> list[Sign]:
    """Return the characters of a line with accents on their letters, and TeX's graves as quotes."""
    signs = _place_graves(signs)
    accents = [at for at, sign in enumerate(signs) if sign[0] in ACCENTS]
    return _join(signs, accents) if accents else signs


def _join(signs: list[Sign], accents: Sequence[int]) -> list[Sign]:
    letters = sorted((sign[1], at) for at, sign in enumerate(signs) if sign[0].isalpha())
    joined: dict[int, str] = {}
    kept: list[Sign | None] = [*signs]
    for at in accents:
        middle = (signs[at][1] + signs[at][2]) / 2
        behind = bisect_right(letters, (middle, len(signs)))
        for _, index in reversed(letters[max(0, behind - _LOOKED_AT) : behind]):
            whole = _whole(signs[index], signs[at])
            if whole and index not in joined and index != at:
                joined[index] = whole
                kept[index], kept[at] = (whole, *signs[index][1:]), None
                break
    return list(_without_gaps(kept)) if joined else signs


def _whole(letter: Sign, accent: Sign) -> str:
    """Return a letter with the accent that is printed over or under it; "" if it is not."""
    middle = (accent[1] + accent[2]) / 2
    is_near = abs(accent[3] - letter[3]) < _LIFTED * (letter[4] - letter[3])
    if not (is_near and letter[1] <= middle <= letter[2]):
        return ""
    text = DOTLESS.get(letter[0], letter[0]) + ACCENTS[accent[0]]
    whole = unicodedata.normalize("NFC", text)
    return whole if len(whole) == 1 else ""


def _without_gaps(signs: Sequence[Sign | None]) -> Iterator[Sign]:
    """Yield what is left; beside an accent PDFium takes the way to it and back for spaces."""
    beside = {near for at, sign in enumerate(signs) if sign is None for near in (at - 1, at + 1)}
    for at, sign in enumerate(signs):
        if sign is not None and not (at in beside and sign[0] == " " and _is_in_word(signs, at)):
            yield sign


def _is_in_word(signs: Sequence[Sign | None], at: int) -> bool:
    """Whether a space stands between letters that touch."""
    before = next((one for one in signs[at::-1] if one and one[0].strip()), None)
    behind = next((one for one in signs[at:] if one and one[0].strip()), None)
    if not before or not behind:
        return False
    return abs(behind[1] - before[2]) < _SPACE * (before[4] - before[3])


def _place_graves(signs: list[Sign]) -> list[Sign]:
    """Put back an opening quote that TeX set as a grave: it comes late, as a combining mark."""
    late = {
        index
        for index, sign in enumerate(signs)
        if sign[0] == _GRAVE and (index == 0 or signs[index - 1][0].isspace())
    }
    if not late:
        return signs
    placed = [sign for index, sign in enumerate(signs) if index not in late]
    for index in sorted(late):
        left = signs[index][1]
        beyond = (at for at, sign in enumerate(placed) if sign[1] >= left and sign[0].strip())
        at = next(beyond, len(placed))
        seen = at
        while seen and placed[seen - 1][0].isspace():
            seen -= 1
        if seen and left - placed[seen - 1][2] < _TOUCHING:
            del placed[seen:at]  # the gap that was taken for a space is where the quote stands
            at = seen
        placed.insert(at, ("`", *signs[index][1:]))
    return placed
