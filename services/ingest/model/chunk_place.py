"""Where in a book a chunk stands, beside its offsets."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ChunkPlace:
    """Where in the book a chunk stands. The ids are UUIDs, the same in every edition.

    A chapter is a document, or a topmost section where the book is one document.
    """

    module_id: str = ""
    chapter_id: str = ""
    section_id: str = ""
    """Of the section that the chunk begins in."""
    chapter_title: str = ""
    heading: str = ""
    """The title of that section; "" above the first one of the chapter."""
    index: int = 0
    """How many chunks of the chapter come before it."""
    first_sentence: int = 0
    last_sentence: int = 0
    """Of the document's sentences, rows and items, counted from 0; both are in the chunk."""
    depth: int = 0
    part_titles: tuple[str, ...] = ()
    is_listed: bool | None = None
    """Of the document, as of its PlacedFile."""
    last_page: int = 0
    """The page that the chunk ends on; 0 for a source without pages."""


NO_PLACE = ChunkPlace()
