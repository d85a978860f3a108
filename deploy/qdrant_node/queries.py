"""Queries: prefetches, fusion, formulas and parameters in the engine's terms.

Re-scoring one list by the other vector is a `nearest` query over a prefetch. By a dense vector
every prefetched point comes back with its exact score. By a sparse vector only those come back
that share a term with the query, here as on a server: for the others the exact score is zero.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import qdrant_edge as edge
from qdrant_client import grpc as q

from deploy.qdrant_node.errors import allow_only, engine, invalid, unsupported
from deploy.qdrant_node.filters import condition, known_filter, optional_filter
from deploy.qdrant_node.wire import payload, sparse_vector, with_payload, with_vectors

DEFAULT_LIMIT = 10
# Qdrant's own default.
DEFAULT_RRF_K = 2
_STAGE = ("prefetch", "query", "using", "filter", "params", "score_threshold", "limit")
# One process orders all writes and answers all reads, so any consistency asked for is given;
# the time limit of a call is the deadline that gRPC carries.
GRANTED = ("collection_name", "read_consistency", "timeout")


def params_of(message: q.SearchParams) -> edge.SearchParams:
    allow_only(message, "hnsw_ef", "exact", "indexed_only", "idf", "quantization")
    corpus = message.idf.corpus if message.idf.HasField("corpus") else None
    return edge.SearchParams(
        hnsw_ef=message.hnsw_ef if message.HasField("hnsw_ef") else None,
        exact=message.exact,
        quantization=_quantisation(message.quantization)
        if message.HasField("quantization")
        else None,
        indexed_only=message.indexed_only,
        idf=edge.IdfParams(known_filter(corpus) if corpus else None)
        if message.HasField("idf")
        else None,
    )


def _quantisation(message: q.QuantizationSearchParams) -> edge.QuantizationSearchParams:
    allow_only(message, "ignore", "rescore", "oversampling")
    return edge.QuantizationSearchParams(
        ignore=message.ignore,
        rescore=message.rescore if message.HasField("rescore") else None,
        oversampling=message.oversampling if message.HasField("oversampling") else None,
    )


@lru_cache(maxsize=64)
def _nearest(serialised: bytes, using: str | None) -> edge.Query:
    """The queries of a batch have two vectors in all, six times."""
    message = q.VectorInput.FromString(serialised)
    kind = message.WhichOneof("variant")
    if kind == "dense":
        return edge.Query.Nearest(list(message.dense.data), using=using)
    if kind == "sparse":
        vector = sparse_vector(message.sparse.indices, message.sparse.values)
        return edge.Query.Nearest(vector, using=using)
    raise unsupported(f"a nearest query by `{kind}`")


def _fusion(kind: int) -> Any:
    if kind == q.Fusion.RRF:
        return edge.Fusion.Rrf(k=DEFAULT_RRF_K)
    if kind == q.Fusion.DBSF:
        return edge.Fusion.Dbsf()
    raise unsupported(f"the fusion {kind}")


def _rrf(message: q.Rrf) -> Any:
    allow_only(message, "k", "weights")
    k = message.k if message.HasField("k") else DEFAULT_RRF_K
    return engine(edge.Fusion.Rrf, k=k, weights=list(message.weights) or None)


def _div(message: q.DivExpression) -> Any:
    default = message.by_zero_default if message.HasField("by_zero_default") else None
    return edge.Expression.Div(expression(message.left), expression(message.right), default)


def _pow(message: q.PowExpression) -> Any:
    return edge.Expression.Pow(expression(message.base), expression(message.exponent))


def _unary(build: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda message: build(expression(message))


def _many(build: Callable[[Any], Any], field: str) -> Callable[[Any], Any]:
    return lambda message: build([expression(part) for part in getattr(message, field)])


_EXPRESSIONS: dict[str, Callable[[Any], Any]] = {
    "constant": edge.Expression.Constant,
    "variable": lambda name: engine(edge.Expression.Variable, name),
    "condition": lambda message: edge.Expression.Condition(condition(message)),
    "mult": _many(edge.Expression.Mult, "mult"),
    "sum": _many(edge.Expression.Sum, "sum"),
    "max": _many(edge.Expression.Max, "max"),
    "min": _many(edge.Expression.Min, "min"),
    "div": _div,
    "pow": _pow,
    "neg": _unary(edge.Expression.Neg),
    "abs": _unary(edge.Expression.Abs),
    "sqrt": _unary(edge.Expression.Sqrt),
    "exp": _unary(edge.Expression.Exp),
    "ln": _unary(edge.Expression.Ln),
    "log10": _unary(edge.Expression.Log10),
}


def expression(message: q.Expression) -> Any:
    kind = message.WhichOneof("variant")
    if kind is None:
        raise invalid("a formula has an empty expression")
    if kind not in _EXPRESSIONS:
        raise unsupported(f"the formula expression `{kind}`")
    return _EXPRESSIONS[kind](getattr(message, kind))


def _formula(message: q.Formula) -> edge.Formula:
    allow_only(message, "expression", "defaults")
    return engine(edge.Formula, expression(message.expression), defaults=payload(message.defaults))


_SCORINGS: dict[str, Callable[[Any], Any]] = {
    "fusion": _fusion,
    "rrf": _rrf,
    "formula": _formula,
}


def _query(message: Any) -> Any:
    """The scoring of a stage, or None when it only filters."""
    if not message.HasField("query"):
        return None
    kind = message.query.WhichOneof("variant")
    if kind is None:
        raise invalid("a query is empty")
    if kind == "nearest":
        return _nearest(message.query.nearest.SerializeToString(), message.using or None)
    if kind not in _SCORINGS:
        raise unsupported(f"the query `{kind}`")
    return _SCORINGS[kind](getattr(message.query, kind))


def _stage(message: Any, among: edge.Filter | None = None) -> dict[str, Any]:
    """What a query and a prefetch have in common; `among` stands for what the prefetches find."""
    return {
        "limit": message.limit if message.HasField("limit") else DEFAULT_LIMIT,
        "query": _query(message),
        "prefetches": [] if among else [_prefetch(part) for part in message.prefetch],
        "filter": among or optional_filter(message),
        "params": params_of(message.params) if message.HasField("params") else None,
        "score_threshold": message.score_threshold if message.HasField("score_threshold") else None,
    }


def _prefetch(message: q.PrefetchQuery) -> edge.Prefetch:
    allow_only(message, *_STAGE)
    return engine(edge.Prefetch, **_stage(message))


def leaf_request(message: q.PrefetchQuery) -> edge.QueryRequest:
    """A prefetch as a query of its own."""
    allow_only(message, *_STAGE)
    return engine(edge.QueryRequest, with_payload=False, **_stage(message))


def query_request(message: q.QueryPoints, among: edge.Filter | None = None) -> edge.QueryRequest:
    """The query; with `among`, of these points in place of those that its prefetch finds."""
    allow_only(message, *_STAGE, *GRANTED, "offset", "with_payload", "with_vectors")
    return engine(
        edge.QueryRequest,
        offset=message.offset,
        with_payload=with_payload(message.with_payload),
        with_vector=with_vectors(message.with_vectors),
        **_stage(message, among),
    )
