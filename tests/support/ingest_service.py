"""The ingest service over a socket, with a worker, on engines of its own.

Where QUOTH_TEST_QDRANT_URL names a server or a cluster that has no collections, it is the vector store
instead of ours. Modules then come one after the other (`-n 0`), and each takes its collections away.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import grpc
import pytest

from libs.embedding import Embedder, ModelStamp
from libs.rpc.channel import open_channel
from libs.rpc.server import start_server
from libs.vectors.qdrant import grpc as q
from services.ingest.bootstrap import bootstrap
from services.ingest.settings import Settings
from tests.support.engines import (
    PostgresNode,
    QdrantNode,
    QdrantServer,
    postgres_node,
    qdrant_node,
)
from tests.support.ingest_fakes import DirectReader, HashEmbedder

CALL_S = 60.0
Engines = tuple[QdrantNode | QdrantServer, PostgresNode]


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    """Both engines, empty, for the tests of one module."""
    folder = tmp_path_factory.mktemp("engines")
    with vector_store(folder / "qdrant") as qdrant, postgres_node(folder / "postgres") as postgres:
        yield qdrant, postgres


@contextmanager
def vector_store(folder: Path) -> Iterator[QdrantNode | QdrantServer]:
    """An empty one: the server that the environment names, else a node on `folder`."""
    if not (url := os.environ.get("QUOTH_TEST_QDRANT_URL")):
        with qdrant_node(folder) as node:
            yield node
        return
    if collections_at(url):
        raise RuntimeError(f"{url} has collections already: name a server that has none.")
    try:
        yield QdrantServer(url)
    finally:
        collections_at(url, delete=True)


def collections_at(url: str, *, delete: bool = False) -> list[str]:
    """The names of what a server holds, gone afterwards with `delete`."""
    with grpc.insecure_channel(urlsplit(url).netloc) as channel:
        stub = q.CollectionsStub(channel)
        listed = stub.List(q.ListCollectionsRequest(), timeout=CALL_S).collections
        for one in listed if delete else ():
            stub.Delete(q.DeleteCollection(collection_name=one.name), timeout=CALL_S)
        return [one.name for one in listed]


@asynccontextmanager
async def ingest_serving(
    engines: Engines,
    embedder: Embedder | None = None,
    *,
    before: ModelStamp | None = None,
    examined: bool = False,
    **fields: Any,
) -> AsyncIterator[grpc.aio.Channel]:
    """Yield a channel to a service with these settings, which ends with the block.

    With `examined` it has held its books against the index before.
    """
    qdrant, postgres = engines
    # Nothing is cached: the embedder and the reader are given.
    settings = Settings(postgres.dsn, qdrant.url, Path(os.devnull), **fields)
    async with bootstrap(
        settings, embedder=embedder or HashEmbedder(), before=before, reader=DirectReader()
    ) as service:
        if examined:
            await service.integrity.examine_all()
        running = await start_server("127.0.0.1:0", service.register)
        worker = asyncio.create_task(service.worker.work())
        channel = open_channel(f"127.0.0.1:{running.port}")
        try:
            yield channel
        finally:
            await channel.close()
            await running.stop(0)
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)
