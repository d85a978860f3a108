"""Read in the names of files and folders what they hold: "06-market-failures/index.md"."""

import re
from collections.abc import Container
from pathlib import PurePosixPath

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
