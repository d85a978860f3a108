"""Read Arabic letters that a file shows right and names otherwise.

Fonts name the Arabic yeh as the Persian one: only at the end of a word do they differ. And of lam and
alef, which are drawn as one sign, PDFium gives the alef first where it turns a line around.
"""

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from services.ingest.parsers.pdf.line import Sign

_ARABIC, _PERSIAN = "\u064a", "\u06cc"
_LAM, _ALEFS = "\u0644", "\u0622\u0623\u0625\u0627\u0671"


def usual_yeh(text: str) -> str:
    """Return a text with one letter for both, by which it is compared with what is on a page."""
    return text.replace(_PERSIAN, _ARABIC)


def with_arabic_yeh(runs: Sequence[list[Sign]]) -> Sequence[list[Sign]]:
    """Return the lines of a page, with the Arabic letter if words end with that one alone."""
    if not any(sign[0] == _PERSIAN for run in runs for sign in run):
        return runs
    last = {letter for run in runs for letter in _last_letters(run)}
    if _PERSIAN in last or _ARABIC not in last:
        return runs
    return [[(_ARABIC, *sign[1:]) if sign[0] == _PERSIAN else sign for sign in run] for run in runs]


def _last_letters(run: Sequence[Sign]) -> set[str]:
    """Return the letters that stand at the ends of words."""
    letters = [*(sign[0] for sign in run), " "]
    return {letter for letter, after in pairwise(letters) if not _goes_on(after)}


def _goes_on(letter: str) -> bool:
    return unicodedata.bidirectional(letter) in ("AL", "NSM")


def with_lam_first(run: list[Sign]) -> list[Sign]:
    """Return a line with lam before the alef that is drawn with it.

    No sign joins them the other way.
    """
    turned = [at for at, (before, sign) in enumerate(pairwise(run)) if _is_turned(before, sign)]
    if not turned:
        return run
    read = [*run]
    for at in turned:
        read[at : at + 2] = [run[at + 1], run[at]]
    return read


def _is_turned(before: Sign, sign: Sign) -> bool:
    is_drawn_as_one = before[1:5] == sign[1:5] and sign[1] < sign[2]
    return sign[0] == _LAM and before[0] in _ALEFS and is_drawn_as_one
