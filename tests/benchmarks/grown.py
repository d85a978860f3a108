"""Grow a book's chunks and vectors into a library of any size.

Altered copies: the words of a text in another order, half of them spelt in another alphabet, so that
a large library has a large vocabulary; the vector moved a little.
"""

import random
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
import qdrant_edge as edge

from libs.vectors.schema import BM25, DENSE, Payload
from libs.vectors.sparse import sparse_encoder
from libs.vectors.stored import StoredChunk, StoredHead, decode_chunk, decode_head
from services.ingest.adapters.qdrant_index import _payload, point_id
from services.ingest.embedding_text import dense_text, sparse_text
from services.ingest.model.book import Chunk, ChunkVectors

LANGUAGE, EDITION = "en", 1
_MOVED_BY = 0.03
_LETTERS = string.ascii_lowercase
_ALPHABETS = [  # the first is our own
    str.maketrans(_LETTERS, (_LETTERS[shift:] + _LETTERS[:shift])[::step])
    for step in (1, -1)
    for shift in range(26)
]
VARIANTS = len(_ALPHABETS)


@dataclass(frozen=True)
class Library:
    """`size` chunks, `per_book` of them in each book."""

    size: int
    per_book: int

    def book_of(self, number: int) -> str:
        return f"book-{number // self.per_book}"

    @property
    def books(self) -> int:
        return -(-self.size // self.per_book)


def grow(
    library: Library, chunks: Sequence[Chunk], vectors: Sequence[ChunkVectors], seed: int
) -> Iterator[edge.Point]:
    """Yield what ingest would write for each chunk, as the engine takes it.

    Texts have VARIANTS forms in turn: half a million of their own would take most of an hour.
    """
    noise = np.random.default_rng(seed)
    written = lru_cache(maxsize=None)(
        lambda place, variant: _write(_alter(chunks[place], variant), vectors[place].spans)
    )
    for number in range(library.size):
        turn, place = divmod(number, len(chunks))
        own = vectors[place].own
        if turn:
            own = own + noise.standard_normal(len(own), dtype=np.float32) * _MOVED_BY
        sparse, payload, head, stored = written(place, turn % VARIANTS)
        own_names = {
            "chunk_id": f"{stored.chunk_id}-{turn}",
            "document": f"{turn}/{stored.document}",
            "position": number,
        }
        copy = msgspec.structs.replace(stored, **own_names)
        yield edge.Point(
            point_id(copy.chunk_id, EDITION),
            {DENSE: (own / np.linalg.norm(own)).tolist(), BM25: sparse},
            {
                **payload,
                Payload.BOOK: library.book_of(number),
                Payload.DOCUMENT: copy.document,
                Payload.HEAD: msgspec.structs.replace(head, **own_names).encode(),
                Payload.CHUNK: copy.encode(),
            },
        )


def _write(
    chunk: Chunk, spans: bytes
) -> tuple[edge.SparseVector, dict[str, Any], StoredHead, StoredChunk]:
    sparse = sparse_encoder(LANGUAGE).encode_document(dense_text(chunk), sparse_text(chunk))
    payload = _payload("", LANGUAGE, EDITION, chunk, spans)
    head = decode_head(str(payload[Payload.HEAD]))
    stored = decode_chunk(str(payload[Payload.CHUNK]))
    return edge.SparseVector(sparse.indices, sparse.values), payload, head, stored


def _alter(chunk: Chunk, variant: int) -> Chunk:
    """Return a chunk of the same length, its words in another order and half of them made up."""
    if not variant:
        return chunk
    chance = random.Random(f"{variant} {chunk.chunk_id}")
    words = chunk.body.split(" ")
    chance.shuffle(words)
    half, alphabet = len(words) // 2, _ALPHABETS[variant]
    made_up = [word.lower().translate(alphabet) for word in words[half:]]
    text = " ".join([*words[:half], *made_up])[: len(chunk.body)]
    return replace(chunk, body=text.ljust(len(chunk.body)))
