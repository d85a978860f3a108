"""Terms and words before lists, from the parser through Qdrant, joining and gRPC to the checks."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise
from operator import attrgetter

import numpy as np
import pytest

from libs.profiles import Chunking
from libs.question.analyse import analyse_question
from libs.vectors.schema import Scope
from services.generation.checks.context import list_context
from services.generation.clients import RetrievalClient
from services.generation.model import Passage, Question
from services.ingest.adapters.qdrant_index import QdrantIndex as WrittenIndex
from services.ingest.model.book import Chunk, ChunkVectors, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book
from services.ingest.split import split_document
from services.retrieval.adapters.qdrant_index import QdrantIndex as ReadIndex
from services.retrieval.join import join_chunks
from services.retrieval.model import Chunk as FoundChunk
from tests.support.engines import QdrantNode, qdrant_node
from tests.support.ingest_fakes import LetterTokens
from tests.support.retrieval_fakes import STAMP, FakeIndex
from tests.support.retrieval_service import serving_retrieval

SENTENCES = [f"Valve number {number} stays open all day." for number in range(6)]
TERMS = {"dry run": SENTENCES[:3], "wet run": SENTENCES[3:]}
BOOK = "# Pumps\n\nWhat nobody may do:\n\n" + "\n\n".join(
    f"{term}\n: " + "\n\n    ".join(told) for term, told in TERMS.items()
)
SMALL = Chunking("heading", 1, 30, 0, 30, (1, 2, 3, 4, 5, 6))


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QdrantNode]:
    with qdrant_node(tmp_path_factory.mktemp("qdrant")) as running:
        yield running


def written() -> list[Chunk]:
    [placed] = plan_book(Source([SourceFile("a.md", BOOK.encode())])).documents
    document, _ = parse_document(placed)
    chunks = split_document("book", "en", document, SMALL, LetterTokens())
    assert len(chunks) > 2
    return chunks


async def read_back(node: QdrantNode, chunks: Sequence[Chunk]) -> list[FoundChunk]:
    client = node.client()
    try:
        index = WrittenIndex(client, STAMP)
        await index.prepare()
        vectors = [ChunkVectors(np.ones(STAMP.dimensions, np.float32), b"") for _ in chunks]
        await index.write("book", "en", 1, chunks, vectors)
        return await ReadIndex(client, STAMP).read_chunks(Scope("book", 1), timeout_s=5)
    finally:
        await client.close()


@asynccontextmanager
async def served(*chunks: FoundChunk) -> AsyncIterator[RetrievalClient]:
    async with serving_retrieval(FakeIndex(*chunks)) as address:
        client = RetrievalClient(address)
        try:
            yield client
        finally:
            await client.close()


async def found(*chunks: FoundChunk) -> list[Passage]:
    question = "Which valve number stays open all day?"
    async with served(*chunks) as client:
        asked = Question("book", 1, question)
        return list((await client.search(asked, analyse_question(question, "en"), 5.0)).passages)


def shown_with(passage: Passage, sentence: str) -> str:
    [span] = [one for one in passage.spans if passage.text_of(one) == sentence]
    return " ".join(map(passage.text_of, list_context(passage, span, "en")))


async def test_a_point_keeps_what_leads_its_spans(node: QdrantNode) -> None:
    chunks = written()
    read = await read_back(node, chunks)
    assert any(chunk.lead_ins for chunk in read)
    by_id = {chunk.chunk_id: chunk for chunk in read}
    for chunk in chunks:
        assert by_id[chunk.chunk_id].lead_ins == tuple(map(tuple, chunk.lead_ins))
        beside = [(one.start, one.end, one.text) for one in by_id[chunk.chunk_id].neighbours]
        assert beside == [(one.start, one.end, one.text) for one in chunk.neighbours]


async def test_a_sentence_is_shown_with_its_term_behind_the_wire(node: QdrantNode) -> None:
    *_, last = await read_back(node, written())
    [passage] = await found(last)
    assert passage.lead_ins == last.lead_ins
    assert shown_with(passage, SENTENCES[-1]) == f"What nobody may do: wet run {SENTENCES[-1]}"


async def test_joined_passages_keep_the_terms_of_both(node: QdrantNode) -> None:
    ordered = sorted(await read_back(node, written()), key=attrgetter("start"))
    for first, second in pairwise(ordered):
        [passage] = await found(join_chunks(first, second))
        for term, told in TERMS.items():
            for sentence in told:
                if sentence in passage.text:
                    shown = shown_with(passage, sentence)
                    assert shown == f"What nobody may do: {term} {sentence}"
