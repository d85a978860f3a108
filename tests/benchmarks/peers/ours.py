"""Quoth on the peers' terms: its own stages and store, called as a library by one process.

split → embed → index, then scope → embed → search → fuse → rank and a model that answers at once.
The store is the product's Qdrant node, a child process whose CPU time counts. What the product does
beyond that (highlights, checked quotations, answerability, the audit row, four services) is not here.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from qdrant_client import AsyncQdrantClient

from libs.embedding import Embedder
from libs.profiles import load_profile
from libs.tokens import TokenCounter
from libs.vectors.schema import Scope
from libs.vectors.sparse import SparseEncoder
from services.ingest.adapters.qdrant_index import QdrantIndex as WrittenIndex
from services.ingest.embed import ChunkEmbedder
from services.ingest.model.book import Chunk, ChunkVectors, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book
from services.ingest.split import split_document
from services.retrieval.adapters.qdrant_index import QdrantIndex as SearchedIndex
from services.retrieval.embed import embed_question
from services.retrieval.fuse import fuse_scores
from services.retrieval.rank import rank_passages
from services.retrieval.read import fill_passages, read_whole
from services.retrieval.search import search_index
from tests.benchmarks.peers.systems import ANSWER, PROMPT, TOP, number_passages
from tests.support.engines import qdrant_node

BOOK, EDITION, LANGUAGE = "book", 1, "en"
_TIMEOUT_S = 5.0
_WRITTEN_TOGETHER = 64


class Quoth:
    """A `System` that reports the process it has started, and is closed at the end."""

    package = "quoth"

    def __init__(self, embedder: Embedder, folder: Path, cache_dir: Path) -> None:
        self._embedder = embedder
        self._tokens = TokenCounter(cache_dir)
        self._profile = load_profile("")
        self._runner = asyncio.Runner()
        self._stack = ExitStack()
        node = self._stack.enter_context(qdrant_node(folder))
        self.helper = node.pid
        self._client = self._runner.run(_called(node.client))
        self._index = SearchedIndex(self._client, embedder.stamp)
        self._encoder = SparseEncoder(LANGUAGE)

    def close(self) -> None:
        self._runner.run(self._client.close())
        self._stack.close()
        self._runner.close()

    def ingest(self, documents: Sequence[tuple[str, str]]) -> int:
        return self._runner.run(self._ingest(documents))

    def answer(self, question: str) -> tuple[str, list[str]]:
        passages = self._runner.run(self._retrieve(question))
        assert PROMPT.format(context=number_passages(passages), question=question)
        return ANSWER, passages

    async def _ingest(self, documents: Sequence[tuple[str, str]]) -> int:
        source = Source([SourceFile(path, text.encode()) for path, text in documents])
        chunks = [
            chunk
            for placed in plan_book(source).documents
            for chunk in split_document(
                BOOK, LANGUAGE, parse_document(placed)[0], self._profile.chunking, self._tokens
            )
        ]
        await self._write(chunks, await ChunkEmbedder(self._embedder).embed(chunks))
        return len(chunks)

    async def _write(self, chunks: Sequence[Chunk], vectors: Sequence[ChunkVectors]) -> None:
        index = WrittenIndex(self._client, self._embedder.stamp)
        await index.prepare()
        for start in range(0, len(chunks), _WRITTEN_TOGETHER):
            end = start + _WRITTEN_TOGETHER
            await index.write(BOOK, LANGUAGE, EDITION, chunks[start:end], vectors[start:end])

    async def _retrieve(self, question: str) -> list[str]:
        vectors = await embed_question(question, self._embedder, self._encoder)
        [candidates] = await search_index(
            self._index,
            Scope(BOOK, EDITION),
            [vectors],
            limit=self._profile.retrieval.candidates,
            timeout_s=_TIMEOUT_S,
        )
        fused = fuse_scores(candidates, self._profile.retrieval)
        ranked = rank_passages(fused, TOP)
        whole = await read_whole(self._index, ranked, timeout_s=_TIMEOUT_S)
        return [passage.chunk.text for passage in fill_passages(ranked, whole)]


async def _called(make: Callable[[], AsyncQdrantClient]) -> AsyncQdrantClient:
    # gRPC's client wants to be made inside its event loop.
    return make()
