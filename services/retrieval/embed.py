"""Stage: a question in, its dense and its sparse vector out."""

from dataclasses import dataclass

import numpy as np
from qdrant_client.models import SparseVector

from libs.embedding import Embedder, Vectors
from libs.errors import Unavailable
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
    dense = (await embedder.embed([question]))[0]
    if dense.shape != (embedder.stamp.dimensions,) or not np.isfinite(dense).all():
        raise Unavailable("The embedding model gave no usable vector. Try again in a moment.")
    return QuestionVectors(dense, encoder.encode_question(question))
