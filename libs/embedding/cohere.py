"""Cohere's embedding API."""

from collections.abc import Callable, Sequence
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
from libs.pause import asked_wait_s
from libs.remote_model import RemoteModel, is_passing_status

_TEXTS_A_CALL = 96
_BYTES_A_CALL = 300_000
_MAX_TOKENS = 512

InputType = Literal["search_document", "search_query"]


class _BoundedStream(BoundedStream, httpx.AsyncByteStream):
    """A response's bytes, up to a limit."""


def is_passing(error: BaseException | None) -> bool:
    """Whether an error may be none the next moment."""
    refused = isinstance(error, ApiError) and is_passing_status(error.status_code or 0)
    return refused or isinstance(error, httpx.TransportError)


def translate(error: ApiError | httpx.HTTPError, no_answer: str) -> Unavailable:
    """Return our error, with the wait that Cohere asks for; its words and addresses stay behind."""
    if not isinstance(error, ApiError):
        return Unavailable(no_answer)
    return Unavailable(no_answer, asked_wait_s(error.status_code or 0, error.headers or {}))


def cohere_client(
    *, url: str, key: str, timeout_s: float, most_bytes: int, refuse: Callable[[], Unavailable]
) -> cohere.AsyncClientV2:
    """Return a client that follows no redirect and tries nothing twice.

    A response of more than `most_bytes` raises what `refuse` makes.
    """

    async def bound(response: httpx.Response) -> None:
        check_encoding(response.headers, refuse)
        if isinstance(response.stream, httpx.AsyncByteStream):
            response.stream = _BoundedStream(response.stream, most_bytes, refuse)

    return cohere.AsyncClientV2(
        api_key=key,
        base_url=url or None,
        timeout=timeout_s,
        max_retries=0,
        httpx_client=httpx.AsyncClient(
            timeout=timeout_s,
            follow_redirects=False,
            event_hooks={"response": [bound]},
            headers={"Accept-Encoding": "identity"},
        ),
        log_warning_experimental_features=False,
    )


async def close_client(client: cohere.AsyncClientV2) -> None:
    """Close its connections, for which it has no other name."""
    await client.__aexit__(None, None, None)


class CohereEmbedder:
    """Embeds texts of one input type: Cohere's models treat questions and passages differently.

    A call takes `timeout_s` at most, and is tried `retries` times more, all of them in `allowed_s`.
    Close it when done.
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
            most_bytes=bound_of(_TEXTS_A_CALL, dimensions),
            refuse=too_much,
        )
        self._remote = RemoteModel(
            "cohere embeddings",
            allowed_s,
            NO_ANSWER,
            NO_VECTOR,
            is_passing=is_passing,
            retries=retries,
            try_s=timeout_s,
        )

    async def close(self) -> None:
        await close_client(self._client)

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
            raise translate(error, NO_ANSWER) from error
        return check_vectors(answer.embeddings.float_ or [], len(batch), self.stamp)
