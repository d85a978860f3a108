"""Fakes of what retrieval needs: an index in memory, a model that embeds words, a gate that is open."""

import asyncio
import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from msgspec import structs
from qdrant_client.models import SparseVector

from libs.embedding import ModelStamp, Vectors
from libs.language.asked_in import load_lexicons
from libs.ml import LogisticModel
from libs.profiles import Retrieval, load_profile
from libs.text import content_terms, terms
from libs.vectors.packed import pack_rows
from libs.vectors.schema import Scope, collection_name
from libs.vectors.sections import SECTION_SEPARATOR, section_keys
from services.retrieval.adapters.outlines import read_outline
from services.retrieval.model import (
    HEADING,
    Candidate,
    Chunk,
    Heading,
    Passage,
    QuestionVectors,
    Range,
    Span,
)
from services.retrieval.state import Tools
from services.retrieval.vocabulary import Vocabulary, count_words

PARAGRAPH = 2
STAMP = ModelStamp("bag of words", "1", dimensions=64, max_tokens=256, recipe="normalised")


def make_chunk(
    text: str,
    *,
    chunk_id: str = "",
    document: str = "a.md",
    start: int = 0,
    position: int = 0,
    path: Sequence[str] = ("Book",),
    also: Sequence[str] = (),
    spans: Sequence[Span] | None = None,
    page: int = 0,
    page_label: str = "",
) -> Chunk:
    """Make a chunk whose spans are its lines; `also` is the path of a second section it is in."""
    if spans is None:
        spans, place = [], start
        for line in text.split("\n"):
            spans += [Span(place, place + len(line), PARAGRAPH)] if line else []
            place += len(line) + 1
    rows = [_direction(text[span.start - start : span.end - start]) for span in spans]
    return Chunk(
        chunk_id or f"{document}-{start}",
        document,
        start,
        start + len(text),
        position,
        tuple(path),
        section_keys=frozenset([*section_keys(path), *section_keys(also)]),
        anchor="anchor",
        url="",
        page=page,
        page_labels=((page, page_label),) if page_label else (),
        text=text,
        spans=tuple(spans),
        terms=frozenset(content_terms("\n".join([text, *path]))),
        span_vectors=pack_rows(np.array(rows)) if rows else b"",
    )


def make_candidate(dense: float, bm25: float, *, position: int = 0, **chunk: object) -> Candidate:
    text = str(chunk.pop("text", f"Text {position}."))
    chunk.setdefault("start", position * 1000)
    return Candidate(make_chunk(text, position=position, **chunk), dense, bm25)  # type: ignore[arg-type]


def make_passage(fused: float = 1.0, dense: float = 0.5, **chunk: object) -> Passage:
    return Passage(make_candidate(dense, 1.0, **chunk), fused)  # type: ignore[arg-type]


class FakeEmbedder:
    """Each word is a direction: texts that share words are near. Counts what it embeds."""

    stamp = STAMP

    def __init__(self, delay_s: float = 0.0) -> None:
        self.embedded: list[str] = []
        self.delay_s = delay_s

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        self.embedded.extend(texts)
        return np.array([_direction(text) for text in texts], np.float32).reshape(len(texts), -1)


class ClosingEmbedder(FakeEmbedder):
    """One that holds connections, as a model behind an API does."""

    is_closed = False

    async def close(self) -> None:
        self.is_closed = True


def _direction(text: str) -> Vectors:
    vector = np.full(STAMP.dimensions, 0.01, np.float32)
    for term in terms(text):
        vector[int(hashlib.sha256(term.encode()).hexdigest(), 16) % STAMP.dimensions] += 1
    return vector / np.linalg.norm(vector)


class FakeEncoder:
    """One index a term."""

    def encode_question(self, text: str) -> SparseVector:
        found = sorted({_index(term) for term in terms(text)})
        return SparseVector(indices=found, values=[1.0] * len(found))


def _index(term: str) -> int:
    return int(hashlib.sha256(term.encode()).hexdigest()[:7], 16)


class FakeIndex:
    """Chunks of one book in memory, searched by brute force.

    Notes the time it was allowed, and the most chunks it read at once.
    """

    def __init__(self, *chunks: Chunk, book: str = "book", error: Exception | None = None) -> None:
        self._chunks = chunks
        self._book = book
        self._error = error
        self.allowed_s: list[float] = []
        self.scopes: list[Scope] = []
        self.most_read = 0
        self.delay_s = 0.0
        self.spoken: Sequence[str] = ("en",)

    async def search(
        self, scope: Scope, asked: Sequence[QuestionVectors], *, limit: int, timeout_s: float
    ) -> list[list[Candidate]]:
        chunks = await self._read(scope, timeout_s)
        return [self._search(chunks, each.dense, each.sparse, limit) for each in asked]

    def _search(
        self, chunks: Sequence[Chunk], dense: Vectors, sparse: SparseVector, limit: int
    ) -> list[Candidate]:
        scored = [
            (float(dense @ _direction(chunk.text)), self._shared(chunk, sparse), chunk)
            for chunk in chunks
        ]
        near = sorted(scored, key=lambda item: -item[0])[:limit]
        sharing = sorted((item for item in scored if item[1] > 0), key=lambda item: -item[1])
        sharing = sharing[:limit]
        return [
            Candidate(
                structs.replace(chunk, text="", spans=(), span_vectors=b""),
                cosine,
                bm25,
                near.index((cosine, bm25, chunk)) + 1 if (cosine, bm25, chunk) in near else 0,
                sharing.index((cosine, bm25, chunk)) + 1 if (cosine, bm25, chunk) in sharing else 0,
            )
            for cosine, bm25, chunk in scored
            if (cosine, bm25, chunk) in near or (cosine, bm25, chunk) in sharing
        ]

    async def find_places(
        self, scope: Scope, terms: SparseVector, *, limit: int, timeout_s: float
    ) -> list[Range]:
        shared = [
            (self._shared(chunk, terms), chunk) for chunk in await self._read(scope, timeout_s)
        ]
        best = sorted((item for item in shared if item[0] > 0), key=lambda item: -item[0])
        return [(chunk.start, chunk.end) for _, chunk in best[:limit]]

    async def read(self, candidates: Sequence[Candidate], *, timeout_s: float) -> dict[str, Chunk]:
        wanted = {item.chunk.chunk_id for item in candidates}
        return {chunk.chunk_id: chunk for chunk in self._chunks if chunk.chunk_id in wanted}

    async def read_chunks(
        self, scope: Scope, *, most: int | None = None, timeout_s: float
    ) -> list[Chunk]:
        read = (await self._read(scope, timeout_s))[:most]
        self.most_read = max(self.most_read, len(read))
        return read

    async def outline(self, book: str, edition: int, *, timeout_s: float) -> Sequence[Heading]:
        positions: dict[str, int] = {}
        for chunk in self._chunks:
            positions.setdefault(chunk.document, chunk.position)
        placed = [
            (chunk.document, chunk.start, sorted(chunk.section_keys, key=len))
            for chunk in self._chunks
            if book == self._book
        ]
        return read_outline(placed, positions)

    async def vocabulary(self, book: str, edition: int, *, timeout_s: float) -> Vocabulary:
        return Vocabulary(
            count_words("\n".join((*chunk.section_path, chunk.text)) for chunk in self._chunks)
        )

    async def holds(self, book: str, edition: int, *, timeout_s: float) -> bool:
        return book == self._book and bool(self._chunks)

    async def languages(self, book: str, edition: int, *, timeout_s: float) -> Sequence[str]:
        return self.spoken

    async def count(self, scope: Scope, *, timeout_s: float) -> int:
        return len(await self._read(scope, timeout_s))

    async def _read(self, scope: Scope, timeout_s: float) -> list[Chunk]:
        self.allowed_s.append(timeout_s)
        self.scopes.append(scope)
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        if self._error:
            raise self._error
        return [chunk for chunk in self._chunks if self._holds(scope, chunk)]

    def _holds(self, scope: Scope, chunk: Chunk) -> bool:
        start, end = scope.overlap or (-1, math.inf)
        section_key = SECTION_SEPARATOR.join(scope.section_path)
        return (
            scope.book == self._book
            and (not scope.section_path or section_key in chunk.section_keys)
            and scope.document in ("", chunk.document)
            and chunk.start < end
            and chunk.end > start
            and (not scope.page or chunk.has_page(scope.page, chunk.start, chunk.end))
            and (not scope.paged or chunk.page > 0)
            and (not scope.places or any(_overlaps(chunk, *place) for place in scope.places))
        )

    def _shared(self, chunk: Chunk, sparse: SparseVector) -> float:
        return float(len({_index(term) for term in chunk.terms} & set(sparse.indices)))


def _overlaps(chunk: Chunk, document: str, start: int, end: int) -> bool:
    return chunk.document == document and chunk.start < end and chunk.end > start


def make_chapter(document: str, position: int, title: str, *lines: str, inner: str = "") -> Chunk:
    """Make the first chunk of a document: its title, as a heading, and lines below it."""
    chunk = make_chunk(
        "\n".join([title, *lines]),
        document=document,
        position=position,
        path=(title, inner) if inner else (title,),
    )
    head = chunk.spans[0]._replace(kind=HEADING)
    return structs.replace(chunk, spans=(head, *chunk.spans[1:]))


def settings(**changed: object) -> Retrieval:
    """Return the default profile's settings, some of them changed."""
    return replace(load_profile("default").retrieval, **changed)  # type: ignore[arg-type]


def open_gate(stamp: ModelStamp = STAMP) -> LogisticModel:
    """Return a classifier that follows the first passage's cosine alone."""
    return LogisticModel(
        stamp=collection_name(stamp),
        features=("cosine_first",),
        means=(0.3,),
        scales=(0.1,),
        coefficients=(5.0,),
        intercept=0.0,
    )


def make_tools(*chunks: Chunk, **replaced: object) -> Tools:
    # As the service does before it serves: a first question has no time for it.
    load_lexicons()
    parts: dict[str, object] = {
        "index": FakeIndex(*chunks),
        "embedder": FakeEmbedder(),
        "encoder_of": lambda languages: FakeEncoder(),
        "answerability_model": open_gate(),
        **replaced,
    }
    return Tools(**parts)  # type: ignore[arg-type]


ACTUATORS = (
    make_chunk(
        "A hydraulic actuator turns the pressure of a fluid into force.\nIt holds 21 MPa.",
        position=0,
        path=("Actuators", "Hydraulic"),
    ),
    make_chunk(
        "An electric motor turns current into torque.\nGears raise the torque.",
        start=200,
        position=1,
        path=("Actuators", "Electric"),
    ),
    make_chunk(
        "ROS 2 nodes exchange messages over topics.",
        document="b.md",
        position=2,
        path=("ROS 2",),
    ),
)
