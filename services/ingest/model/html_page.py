"""What a book is planned by of an HTML page."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PageText:
    """What tells whether two HTML pages have the same text, without the text, and where one leads."""

    canonical: str = ""
    """The address that the page says it is to be known by."""

    paragraphs: frozenset[int] = frozenset()
    """A number for each of its longer paragraphs."""

    links: frozenset[str] = frozenset()
    """Names of the files that its links lead to."""

    leads_to: str = ""
    """The address, without what follows # or ?, that a browser goes on to by itself."""

    contents: tuple[tuple[str, int], ...] = ()
    """Addresses that lists of it lead to which call themselves contents, and how deep each stands."""

    title: str = ""
    """What the page's head calls it."""

    edges: frozenset[int] = frozenset()
    """A number for each of its texts near its beginning and its end."""
