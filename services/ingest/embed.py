"""Chunks in, their vectors out; computed once, kept for ever."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import numpy as np

from libs.embedding import Embedder, ModelStamp, Vectors
from services.ingest.model import Chunk
from services.ingest.ports import EditionStore

_BATCH = 16
_LOOKED_UP_TOGETHER = 1000


@dataclass(frozen=True)
class Embedded:
    """How many chunks have their vector, how many of them had it before; tokens of the others."""

    done: int
    reused: int
    tokens_total: int
    tokens_done: int


Noted = Callable[[Embedded], Awaitable[None]]


class BadVector(Exception):
    """The model returned what is not a vector of its stamp."""


def embedding_text(chunk: Chunk) -> str:
    """Return what is embedded: the titles above the chunk, then its own text."""
    return " > ".join(chunk.section_path) + "\n" + chunk.body


def vector_key(chunk: Chunk, stamp: ModelStamp) -> str:
    """Return 64 hexadecimal digits that name a vector: equal keys, equal vectors."""
    text = f"{stamp.digest()}\n{embedding_text(chunk)}"
    return hashlib.sha256(text.encode()).hexdigest()


async def embed_chunks(
    chunks: Sequence[Chunk], embedder: Embedder, store: EditionStore, noted: Noted
) -> list[Vectors]:
    """Return one unit vector a chunk, in order. Raises BadVector."""
    keys = [vector_key(chunk, embedder.stamp) for chunk in chunks]
    vectors: dict[str, Vectors] = {}
    for start in range(0, len(keys), _LOOKED_UP_TOGETHER):
        vectors |= await store.load_vectors(keys[start : start + _LOOKED_UP_TOGETHER])
    reused = sum(key in vectors for key in keys)
    missing = {key: chunk for key, chunk in zip(keys, chunks, strict=True) if key not in vectors}
    total = sum(chunk.token_count for chunk in missing.values())
    await noted(Embedded(reused, reused, total, 0))
    # By length, so that no batch is padded much.
    waiting = sorted(missing.items(), key=lambda item: item[1].token_count)
    tokens_done = 0
    for start in range(0, len(waiting), _BATCH):
        batch = waiting[start : start + _BATCH]
        rows = await embedder.embed([embedding_text(chunk) for _, chunk in batch])
        computed = _checked([key for key, _ in batch], rows, embedder.stamp)
        await store.save_vectors(computed)
        vectors |= computed
        tokens_done += sum(chunk.token_count for _, chunk in batch)
        await noted(Embedded(reused + start + len(batch), reused, total, tokens_done))
    await noted(Embedded(len(chunks), len(chunks) - len(missing), total, total))
    return [vectors[key] for key in keys]


def _checked(keys: Sequence[str], rows: Vectors, stamp: ModelStamp) -> dict[str, Vectors]:
    if rows.shape != (len(keys), stamp.dimensions):
        raise BadVector(f"{rows.shape} instead of ({len(keys)}, {stamp.dimensions})")
    if not np.isfinite(rows).all() or not np.any(rows, axis=1).all():
        raise BadVector("a vector is zero or not finite")
    return dict(zip(keys, rows, strict=True))
