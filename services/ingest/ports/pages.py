"""What pages as they are printed need of the outside: the files of documents, and who draws them."""

from typing import Protocol

from services.ingest.model.views import PageBox


class Originals(Protocol):
    """Keeps the files that pages are drawn from. Raises NotFound for a document without."""

    async def find_hash(self, book: str, edition: int, path: str) -> str:
        """Return the content hash of a document whose file is kept."""
        ...

    async def read(self, book: str, content_hash: str) -> bytes: ...


class PageDrawer(Protocol):
    """Draws a page of a file; a file can neither stop nor harm what calls.

    Raises NotFound for a page that is not there or can't be drawn, Unavailable for one that takes
    too long.
    """

    async def draw(self, data: bytes, page: int) -> bytes:
        """Return a page, counted from 1, as a PNG."""
        ...

    async def find(self, data: bytes, page: int, text: str, before: str) -> list[PageBox]:
        """Return where a page says `text`, behind `before` if it does so more than once."""
        ...
