"""Replace a filter by a shorter one that selects the same points, as long as nothing is written.

`book = b and born <= n and died > n` is asked of every point of a book, to count how rare terms are.
Where the book has only that edition, its first condition says as much: 7 ms became 4 for a search
among 100,000. That both have as many points proves it, since the one's are among the other's.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import qdrant_edge as edge
from qdrant_client import grpc as q

from deploy.qdrant_node.errors import engine
from deploy.qdrant_node.filters import known_filter

PROVED_AT = 3
"""Counting costs as much as what it spares of one search: while writes come it would not pay."""
_KEPT = 256


class FilterSimplifier:
    """What is known of the filters of one collection in its present state."""

    def __init__(self) -> None:
        self._state: int | None = None
        self._asked: Counter[bytes] = Counter()
        self._known: dict[bytes, q.Filter] = {}

    def simplify(
        self, request: q.QueryBatchPoints, shard: edge.EdgeShard, state: int | None
    ) -> None:
        """Put a shorter filter in place of one in which terms are counted, wherever it stands.

        Between two calls with the same `state` nothing was written; None: something is being written.
        """
        if state is None:
            return
        if state != self._state or len(self._asked) >= _KEPT:
            self._state = state
            self._asked.clear()
            self._known.clear()
        for corpus in {c.SerializeToString() for c in _corpora(request)}:
            shorter = self._shorter(corpus, shard)
            if shorter is not None:
                _replace(request, corpus, shorter)

    def _shorter(self, corpus: bytes, shard: edge.EdgeShard) -> q.Filter | None:
        self._asked[corpus] += 1
        if self._asked[corpus] == PROVED_AT:
            whole = q.Filter.FromString(corpus)
            first = q.Filter(must=whole.must[:1])
            if len(whole.must) > 1 and _count(shard, first) == _count(shard, whole):
                self._known[corpus] = first
        return self._known.get(corpus)


def _replace(request: q.QueryBatchPoints, known: bytes, shorter: q.Filter) -> None:
    for message in _filters(request):
        if message.SerializeToString() == known:
            message.CopyFrom(shorter)


def _count(shard: edge.EdgeShard, message: q.Filter) -> int:
    return engine(shard.count, edge.CountRequest(exact=True, filter=known_filter(message)))


def _corpora(request: q.QueryBatchPoints) -> Iterator[q.Filter]:
    for stage in _stages(request):
        if stage.params.idf.HasField("corpus"):
            yield stage.params.idf.corpus


def _filters(request: q.QueryBatchPoints) -> Iterator[q.Filter]:
    yield from _corpora(request)
    for stage in _stages(request):
        if stage.HasField("filter"):
            yield stage.filter


def _stages(request: q.QueryBatchPoints) -> Iterator[Any]:
    for query in request.query_points:
        yield query
        yield from query.prefetch
