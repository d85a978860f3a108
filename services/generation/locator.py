"""Where in a book something stands."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Locator:
    """A range of a document's canonical text, and where in the book that is.

    `start` and `end` are code points, half-open; `page` counts from 1 and is 0 without pages.
    """

    document: str
    start: int
    end: int
    section_path: tuple[str, ...] = ()
    url: str = ""
    page: int = 0
    anchor: str = ""
    page_label: str = ""
    """What the source calls the page, "iv"; "" where it only counts it."""

    @property
    def shown_page(self) -> str:
        """The page as a reader finds it; "" without pages."""
        return self.page_label or (str(self.page) if self.page else "")
