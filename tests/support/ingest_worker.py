"""One replica of ingest's worker: a process of its own, to share a queue with others.

    python -m tests.support.ingest_worker DSN QDRANT_URL LEASE_S STALL_AT DEADLY

Works until every job has ended, and prints a line for each call of its embedder, and one when it
lost a lease. With STALL_AT 0 or more, it waits in that call for a line on its standard input. A
document that holds the word DEADLY kills it.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence

from libs.embedding.port import Vectors
from libs.postgres import open_pool
from libs.vectors.client import open_qdrant
from services.ingest.adapters.qdrant_index import QdrantIndex
from services.ingest.bootstrap import MIGRATIONS, Stores, make_worker
from services.ingest.errors import LeaseLost
from services.ingest.model.book import ReadDocument
from services.ingest.ports.reading import ReadTask
from tests.support.ingest_fakes import STAMP, DirectReader, HashEmbedder

OPEN = "SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')"


class Telling(HashEmbedder):
    """Says when it is called, and stalls in the chosen call."""

    def __init__(self, stall_at: int) -> None:
        super().__init__()
        self._left = stall_at

    async def embed(self, texts: Sequence[str]) -> Vectors:
        print(f"{os.getpid()} embeds {len(texts)}", flush=True)
        if self._left == 0:
            await asyncio.to_thread(sys.stdin.readline)
        self._left -= 1
        return await super().embed(texts)


class Mortal(DirectReader):
    """Dies of a document that holds a certain word, as kill -9 would have it."""

    def __init__(self, deadly: str) -> None:
        super().__init__()
        self._deadly = deadly.encode()

    async def read(self, task: ReadTask) -> ReadDocument:
        if self._deadly in task.placed.file.data.split():
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().read(task)


async def work(dsn: str, url: str, lease_s: float, stall_at: int, deadly: str) -> None:
    pool, client = await open_pool(dsn, "ingest", MIGRATIONS), open_qdrant(url)
    stores = Stores.on(pool, QdrantIndex(client, STAMP))
    worker = make_worker(stores, Telling(stall_at), Mortal(deadly), lease_s=lease_s)
    while await pool.fetchval(OPEN):
        try:
            busy = await worker.work_once()
        except LeaseLost:
            print(f"{os.getpid()} lost", flush=True)
            busy = False
        if not busy:
            await asyncio.sleep(0.1)
    await client.close()
    await pool.close()


if __name__ == "__main__":
    DSN, URL, LEASE_S, STALL_AT, DEADLY = sys.argv[1:]
    asyncio.run(work(DSN, URL, float(LEASE_S), int(STALL_AT), DEADLY))
