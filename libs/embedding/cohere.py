"""Cohere's embedding API."""

from collections.abc import Sequence
from typing import Literal

import cohere
import httpx
from cohere.core.api_error import ApiError

from libs.bounded import BoundedStream
from libs.embedding.port import NO_VECTOR, ModelStamp, Vectors
from libs.embedding.remote import (
    NO_ANSWER,
    bound_of,
    check_encoding,
    check_vectors,
    embed_in_batches,
    too_much,
)
from libs.errors import Unavailable
from libs.remote_model import RemoteModel

_TEXTS_A_CALL = 96
_BYTES_A_CALL = 300_000
_MAX_TOKENS = 512

InputType = Literal["search_document", "search_query"]


class _BoundedStream(BoundedStream, httpx.AsyncByteStream):
    """A response's bytes, up to a limit."""


def is_passing(error: BaseException | None) -> bool:
    """Whether an error may be none the next moment."""
    status = (error.status_code or 0) if isinstance(error, ApiError) else 0
    return isinstance(error, httpx.TransportError) or status in (408, 429) or status >= 500


def cohere_client(
    *, url: str, key: str, timeout_s: float, retries: int, most_bytes: int
) -> cohere.AsyncClientV2:
    """Return a client of responses of `most_bytes` at most, which follows no redirect."""

    async def bound(response: httpx.Response) -> None:
        check_encoding(response.headers)
        if isinstance(response.stream, httpx.AsyncByteStream):
            response.stream = _BoundedStream(response.stream, most_bytes, too_much)

    return cohere.AsyncClientV2(
        api_key=key,
        base_url=url or None,
        timeout=timeout_s,
        max_retries=retries,
        httpx_client=httpx.AsyncClient(
            timeout=timeout_s,
            follow_redirects=False,
            event_hooks={"response": [bound]},
            headers={"Accept-Encoding": "identity"},
        ),
        log_warning_experimental_features=False,
    )


class CohereEmbedder:
    """Embeds texts of one input type: Cohere's models treat questions and passages differently.

    A call takes `timeout_s` at most, with its retries `allowed_s`. Passages are tried `retries` times
    more by the SDK, which waits a second and more; a question, that somebody waits for, once at once.
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
        allowed_s: float,
    ) -> None:
        self.stamp = ModelStamp(model, "cohere", dimensions, _MAX_TOKENS, "input types/normalised")
        self._input_type: InputType = input_type
        self._client = cohere_client(
            url=url,
            key=key,
            timeout_s=timeout_s,
            retries=0 if input_type == "search_query" else retries,
            most_bytes=bound_of(_TEXTS_A_CALL, dimensions),
        )
        self._remote = RemoteModel(
            "cohere embeddings",
            allowed_s,
            NO_ANSWER,
            NO_VECTOR,
            is_passing if input_type == "search_query" else lambda _: False,
        )

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Raise Unavailable when the API does not answer, or not with vectors of the stamp."""
        return await embed_in_batches(
            texts, self.stamp, self._ask, texts_a_call=_TEXTS_A_CALL, bytes_a_call=_BYTES_A_CALL
        )

    async def _ask(self, batch: list[str]) -> Vectors:
        return await self._remote.call(lambda: self._call(batch))

    async def _call(self, batch: list[str]) -> Vectors:
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
        return check_vectors(answer.embeddings.float_ or [], len(batch), self.stamp)
