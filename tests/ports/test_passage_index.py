"""What every PassageIndex does: on the embedded node, and a real server if any."""

import json
import math
import os
import threading
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.http.models import SparseVector

from libs.circuit import MOST_FAILURES
from libs.embedding import ModelStamp
from libs.errors import QuothError, Unavailable, WrongIndex
from libs.profiles import load_profile
from libs.vectors.client import open_qdrant
from libs.vectors.collection import lay_out_collection
from libs.vectors.layout import Layout, load_layout
from libs.vectors.parts import Parts
from libs.vectors.schema import (
    ALIVE,
    BM25,
    DENSE,
    Payload,
    Scope,
    collection_name,
)
from libs.vectors.sections import section_keys
from libs.vectors.sparse import SparseEncoder
from libs.vectors.stored import StoredChunk, StoredHead, decode_chunk
from services.retrieval.adapters import qdrant_index
from services.retrieval.adapters.points import read_page
from services.retrieval.adapters.qdrant_index import QdrantIndex
from services.retrieval.fuse import fuse_scores
from services.retrieval.model import NOWHERE, Candidate, Chunk, QuestionVectors
from tests.support.engines import QdrantNode, qdrant_node
from tests.support.memory_qdrant import no_parts

SERVER = "QUOTH_TEST_QDRANT_URL"
STAMP = ModelStamp("test", "1", dimensions=8, max_tokens=256, recipe="none")
ENCODER = SparseEncoder("en")
WORDS = "hydraulic electric actuator motor torque pressure valve node topic message sensor gear"


@dataclass
class Corpus:
    """Points with known vectors, and the scores that Qdrant's documentation promises for them."""

    points: list[Any] = field(default_factory=list)
    heads: bool = False
    """Whether points have heads; they had none before there were any."""

    def add(self, text: str, *, dense: Any, **payload: Any) -> None:
        place = len(self.points)
        path = payload.pop("path", ["Book"])
        document = payload.get(Payload.DOCUMENT, "a.md")
        start, end = place * 100, place * 100 + len(text)
        start, end = payload.get(Payload.START, start), payload.get(Payload.END, end)
        keys = section_keys(path)
        stored = StoredChunk(
            chunk_id=f"c{place}",
            document=document,
            start=start,
            end=end,
            position=place,
            section_path=tuple(path),
            section_keys=tuple(keys),
            anchor="anchor",
            url="https://book.example/a#anchor",
            page=0,
            text=text,
            spans=((start, end, 2),),
        )
        whole = {
            Payload.BOOK: "book",
            Payload.BORN: 1,
            Payload.DIED: ALIVE,
            Payload.DOCUMENT: document,
            Payload.START: start,
            Payload.END: end,
            Payload.SECTIONS: keys,
            Payload.CHUNK: stored.encode(),
            **payload,
        }
        if self.heads:
            terms: Any = frozenset(text.split())
            head = StoredHead(f"c{place}", document, start, end, place, tuple(path), terms, "\n")
            whole = {Payload.HEAD: head.encode(), **whole}
        vector: Any = {DENSE: list(map(float, dense)), BM25: ENCODER.encode_document(text)}
        point_id = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{place}"))
        self.points.append(models.PointStruct(id=point_id, vector=vector, payload=whole))

    def scores(self, dense: Any, sparse: models.SparseVector) -> dict[str, tuple[float, float]]:
        """Return cosine and BM25 of every point by its definition, all of them being one edition."""
        documents = [
            dict(zip(point.vector[BM25].indices, point.vector[BM25].values, strict=True))
            for point in self.points
        ]
        idf = {}
        for term in sparse.indices:
            holders = sum(term in document for document in documents)
            idf[term] = math.log((len(documents) - holders + 0.5) / (holders + 0.5) + 1)
        answer = {}
        for point, document in zip(self.points, documents, strict=True):
            vector = np.array(point.vector[DENSE])
            cosine = float(vector @ dense / np.linalg.norm(vector) / np.linalg.norm(dense))
            bm25 = sum(
                weight * idf[term] * document.get(term, 0.0)
                for term, weight in zip(sparse.indices, sparse.values, strict=True)
            )
            answer[decode_chunk(point.payload[Payload.CHUNK]).chunk_id] = (cosine, bm25)
        return answer


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QdrantNode]:
    with qdrant_node(tmp_path_factory.mktemp("qdrant")) as running:
        yield running


@pytest.fixture(params=["node", "server"])
async def client(request: pytest.FixtureRequest) -> AsyncIterator[AsyncQdrantClient]:
    if request.param == "server":
        if SERVER not in os.environ:
            pytest.skip(f"{SERVER} is not set")
        opened = open_qdrant(os.environ[SERVER])
    else:
        opened = request.getfixturevalue("node").client()
    yield opened
    if await opened.collection_exists(collection_name(STAMP)):
        await opened.delete_collection(collection_name(STAMP))
    await opened.close()


async def index_of(client: AsyncQdrantClient, corpus: Corpus) -> QdrantIndex:
    name, layout = collection_name(STAMP), await layout_of(client)
    await lay_out_collection(client, name, STAMP.dimensions, layout)
    for book in {point.payload[Payload.BOOK] for point in corpus.points}:
        points = [point for point in corpus.points if point.payload[Payload.BOOK] == book]
        await client.upsert(name, points, wait=True, shard_key_selector=await part(client, book))
    return QdrantIndex(client, STAMP, layout)


async def layout_of(client: AsyncQdrantClient) -> Layout:
    """A server's collections are laid out as the environment says, in parts on a cluster."""
    return Layout() if "embedded" in (await client.info()).title else load_layout()


async def part(client: AsyncQdrantClient, book: str = "book") -> str | None:
    return await Parts(client).of_book(collection_name(STAMP), book, 60)


def random_corpus(size: int = 60, *, heads: bool = False, **payload: Any) -> Corpus:
    random, corpus = np.random.default_rng(7), Corpus(heads=heads)
    for _ in range(size):
        text = " ".join(random.choice(WORDS.split(), size=int(random.integers(2, 7))))
        corpus.add(text, dense=random.normal(size=STAMP.dimensions), **payload)
    return corpus


QUESTION = "hydraulic torque of a sensor"
SPARSE = ENCODER.encode_question(QUESTION)
_DRAWN = np.random.default_rng(3).normal(size=STAMP.dimensions)
DENSE_QUESTION = (_DRAWN / np.linalg.norm(_DRAWN)).astype(np.float32)
WHOLE = Scope("book", 1)


async def search(
    index: QdrantIndex, scope: Scope = WHOLE, limit: int = 5, sparse: SparseVector = SPARSE
) -> dict[str, Candidate]:
    asked = [QuestionVectors(DENSE_QUESTION, sparse)]
    [found] = await index.search(scope, asked, limit=limit, timeout_s=5)
    return {candidate.chunk.chunk_id: candidate for candidate in found}


@pytest.mark.parametrize("limit", [1, 5, 50])
async def test_both_scores_of_every_candidate_of_either_list_are_exact(
    client: AsyncQdrantClient, limit: int
) -> None:
    corpus = random_corpus()
    found = await search(await index_of(client, corpus), limit=limit)
    truth = corpus.scores(DENSE_QUESTION, SPARSE)
    for chunk_id, candidate in found.items():
        assert candidate.dense == pytest.approx(truth[chunk_id][0], abs=1e-5)
        assert candidate.bm25 == pytest.approx(truth[chunk_id][1], rel=1e-4)
    by_dense = sorted(truth, key=lambda chunk_id: -truth[chunk_id][0])[:limit]
    least = sorted((scores[1] for scores in truth.values()), reverse=True)[:limit][-1]
    assert [found[chunk_id].dense_rank for chunk_id in by_dense] == list(
        range(1, len(by_dense) + 1)
    )
    ranked = [candidate for candidate in found.values() if candidate.bm25_rank]
    assert len(ranked) == min(limit, sum(scores[1] > 0 for scores in truth.values()))
    assert all(candidate.bm25 >= least - 1e-4 for candidate in ranked)
    assert set(found) >= set(by_dense)


async def test_a_chunk_that_shares_no_term_has_a_bm25_score_of_zero(
    client: AsyncQdrantClient,
) -> None:
    corpus = Corpus()
    corpus.add("hydraulic torque", dense=-DENSE_QUESTION)
    corpus.add("something else", dense=DENSE_QUESTION)
    found = await search(await index_of(client, corpus))
    assert (found["c1"].bm25, found["c1"].bm25_rank) == (0.0, 0)
    assert found["c0"].bm25 > 0
    assert found["c0"].dense == pytest.approx(-1.0, abs=1e-5)


async def test_equal_scores_are_ranked_by_id_on_every_engine(client: AsyncQdrantClient) -> None:
    corpus = Corpus()
    for _ in range(6):
        corpus.add("hydraulic torque", dense=DENSE_QUESTION)
    found = await search(await index_of(client, corpus), limit=6)
    by_id = [f"c{corpus.points.index(point)}" for point in sorted(corpus.points, key=_id)]
    assert sorted(found, key=lambda chunk: found[chunk].dense_rank) == by_id
    assert sorted(found, key=lambda chunk: found[chunk].bm25_rank) == by_id


def _id(point: models.PointStruct) -> str:
    return str(point.id)


async def test_a_question_of_stop_words_is_answered_by_meaning_alone(
    client: AsyncQdrantClient,
) -> None:
    index = await index_of(client, random_corpus(10))
    nothing = ENCODER.encode_question("of the and")
    assert nothing.indices == []
    found = await search(index, limit=3, sparse=nothing)
    assert len(found) == 3
    assert all(candidate.bm25 == 0.0 for candidate in found.values())


async def test_chunks_come_back_whole(client: AsyncQdrantClient) -> None:
    corpus = Corpus()
    corpus.add("Hydraulic 日本 👍.", dense=DENSE_QUESTION, path=["A", "B"])
    chunk = (await search(await index_of(client, corpus)))["c0"].chunk
    assert (chunk.document, chunk.start, chunk.end) == ("a.md", 0, 15)
    assert (chunk.section_path, chunk.anchor, chunk.page) == (("A", "B"), "anchor", 0)
    assert chunk.url == "https://book.example/a#anchor"
    assert chunk.text == "Hydraulic 日本 👍."
    assert [chunk.text_of(span) for span in chunk.spans] == [chunk.text]


@pytest.mark.invariant("I2")
async def test_an_edition_sees_what_is_born_and_has_not_died(client: AsyncQdrantClient) -> None:
    corpus = Corpus()
    corpus.add("torque always", dense=DENSE_QUESTION, born=1, died=ALIVE)
    corpus.add("torque once", dense=DENSE_QUESTION, born=1, died=2)
    corpus.add("torque later", dense=DENSE_QUESTION, born=2, died=ALIVE)
    corpus.add("torque between", dense=DENSE_QUESTION, born=2, died=3)
    index = await index_of(client, corpus)
    seen = {edition: set(await search(index, Scope("book", edition))) for edition in (1, 2, 3)}
    assert seen == {1: {"c0", "c1"}, 2: {"c0", "c2", "c3"}, 3: {"c0", "c2"}}


@pytest.mark.control("V4")
async def test_books_sections_documents_and_ranges_limit_both_lists(
    client: AsyncQdrantClient,
) -> None:
    corpus = Corpus()
    corpus.add("torque", dense=DENSE_QUESTION, path=["A"])
    corpus.add("torque", dense=DENSE_QUESTION, path=["A", "B"])
    corpus.add("torque", dense=DENSE_QUESTION, path=["A", "B c"])
    corpus.add("torque", dense=DENSE_QUESTION, path=["C"], document="z.md")
    corpus.add("torque", dense=DENSE_QUESTION, book="other")
    index = await index_of(client, corpus)
    assert set(await search(index)) == {"c0", "c1", "c2", "c3"}
    assert set(await search(index, Scope("book", 1, ("A",)))) == {"c0", "c1", "c2"}
    assert set(await search(index, Scope("book", 1, ("A", "B")))) == {"c1"}
    assert set(await search(index, Scope("book", 1, document="z.md"))) == {"c3"}
    assert set(await search(index, Scope("book", 1, ("B",)))) == set()
    touching = Scope("book", 1, document="a.md", overlap=(105, 201))
    assert set(await search(index, touching)) == {"c1", "c2"}
    between = Scope("book", 1, document="a.md", overlap=(106, 200))
    assert set(await search(index, between)) == set()


async def test_a_page_limits_both_lists_to_what_has_text_of_it(client: AsyncQdrantClient) -> None:
    corpus = Corpus()
    for page, end_page in ((1, 1), (1, 3), (3, 4), (0, 0)):
        corpus.add("torque", dense=DENSE_QUESTION, page=page, end_page=end_page)
    corpus.add("torque", dense=DENSE_QUESTION)
    index = await index_of(client, corpus)
    assert set(await search(index, Scope("book", 1, page="2"))) == {"c1"}
    assert set(await search(index, Scope("book", 1, page="3"))) == {"c1", "c2"}
    assert set(await search(index, Scope("book", 1, paged=True))) == {"c0", "c1", "c2"}


async def test_a_page_is_found_by_the_label_that_its_source_gives_it(
    client: AsyncQdrantClient,
) -> None:
    corpus = Corpus()
    corpus.add("torque", dense=DENSE_QUESTION, page=1, end_page=2, page_labels=["iv", "A-1"])
    corpus.add("torque", dense=DENSE_QUESTION, page=3, end_page=3, page_labels=["1"])
    index = await index_of(client, corpus)
    for page, found in (("IV", {"c0"}), ("a-1", {"c0"}), ("1", {"c1"}), ("3", set())):
        assert set(await search(index, Scope("book", 1, page=page))) == found


async def test_several_places_are_searched_at_once(client: AsyncQdrantClient) -> None:
    corpus = Corpus()
    for document in ("a.md", "a.md", "b.md", "b.md"):
        corpus.add("torque", dense=DENSE_QUESTION, document=document)
    corpus.add("torque", dense=DENSE_QUESTION, document="a.md", book="other", start=0, end=9)
    index = await index_of(client, corpus)
    places = (("a.md", 0, 50), ("b.md", 305, 306))
    assert set(await search(index, Scope("book", 1, places=places))) == {"c0", "c3"}
    inside = Scope("book", 1, document="b.md", places=places)
    assert set(await search(index, inside)) == {"c3"}


async def test_the_outline_has_the_sections_of_the_edition_in_reading_order(
    client: AsyncQdrantClient,
) -> None:
    corpus = Corpus()
    corpus.add("one", dense=DENSE_QUESTION, document="z.md", start=0, end=3, path=["Z"])
    corpus.add("two", dense=DENSE_QUESTION, document="a.md", start=0, end=3, path=["A", "B"])
    corpus.add("six", dense=DENSE_QUESTION, document="a.md", start=9, end=12, path=["A", "C"])
    corpus.add("old", dense=DENSE_QUESTION, document="z.md", start=9, end=12, path=["O"], died=1)
    corpus.add("new", dense=DENSE_QUESTION, document="a.md", path=["N"], book="other")
    index = await index_of(client, corpus)
    outline = await index.outline("book", 1, timeout_s=5)
    assert [(one.document, one.start, one.path) for one in outline] == [
        *(("z.md", 0, ("Z",)), ("a.md", 0, ("A",)), ("a.md", 0, ("A", "B"))),
        ("a.md", 9, ("A", "C")),
    ]
    assert await index.outline("none", 1, timeout_s=5) == ()


async def test_a_book_with_too_many_chunks_has_no_outline(
    client: AsyncQdrantClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(qdrant_index, "MOST_OUTLINED", 2)
    index = await index_of(client, random_corpus(3))
    assert await index.outline("book", 1, timeout_s=5) == ()


async def test_the_vocabulary_has_the_words_and_titles_of_the_edition(
    client: AsyncQdrantClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = random_corpus(260, path=["Chapter"])
    corpus.add("seldom", dense=DENSE_QUESTION)
    corpus.add("gone", dense=DENSE_QUESTION, died=1)
    corpus.add("elsewhere", dense=DENSE_QUESTION, book="other")
    index = await index_of(client, corpus)
    counts = (await index.vocabulary("book", 1, timeout_s=5)).counts
    assert (counts["chapter"], counts["seldom"]) == (260, 1)
    assert "torque" in counts
    assert not {"gone", "elsewhere"} & counts.keys()
    monkeypatch.setattr(qdrant_index, "MOST_OUTLINED", 2)
    assert (await QdrantIndex(client, STAMP).vocabulary("book", 1, timeout_s=5)).counts == {}


def without_points(found: dict[str, Candidate]) -> dict[str, Candidate]:
    """Leave out which write the points are of: the engine counts them by its own."""
    return {name: msgspec.structs.replace(one, point=NOWHERE) for name, one in found.items()}


@pytest.mark.control("V4")
async def test_neither_other_books_nor_other_editions_change_a_score(
    client: AsyncQdrantClient,
) -> None:
    alone = random_corpus()
    beside = random_corpus()
    for place in range(200):
        # "torque" is rare in the book, and in every chunk of these.
        elsewhere: list[dict[str, Any]] = [
            {"book": f"other {place % 3}"},
            {"born": 2},
            {"born": 0, "died": 1},
        ]
        beside.add("torque sensor", dense=-DENSE_QUESTION, **elsewhere[place % 3])
    truth = alone.scores(DENSE_QUESTION, SPARSE)
    among_neighbours = await search(await index_of(client, beside), limit=50)
    for chunk_id, candidate in among_neighbours.items():
        assert candidate.bm25 == pytest.approx(truth[chunk_id][1], rel=1e-4)
    await client.delete_collection(collection_name(STAMP))
    by_itself = await search(await index_of(client, alone), limit=50)
    assert without_points(by_itself) == without_points(among_neighbours)


async def test_a_part_of_a_book_has_the_scores_of_the_whole(client: AsyncQdrantClient) -> None:
    corpus = random_corpus(30, path=["A"])
    for _ in range(30):
        corpus.add("torque sensor", dense=DENSE_QUESTION, path=["B"])
    truth = corpus.scores(DENSE_QUESTION, SPARSE)
    found = await search(await index_of(client, corpus), Scope("book", 1, ("A",)))
    for chunk_id, candidate in found.items():
        assert candidate.bm25 == pytest.approx(truth[chunk_id][1], rel=1e-4)


async def test_all_chunks_of_a_document_are_read_in_order_over_several_pages(
    client: AsyncQdrantClient,
) -> None:
    corpus = random_corpus(300)
    corpus.add("elsewhere", dense=DENSE_QUESTION, document="z.md")
    index = await index_of(client, corpus)
    chunks = await index.read_chunks(Scope("book", 1, document="a.md"), timeout_s=5)
    assert [chunk.position for chunk in chunks] == list(range(300))
    for most in (1, 256, 257, 400):
        some = await index.read_chunks(Scope("book", 1, document="a.md"), most=most, timeout_s=5)
        assert len(some) == min(most, 300)
    assert await index.count(Scope("book", 1), timeout_s=5) == 301
    assert await index.count(Scope("other", 1), timeout_s=5) == 0


async def test_places_are_those_of_the_chunks_of_one_document_that_share_most(
    client: AsyncQdrantClient,
) -> None:
    corpus = random_corpus(300)
    corpus.add("torque bearing", dense=DENSE_QUESTION)
    corpus.add("grease the blue bearing", dense=DENSE_QUESTION)
    corpus.add("grease the blue bearing", dense=DENSE_QUESTION, document="z.md")
    index, terms = await index_of(client, corpus), ENCODER.encode_question("the blue bearing")
    of_a = Scope("book", 1, document="a.md")
    places = await index.find_places(of_a, terms, limit=8, timeout_s=5)
    assert places == [(30_100, 30_123), (30_000, 30_014)]
    assert await index.find_places(of_a, terms, limit=1, timeout_s=5) == places[:1]
    without = ENCODER.encode_question("of the")
    assert await index.find_places(of_a, without, limit=8, timeout_s=5) == []


async def test_the_languages_are_those_its_points_say_that_of_most_first(
    client: AsyncQdrantClient,
) -> None:
    corpus = random_corpus(3, language="ja")
    corpus.add("torque", dense=DENSE_QUESTION, language="de")
    corpus.add("couple", dense=DENSE_QUESTION, language="fr", book="french")
    corpus.add("torque", dense=DENSE_QUESTION, book="other")
    index = await index_of(client, corpus)
    for _ in range(2):
        assert list(await index.languages("book", 1, timeout_s=5)) == ["ja", "de"]
        assert list(await index.languages("french", 1, timeout_s=5)) == ["fr"]
        assert list(await index.languages("other", 1, timeout_s=5)) == ["en"]


async def test_a_candidate_and_its_whole_chunk_say_their_language(
    client: AsyncQdrantClient,
) -> None:
    corpus = random_corpus(3, language="ja")
    corpus.add("torque", dense=DENSE_QUESTION, language="de")
    index = await index_of(client, corpus)
    for _ in range(2):  # read and, the second time, remembered
        found = await search(index, Scope("book", 1))
        spoken = sorted(candidate.language for candidate in found.values())
        assert spoken == ["de", "ja", "ja", "ja"]
        whole = await index.read(list(found.values()), timeout_s=5)
        assert sorted(chunk.language for chunk in whole.values()) == spoken


async def test_the_chunks_of_a_document_are_decoded_beside_what_others_ask(
    client: AsyncQdrantClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def read_and_note(payloads: Sequence[Mapping[str, Any]]) -> list[Chunk]:
        threads.append(threading.current_thread())
        return read_page(payloads)

    monkeypatch.setattr(qdrant_index, "read_page", read_and_note)
    index = await index_of(client, random_corpus(300))
    assert len(await index.read_chunks(Scope("book", 1, document="a.md"), timeout_s=5)) == 300
    assert len(threads) == 2
    assert threading.main_thread() not in threads


async def test_a_collection_that_does_not_exist_is_the_wrong_index(
    client: AsyncQdrantClient,
) -> None:
    index = QdrantIndex(client, STAMP)
    with pytest.raises(WrongIndex, match="another embedding model, or by another version"):
        await search(index)
    with pytest.raises(WrongIndex):
        await index.read_chunks(WHOLE, timeout_s=5)
    with pytest.raises(WrongIndex):
        await index.count(WHOLE, timeout_s=5)


async def test_another_model_has_another_collection(client: AsyncQdrantClient) -> None:
    await index_of(client, random_corpus(3))
    other = ModelStamp("test", "2", dimensions=8, max_tokens=256, recipe="none")
    with pytest.raises(WrongIndex):
        await search(QdrantIndex(client, other))


def asking(**calls: Any) -> Any:
    """A client with these calls alone."""
    return SimpleNamespace(
        grpc_points=SimpleNamespace(**calls),
        grpc_collections=SimpleNamespace(ListShardKeys=no_parts),
    )


async def test_a_chunk_is_read_again_only_when_its_point_was_written(
    client: AsyncQdrantClient,
) -> None:
    corpus = random_corpus(20)
    index = await index_of(client, corpus)
    read: list[str] = []
    points = client.grpc_points

    async def counted(request: Any, **options: Any) -> Any:
        read.extend(point.uuid for point in request.ids)
        return await points.Get(request, **options)

    index._client = asking(QueryBatch=points.QueryBatch, Get=counted)
    first = await search(index)
    assert len(read) == len(first)
    assert await search(index) == first
    assert len(read) == len(first)
    moved = next(
        point
        for point in corpus.points
        if decode_chunk(point.payload[Payload.CHUNK]).chunk_id in first
    )
    chunk = decode_chunk(moved.payload[Payload.CHUNK])
    payload = {Payload.CHUNK: msgspec.structs.replace(chunk, url="https://new.example").encode()}
    at: dict[str, Any] = {"wait": True, "shard_key_selector": await part(client)}
    await client.set_payload(collection_name(STAMP), payload, points=[moved.id], **at)
    found = await search(index)
    assert found[chunk.chunk_id].chunk.url == "https://new.example"
    assert read[len(first) :] == [moved.id]
    assert found.keys() == first.keys()


def counted(index: QdrantIndex, client: AsyncQdrantClient) -> tuple[list[str], list[bool]]:
    """Return the points that the index reads whole from now on, and whether its searches ask heads."""
    read: list[str] = []
    asked: list[bool] = []
    points = client.grpc_points

    async def get(request: Any, **options: Any) -> Any:
        read.extend(point.uuid for point in request.ids)
        return await points.Get(request, **options)

    async def query(request: Any, **options: Any) -> Any:
        asked.append(any(query.HasField("with_payload") for query in request.query_points))
        return await points.QueryBatch(request, **options)

    index._client = asking(QueryBatch=query, Get=get)
    return read, asked


async def test_a_search_reads_heads_and_whole_only_what_is_wanted_whole(
    client: AsyncQdrantClient,
) -> None:
    corpus = random_corpus(20, heads=True)
    index = await index_of(client, corpus)
    read, _ = counted(index, client)
    found = await search(index)
    assert read == []
    assert {item.chunk.text for item in found.values()} == {""}
    assert all(item.chunk.terms and item.chunk.gap == "\n" for item in found.values())
    wanted = list(found.values())[:2]
    whole = await index.read(wanted, timeout_s=5)
    assert read == [item.point.id for item in wanted]
    for item in wanted:
        chunk = whole[item.chunk.chunk_id]
        assert chunk.text == decode_chunk(corpus.points[chunk.position].payload["chunk"]).text
        assert (chunk.terms, chunk.start) == (item.chunk.terms, item.chunk.start)
    again = await search(index)
    assert await index.read([again[name] for name in whole], timeout_s=5) == whole
    assert len(read) == 2


async def test_points_with_heads_and_without_are_found_alike(client: AsyncQdrantClient) -> None:
    without = await search(await index_of(client, random_corpus()))
    await client.delete_collection(collection_name(STAMP))
    with_heads = await search(await index_of(client, random_corpus(heads=True)))
    assert [(item.point.id, item.dense, item.bm25) for item in without.values()] == [
        (item.point.id, item.dense, item.bm25) for item in with_heads.values()
    ]


async def test_a_book_whose_chunks_are_known_is_searched_without_their_heads(
    client: AsyncQdrantClient,
) -> None:
    index = await index_of(client, random_corpus(20, heads=True))
    _, asked = counted(index, client)
    first, second, third = [await search(index) for _ in range(3)]
    assert asked == [True, True, False]
    assert first == second == third


async def test_a_point_deleted_before_it_is_read_whole_is_left_out(
    client: AsyncQdrantClient,
) -> None:
    index = await index_of(client, random_corpus(20, heads=True))
    gone, *others = (await search(index)).values()
    await client.delete(
        collection_name(STAMP), [gone.point.id], wait=True, shard_key_selector=await part(client)
    )
    whole = await index.read([gone, *others], timeout_s=5)
    assert whole.keys() == {item.chunk.chunk_id for item in others}


@pytest.mark.fault("D4", "G8")
@pytest.mark.parametrize("head", ["", "{}", '["c0","a.md",0,6,0,["Book"],[],""]', 7])
async def test_a_damaged_head_is_an_error_never_a_passage(
    client: AsyncQdrantClient, head: int | str
) -> None:
    corpus = Corpus(heads=True)
    corpus.add("torque", dense=DENSE_QUESTION, head=head)
    index = await index_of(client, corpus)
    with pytest.raises(QuothError) as caught:
        await search(index)
    assert caught.value.kind == "internal"


async def test_a_point_that_goes_away_before_it_is_read_is_no_candidate(
    client: AsyncQdrantClient,
) -> None:
    corpus = random_corpus(20)
    index = await index_of(client, corpus)
    gone, points = [], client.grpc_points

    async def too_late(request: Any, **options: Any) -> Any:
        gone.append(request.ids[0].uuid)
        await client.delete(
            collection_name(STAMP), gone, wait=True, shard_key_selector=await part(client)
        )
        return await points.Get(request, **options)

    index._client = asking(QueryBatch=points.QueryBatch, Get=too_late)
    found = await search(index)
    held = {point.id: decode_chunk(point.payload[Payload.CHUNK]) for point in corpus.points}
    assert found
    assert held[gone[0]].chunk_id not in found


@pytest.mark.fault("D4", "G8")
@pytest.mark.parametrize(
    "damage",
    [
        {"text": ""},
        {"text": "torque is longer than its range"},
        {"text": None},
        {"chunk_id": None},
        {"start": "three"},
        {"section_path": None},
        {"spans": [[0, 99, 2]]},
        {"spans": [[0, 2]]},
        {"spans": None},
        None,
    ],
)
async def test_a_damaged_point_is_an_error_never_a_passage(
    client: AsyncQdrantClient, damage: dict[str, Any] | None
) -> None:
    corpus = Corpus()
    corpus.add("torque", dense=DENSE_QUESTION)
    payload = corpus.points[0].payload
    chunk = payload.pop(Payload.CHUNK)
    if damage is not None:
        payload[Payload.CHUNK] = json.dumps(json.loads(chunk[8:]) | damage)
    index = await index_of(client, corpus)
    with pytest.raises(QuothError) as caught:
        await search(index)
    assert caught.value.kind == "internal"


def fewer(answer: Any) -> None:
    for found in answer.result:
        del found.result[1::2]


def twice(answer: Any) -> None:
    for found in answer.result:
        found.result.extend(list(found.result))


def in_another_order(answer: Any) -> None:
    for found in answer.result:
        found.result.reverse()


def without_its_last_lists(answer: Any) -> None:
    del answer.result[2:]


def nothing(answer: Any) -> None:
    del answer.result[:]


def one_less(answer: Any) -> None:
    del answer.result[-1:]


def others(answer: Any) -> None:
    for point in answer.result:
        point.id.uuid = str(uuid.uuid4())


def in_each_others_place(answer: Any) -> None:
    ids = [point.id.uuid for point in answer.result]
    for point, wrong in zip(answer.result, ids[1:] + ids[:1], strict=True):
        point.id.uuid = wrong


def without_payload(answer: Any) -> None:
    for point in answer.result:
        point.payload.clear()


@pytest.mark.fault("D4")
@pytest.mark.invariant("I1")
@pytest.mark.parametrize(
    ("call", "damage"),
    [
        ("QueryBatch", fewer),
        ("QueryBatch", twice),
        ("QueryBatch", in_another_order),
        ("QueryBatch", without_its_last_lists),
        ("QueryBatch", nothing),
        ("Get", one_less),
        ("Get", nothing),
        ("Get", others),
        ("Get", in_each_others_place),
        ("Get", without_payload),
    ],
)
async def test_whatever_the_store_returns_no_passage_is_made_up(
    client: AsyncQdrantClient, call: str, damage: Callable[..., Any]
) -> None:
    corpus = random_corpus(20, heads=True)
    index, points = await index_of(client, corpus), client.grpc_points
    asked = []

    async def lying(request: Any, **options: Any) -> Any:
        answer = await getattr(points, call)(request, **options)
        asked.append(request)
        damage(answer)
        return answer

    calls = {"QueryBatch": points.QueryBatch, "Get": points.Get, call: lying}
    index._client = asking(**calls)
    with suppress(QuothError):
        found = await search(index)
        whole = await index.read(list(found.values()), timeout_s=5)
        assert_true(found, whole, corpus)
    assert asked
    # What was read wrongly is not kept either.
    index._client = asking(QueryBatch=points.QueryBatch, Get=points.Get)
    found = await search(index)
    whole = await index.read(list(found.values()), timeout_s=5)
    assert whole.keys() == found.keys()
    assert_true(found, whole, corpus)


def assert_true(found: dict[str, Any], whole: dict[str, Any], corpus: Corpus) -> None:
    """Fail unless candidates and chunks are what was written, each with its own cosine."""
    written = {
        f"c{place}": decode_chunk(item.payload[Payload.CHUNK])
        for place, item in enumerate(corpus.points)
    }
    truth = corpus.scores(DENSE_QUESTION, SPARSE)
    assert found.keys() <= written.keys()
    for chunk_id, candidate in found.items():
        assert candidate.dense == pytest.approx(truth[chunk_id][0], abs=1e-5)
    for chunk_id, chunk in whole.items():
        assert (chunk.chunk_id, chunk.text) == (chunk_id, written[chunk_id].text)
        assert (chunk.start, chunk.end) == (written[chunk_id].start, written[chunk_id].end)


async def test_the_same_question_has_the_same_passages_however_the_points_came_in(
    client: AsyncQdrantClient,
) -> None:
    """Also where chunks are equal in both scores: the book's order decides, not the store's."""
    corpus = random_corpus(40)
    for _ in range(8):
        corpus.add("hydraulic torque", dense=DENSE_QUESTION)
    settings = load_profile("").retrieval
    orders = []
    for points in (corpus.points, corpus.points[::-1]):
        index = await index_of(client, Corpus(points))
        for _ in range(3):
            found = await search(index, limit=50)
            orders.append(
                [
                    # The engine adds a chunk's terms in an order of its own: one in ten stores has
                    # another last digit of a score, 3e-8 of the fused score.
                    (
                        passage.chunk.chunk_id,
                        round(passage.fused, 6),
                        passage.candidate.dense_rank,
                    )
                    for passage in fuse_scores(list(found.values()), settings)
                ]
            )
        await client.delete_collection(collection_name(STAMP))
    assert len(orders[0]) == 48
    assert all(order == orders[0] for order in orders)


async def test_which_of_equal_chunks_a_list_ends_with_is_not_left_to_the_store(
    client: AsyncQdrantClient,
) -> None:
    corpus, found = Corpus(), []
    pressure = ENCODER.encode_question("pressure")
    for place in range(17):
        corpus.add("torque", dense=DENSE_QUESTION + place * np.eye(8)[0])
    for _ in range(8):
        corpus.add("hydraulic pressure valve", dense=-DENSE_QUESTION)
    for points in (corpus.points, corpus.points[::-1]):
        index = await index_of(client, Corpus(points))
        found += [await search(index, limit=limit, sparse=pressure) for limit in (18, 20)]
        await client.delete_collection(collection_name(STAMP))
    assert found[0] == found[2]
    alike = {chunk_id for chunk_id, item in found[0].items() if item.dense_rank}
    assert alike == {f"c{place}" for place in range(17)}
    # Three of the eight would be a seventh of the list: so many are kept.
    assert [len([1 for item in each.values() if item.dense_rank]) for each in found[1::2]] == [
        20
    ] * 2


async def test_a_question_that_compares_counts_once_when_the_store_is_down() -> None:
    calls = 0

    async def down(_request: Any, **_options: Any) -> None:
        nonlocal calls
        calls += 1
        raise Unavailable("down")

    index = QdrantIndex(asking(QueryBatch=down), STAMP)
    three = [QuestionVectors(DENSE_QUESTION, SPARSE)] * 3
    for _ in range(MOST_FAILURES + 2):
        with pytest.raises(Unavailable):
            await index.search(WHOLE, three, limit=5, timeout_s=5)
    assert calls == MOST_FAILURES


async def test_questions_asked_together_find_what_each_finds_alone(
    client: AsyncQdrantClient,
) -> None:
    index = await index_of(client, random_corpus(30, heads=True))
    nothing = ENCODER.encode_question("of the and")
    asked = [
        QuestionVectors(DENSE_QUESTION, SPARSE),
        QuestionVectors(-DENSE_QUESTION, nothing),
        QuestionVectors(-DENSE_QUESTION, ENCODER.encode_question("gear")),
    ]
    together = await index.search(WHOLE, asked, limit=5, timeout_s=5)
    alone = [(await index.search(WHOLE, [each], limit=5, timeout_s=5))[0] for each in asked]
    assert together == alone


@pytest.mark.fault("D2")
async def test_a_store_that_does_not_answer_is_unavailable() -> None:
    client = AsyncQdrantClient(
        host="127.0.0.1", grpc_port=1, prefer_grpc=True, check_compatibility=False
    )
    with pytest.raises(Unavailable):
        await search(QdrantIndex(client, STAMP))
    await client.close()
