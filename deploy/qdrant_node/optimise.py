"""Optimising a collection while it serves: on a copy, in a child process, then a swap.

Reads go on throughout. Writes wait only while the folder is copied and at the swap itself; the
ones in between are repeated on the copy from a journal. A crash at any moment leaves the live
folder that `live` names, and leftovers that the next start removes.
"""

import asyncio
import contextlib
import logging
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import qdrant_edge as edge

from deploy.embedded import store_environment, sync_folder
from deploy.qdrant_node.collection import Collection, apply
from deploy.qdrant_node.errors import NodeError, engine
from deploy.qdrant_node.journal import Journal
from deploy.qdrant_node.store import (
    Live,
    end_erasing,
    is_erasing,
    note_erasing,
    write_live,
)
from deploy.qdrant_node.writes import operations

# After so many points that were written since, or a tenth of all, there is another one: a chunk takes
# 2.5 kB of memory until it is indexed, and 0.1 kB from then on. A tenth, so that no point is copied
# more than ten times for as many as there are.
_MOST_UNARRANGED = 50_000
_MOST_UNARRANGED_SHARE = 10
# What is left when no write has come for so long is indexed then, unless it is a smaller part of all
# than that: copying the rest would cost more than searching these one by one does.
_QUIET_S = 30.0
_LEAST_REST_SHARE = 20
# Deletions come in runs; they are erased together, so long after the last.
_ERASE_AFTER_S = 0.5
# Each write waits so long for an optimisation that is behind by as many points again.
_LONGEST_WAIT_S = 10.0
# Rounds of repeating writes while more come in; each is shorter than the one before. What is left
# after them is repeated with the writers waiting.
_ROUNDS = 3

log = logging.getLogger(__name__)


class Optimiser:
    """Watches how many points have no HNSW graph yet; optimises one collection at a time."""

    def __init__(self, threshold: int) -> None:
        self._threshold = threshold
        self._one_at_a_time = asyncio.Lock()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._erasures: dict[str, asyncio.TimerHandle] = {}

    def is_optimising(self, name: str) -> bool:
        return name in self._tasks or name in self._erasures

    def erase(self, collection: Collection) -> None:
        """Soon write the files anew without what was deleted; after a crash, at the next start."""
        note_erasing(collection.folder)
        self._erase_soon(collection)

    def go_on_erasing(self, collection: Collection) -> None:
        """Do what was noted before this process began."""
        if is_erasing(collection.folder):
            self._erase_soon(collection)

    def _erase_soon(self, collection: Collection) -> None:
        if timer := self._erasures.pop(collection.name, None):
            timer.cancel()
        loop = asyncio.get_running_loop()
        self._erasures[collection.name] = loop.call_later(
            _ERASE_AFTER_S, self._start_erasing, collection
        )

    def _start_erasing(self, collection: Collection) -> None:
        if collection.name in self._tasks:
            # What is under way copied the files before.
            self._erase_soon(collection)
            return
        del self._erasures[collection.name]
        self._start_task(collection, erase=True)

    def consider(self, collection: Collection) -> None:
        """Start an optimisation if enough points were written since the last one, else in a while."""
        self._stop_timer(collection.name)
        if collection.touched >= self.needed(collection.optimised_points):
            self._start(collection)
        else:
            self._look_again(collection)

    def _look_again(self, collection: Collection) -> None:
        """When no write has come meanwhile, index what is left."""
        self._timers[collection.name] = asyncio.get_running_loop().call_later(
            _QUIET_S, self._optimise_rest, collection
        )

    def _optimise_rest(self, collection: Collection) -> None:
        if collection.touched >= self.worthwhile(collection.count()):
            self._start(collection)

    def _stop_timer(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()

    def _start(self, collection: Collection) -> None:
        if collection.name in self._tasks or collection.count() < self._threshold:
            return
        self._start_task(collection, erase=False)

    def _start_task(self, collection: Collection, *, erase: bool) -> None:
        task = asyncio.create_task(self._run(collection, erase=erase))
        self._tasks[collection.name] = task
        task.add_done_callback(lambda _: self._tasks.pop(collection.name, None))

    def needed(self, optimised: int) -> int:
        """Return how many points must be written after an optimisation of so many for another."""
        if not optimised:
            return self._threshold
        return min(max(self._threshold, optimised) // 2, _most_unindexed(optimised))

    def worthwhile(self, points: int) -> int:
        """Return how many of so many points are worth an optimisation when writes have ceased."""
        return max(1, points // _LEAST_REST_SHARE)

    async def make_room(self, collection: Collection) -> None:
        """Hold up a writer while an optimisation is under way and too much was written meanwhile.

        One that gets hardly any time of the processor would let memory grow without bound.
        """
        task = self._tasks.get(collection.name)
        if task and collection.touched >= _most_unindexed(collection.optimised_points):
            await asyncio.wait([task], timeout=_LONGEST_WAIT_S)

    async def stop(self, name: str | None = None) -> None:
        """Give up the optimisation of `name`, or all of them."""
        for key in [key for key in self._timers if name in {None, key}]:
            self._stop_timer(key)
        for key in [key for key in self._erasures if name in {None, key}]:
            self._erasures.pop(key).cancel()
        tasks = [task for key, task in self._tasks.items() if name in {None, key}]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, collection: Collection, *, erase: bool) -> None:
        async with self._one_at_a_time:
            what = "erasing from" if erase else "optimising"
            log.info("%s `%s`: %d points", what, collection.name, collection.count())
            try:
                await optimise(collection, erase=erase)
                # What was deleted meanwhile has a time of its own to come.
                if erase and collection.name not in self._erasures:
                    end_erasing(collection.folder)
                log.info("optimised `%s`", collection.name)
                self._look_again(collection)
            except (OSError, NodeError, RuntimeError):
                # The collection goes on as it was, only slower, until as many writes again.
                log.exception("could not optimise `%s`", collection.name)


def _most_unindexed(optimised: int) -> int:
    return max(_MOST_UNARRANGED, optimised // _MOST_UNARRANGED_SHARE)


async def optimise(collection: Collection, *, erase: bool = False) -> None:
    """Build the graphs of a copy and go over to it; with `erase` it holds nothing deleted any more."""
    folder = collection.folder
    copy = folder / str(int(collection.shard_folder.name) + 1)
    journal: Journal | None = None
    try:
        async with collection.writing:
            collection.flush()
            await _in_thread(shutil.copytree, collection.shard_folder, copy)
            journal = collection.journal = Journal(copy.with_suffix(".journal"))
            collection.touched = 0
        await _optimise_in_child(copy, *(["erase"] if erase else []))
        await _in_thread(_sync_tree, copy)
        await _swap(collection, copy, journal)
    finally:
        collection.journal = None
        if journal is not None:
            journal.remove()
        for leftover in folder.iterdir():
            if leftover.is_dir() and leftover != collection.shard_folder:
                await _in_thread(shutil.rmtree, leftover)


async def _in_thread(work: Callable[..., object], *arguments: Path) -> None:
    """Run file work beside the event loop; a cancelled caller still sees it finished."""
    task = asyncio.ensure_future(asyncio.to_thread(work, *arguments))
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


async def _optimise_in_child(folder: Path, *mode: str) -> None:
    command = (sys.executable, "-m", "deploy.qdrant_node.optimise_shard", str(folder))
    child = await asyncio.create_subprocess_exec(
        *command, str(os.getpid()), *mode, env=store_environment(os.environ)
    )
    try:
        code = await child.wait()
    except asyncio.CancelledError:
        child.kill()
        await child.wait()
        raise
    if code != 0:
        raise RuntimeError(f"the optimising process ended with {code}")


def _sync_tree(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_dir():
            sync_folder(path)
        else:
            with path.open("rb") as file:
                os.fsync(file.fileno())
    sync_folder(folder)


async def _swap(collection: Collection, copy: Path, journal: Journal) -> None:
    shard = engine(edge.EdgeShard.load, str(copy))
    try:
        for _ in range(_ROUNDS):
            await _repeat(collection, journal, shard)
        async with collection.writing:
            await _repeat(collection, journal, shard)
            engine(shard.flush)
            points = shard.info().points_count
            write_live(copy.parent, Live(copy.name, points))
            shard = collection.replace_shard(shard, copy, points)
            collection.journal = None
    finally:
        engine(shard.close)


async def _repeat(collection: Collection, journal: Journal, shard: edge.EdgeShard) -> None:
    for message in journal.unread():
        # A write that failed on the live shard fails the same way here.
        with contextlib.suppress(NodeError):
            await apply(shard, await operations(message, collection.schema))
        await asyncio.sleep(0)
