"""What embedders behind an API have in common: batches, and a check of what comes back."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

import numpy as np

from libs.embedding.port import NO_VECTOR, ModelStamp, Vectors
from libs.errors import Unavailable

MAX_CHARACTERS = 8000
"""Longer texts are cut: about what a model of 8,191 tokens takes at the least."""

NO_ANSWER = "The embedding model does not answer. Try again in a moment."

_BYTES_A_NUMBER = 32
_BYTES_BESIDE = 2_000_000
"""What a response may hold beside vectors: the texts, as Cohere sends them back."""

Call = Callable[[list[str]], Awaitable[Vectors]]


def bound_of(texts: int, dimensions: int) -> int:
    """Return how many bytes a response with so many vectors has at most."""
    return texts * dimensions * _BYTES_A_NUMBER + _BYTES_BESIDE


def too_much() -> Unavailable:
    """Return the error of a response that has more bytes than its vectors take."""
    return Unavailable(NO_VECTOR)


def check_encoding(headers: Mapping[str, str], refuse: Callable[[], Unavailable]) -> None:
    """Raise what `refuse` makes for a compressed response.

    None was asked for, and it may unpack to gigabytes.
    """
    if headers.get("content-encoding", "identity") != "identity":
        raise refuse()


async def embed_in_batches(
    texts: Sequence[str], stamp: ModelStamp, call: Call, *, texts_a_call: int, bytes_a_call: int
) -> Vectors:
    """Return the vectors that `call` gives each batch. Raises what it raises."""
    rows = np.empty((len(texts), stamp.dimensions), np.float32)
    place = 0
    for batch in _batches(texts, texts_a_call, bytes_a_call):
        rows[place : place + len(batch)] = await call(batch)
        place += len(batch)
    return rows


def _batches(texts: Sequence[str], most: int, most_bytes: int) -> Iterator[list[str]]:
    """Fill batches by bytes: a token has one at the least, so no limit of tokens is passed."""
    batch: list[str] = []
    size = 0
    for text in texts:
        cut = text[:MAX_CHARACTERS]
        length = len(cut.encode())
        if batch and (len(batch) == most or size + length > most_bytes):
            yield batch
            batch, size = [], 0
        batch.append(cut)
        size += length
    if batch:
        yield batch


def check_vectors(found: Sequence[Sequence[float]], count: int, stamp: ModelStamp) -> Vectors:
    """Raise Unavailable unless `count` texts have finite vectors of the stamp's size, none zero.

    Raises TypeError, ValueError and OverflowError for what is no numbers.
    """
    rows = np.array(found, np.float64)
    if rows.shape != (count, stamp.dimensions):
        raise Unavailable(NO_VECTOR)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise Unavailable(NO_VECTOR)
    vectors: Vectors = (rows / lengths).astype(np.float32)
    return vectors
