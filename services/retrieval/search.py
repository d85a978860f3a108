"""Stage: a scope and a question's vectors in, candidates with exact scores by both searches out."""

from qdrant_client.models import SparseVector

from libs.embedding import Vectors
from libs.errors import WrongIndex
from libs.vectors.schema import Scope
from services.retrieval.model import Candidate
from services.retrieval.ports import PassageIndex


async def search_index(
    index: PassageIndex,
    scope: Scope,
    dense: Vectors,
    sparse: SparseVector,
    *,
    limit: int,
    timeout_s: float,
) -> list[Candidate]:
    """Return the candidates, none when the scope is an empty part of an indexed book.

    Raises WrongIndex when the whole edition has nothing in the index of the model in use.
    """
    found = await index.search(scope, dense, sparse, limit=limit, timeout_s=timeout_s)
    if found:
        return found
    edition = Scope(scope.book, scope.edition)
    if not await index.count(edition, timeout_s=timeout_s):
        raise WrongIndex(
            f"The book {scope.book!r} was indexed with another embedding model; ingest it again, "
            "or name that model in QUOTH_EMBEDDER_BEFORE until you have."
        )
    return []
