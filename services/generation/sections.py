"""Where sections begin inside of a passage."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SectionStart:
    """Where in a document a section begins, its titles, and what leads to it."""

    start: int
    section_path: tuple[str, ...]
    anchor: str = ""
    url: str = ""
