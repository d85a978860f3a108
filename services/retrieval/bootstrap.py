"""Wire the retrieval service together: the only module that picks adapters."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from libs.embedding import Embedder, close_models
from libs.embedding.choice import open_embedder, open_embedder_before
from libs.language.asked_in import load_lexicons
from libs.ml import LogisticModel, load_model, load_models
from libs.rpc.readiness import Readiness
from libs.rpc.server import Register
from libs.settings import SettingsError
from libs.vectors.client import open_qdrant, require_answer
from libs.vectors.layout import load_layout
from libs.vectors.qdrant import AsyncQdrantClient
from libs.vectors.schema import collection_name
from libs.vectors.sparse import question_encoder
from services.retrieval.adapters.cached_embedder import CachedEmbedder
from services.retrieval.adapters.qdrant_index import QdrantIndex
from services.retrieval.adapters.store_circuit_breaker import StoreCircuitBreaker
from services.retrieval.adapters.word_lists import WordLists
from services.retrieval.ports import PassageIndex, QuestionEncoder, Reranker
from services.retrieval.server import RetrievalServicer
from services.retrieval.settings import (
    SHIPPED_MODEL,
    SHIPPED_OVERLAP_MODEL,
    SHIPPED_SELECTION_MODEL,
    Settings,
)
from services.retrieval.state import Tools

Close = Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class Service:
    """What to register with a server, what to await before it serves, and when it has stopped.

    `warm` opens the connection to the vector store: no reader's first stage has the time for that.
    """

    register: Register
    warm: Callable[[], Awaitable[None]]
    close: Close


def bootstrap(
    settings: Settings,
    *,
    index: PassageIndex | None = None,
    embedder: Embedder | None = None,
    before: Embedder | None = None,
    encoder: QuestionEncoder | None = None,
    answerability: LogisticModel | None = None,
    reranker: Reranker | None = None,
    readiness: Readiness | None = None,
) -> Service:
    """Open what is not given, to be closed with the service. Raises SettingsError for a bad setting.

    `readiness` follows whether the vector store answers.
    """
    # What fails for a wrong setting comes before the model, which takes a second to load.
    given = (embedder, before, reranker)
    known = [answerability] if answerability else load_models(settings.answerability, SHIPPED_MODEL)
    reranker = reranker or _open_reranker(settings)
    load_lexicons()
    tools_by = partial(
        _open_tools, settings=settings, encoder=encoder, known=known, reranker=reranker
    )
    if index is not None:
        embedder = embedder or _open_embedder(settings)
        close = _closing(given, embedder, reranker)
        return Service(RetrievalServicer(tools_by(embedder, index)).register, _nothing, close)
    store = _open_store(settings, readiness)
    embedder = embedder or _open_embedder(settings)
    tools = tools_by(embedder, store.index_of(embedder))
    before = before or open_embedder_before(settings.cache_dir)
    if before is not None:
        tools = replace(tools, before=tools_by(before, store.index_of(before)))
    close = _closing(given, embedder, before, reranker)
    return Service(RetrievalServicer(tools).register, *store.watch(embedder, close))


def _open_tools(
    model: Embedder,
    index: PassageIndex,
    *,
    settings: Settings,
    encoder: QuestionEncoder | None,
    known: Sequence[LogisticModel],
    reranker: Reranker | None,
) -> Tools:
    of_selection = load_model(SHIPPED_SELECTION_MODEL)
    fits = of_selection.stamp == collection_name(model.stamp)
    fitted = _fitted_for(model, known)
    return Tools(
        index=index,
        embedder=CachedEmbedder(model, settings.cached_vectors),
        encoder_of=(lambda _: encoder) if encoder else question_encoder,
        answerability_model=fitted,
        selection_model=of_selection if fits else None,
        # Who fits a classifier to questions of their own gets that one.
        overlap_model=(
            load_model(SHIPPED_OVERLAP_MODEL) if fitted == load_model(SHIPPED_MODEL) else None
        ),
        profiles=settings.profiles,
        reranker=reranker,
        words_of=WordLists().known_words,
    )


@dataclass(frozen=True)
class _Store:
    """The collections of one Qdrant, and the circuit breaker that they share."""

    client: AsyncQdrantClient
    guard: StoreCircuitBreaker

    def index_of(self, embedder: Embedder) -> QdrantIndex:
        return QdrantIndex(self.client, embedder.stamp, load_layout(), self.guard)

    def watch(
        self, embedder: Embedder, close: Close
    ) -> tuple[Callable[[], Awaitable[None]], Close]:
        """Keep asking whether it answers; return what asks once more, and what ends it all.

        `close` closes what asks it.
        """
        ask = partial(require_answer, self.client, collection_name(embedder.stamp))
        asking = asyncio.create_task(self.guard.keep_asking(ask))
        return partial(self.guard.probe, ask), partial(_close, asking, self.client, close)


def _open_store(settings: Settings, readiness: Readiness | None) -> _Store:
    client = open_qdrant(settings.qdrant_url, settings.qdrant_api_key)
    return _Store(client, StoreCircuitBreaker(readiness.set if readiness else None))


def _open_embedder(settings: Settings) -> Embedder:
    return open_embedder(settings.cache_dir, "questions")


def _fitted_for(embedder: Embedder, known: Sequence[LogisticModel]) -> LogisticModel:
    """Return the classifier fitted for this embedder; with none, the first, whose stamp is refused."""
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


def _closing(given: Sequence[object], *models: object) -> Close:
    """Return what closes the models that were opened here; those given stay the caller's."""
    opened = [model for model in models if all(model is not one for one in given)]
    return partial(close_models, *opened)


async def _close(asking: asyncio.Task[None], client: AsyncQdrantClient, close: Close) -> None:
    asking.cancel()
    await asyncio.wait([asking])
    await close()
    await client.close()


async def _nothing() -> None:
    return None
