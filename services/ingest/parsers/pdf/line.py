"""A line of a page, wherever it was read from."""

from dataclasses import dataclass

from services.ingest.model.book import Markup, MarkupKind

HYPHEN = "\ufffe"
"""What pdfium gives for a hyphen at the end of a line."""

Traits = tuple[tuple[MarkupKind, str], ...]
"""What a character is beside its letter, as the kinds and values of markup: bold, part of a link."""

Sign = tuple[str, float, float, float, float, Traits]
"""A character with its left, right, lower and upper edge, and its traits."""


@dataclass(frozen=True)
class Line:
    """A line of a page in points from its lower left corner; `y` is its lower edge."""

    text: str
    page: int
    left: float
    right: float
    y: float
    size: float
    is_mono: bool = False
    sizes: frozenset[float] = frozenset()
    """The sizes of the letters it is made of; fonts of one size differ in height."""
    marks: tuple[str, ...] = ()
    """Raised numbers within the line: the marks of footnotes."""
    note: str = ""
    """The raised number that the line starts with."""
    parts: tuple["Line", ...] = ()
    """The two halves of a line that has one wide gap; empty for any other."""
    table: int = 0
    """The number of the table that the line is a row of; 0 for any other line."""
    titled: int = 0
    """The number of the table that the line is the title of, in its topmost cell; 0 for any other."""
    columns: tuple[float, ...] = ()
    """The edges of the columns of its table, from its left one; empty for a line of text."""
    is_steep: bool = False
    """Whether it runs up or down beside the others of its page."""
    is_underlined: bool = False
    """Whether a line is drawn under all of it, but for its number."""
    markup: tuple[Markup, ...] = ()
    """Of ranges of `text`, in no order."""
    is_broken: bool = False
    """Whether it is code that a sign says goes on in the next line."""
    is_rest: bool = False
    """Whether it is code that a sign says goes on from the line above."""


def keeps_hyphen(text: str, line: str) -> bool:
    """Whether the hyphen that ends `text` is no matter of the line break: "Multi-Arch", "8-bit".

    Words are broken between letters that are alike, and behind more than one: "VSD-E" is a name.
    """
    begins, before = line[:1], text.rstrip(HYPHEN)[-1:]
    if begins.isupper() and not line[1:2].isalnum():
        return True
    return begins.isdigit() or (begins.isalpha() and begins.isupper() is not before.isupper())
