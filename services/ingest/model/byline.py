"""Who wrote a book and when it appeared, as the book itself says it."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from libs.language.layout import load_layout

_MOST_AUTHORS = 20
_LONGEST_NAME = 100
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")


class Byline(NamedTuple):
    """Names of authors in their order; the year, 0 where none is said."""

    authors: tuple[str, ...] = ()
    year: int = 0


NO_BYLINE = Byline()


def read_byline(names: Iterable[str], date: str = "") -> Byline:
    """Return the byline that names and a date in any spelling make; what is no name is left out."""
    lines = (_without_by(" ".join(name.split())) for name in names)
    nobody = load_layout().no_author
    told = [
        line
        for line in lines
        if line and line.casefold() not in nobody and len(line) <= _LONGEST_NAME
    ]
    year = _YEAR.search(date)
    return Byline(tuple(dict.fromkeys(told))[:_MOST_AUTHORS], int(year[0]) if year else 0)


def _without_by(line: str) -> str:
    """Return names without the word before them that says they wrote it: "by Ada Wong"."""
    first, _, rest = line.partition(" ")
    # "von Neumann" is a name.
    return rest if " " in rest and first.casefold() in load_layout().by else line


def common_byline(bylines: Iterable[Byline]) -> Byline:
    """Return what all documents of a book that say something say alike; nothing of the rest."""
    told = [*bylines]
    authors = {one.authors for one in told if one.authors}
    years = {one.year for one in told if one.year}
    return Byline(authors.pop() if len(authors) == 1 else (), years.pop() if len(years) == 1 else 0)
