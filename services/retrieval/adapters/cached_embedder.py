"""Remember the vectors of questions that were embedded before."""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from libs.embedding import Embedder, ModelStamp, Vectors, require_usable


class CachedEmbedder:
    """Keeps the `capacity` vectors used last; the vector of a text depends on nothing else."""

    def __init__(self, embedder: Embedder, capacity: int) -> None:
        self._embedder = embedder
        self._capacity = capacity
        self._vectors: OrderedDict[tuple[ModelStamp, str], Vectors] = OrderedDict()

    @property
    def stamp(self) -> ModelStamp:
        return self._embedder.stamp

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed what is not remembered; what was embedded stays known even if this is cancelled.

        Raises Unavailable for what is no vector, and does not remember it: the next one may be.
        """
        stamp = self._embedder.stamp
        rows = []
        for text in texts:
            vector = self._vectors.get((stamp, text))
            if vector is None:
                vector = require_usable(await self._embedder.embed([text]), 1, stamp)[0]
            self._remember((stamp, text), vector)
            rows.append(vector)
        return np.array(rows, np.float32).reshape(len(texts), stamp.dimensions)

    def _remember(self, key: tuple[ModelStamp, str], vector: Vectors) -> None:
        self._vectors[key] = vector
        self._vectors.move_to_end(key)
        while len(self._vectors) > self._capacity:
            self._vectors.popitem(last=False)
