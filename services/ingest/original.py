"""Show pages of a document as its file has them, and where on them a range of its text stands."""

from collections import OrderedDict

from libs.errors import InvalidInput
from services.ingest.model.views import PageBox
from services.ingest.ports.editions import Catalogue
from services.ingest.ports.pages import Originals, PageDrawer

_MOST_CACHED = 16 << 20
"""Bytes of pictures that are kept in memory."""
_MOST_TEXT = 20_000
_BEFORE = 300


class OriginalPages:
    """Draws pages of kept files. Edition 0 means the current one; raises NotFound."""

    def __init__(self, originals: Originals, catalogue: Catalogue, drawer: PageDrawer) -> None:
        self._originals = originals
        self._catalogue = catalogue
        self._drawer = drawer
        self._drawn: OrderedDict[tuple[str, int], bytes] = OrderedDict()

    async def draw(self, book: str, edition: int, path: str, page: int) -> bytes:
        """Return a page as a PNG."""
        number = await self._edition(book, edition)
        content_hash = await self._originals.find_hash(book, number, path)
        kept = self._drawn.get((content_hash, page))
        if kept is None:
            data = await self._originals.read(book, content_hash)
            kept = await self._drawer.draw(data, page)
            self._keep((content_hash, page), kept)
        else:
            self._drawn.move_to_end((content_hash, page))
        return kept

    async def find(
        self, book: str, edition: int, path: str, page: int, between: tuple[int, int]
    ) -> list[PageBox]:
        """Return where on a page a range of the document's text stands.

        The range's letters are looked for on the page; those before it tell which of several places
        is meant. Raises InvalidInput.
        """
        start, end = between
        number = await self._edition(book, edition)
        content_hash = await self._originals.find_hash(book, number, path)
        # Its text alone: the whole of a long document takes seconds to read.
        text = (await self._catalogue.get_texts(book, number, [path])).get(path, "")
        if not 0 <= start < end <= len(text) or end - start > _MOST_TEXT:
            raise InvalidInput(f"The range must hold 1 to {_MOST_TEXT} characters of the document.")
        data = await self._originals.read(book, content_hash)
        before = text[max(0, start - _BEFORE) : start]
        return await self._drawer.find(data, page, text[start:end], before)

    async def _edition(self, book: str, edition: int) -> int:
        return edition or (await self._catalogue.get_book(book)).edition

    def _keep(self, key: tuple[str, int], drawn: bytes) -> None:
        self._drawn[key] = drawn
        while sum(map(len, self._drawn.values())) > _MOST_CACHED:
            self._drawn.popitem(last=False)
