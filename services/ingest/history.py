"""Roll a book back to an earlier edition, and delete editions that nobody needs."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from libs.errors import NotFound, Unavailable, WrongIndex
from services.ingest.ports import EditionStore, Erasure, History, PassageIndex
from services.ingest.views import EditionView, Vacuumed

T = TypeVar("T")

_LOG = logging.getLogger(__name__)

_TELL_S = 0.25
"""Seconds of a caller's time that are kept back to tell that the work goes on."""
_REMEMBER_S = 60.0
_GOES_ON = "The book is large, and this goes on. Ask for the same again to learn how it ended."

DEFAULT_KEEP = 3
_ERASING_S = 2.5
"""Seconds that a vacuum waits for the erasure: its caller has five for all of it."""
_STILL_ERASING = (
    "The texts are still being erased from the stores' files. Run the vacuum again to see when none "
    "is left."
)


async def roll_back(
    book: str,
    number: int,
    *,
    history: History,
    editions: EditionStore,
    indexes: Sequence[PassageIndex],
) -> EditionView:
    """Let readers see edition `number`, or with 0 the newest one before theirs.

    `indexes` are those that readers can be led to. Raises NotFound for an edition that is not kept,
    WrongIndex for one whose passages can't be searched.
    """
    edition = await history.find(book, number)
    if not edition.chunk_count:
        raise NotFound("That edition holds nothing; delete the book instead.")
    index = next((one for one in indexes if one.collection == edition.collection), None)
    if index is None:
        raise WrongIndex(
            "That edition was indexed with another embedding model, or by another version of Quoth. "
            "Ingest its source again, or name that model in QUOTH_EMBEDDER_BEFORE."
        )
    keys = await editions.chunk_keys(book, edition.number)
    condition = await index.examine(book, edition.number, keys, whole=True)
    if not condition.is_sound or len(keys) != edition.chunk_count:
        raise WrongIndex("The index has lost passages of that edition. Ingest its source again.")
    return await history.show(book, edition.number)


async def vacuum(
    book: str, keep: int, *, history: History, index: PassageIndex, eraser: "Eraser | None" = None
) -> Vacuumed:
    """Delete what the newest `keep` editions don't hold; see History. Safe to run again."""
    vacuumed = await history.vacuum(book, keep)
    for collection, kept in vacuumed.kept.items():
        await index.vacuum(book, collection, kept)
    return replace(vacuumed, left=await eraser.erase()) if eraser else vacuumed


class LongWork:
    """Work on whole books, which goes on when its caller can wait no longer.

    Who asks for the same again waits for the end of it, and is told how it ended for a minute, or until
    something else is begun with the book.
    """

    def __init__(self) -> None:
        self._works: dict[tuple[str, str], asyncio.Task[Any]] = {}

    async def finish(
        self, book: str, name: str, left_s: float, work: Callable[[], Coroutine[Any, Any, T]]
    ) -> T:
        """Return what `work` returns, begun now or before. Raises what it raises, or Unavailable."""
        task: asyncio.Task[T] | None = self._works.get((book, name))
        if task is None:
            task = self._begin(book, name, work)
        await asyncio.wait({task}, timeout=max(0.0, left_s - _TELL_S))
        if not task.done():
            raise Unavailable(_GOES_ON, retry_after_s=1.0)
        self._forget(book, name, task)
        return task.result()

    def _begin(
        self, book: str, name: str, work: Callable[[], Coroutine[Any, Any, T]]
    ) -> "asyncio.Task[T]":
        # How earlier work ended is not the end of this, even if it is asked for again.
        self._works = {
            key: task for key, task in self._works.items() if key[0] != book or not task.done()
        }
        task = self._works[book, name] = asyncio.create_task(work())

        def ended(_: "asyncio.Task[T]") -> None:
            if not task.cancelled() and (error := task.exception()):
                _LOG.info("%s of the book %s failed: %s", name, book, error)
            loop.call_later(_REMEMBER_S, self._forget, book, name, task)

        loop = asyncio.get_running_loop()
        task.add_done_callback(ended)
        return task

    def _forget(self, book: str, name: str, task: "asyncio.Task[Any]") -> None:
        if self._works.get((book, name)) is task:
            del self._works[book, name]


class Eraser:
    """Has the stores forget what was deleted from them, one time after the other."""

    def __init__(self, stores: Sequence[Erasure]) -> None:
        self._stores = stores
        self._one_at_a_time = asyncio.Lock()
        self._running: set[asyncio.Task[str]] = set()

    async def erase(self) -> str:
        """Return what is left in the stores' files after a moment; what takes longer goes on."""
        task = asyncio.create_task(self._erase())
        self._running.add(task)
        task.add_done_callback(self._ended)
        done, _ = await asyncio.wait({task}, timeout=_ERASING_S)
        return task.result() if done else _STILL_ERASING

    async def _erase(self) -> str:
        async with self._one_at_a_time:
            left = [await store.erase() for store in self._stores]
        return " ".join(filter(None, left))

    def _ended(self, task: asyncio.Task[str]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _LOG.warning("deleted texts may still be in a store's files: %s", error)
