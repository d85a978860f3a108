"""Wire the retrieval service together: the only module that picks adapters."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from libs.calibration import Calibration, load_calibration
from libs.embedding import Embedder
from libs.embedding.choice import is_local, open_embedder
from libs.rpc.server import Register
from libs.vectors.client import open_qdrant
from libs.vectors.sparse import sparse_encoder
from services.retrieval.adapters.cached_embedder import CachedEmbedder
from services.retrieval.adapters.qdrant_index import QdrantIndex
from services.retrieval.pipeline import Tools
from services.retrieval.ports import PassageIndex, QuestionEncoder
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
    encoder: QuestionEncoder | None = None,
    calibration: Calibration | None = None,
) -> Service:
    """Open what is not given. Raises SettingsError for a setting that can't be used."""
    # What fails for a wrong setting comes before the model, which takes a second to load.
    calibration = calibration or load_calibration(settings.calibration)
    close = _nothing
    if index is None:
        client = open_qdrant(settings.qdrant_url, settings.qdrant_api_key)
        close = client.close
    embedder = embedder or open_embedder(settings.cache_dir, "questions")
    tools = Tools(
        index=index or QdrantIndex(client, embedder.stamp),
        embedder=CachedEmbedder(embedder, settings.cached_vectors),
        # Over a network, comparing takes longer than marking is worth.
        compares_units=is_local(),
        encoder_of=(lambda _: encoder) if encoder else sparse_encoder,
        calibration=calibration,
        profiles=settings.profiles,
    )
    return Service(RetrievalServicer(tools).register, close)


async def _nothing() -> None:
    return None
