"""Stage: a question in, its dense and its sparse vector out."""

from dataclasses import dataclass

from qdrant_client.models import SparseVector

from libs.embedding import Embedder, Vectors, require_usable
from services.retrieval.ports import QuestionEncoder


@dataclass(frozen=True)
class QuestionVectors:
    """A question as both searches need it; `dense` has length 1."""

    dense: Vectors
    sparse: SparseVector


async def embed_question(
    question: str, embedder: Embedder, encoder: QuestionEncoder
) -> QuestionVectors:
    """Raise Unavailable when the model gives no usable vector."""
    return QuestionVectors(await embed_text(question, embedder), encoder.encode_question(question))


async def embed_text(text: str, embedder: Embedder) -> Vectors:
    """Return one vector of length 1; raise as embed_question does."""
    rows = require_usable(await embedder.embed([text]), 1, embedder.stamp)
    vector: Vectors = rows[0]
    return vector
