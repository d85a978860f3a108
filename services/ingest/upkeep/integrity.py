"""Check that the index holds the published editions as they were written."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from libs.errors import DeadlineExceeded, NotFound, Unavailable, WrongIndex
from libs.rpc.readiness import CATALOGUE, Readiness
from services.ingest.model.condition import Condition
from services.ingest.ports.editions import Catalogue, EditionStore
from services.ingest.ports.index import PassageIndex
from services.ingest.ports.jobs import History

_LOG = logging.getLogger(__name__)

_EVERY_S = 600.0
_AGAIN_S = 5.0
_WHOLE_EVERY = 144
"""Rounds, a day: between them only which passages there are is looked at, not what they say."""
_FORGOTTEN = (
    "the index holds books, and the database has never had any: it was lost, or is another one. "
    "Give back the database that belongs to the index, or ingest the books again"
)
_LOST = "The index has lost or damaged passages of this book. Ingest its source again."


class IntegrityCheck:
    """Reads what readers see of each book through, and knows where something is wrong with it."""

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        history: History,
        editions: EditionStore,
        index: PassageIndex,
    ) -> None:
        self._catalogue = catalogue
        self._history = history
        self._editions = editions
        self._index = index
        self._faults: dict[tuple[str, int], Condition] = {}

    def is_damaged(self, book: str, edition: int) -> bool:
        """Say whether something was wrong with an edition when it was last looked at."""
        return (book, edition) in self._faults

    def check(self, book: str, edition: int) -> None:
        """Raise WrongIndex for an edition that can't be trusted to be found whole."""
        if self.is_damaged(book, edition):
            raise WrongIndex(_LOST)

    async def watch(self) -> None:
        """Examine all books now and every ten minutes, each word once a day, until cancelled."""
        rounds = 0
        while True:
            try:
                await self.examine_all(whole=rounds % _WHOLE_EVERY == 0)
                rounds, wait_s = rounds + 1, _EVERY_S
            except Exception as error:  # noqa: BLE001 - whatever it fails with, it has to go on
                _LOG.warning("the books could not be examined: %s", error)
                wait_s = _AGAIN_S
            await asyncio.sleep(wait_s)

    async def is_forgotten(self) -> bool:
        """Say whether the index holds books that the database has never heard of. Raises Unavailable.

        That is what an empty database beside an index that is not looks like: one of the two was lost,
        or belongs to another home.
        """
        return not await self._catalogue.has_begun() and await self._index.holds_points()

    async def watch_forgotten(
        self,
        readiness: Readiness,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Let `readiness` say whether the database knows the books of the index, until cancelled."""
        said = False
        while True:
            with suppress(Unavailable, DeadlineExceeded):
                forgotten = await self.is_forgotten()
                if forgotten and not said:
                    _LOG.error(_FORGOTTEN)
                said = forgotten
                await readiness.set_part(CATALOGUE, not forgotten)
            await sleep(_AGAIN_S)

    async def examine_all(self, *, whole: bool = True) -> None:
        """Examine what readers see of every book; see `examine`. Raises Unavailable."""
        for book in await self._catalogue.list_books():
            await self.examine(book.slug, book.edition, whole=whole)

    async def examine(self, book: str, edition: int, *, whole: bool = True) -> Condition:
        """Hold one edition against the index, and remember what is wrong.

        With `whole`, and where something was wrong before, every text and vector is read. Raises
        Unavailable.
        """
        whole = whole or self.is_damaged(book, edition)
        try:
            found = await self._history.find(book, edition)
        except NotFound:
            return Condition()
        # What another model has made is told by retrieval, which knows by which.
        if found.collection != self._index.collection:
            return Condition()
        keys = await self._editions.chunk_keys(book, edition)
        condition = await self._index.examine(book, edition, keys, whole=whole)
        if condition.is_sound:
            self._faults.pop((book, edition), None)
        else:
            _LOG.error("edition %d of %s in the index: %s", edition, book, condition)
            self._faults[book, edition] = condition
        return condition
