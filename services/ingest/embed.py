"""Compute the vectors of chunks and of their spans, each once, and keep them for ever."""

import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass

import numpy as np

from libs.embedding import (
    Embedder,
    ModelStamp,
    PartedText,
    PartedVectors,
    PartEmbedder,
    Vectors,
)
from libs.vectors.packed import pack_rows
from services.ingest.embedding_text import dense_text, span_ranges, texts_alone
from services.ingest.flow import ahead
from services.ingest.model.book import Chunk, ChunkVectors
from services.ingest.ports.editions import EditionStore

_BATCH = 16
_LOOKED_UP_TOGETHER = 256
_FORM = np.dtype("<f4")


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


class ChunkEmbedder:
    """An embedder of texts, as one of chunks and, where it can, of their spans."""

    def __init__(self, embedder: Embedder) -> None:
        self.stamp = embedder.stamp
        self._embedder = embedder
        # Found out once: asking whether an object has the form of a protocol takes 0.3 ms.
        self._of_parts = embedder if isinstance(embedder, PartEmbedder) else None
        self._digest = embedder.stamp.digest()

    def key(self, chunk: Chunk) -> str:
        """Return 64 hexadecimal digits that name a chunk's vectors: equal keys, equal vectors."""
        text = f"{self._digest}\n{dense_text(chunk)}"
        if self._of_parts:
            text = f"{json.dumps([span_ranges(chunk), texts_alone(chunk)])}\n{text}"
        return hashlib.sha256(text.encode()).hexdigest()

    async def embed(self, chunks: Sequence[Chunk]) -> list[ChunkVectors]:
        """Return the vectors of each chunk, in order. Raises BadVector."""
        texts = [dense_text(chunk) for chunk in chunks]
        if self._of_parts is None:
            rows = _checked(await self._embedder.embed(texts), len(chunks), self.stamp)
            return [ChunkVectors(row) for row in rows]
        parted = [
            PartedText(text, span_ranges(chunk)) for text, chunk in zip(texts, chunks, strict=True)
        ]
        found = await self._of_parts.embed_parts(parted)
        _checked(np.array([one.whole for one in found]), len(chunks), self.stamp)
        for one, chunk in zip(found, chunks, strict=True):
            _check_parts(one, chunk, self.stamp)
        alone = await self._read_alone(chunks)
        return [
            ChunkVectors(one.whole, pack_rows(_between(one.parts, rows)))
            for one, rows in zip(found, alone, strict=True)
        ]

    async def _read_alone(self, chunks: Sequence[Chunk]) -> list[Vectors]:
        """Return for each chunk the vectors of its spans by themselves; zeros where none is read."""
        texts = [texts_alone(chunk) for chunk in chunks]
        distinct = list(dict.fromkeys(text for of_chunk in texts for text in of_chunk if text))
        rows = _checked(await self._embedder.embed(distinct), len(distinct), self.stamp)
        known = dict(zip(distinct, rows, strict=True))
        nothing = np.zeros(self.stamp.dimensions, np.float32)
        return [
            np.array([known.get(text, nothing) for text in of_chunk]).reshape(-1, len(nothing))
            for of_chunk in texts
        ]


async def embed_chunks(
    chunks: Sequence[Chunk], embedder: ChunkEmbedder, store: EditionStore, noted: Noted
) -> list[ChunkVectors]:
    """Return the vectors of each chunk, in order. Raises BadVector."""
    keys: list[str] = []
    kept: dict[str, bytes] = {}
    for start in range(0, len(chunks), _LOOKED_UP_TOGETHER):
        # A part at a time: of a table of six thousand chunks the event loop would stand still for all.
        part = [embedder.key(chunk) for chunk in chunks[start : start + _LOOKED_UP_TOGETHER]]
        keys += part
        kept |= await store.load_vectors(part)
    reused = sum(key in kept for key in keys)
    missing = {key: chunk for key, chunk in zip(keys, chunks, strict=True) if key not in kept}
    total = sum(chunk.token_count for chunk in missing.values())
    await noted(Embedded(reused, reused, total, 0))
    # By length, so that no batch is padded much.
    waiting = sorted(missing.items(), key=lambda item: item[1].token_count)
    done, tokens_done = reused, 0
    # The next batch is computed while this one is saved: the model never waits for the store.
    async with ahead(_computed(waiting, embedder), 1) as batches:
        async for batch, encoded in batches:
            await store.save_vectors(encoded)
            kept |= encoded
            done += len(batch)
            tokens_done += sum(chunk.token_count for chunk in batch)
            await noted(Embedded(done, reused, total, tokens_done))
    await noted(Embedded(len(chunks), len(chunks) - len(missing), total, total))
    return [_from_bytes(kept[key], embedder.stamp.dimensions) for key in keys]


async def _computed(
    waiting: Sequence[tuple[str, Chunk]], embedder: ChunkEmbedder
) -> AsyncIterator[tuple[list[Chunk], dict[str, bytes]]]:
    """Yield batches of chunks with their vectors as they are kept, by key."""
    for start in range(0, len(waiting), _BATCH):
        keys, batch = zip(*waiting[start : start + _BATCH], strict=True)
        computed = await embedder.embed(batch)
        yield list(batch), dict(zip(keys, map(_to_bytes, computed), strict=True))


def _check_parts(found: PartedVectors, chunk: Chunk, stamp: ModelStamp) -> None:
    if found.parts.shape != (len(chunk.spans), stamp.dimensions):
        raise BadVector(f"{found.parts.shape} for {len(chunk.spans)} spans")
    if not np.isfinite(found.parts).all():
        raise BadVector("a span's vector is not finite")


def _between(in_context: Vectors, alone: Vectors) -> Vectors:
    """Return rows of length 1 halfway between both; of a span without tokens, zeros as before."""
    rows = np.where(in_context.any(axis=1, keepdims=True), in_context + alone, 0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    between: Vectors = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return between


def _checked(rows: Vectors, count: int, stamp: ModelStamp) -> Vectors:
    if rows.shape != (count, stamp.dimensions):
        raise BadVector(f"{rows.shape} instead of ({count}, {stamp.dimensions})")
    if not np.isfinite(rows).all() or not np.any(rows, axis=1).all():
        raise BadVector("a vector is zero or not finite")
    return rows


def _to_bytes(vectors: ChunkVectors) -> bytes:
    return vectors.own.astype(_FORM).tobytes() + vectors.spans


def _from_bytes(kept: bytes, dimensions: int) -> ChunkVectors:
    size = dimensions * _FORM.itemsize
    return ChunkVectors(np.frombuffer(kept[:size], _FORM), kept[size:])
