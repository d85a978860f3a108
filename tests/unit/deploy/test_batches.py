"""A batch that searches by terms more than once counts them once, and finds what it would."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import qdrant_edge as edge
from qdrant_client import grpc as q

from deploy.qdrant_node.batches import query_batch
from deploy.qdrant_node.queries import query_request
from deploy.qdrant_node.wire import payload

POINTS = 40
BOOK = q.Filter(
    must=[
        q.Condition(
            field=q.FieldCondition(key="book", match=q.Match(keyword="one")),
        )
    ]
)
FEW = q.Filter(
    must=[q.Condition(has_id=q.HasIdCondition(has_id=[q.PointId(num=n) for n in range(9)]))]
)
BY_TERMS = q.SearchParams(idf=q.IdfParams(corpus=BOOK))
NEAR = q.Query(nearest=q.VectorInput(dense=q.DenseVector(data=[0.6, 0.8])))
SHARING = q.Query(nearest=q.VectorInput(sparse=q.SparseVector(indices=[1, 3], values=[1.0, 1.0])))
NEAREST = q.PrefetchQuery(query=NEAR, using="dense", filter=BOOK, limit=9)
MATCHING = q.PrefetchQuery(query=SHARING, using="bm25", filter=BOOK, limit=9, params=BY_TERMS)


class Spied:
    """A shard that remembers what it was asked."""

    def __init__(self, shard: edge.EdgeShard) -> None:
        self.shard = shard
        self.batches: list[edge.QueryBatchRequest] = []

    def query_batch(self, request: edge.QueryBatchRequest) -> Any:
        self.batches.append(request)
        return self.shard.query_batch(request)


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[Any]:
    config = edge.EdgeConfig(
        vectors={"dense": edge.EdgeVectorParams(size=2, distance=edge.Distance.Cosine)},
        sparse_vectors={"bm25": edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
    )
    made = edge.EdgeShard.create(str(tmp_path), config)
    points = [
        edge.Point(
            number,
            {
                "dense": [1.0, number / 7],
                "bm25": edge.SparseVector([number % 4, 4 + number % 3], [1.0, 0.5]),
            },
            payload({"book": q.Value(string_value="one" if number % 2 else "two")}),
        )
        for number in range(POINTS)
    ]
    made.update(edge.UpdateOperation.upsert_points(points))
    yield Spied(made)
    made.close()


def asked(*queries: Any) -> Any:
    return q.QueryBatchPoints(collection_name="books", query_points=queries)


def again(prefetch: Any, query: Any, using: str, **more: Any) -> Any:
    params = BY_TERMS if using == "bm25" else None
    return q.QueryPoints(
        prefetch=[prefetch], query=query, using=using, limit=9, params=params, **more
    )


def best(query: Any, using: str) -> Any:
    params = BY_TERMS if using == "bm25" else None
    return q.QueryPoints(query=query, using=using, filter=BOOK, limit=9, params=params)


def search(nearest: Any, near: Any) -> tuple[Any, Any, Any, Any]:
    return (
        again(nearest, near, "dense"),
        again(nearest, SHARING, "bm25"),
        best(SHARING, "bm25"),
        again(MATCHING, near, "dense"),
    )


SEARCH = search(NEAREST, NEAR)
ACROSS = q.Query(nearest=q.VectorInput(dense=q.DenseVector(data=[0.8, 0.1])))
SIDE = search(q.PrefetchQuery(query=ACROSS, using="dense", filter=BOOK, limit=9), ACROSS)


def scores(found: list[list[edge.ScoredPoint]]) -> list[dict[Any, float]]:
    return [{point.id: point.score for point in points} for points in found]


@pytest.mark.parametrize(
    "queries",
    [
        SEARCH,
        (*SEARCH, *SIDE),
        SEARCH[:1],
        SEARCH[1:2],
        (SEARCH[2], again(NEAREST, SHARING, "bm25", offset=2)),
        (SEARCH[2], again(NEAREST, SHARING, "bm25", filter=FEW)),
        (SEARCH[2], q.QueryPoints(prefetch=[NEAREST, MATCHING], query=NEAR, using="dense")),
    ],
    ids=["search", "two searches", "dense only", "one list", "offset", "filter", "two prefetches"],
)
def test_a_batch_finds_what_its_queries_find_one_by_one(
    shard: Any, queries: tuple[Any, ...]
) -> None:
    alone = [shard.shard.query(query_request(query)) for query in queries]
    assert all(alone)
    assert scores(query_batch(shard, asked(*queries))) == scores(alone)


def test_a_list_that_is_scored_by_terms_is_found_first_so_that_terms_are_counted_once(
    shard: Any,
) -> None:
    query_batch(shard, asked(*SEARCH, *SIDE))
    first, then = [batch.queries for batch in shard.batches]
    assert len(first) == 2
    # Left are those that are scored by terms first: such searches count together.
    assert [len(query.prefetches) for query in then] == [0, 0, 0, 1] * 2


def test_nothing_is_found_first_where_terms_are_counted_once_anyway(shard: Any) -> None:
    query_batch(shard, asked(*SEARCH[:2]))
    assert len(shard.batches) == 1


def test_a_list_that_is_empty_is_scored_to_nothing(shard: Any) -> None:
    none = q.PrefetchQuery(query=NEAR, using="dense", filter=BOOK, limit=9, score_threshold=2.0)
    found = query_batch(shard, asked(SEARCH[2], again(none, SHARING, "bm25")))
    assert found[0]
    assert found[1] == []
