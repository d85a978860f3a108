"""Cohere's reranking API."""

import math
from collections.abc import Sequence

import cohere
import httpx
from cohere.core.api_error import ApiError

from libs.errors import Unavailable

_NO_ANSWER = "The reranking model does not answer. Try again in a moment."
_NO_RATING = "The reranking model gave no usable ratings. Try again in a moment."

_TIMEOUT_S = 1.0
_RETRIES = 1


class CohereReranker:
    """Rates passages; `url` "" is the provider's. The stage that calls it ends it in time."""

    def __init__(self, *, url: str, key: str, model: str) -> None:
        self._model = model
        self._client = cohere.AsyncClientV2(
            api_key=key,
            base_url=url or None,
            timeout=_TIMEOUT_S,
            max_retries=_RETRIES,
            log_warning_experimental_features=False,
        )

    async def rate(self, question: str, texts: Sequence[str]) -> list[float]:
        """Raise Unavailable when the API does not answer, or not with a number for each text."""
        try:
            answer = await self._client.rerank(
                model=self._model, query=question, documents=list(texts), top_n=len(texts)
            )
            rated = {item.index: item.relevance_score for item in answer.results}
        except (ApiError, httpx.HTTPError) as error:
            raise Unavailable(_NO_ANSWER) from error
        except (AttributeError, TypeError, ValueError) as error:
            raise Unavailable(_NO_RATING) from error
        if rated.keys() != set(range(len(texts))) or not all(map(_is_finite, rated.values())):
            raise Unavailable(_NO_RATING)
        return [rated[place] for place in range(len(texts))]


def _is_finite(rating: object) -> bool:
    return isinstance(rating, int | float) and math.isfinite(rating)
