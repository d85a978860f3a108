"""The ingest service over a socket, with a worker, on engines of its own."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from libs.embedding import Embedder, ModelStamp
from libs.rpc.channel import open_channel
from libs.rpc.server import start_server
from services.ingest.bootstrap import bootstrap
from services.ingest.settings import Settings
from tests.support.engines import PostgresNode, QdrantNode, postgres_node, qdrant_node
from tests.support.ingest_fakes import DirectReader, HashEmbedder

Engines = tuple[QdrantNode, PostgresNode]


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    """Both engines, empty, for the tests of one module."""
    folder = tmp_path_factory.mktemp("engines")
    with qdrant_node(folder / "qdrant") as qdrant, postgres_node(folder / "postgres") as postgres:
        yield qdrant, postgres


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
