"""The retrieval service over a socket, on an index of fakes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from libs.budget.stages import RETRIEVAL
from libs.ml.logistic import LogisticModel
from libs.rpc.server import start_server
from services.retrieval.bootstrap import bootstrap
from services.retrieval.settings import Settings
from tests.support.retrieval_fakes import FakeEmbedder, FakeEncoder, FakeIndex, open_gate


@asynccontextmanager
async def serving_retrieval(
    index: FakeIndex, answerability: LogisticModel | None = None
) -> AsyncIterator[str]:
    """Serve while the block runs, and yield the address."""
    service = bootstrap(
        Settings(),
        index=index,
        embedder=FakeEmbedder(),
        encoder=FakeEncoder(),
        answerability=answerability or open_gate(),
    )
    running = await start_server("127.0.0.1:0", service.register, RETRIEVAL)
    try:
        yield f"127.0.0.1:{running.port}"
    finally:
        await running.stop(0)
        await service.close()
