"""Read in the names of files and folders what they hold, "06-market-failures/index.md", and count."""

import re
from collections.abc import Container, Iterable
from pathlib import PurePosixPath

from services.retrieval.model import Heading

Numbered = tuple[Heading, str]
"""A chapter, and the number that it goes by."""

_FIRST = 2
"""The number of the first chapter at most."""

_OPENING_NAMES = ("index", "readme", "root", "contents", "toc")
"""Names of the page that a site opens with, which is none of its chapters."""

_NUMBER = re.compile(
    r"(?P<kind>[a-z]+)?[-_. ]?0*(?P<number>\d{1,3})(?:[-_.s]0*(?P<inner>\d{1,3}))?(?!\d)"
)


def number_in_name(name: str, appended: Container[str]) -> str:
    """Return the number that a name begins with, behind a word such as "ch"; "" for none.

    A name of a section, "2.1", has none; nor has one that begins with a word of `appended`, which
    say that it is no chapter.
    """
    found = _NUMBER.match(name.lower())
    if found is None or found["kind"] in appended or int(found["inner"] or 0):
        return ""
    return str(int(found["number"]))


def opens_folder(document: PurePosixPath) -> bool:
    """Whether a document is called as the first page of a site, or of one of its folders."""
    return document.name.lower().split(".")[0] in _OPENING_NAMES


def names_folder(document: PurePosixPath) -> bool:
    """Whether a document is called as its folder: "03_Phases/phases.md" is what that is titled by."""
    folder = document.parent.name.lower()
    found = _NUMBER.match(folder)
    bare = folder[found.end() :] if found else folder
    return bool(bare) and _letters(document.stem.lower()) == _letters(bare)


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name))


def count_up(numbered: Iterable[Numbered]) -> list[Numbered]:
    """Return those that count up from the first, each number once, until they begin anew.

    What begins anew are appendices, or the numbers of another part.
    """
    run: list[Numbered] = []
    for heading, number in numbered:
        if not number.isdigit():
            continue
        before = int(run[-1][1]) if run else -1
        if int(number) <= before and int(number) == int(run[0][1]) and len(run) > 1:
            break
        if int(number) > before:
            run.append((heading, number))
    return run if run and int(run[0][1]) <= _FIRST else []
