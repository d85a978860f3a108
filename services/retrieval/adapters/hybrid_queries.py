"""Build the Qdrant query of a question: the best chunks by each vector, scored by both.

Made of messages: qdrant-client's own models cost more to convert than all else that is done here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from libs.vectors.qdrant import RestToGrpc, models
from libs.vectors.qdrant import grpc as grpc_models
from libs.vectors.schema import BM25, DENSE, Payload, Scope
from services.retrieval.model import QuestionVectors


class _Nearest(NamedTuple):
    """A vector of the question, and the name under which the collection holds its like."""

    using: str
    query: grpc_models.Query


@dataclass(frozen=True, slots=True)
class _Search:
    """What all queries of one question have in common."""

    collection: str
    scope: grpc_models.Filter
    limit: int
    params: Mapping[str, grpc_models.SearchParams]
    part: grpc_models.ShardKeySelector | None

    def best(self, asked: _Nearest) -> grpc_models.QueryPoints:
        return grpc_models.QueryPoints(
            collection_name=self.collection,
            query=asked.query,
            using=asked.using,
            filter=self.scope,
            limit=self.limit,
            params=self.params[asked.using],
            shard_key_selector=self.part,
        )

    def rescored(self, asked: _Nearest, scored: _Nearest) -> grpc_models.QueryPoints:
        """Ask for the best chunks by one vector with their scores by another."""
        same = grpc_models.PrefetchQuery(
            query=asked.query,
            using=asked.using,
            filter=self.scope,
            limit=self.limit,
            params=self.params[asked.using],
        )
        return grpc_models.QueryPoints(
            collection_name=self.collection,
            prefetch=[same],
            query=scored.query,
            using=scored.using,
            limit=self.limit,
            params=self.params[scored.using],
            shard_key_selector=self.part,
        )


def hybrid_queries(
    collection: str,
    scope: Scope,
    asked: QuestionVectors,
    *,
    limit: int,
    params: grpc_models.SearchParams,
    part: grpc_models.ShardKeySelector | None = None,
) -> list[grpc_models.QueryPoints]:
    """Ask for the best chunks by each vector, and for the same ones again by the other.

    `part` is that of the collection which the book is in, if it has parts.
    """
    search = _Search(collection, _to_filter(scope), limit, _params_of(scope, params), part)
    near, sharing = _dense(asked), _bm25(asked.sparse)
    # Scored twice, so that the engine can tell that the first list and the second are of one search,
    # also where the first brings heads.
    queries = [search.rescored(near, near)]
    if asked.sparse.indices:  # a question of stop words only shares no term with anything
        queries += [
            search.rescored(near, sharing),
            search.best(sharing),
            search.rescored(sharing, near),
        ]
    return queries


def terms_query(
    collection: str,
    scope: Scope,
    terms: models.SparseVector,
    *,
    limit: int,
    part: grpc_models.ShardKeySelector | None = None,
) -> grpc_models.QueryPoints:
    """Ask for the chunks that share most with the terms, and for where they stand."""
    params = _params_of(scope, grpc_models.SearchParams())
    query = _Search(collection, _to_filter(scope), limit, params, part).best(_bm25(terms))
    query.with_payload.include.fields.extend((Payload.START, Payload.END))
    return query


def _params_of(
    scope: Scope, dense: grpc_models.SearchParams
) -> dict[str, grpc_models.SearchParams]:
    # A term is as rare as it is in the edition: what else the collection holds, and what part of the
    # book is asked, changes no score.
    edition = _to_filter(Scope(scope.book, scope.edition))
    bm25 = grpc_models.SearchParams(idf=grpc_models.IdfParams(corpus=edition))
    return {DENSE: dense, BM25: bm25}


def _dense(asked: QuestionVectors) -> _Nearest:
    vector = grpc_models.DenseVector(data=asked.dense.tolist())
    return _Nearest(DENSE, grpc_models.Query(nearest=grpc_models.VectorInput(dense=vector)))


def _bm25(terms: models.SparseVector) -> _Nearest:
    vector = grpc_models.SparseVector(indices=terms.indices, values=terms.values)
    return _Nearest(BM25, grpc_models.Query(nearest=grpc_models.VectorInput(sparse=vector)))


@lru_cache(maxsize=256)
def _to_filter(scope: Scope) -> grpc_models.Filter:
    return RestToGrpc.convert_filter(scope.to_filter())
