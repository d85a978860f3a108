"""Embed a question for both searches."""

from libs.embedding import Embedder, Vectors, require_usable
from services.retrieval.model import QuestionVectors
from services.retrieval.ports import QuestionEncoder


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
