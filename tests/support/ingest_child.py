"""Ingest workers that are killed at one of their durable steps: processes of their own, for P5.

    python -m tests.support.ingest_child DSN QDRANT_URL

Reads one life a line, the JSON array [BOOK, FILES, STEP, "before" or "after", FIELDS]: it adds a job
of those files, or one of upkeep with these fields of its order, runs it, and sends itself SIGKILL
before or after durable call number STEP. Writes how each ended: 0 when there are fewer steps, -9 when
it was killed. Each is a fork, as the imports take longer than the life.
"""

import asyncio
import inspect
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any

from libs.postgres import open_pool
from libs.vectors.client import open_qdrant
from services.ingest.adapters.qdrant_index import QdrantIndex
from services.ingest.bootstrap import MIGRATIONS, Stores, make_worker
from services.ingest.model.job import JobKind, JobState, Order
from tests.support.ingest_fakes import STAMP, DirectReader, HashEmbedder, order, source

DURABLE = {
    "add",
    "claim",
    "prepare",
    "sweep",
    "offer",
    "save_vectors",
    "write",
    "retire",
    "stage",
    "publish",
    "add_upkeep",
    "vacuum",
    "show",
    "finish_upkeep",
}


class Deadly:
    """Passes calls on, and kills the process at the chosen durable one."""

    taken = 0

    def __init__(self, target: Any, step: int, *, after: bool) -> None:
        self._target = target
        self._step = step
        self._after = after

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        if name not in DURABLE:
            return found
        return self._in_parts(found) if inspect.isasyncgenfunction(found) else self._around(found)

    def _in_parts(self, call: Any) -> Any:
        async def run(*arguments: Any, **named: Any) -> AsyncGenerator[Any, None]:
            next_part = self._around(call(*arguments, **named).__anext__)
            with suppress(StopAsyncIteration):
                while True:
                    yield await next_part()

        return run

    def _around(self, call: Any) -> Any:
        async def run(*arguments: Any, **named: Any) -> Any:
            step, Deadly.taken = Deadly.taken, Deadly.taken + 1
            if step == self._step and not self._after:
                os.kill(os.getpid(), signal.SIGKILL)
            result = await call(*arguments, **named)
            if step == self._step:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return run


async def work(
    dsn: str,
    url: str,
    book: str,
    files: Mapping[str, str],
    step: int,
    which: Mapping[str, Any] | None,
    *,
    after: bool,
) -> None:
    pool = await open_pool(dsn, "ingest", MIGRATIONS)
    stores = Stores.on(pool, QdrantIndex(open_qdrant(url, ""), STAMP))
    deadly: dict[str, Any] = {
        field.name: Deadly(getattr(stores, field.name), step, after=after)
        for field in fields(stores)
    }
    stores = replace(stores, **deadly)
    if which:
        fields_of_order = {**which, "kind": JobKind(which["kind"])}
        job = await stores.jobs.add_upkeep(Order(book, **fields_of_order))
    else:
        job = await stores.jobs.add(order(book), source(files))
    worker = make_worker(stores, HashEmbedder(), DirectReader(), lease_s=10.0)
    assert await worker.work_once()
    # A job that was put back has not taken all the steps there are.
    state = (await stores.jobs.get(job.job_id)).state
    assert state in (JobState.PUBLISHED, JobState.DONE)


def live(dsn: str, url: str, line: str) -> int:
    """Return how the life ended that `line` tells of."""
    book, files, step, when, which = json.loads(line)
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    asyncio.run(work(dsn, url, book, files, step, which, after=when == "after"))
    sys.exit()


if __name__ == "__main__":
    DSN, URL = sys.argv[1:]
    for told in sys.stdin:
        print(live(DSN, URL, told), flush=True)
