"""Answer the queries of a batch; how rare terms are is counted once for all of them.

The engine counts, in all points of the corpus, each time it searches by terms: for the lists of a
batch together, and once more for a list that is scored again by terms. Found beforehand, that list
is a search like the others.
"""

import qdrant_edge as edge
from qdrant_client import grpc as q

from deploy.qdrant_node.errors import allow_only, engine, invalid
from deploy.qdrant_node.queries import GRANTED, leaf_request, query_request


def query_batch(shard: edge.EdgeShard, request: q.QueryBatchPoints) -> list[list[edge.ScoredPoint]]:
    allow_only(request, *GRANTED, "query_points")
    for query in request.query_points:
        if query.collection_name not in {"", request.collection_name}:
            raise invalid("all queries of a batch must name its collection")
    among = _found_first(shard, request)
    queries = [
        query_request(query, among.get(_scored_again(query))) for query in request.query_points
    ]
    return engine(shard.query_batch, edge.QueryBatchRequest(queries))


def _found_first(shard: edge.EdgeShard, request: q.QueryBatchPoints) -> dict[bytes, edge.Filter]:
    """The points of each list that is only made to be scored by terms, while other searches count."""
    counting = [query for query in request.query_points if query.params.HasField("idf")]
    if len(counting) < 2:
        return {}
    firsts = {
        _scored_again(query): query.prefetch[0]
        for query in counting
        if _scored_again(query) and not query.prefetch[0].params.HasField("idf")
    }
    if not firsts:
        return {}
    leaves = [leaf_request(first) for first in firsts.values()]
    found = engine(shard.query_batch, edge.QueryBatchRequest(leaves))
    return {key: _only(points) for key, points in zip(firsts, found, strict=True)}


def _only(points: list[edge.ScoredPoint]) -> edge.Filter:
    return edge.Filter(must=[edge.HasIdCondition({point.id for point in points})])


def _scored_again(query: q.QueryPoints) -> bytes:
    """The one list of a query that is scored again by another vector; nothing for other queries."""
    if (
        len(query.prefetch) == 1
        and query.query.HasField("nearest")
        and not query.HasField("filter")
    ):
        return query.prefetch[0].SerializeToString()
    return b""
