"""Wire the retrieval service together: the only module that picks adapters."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from qdrant_client import AsyncQdrantClient

from libs.calibration import Calibration, load_calibrations
from libs.embedding import Embedder
from libs.embedding.choice import open_embedder, open_embedder_before
from libs.rpc.readiness import Readiness
from libs.rpc.server import Register
from libs.settings import SettingsError
from libs.vectors.client import open_qdrant, require_answer
from libs.vectors.layout import load_layout
from libs.vectors.schema import collection_name
from libs.vectors.sparse import sparse_encoder
from services.retrieval.adapters.cached_embedder import CachedEmbedder
from services.retrieval.adapters.qdrant_index import QdrantIndex
from services.retrieval.adapters.store_guard import StoreGuard
from services.retrieval.pipeline import Tools
from services.retrieval.ports import PassageIndex, QuestionEncoder, Reranker
from services.retrieval.server import RetrievalServicer
from services.retrieval.settings import Settings

Close = Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class Service:
    """What to register with a server, and what to do when it has stopped."""

    register: Register
    close: Close


def bootstrap(
    settings: Settings,
    *,
    index: PassageIndex | None = None,
    embedder: Embedder | None = None,
    before: Embedder | None = None,
    encoder: QuestionEncoder | None = None,
    calibration: Calibration | None = None,
    reranker: Reranker | None = None,
    readiness: Readiness | None = None,
) -> Service:
    """Open what is not given. Raises SettingsError for a setting that can't be used.

    `readiness` follows whether the vector store answers.
    """
    # What fails for a wrong setting comes before the model, which takes a second to load.
    known = [calibration] if calibration else load_calibrations(settings.calibration)
    guard = StoreGuard(readiness.set if readiness else None)
    if index is None:
        client = open_qdrant(settings.qdrant_url, settings.qdrant_api_key)
    embedder = embedder or open_embedder(settings.cache_dir, "questions")
    tools = Tools(
        index=index or QdrantIndex(client, embedder.stamp, load_layout(), guard),
        embedder=CachedEmbedder(embedder, settings.cached_vectors),
        encoder_of=(lambda _: encoder) if encoder else sparse_encoder,
        calibration=_learnt_on(embedder, known),
        profiles=settings.profiles,
        reranker=reranker or _open_reranker(settings),
    )
    former = before or (open_embedder_before(settings.cache_dir) if index is None else None)
    if former is not None:
        searched = replace(
            tools,
            index=QdrantIndex(client, former.stamp, load_layout(), guard),
            embedder=CachedEmbedder(former, settings.cached_vectors),
            calibration=_learnt_on(former, known),
        )
        tools = replace(tools, before=searched)
    register = RetrievalServicer(tools).register
    if index is not None:
        return Service(register, _nothing)
    ask = partial(require_answer, client, collection_name(embedder.stamp))
    asking = asyncio.create_task(guard.keep_asking(ask))
    return Service(register, partial(_close, asking, client))


def _learnt_on(embedder: Embedder, known: Sequence[Calibration]) -> Calibration:
    """Return the calibration for this model; with none, the first, which will refuse."""
    stamp = collection_name(embedder.stamp)
    return next((item for item in known if item.stamp == stamp), known[0])


def _open_reranker(settings: Settings) -> Reranker | None:
    if not settings.reranker_key:
        return None
    try:
        # The SDK belongs to an extra and is slow to import.
        from services.retrieval.adapters.cohere_reranker import CohereReranker  # noqa: PLC0415
    except ImportError as error:
        raise SettingsError("RETRIEVAL_RERANKER_KEY: install quoth[cohere] first") from error
    return CohereReranker(
        url=settings.reranker_url, key=settings.reranker_key, model=settings.reranker_model
    )


async def _close(asking: asyncio.Task[None], client: AsyncQdrantClient) -> None:
    asking.cancel()
    await asyncio.wait([asking])
    await client.close()


async def _nothing() -> None:
    return None
