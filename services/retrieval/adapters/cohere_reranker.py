"""Cohere's reranking API."""

import math
from collections.abc import Sequence
from functools import partial

import httpx
from cohere.core.api_error import ApiError

from libs.embedding.cohere import close_client, cohere_client, is_passing, translate
from libs.errors import Unavailable
from libs.remote_model import RemoteModel

_NO_ANSWER = "The reranking model does not answer. Try again in a moment."
_NO_RATING = "The reranking model gave no usable ratings. Try again in a moment."

_TIMEOUT_S = 0.9
_ALLOWED_S = 0.95
_MOST_BYTES = 2_000_000


class CohereReranker:
    """Rates passages; `url` "" is the provider's. It takes a second at most. Close it when done."""

    def __init__(self, *, url: str, key: str, model: str) -> None:
        self._model = model
        self._client = cohere_client(
            url=url,
            key=key,
            timeout_s=_TIMEOUT_S,
            most_bytes=_MOST_BYTES,
            refuse=partial(Unavailable, _NO_RATING),
        )
        self._remote = RemoteModel(
            "cohere reranking", _ALLOWED_S, _NO_ANSWER, _NO_RATING, is_passing=is_passing
        )

    async def close(self) -> None:
        await close_client(self._client)

    async def rate(self, question: str, texts: Sequence[str]) -> list[float]:
        """Raise Unavailable when the API does not answer, or not with a number for each text."""
        return await self._remote.call(lambda: self._rate(question, texts))

    async def _rate(self, question: str, texts: Sequence[str]) -> list[float]:
        try:
            answer = await self._client.rerank(
                model=self._model, query=question, documents=list(texts), top_n=len(texts)
            )
        except (ApiError, httpx.HTTPError) as error:
            raise translate(error, _NO_ANSWER) from error
        rated = {item.index: item.relevance_score for item in answer.results}
        if rated.keys() != set(range(len(texts))) or not all(map(_is_finite, rated.values())):
            raise Unavailable(_NO_RATING)
        return [rated[place] for place in range(len(texts))]


def _is_finite(rating: object) -> bool:
    return isinstance(rating, int | float) and math.isfinite(rating)
