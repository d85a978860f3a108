"""One replica of ingest's worker: a process of its own, to share a queue with others.

    python -m tests.support.ingest_worker DSN QDRANT_URL LEASE_S STALL_AT

Works until every job has ended, and prints a line for each call of its embedder. With STALL_AT 0
or more, it stops for ever in that call: whoever started it is to kill it there.
"""

import asyncio
import os
import sys

from libs.postgres import open_pool
from libs.vectors.client import open_qdrant
from services.ingest.adapters.postgres_editions import PostgresEditions
from services.ingest.adapters.postgres_jobs import PostgresJobs
from services.ingest.adapters.qdrant_index import QdrantIndex
from services.ingest.bootstrap import MIGRATIONS
from services.ingest.jobs import Worker
from services.ingest.pipeline import Pipeline
from tests.support.ingest_fakes import STAMP, DirectReader, HashEmbedder

OPEN = "SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')"


class Telling(HashEmbedder):
    """Says when it is called, and stalls in the chosen call."""

    def __init__(self, stall_at):
        super().__init__()
        self._left = stall_at

    async def embed(self, texts):
        print(f"{os.getpid()} embeds {len(texts)}", flush=True)
        if self._left == 0:
            await asyncio.Event().wait()
        self._left -= 1
        return await super().embed(texts)


async def work(dsn, url, lease_s, stall_at):
    pool, client = await open_pool(dsn, "ingest", MIGRATIONS), open_qdrant(url)
    jobs = PostgresJobs(pool)
    pipeline = Pipeline(
        queue=jobs,
        editions=PostgresEditions(pool),
        index=QdrantIndex(client, STAMP),
        embedder=Telling(stall_at),
        reader=DirectReader(),
    )
    worker = Worker(queue=jobs, store=jobs, run=pipeline.run, lease_s=lease_s)
    while await pool.fetchval(OPEN):
        if not await worker.work_once():
            await asyncio.sleep(0.1)
    await client.close()
    await pool.close()


if __name__ == "__main__":
    asyncio.run(work(*sys.argv[1:3], float(sys.argv[3]), int(sys.argv[4])))
