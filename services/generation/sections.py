"""Where sections begin inside of a passage, and what in it belongs to all that follows."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class SectionStart:
    """Where in a document a section begins, its titles, and what leads to it."""

    start: int
    section_path: tuple[str, ...]
    anchor: str = ""
    url: str = ""


class LeadIn(NamedTuple):
    """A span, [start, end), that belongs to all behind it up to `until`; it may be a term."""

    start: int
    end: int
    until: int
    is_term: bool
