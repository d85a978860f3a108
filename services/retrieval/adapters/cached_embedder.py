"""Remember the vectors of questions that were embedded before."""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from libs.embedding import Embedder, ModelStamp, Vectors, require_usable

_USUAL_BYTES = 1700
"""384 numbers, and a question."""
_BYTES_A_LETTER = 2


class CachedEmbedder:
    """Keeps the vectors used last, with their texts as many bytes as `capacity` usual ones have.

    The vector of a text depends on nothing else.
    """

    def __init__(self, embedder: Embedder, capacity: int) -> None:
        self._embedder = embedder
        self._capacity = capacity * _USUAL_BYTES
        self._bytes = 0
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
        if key not in self._vectors:
            self._bytes += _size(key[1], vector)
        self._vectors[key] = vector
        self._vectors.move_to_end(key)
        while self._bytes > self._capacity:
            (_, text), dropped = self._vectors.popitem(last=False)
            self._bytes -= _size(text, dropped)


def _size(text: str, vector: Vectors) -> int:
    return int(vector.nbytes) + _BYTES_A_LETTER * len(text)
