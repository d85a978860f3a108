"""The queries of a batch in, what they find out; how rare terms are is counted once for all of them.

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
    first = _scored_by_rarity_again(request)
    if first is None:
        queries = [query_request(query) for query in request.query_points]
    else:
        found = engine(shard.query, leaf_request(first))
        among = edge.Filter(must=[edge.HasIdCondition({point.id for point in found})])
        queries = [
            query_request(query, among if _scores_again(query, first) else None)
            for query in request.query_points
        ]
    return engine(shard.query_batch, edge.QueryBatchRequest(queries))


def _scored_by_rarity_again(request: q.QueryBatchPoints) -> q.PrefetchQuery | None:
    """The first list that is only made to be scored by terms, while another search counts them."""
    counting = [query for query in request.query_points if query.params.HasField("idf")]
    for query in counting:
        for first in query.prefetch:
            if _scores_again(query, first) and not first.params.HasField("idf"):
                return first if len(counting) > 1 else None
    return None


def _scores_again(query: q.QueryPoints, first: q.PrefetchQuery) -> bool:
    return (
        len(query.prefetch) == 1
        and query.prefetch[0] == first
        and query.query.HasField("nearest")
        and not query.HasField("filter")
    )
