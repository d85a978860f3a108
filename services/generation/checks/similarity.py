"""Compare sentences that cite nothing with all passages, by the similarity of their embeddings."""

import asyncio

from libs.embedding import Embedder, Vectors, require_usable
from libs.errors import QuothError

_LEAST = 0.0
"""Similarity of a sentence that could not be embedded in time."""


class Similarity:
    """The passages of one answer, embedded once: `begin` when a draft is asked for, `close` at its end.

    Without an embedder every similarity is 0.
    """

    def __init__(self, embedder: Embedder | None, passages: tuple[str, ...]) -> None:
        self._embedder = embedder
        self._passages = passages
        self._embedding: asyncio.Task[Vectors] | None = None

    def begin(self) -> None:
        """Embed the passages while the draft is being written."""
        if self._embedder is not None and self._passages and self._embedding is None:
            self._embedding = asyncio.create_task(self._embed(self._embedder, *self._passages))

    async def rate(self, sentence: str, allowed_s: float) -> float:
        """Return the cosine in [0, 1] of the sentence and the nearest passage; 0.0 when late."""
        self.begin()
        if self._embedder is None or self._embedding is None:
            return _LEAST
        try:
            async with asyncio.timeout(allowed_s):
                own = await self._embed(self._embedder, sentence)
                # The passages serve the sentences after this one as well.
                passages = await asyncio.shield(self._embedding)
        except (QuothError, TimeoutError):
            return _LEAST
        return min(1.0, max(_LEAST, float((passages @ own[0]).max())))

    async def close(self) -> None:
        """End what is still under way."""
        if self._embedding is not None:
            self._embedding.cancel()
            await asyncio.gather(self._embedding, return_exceptions=True)

    @staticmethod
    async def _embed(embedder: Embedder, *texts: str) -> Vectors:
        return require_usable(await embedder.embed(texts), len(texts), embedder.stamp)
