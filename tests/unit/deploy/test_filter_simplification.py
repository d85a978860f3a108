"""A filter is shortened only while no point tells it from the shorter one."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import qdrant_edge as edge
from qdrant_client import grpc as q

from deploy.qdrant_node.batches import query_batch
from deploy.qdrant_node.collection import Collection
from deploy.qdrant_node.filter_simplification import PROVED_AT
from deploy.qdrant_node.store import Store

POINTS = 30


def edition(book: str, number: int) -> Any:
    return q.Filter(
        must=[
            q.Condition(field=q.FieldCondition(key="book", match=q.Match(keyword=book))),
            q.Condition(field=q.FieldCondition(key="born", range=q.Range(lte=number))),
        ]
    )


ONE = edition("one", 1)
SHORTER = q.Filter(must=ONE.must[:1])


def search(scope: Any = ONE, corpus: Any = ONE) -> Any:
    sparse = q.SparseVector(indices=[1, 3], values=[1.0, 1.0])
    query = q.QueryPoints(
        query=q.Query(nearest=q.VectorInput(sparse=sparse)),
        using="bm25",
        filter=scope,
        limit=POINTS,
        params=q.SearchParams(idf=q.IdfParams(corpus=corpus)),
    )
    return q.QueryBatchPoints(collection_name="books", query_points=[query])


def point(number: int, book: str = "one", born: int = 1) -> Any:
    vector = q.SparseVector(indices=[number % 4, 9], values=[1.0, 0.5])
    named = q.NamedVectors(vectors={"bm25": q.Vector(sparse=vector)})
    payload = {"book": q.Value(string_value=book), "born": q.Value(integer_value=born)}
    return q.PointStruct(
        id=q.PointId(num=number), vectors=q.Vectors(vectors=named), payload=payload
    )


@pytest.fixture
async def collection(tmp_path: Path) -> AsyncIterator[Collection]:
    store = Store(tmp_path)
    modifier = q.SparseVectorParams(modifier=q.Modifier.Idf)
    store.create(
        q.CreateCollection(
            collection_name="books",
            sparse_vectors_config=q.SparseVectorConfig(map={"bm25": modifier}),
        )
    )
    made = store.get("books")
    await write(made, *map(point, range(POINTS)), point(100, "two"), point(101, "two", 2))
    yield made
    store.close()


async def write(collection: Collection, *points: Any) -> None:
    await collection.write(q.UpsertPoints(collection_name="books", points=points), wait=False)


def ask(collection: Collection, request: Any) -> tuple[dict[Any, float], Any]:
    """Returns the scores, and the request as the engine got it."""
    collection.filters.simplify(request, collection.shard, collection.state)
    (found,) = query_batch(collection.shard, request)
    return {point.id: point.score for point in found}, request.query_points[0]


async def test_a_filter_that_keeps_all_of_a_book_says_only_the_book_and_scores_the_same(
    collection: Collection,
) -> None:
    asked = [ask(collection, search()) for _ in range(PROVED_AT + 1)]
    assert [query.filter for _, query in asked] == [ONE] * (PROVED_AT - 1) + [SHORTER] * 2
    assert [query.params.idf.corpus for _, query in asked][-1] == SHORTER
    assert asked[0][0]
    assert all(scores == asked[0][0] for scores, _ in asked)


async def test_a_part_of_a_book_stays_that_part_while_terms_are_counted_in_the_book(
    collection: Collection,
) -> None:
    part = edition("one", 1)
    part.must.add(field=q.FieldCondition(key="born", range=q.Range(gt=0)))
    for _ in range(PROVED_AT):
        _, query = ask(collection, search(scope=part))
    assert query.filter == part
    assert query.params.idf.corpus == SHORTER


async def test_a_book_with_another_edition_is_asked_for_its_edition(collection: Collection) -> None:
    for _ in range(PROVED_AT + 1):
        scores, query = ask(collection, search(edition("two", 1), edition("two", 1)))
        assert query.filter == edition("two", 1)
        assert scores.keys() <= {100}


async def test_a_write_is_seen_by_the_next_simplified_search(collection: Collection) -> None:
    for _ in range(PROVED_AT):
        before, query = ask(collection, search())
    assert query.filter == SHORTER
    await write(collection, *(point(number, born=2) for number in range(200, 220)))
    for _ in range(PROVED_AT + 1):
        after, query = ask(collection, search())
        assert query.filter == ONE
        assert after == before


async def test_nothing_is_shortened_while_something_is_written(collection: Collection) -> None:
    for _ in range(PROVED_AT):
        ask(collection, search())
    async with collection.writing:
        assert ask(collection, search())[1].filter == ONE
    assert ask(collection, search())[1].filter == SHORTER


async def test_a_write_that_fails_half_way_is_a_write(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(PROVED_AT):
        ask(collection, search())

    async def fail(shard: edge.EdgeShard, operations: list[Any]) -> None:
        shard.update(operations[0])
        raise RuntimeError("the disk is full")

    monkeypatch.setattr("deploy.qdrant_node.collection.apply", fail)
    with pytest.raises(RuntimeError):
        await write(collection, point(300, born=2))
    scores, query = ask(collection, search())
    assert query.filter == ONE
    assert 300 not in scores


async def test_no_more_filters_are_kept_than_a_bound(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deploy.qdrant_node.filter_simplification._KEPT", 4)
    for number in range(20):
        ask(collection, search(edition("one", number), edition("one", number)))
        assert len(collection.filters._asked) <= 4
