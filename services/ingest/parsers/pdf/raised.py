"""Tell what is raised in a line: marks of footnotes, exponents, and other small text above it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from services.ingest.model.book import MarkupKind
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.marking import Piece
from services.ingest.parsers.pdf.traits import RAISED
from services.ingest.parsers.scripts import Script, is_mass_number, marks_around

_LOOKED_BACK = 8
_SYMBOL = 3
"""Characters that tell the symbol of an element from a word."""
_NEGATIVE = re.compile(r"\d[\u2212\u2013-]$")
"""A number and the minus of its exponent."""
_SPACE = 0.17
"""Of the height of letters: the least space between words, where the font changes."""


def height_of_line(signs: Sequence[Sign], size: float) -> float:
    """Return how high the characters of this size stand, in points."""
    usual = (
        bottom for _, _, _, bottom, top, _ in signs if abs(top - bottom - size) < 0.1 * size + 0.1
    )
    return median(usual)


def joined_runs(runs: Iterable[list[Sign]]) -> Iterator[list[Sign]]:
    """Yield lines of a page, those as one that are parted only behind something raised.

    The next letter stands lower than the last one there, which PDFium may take for a new line.
    """
    line: list[Sign] = []
    for run in filter(None, runs):
        if line and _goes_on(line, run[0]):
            line = [*line, *run]
        else:
            yield from [line] if line else ()
            line = run
    yield from [line] if line else ()


def _goes_on(line: Sequence[Sign], sign: Sign) -> bool:
    last = line[-1]
    gap, height = sign[1] - last[2], sign[4] - sign[3]
    same = any(abs(one[3] - sign[3]) + abs(one[4] - sign[4]) < 1 for one in line[-_LOOKED_BACK:])
    return RAISED in last[5] and same and -_SPACE * height < gap < height


def with_spaces(signs: Sequence[Sign]) -> list[Sign]:
    """Return the characters of a line with the spaces that are none because the font changes there."""
    spaced = list(signs[:1])
    for before, sign in pairwise(signs):
        words = before[0].isalnum() and sign[0].isalnum()
        if words and before[5] != sign[5] and sign[1] - before[2] > _SPACE * (sign[4] - sign[3]):
            spaced.append((" ", before[2], sign[1], sign[3], sign[4], ()))
        spaced.append(sign)
    return spaced


def take_raised(signs: Sequence[Sign]) -> tuple[list[Piece], list[str]]:
    """Return the parts of a line, and the marks of footnotes; one that starts it has "^" before it.

    What is raised was told by what it stands on: the box of a font may be smaller, and higher.
    """
    parts: list[Piece] = []
    marks: list[str] = []
    raised: list[Sign] = []
    waiting: list[Sign] = []
    for at, sign in enumerate(signs):
        if raised and sign[0].isspace():
            waiting.append(sign)
            continue
        if RAISED in sign[5]:
            traits = tuple(one for one in sign[5] if one != RAISED)
            raised += [*waiting, (*sign[:5], traits)]
            waiting = []
            continue
        if raised:
            after = waiting[:1] or signs[at : at + _SYMBOL]
            marks += _place(raised, parts, "".join(one[0] for one in after))
            parts += [(one[0], one[5]) for one in waiting]
            raised, waiting = [], []
        parts.append((sign[0], sign[5]))
    marks += _place(raised, parts, "")
    parts += [(one[0], one[5]) for one in waiting]
    return parts, marks


def _place(raised: Sequence[Sign], parts: list[Piece], after: str) -> list[str]:
    """Add what stands for raised text to the parts of a line; return the marks of footnotes in it."""
    text = "".join(sign[0] for sign in raised)
    if not text:
        return []
    line = "".join(part for part, _ in parts)
    is_nuclide = is_mass_number(text, after) and not line[-1:].isalnum()
    if text.isdigit() and not is_nuclide:
        return _place_digits(text, parts)
    # The logo of LaTeX has a raised letter, and is no formula.
    is_logo = text == "A" and line.endswith("L") and after[:1] == "T"
    opening, closing = ("", "") if is_logo else marks_around(Script.RAISED, line, text, after)
    if is_logo or not (line.strip() or is_nuclide):
        parts += [(sign[0], sign[5]) for sign in raised]
        return []
    kind = (MarkupKind.SUPERSCRIPT, opening + closing)
    pieces = [(opening, ()), *((sign[0], sign[5]) for sign in raised), (closing, ())]
    parts += [(shown, (*traits, kind)) for shown, traits in pieces if shown]
    return []


def _place_digits(digits: str, parts: list[Piece]) -> list[str]:
    is_first = not any(text.strip() for text, _ in parts)
    if _NEGATIVE.search("".join(text for text, _ in parts[-_SYMBOL:])):
        # The box of a minus may be that of the line, though it is raised with what is behind it.
        kind = (MarkupKind.SUPERSCRIPT, "^")
        sign = parts.pop()[0]
        parts += [("^", (kind,)), (sign, (kind,)), (digits, (kind,))]
        return []
    if not is_first and parts[-1][0].isdigit():
        parts.append((f"^{digits}", ((MarkupKind.SUPERSCRIPT, "^"),)))
        return []
    if not is_first:
        parts.append(("", ((MarkupKind.FOOTNOTE_REFERENCE, digits),)))
    return [f"^{digits}" if is_first else digits]
