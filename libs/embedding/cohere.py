"""Cohere's embedding API."""

from collections.abc import Sequence
from typing import Literal

import cohere
import httpx
from cohere.core.api_error import ApiError

from libs.embedding.port import NO_VECTOR, ModelStamp, Vectors
from libs.embedding.remote import NO_ANSWER, embed_in_batches
from libs.errors import Unavailable

_TEXTS_A_CALL = 96
_BYTES_A_CALL = 300_000
_MAX_TOKENS = 512

InputType = Literal["search_document", "search_query"]


class CohereEmbedder:
    """Embeds texts of one input type: Cohere's models treat questions and passages differently.

    The SDK tries `retries` times more, each call `timeout_s` at most.
    """

    def __init__(
        self,
        *,
        url: str,
        key: str,
        model: str,
        dimensions: int,
        input_type: InputType,
        timeout_s: float,
        retries: int,
    ) -> None:
        self.stamp = ModelStamp(model, "cohere", dimensions, _MAX_TOKENS, "input types/normalised")
        self._input_type: InputType = input_type
        self._client = cohere.AsyncClientV2(
            api_key=key,
            base_url=url or None,
            timeout=timeout_s,
            max_retries=retries,
            log_warning_experimental_features=False,
        )

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Raise Unavailable when the API does not answer, or not with vectors of the stamp."""
        return await embed_in_batches(
            texts, self.stamp, self._call, texts_a_call=_TEXTS_A_CALL, bytes_a_call=_BYTES_A_CALL
        )

    async def _call(self, batch: list[str]) -> Sequence[Sequence[float]]:
        try:
            answer = await self._client.embed(
                model=self.stamp.name,
                texts=batch,
                input_type=self._input_type,
                embedding_types=["float"],
                truncate="END",
            )
        except (ApiError, httpx.HTTPError) as error:
            raise Unavailable(NO_ANSWER) from error
        except (TypeError, ValueError) as error:
            raise Unavailable(NO_VECTOR) from error
        return answer.embeddings.float_ or []
