"""Any OpenAI-compatible embedding API."""

from collections.abc import Sequence

import httpx2
import openai

from libs.bounded import BoundedStream
from libs.embedding.dimensions import OPENAI_DIMENSIONS
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

_TEXTS_A_CALL = 256
_BYTES_A_CALL = 300_000
_MAX_TOKENS = 8191


class _BoundedStream(BoundedStream, httpx2.AsyncByteStream):
    """A response's bytes, up to a limit."""


def _is_passing(error: BaseException | None) -> bool:
    """Whether an error may be none the next moment."""
    if isinstance(error, openai.APIStatusError):
        return is_passing_status(error.status_code)
    return isinstance(error, openai.APIConnectionError)


class OpenAIEmbedder:
    """Asks `model` at `url`, follows no redirect, reads no more than vectors take.

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
        timeout_s: float,
        retries: int,
        allowed_s: float,
    ) -> None:
        self.stamp = ModelStamp(model, "openai", dimensions, _MAX_TOKENS, "as given/normalised")
        whole = OPENAI_DIMENSIONS.get(model)
        self._shortened = model.startswith("text-embedding-3-") and dimensions != whole
        self._client = openai.AsyncOpenAI(
            base_url=url,
            api_key=key or "none",  # servers without keys take any; the SDK insists on one
            timeout=timeout_s,
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(
                event_hooks={"response": [self._bound]}, follow_redirects=False
            ),
            default_headers={"Accept-Encoding": "identity"},
        )
        self._most_bytes = bound_of(_TEXTS_A_CALL, dimensions)
        self._remote = RemoteModel(
            "openai embeddings",
            allowed_s,
            NO_ANSWER,
            NO_VECTOR,
            is_passing=_is_passing,
            retries=retries,
            try_s=timeout_s,
        )

    async def close(self) -> None:
        await self._client.close()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Raise Unavailable when the API does not answer, or not with vectors of the stamp."""
        return await embed_in_batches(
            texts, self.stamp, self._ask, texts_a_call=_TEXTS_A_CALL, bytes_a_call=_BYTES_A_CALL
        )

    async def _ask(self, batch: list[str]) -> Vectors:
        return await self._remote.call(lambda: self._call(batch))

    async def _bound(self, response: httpx2.Response) -> None:
        check_encoding(response.headers, too_much)
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _BoundedStream(response.stream, self._most_bytes, too_much)

    async def _call(self, batch: list[str]) -> Vectors:
        dimensions = self.stamp.dimensions if self._shortened else openai.omit
        try:
            answer = await self._client.embeddings.create(
                model=self.stamp.name, input=batch, dimensions=dimensions, encoding_format="float"
            )
        except openai.APIStatusError as error:
            wait_s = asked_wait_s(error.status_code, error.response.headers)
            raise Unavailable(NO_ANSWER, wait_s) from error
        except openai.OpenAIError as error:
            raise Unavailable(NO_ANSWER) from error
        found = sorted(answer.data, key=lambda item: item.index)
        if [item.index for item in found] != list(range(len(batch))):
            raise Unavailable(NO_VECTOR)  # whose each one is cannot be told
        return check_vectors([item.embedding for item in found], len(batch), self.stamp)
