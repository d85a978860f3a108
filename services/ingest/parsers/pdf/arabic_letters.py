"""Read the Arabic yeh that fonts name as the Persian one: only at the end of a word do they differ."""

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from services.ingest.parsers.pdf.line import Sign

_ARABIC, _PERSIAN = "\u064a", "\u06cc"


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
