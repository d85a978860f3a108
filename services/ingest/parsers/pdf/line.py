"""A line of a page, wherever it was read from."""

from dataclasses import dataclass

HYPHEN = "\ufffe"
"""What pdfium gives for a hyphen at the end of a line."""

Sign = tuple[str, float, float, float, float]
"""A character with its left, right, lower and upper edge."""


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
    is_cut: bool = False
    """Whether the page says that what ends here goes on overleaf."""
