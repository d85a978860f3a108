"""Tell the titles that programs write into files from those that somebody gave."""

import re

from libs.language.entries import alternatives
from libs.language.layout import load_layout

_OF_FILE = re.compile(
    r"untitled|microsoft \w+ - |.*\.(?:docx?|dvi|html?|indd|md|odt|pdf|pptx?|ps|rtf|tex|txt)$",
    re.IGNORECASE,
)
_BY_PROGRAM = re.compile(
    rf"(?:{alternatives(load_layout().no_title)})[ _(-]*\d*\)?|\S+_\S+", re.IGNORECASE
)


def is_of_file(title: str) -> bool:
    """Whether a title says what file the book was made from, or that it has none."""
    return _OF_FILE.match(title) is not None


def is_by_program(title: str) -> bool:
    """Whether what a file states as its title was written by a program, as "Document1" is."""
    line = " ".join(title.split())
    return not line or is_of_file(line) or _BY_PROGRAM.fullmatch(line) is not None
