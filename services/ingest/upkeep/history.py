"""Work on the editions of a book that are kept: show one, compare two, delete the others."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from libs.errors import Conflict, NotFound, WrongIndex
from services.ingest.model.book import Edition
from services.ingest.model.job import Job, JobKind, Progress
from services.ingest.model.views import Vacuumed
from services.ingest.ports.editions import EditionStore, Erasure
from services.ingest.ports.index import PassageIndex
from services.ingest.ports.jobs import History, JobQueue
from services.ingest.ports.sharing import Reporter

_LOG = logging.getLogger(__name__)

DEFAULT_KEEP = 3
_ERASING_S = 600.0
_STILL_ERASING = (
    "The texts are still being erased from the stores' files. Run the vacuum again to see when none "
    "is left."
)
_LOST = "The index has lost passages of that edition. Ingest its source again."


def index_of(edition: Edition, indexes: Sequence[PassageIndex]) -> PassageIndex:
    """Return the one of the indexes that holds an edition which readers can be shown.

    Raises NotFound for an edition without documents, WrongIndex for one of another model.
    """
    if not edition.chunk_count:
        raise NotFound("That edition holds nothing; delete the book instead.")
    found = next((one for one in indexes if one.collection == edition.collection), None)
    if found is None:
        raise WrongIndex(
            "That edition was indexed with another embedding model, or by another version of Quoth. "
            "Ingest its source again, or name that model in QUOTH_EMBEDDER_BEFORE."
        )
    return found


class EditionUpkeep:
    """Does the jobs that make no edition. Whoever takes one over begins it anew, or goes on with it.

    `indexes` are those that readers can be led to; the first is the one that editions are made in.
    """

    def __init__(
        self,
        *,
        queue: JobQueue,
        history: History,
        editions: EditionStore,
        indexes: Sequence[PassageIndex],
        erasures: Sequence[Erasure] = (),
    ) -> None:
        self._queue = queue
        self._history = history
        self._editions = editions
        self._indexes = indexes
        self._erasures = erasures
        self._erasing = asyncio.Lock()

    async def run(self, job: Job, reporter: Reporter) -> None:
        """Do what the job asks and end it. Raises NotFound, Conflict, WrongIndex."""
        if job.order.kind is JobKind.ROLL_BACK:
            await self._roll_back(job, reporter)
        elif job.order.kind is JobKind.COMPARE:
            await self._compare(job, reporter)
        else:
            await self._vacuum(job, reporter)

    async def _roll_back(self, job: Job, reporter: Reporter) -> None:
        """Show an edition, once every passage of it has been found whole."""
        book, number = job.order.book, job.order.edition
        edition = await self._history.find(book, number)
        index = index_of(edition, self._indexes)
        progress = Progress(stage="examine", chunks_total=edition.chunk_count)
        await reporter.note(progress)

        async def tell(read: int) -> None:
            await reporter.note(replace(progress, chunks_done=read))

        keys = await self._editions.chunk_keys(book, number)
        condition = await index.examine(book, number, keys, whole=True, tell=tell)
        if not condition.is_sound or len(keys) != edition.chunk_count:
            raise Conflict(_LOST)
        await reporter.note(replace(progress, chunks_done=edition.chunk_count))
        await self._history.show(job, number)

    async def _compare(self, job: Job, reporter: Reporter) -> None:
        order = job.order
        pair = await self._history.find_pair(order.book, order.before, order.edition)
        progress = Progress(stage="compare", chunks_total=sum(one.chunk_count for one in pair))
        await reporter.note(progress)
        async for found in self._history.compare(order.book, order.before, order.edition):
            looked_at = 2 * found.chunks_kept + found.chunks_added + found.chunks_removed
            await reporter.note(replace(progress, chunks_done=looked_at))
        # A vacuum may have deleted one of them on the way.
        await self._history.find_pair(order.book, order.before, order.edition)
        await self._queue.finish_upkeep(job, found)

    async def _vacuum(self, job: Job, reporter: Reporter) -> None:
        """Delete from the database, then from the index, then from the files of both."""
        progress = Progress(stage="delete")
        async for done in self._history.vacuum(job):
            progress = replace(
                progress,
                chunks_total=done.chunks_found,
                chunks_done=done.chunks,
                documents_total=done.documents,
                documents_done=done.documents,
            )
            await reporter.note(progress)
        await reporter.note(replace(progress, stage="index"))
        # Beside the collections of editions, those that an ingest or a vacuum left which never ended.
        index = self._indexes[0]
        for collection in sorted({*done.kept, *await index.list_collections()}):
            reporter.check()
            await index.vacuum(job.order.book, collection, done.kept.get(collection, ()))
        await reporter.note(replace(progress, stage="erase"))
        await self._queue.finish_upkeep(job, await self._erase(done))

    async def _erase(self, done: Vacuumed) -> Vacuumed:
        """Have the stores forget what was deleted from them, one vacuum after the other."""
        try:
            async with asyncio.timeout(_ERASING_S), self._erasing:
                left = [await store.erase() for store in self._erasures]
        except TimeoutError:
            _LOG.warning("deleted texts may still be in a store's files after %d s", _ERASING_S)
            left = [_STILL_ERASING]
        return replace(done, left=" ".join(filter(None, left)))
