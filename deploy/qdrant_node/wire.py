"""Ids, values, vectors and points: Qdrant's messages to the engine's objects and back."""

import asyncio
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import qdrant_edge as edge
from qdrant_client import grpc as q

from deploy.qdrant_node.errors import allow_only, engine, invalid, unsupported

# Between so many points the event loop gets its turn: about 10 ms of translation.
SLICE = 128


@dataclass(frozen=True)
class Schema:
    """The vectors of a collection: dense sizes and sparse names."""

    sizes: Mapping[str, int]
    sparse: frozenset[str]


def point_id(message: q.PointId) -> int | str:
    kind = message.WhichOneof("point_id_options")
    if kind == "num":
        return int(message.num)
    if kind is None:
        raise invalid("a point id is missing")
    try:
        return str(uuid.UUID(message.uuid))
    except ValueError as error:
        raise invalid(f"`{message.uuid}` is not a valid UUID") from error


# A point of a search is in two of its lists.
_text_of = lru_cache(maxsize=4096)(str)


def point_id_message(identifier: int | uuid.UUID | str) -> q.PointId:
    if isinstance(identifier, int):
        return q.PointId(num=identifier)
    return q.PointId(uuid=_text_of(identifier))


def value(message: q.Value) -> Any:
    kind = message.WhichOneof("kind")
    if kind == "struct_value":
        return payload(message.struct_value.fields)
    if kind == "list_value":
        return [value(item) for item in message.list_value.values]
    if kind is None or kind == "null_value":
        return None
    return getattr(message, kind)


def payload(fields: Mapping[str, q.Value]) -> dict[str, Any]:
    return {name: value(field) for name, field in fields.items()}


def value_message(content: Any) -> q.Value:  # noqa: PLR0911 - one return per kind of JSON
    if content is None:
        return q.Value(null_value=0)  # type: ignore[arg-type]
    if isinstance(content, bool):
        return q.Value(bool_value=content)
    if isinstance(content, int):
        return q.Value(integer_value=content)
    if isinstance(content, float):
        return q.Value(double_value=content)
    if isinstance(content, str):
        return q.Value(string_value=content)
    if isinstance(content, list):
        return q.Value(list_value=q.ListValue(values=[value_message(item) for item in content]))
    return q.Value(struct_value=q.Struct(fields=payload_message(content)))


def payload_message(content: Mapping[str, Any]) -> dict[str, q.Value]:
    return {name: value_message(item) for name, item in content.items()}


def sparse_vector(indices: Iterable[int], values: Iterable[float]) -> edge.SparseVector:
    # The engine takes both of these mistakes without a word and scores nonsense.
    places, weights = list(indices), list(values)
    if len(places) != len(weights):
        raise invalid("a sparse vector needs as many values as indices")
    if len(set(places)) != len(places):
        raise invalid("the indices of a sparse vector must be unique")
    return edge.SparseVector(places, weights)


def _vector(message: q.Vector) -> list[float] | edge.SparseVector:
    kind = message.WhichOneof("vector")
    if kind == "dense":
        return list(message.dense.data)
    if kind == "sparse":
        return sparse_vector(message.sparse.indices, message.sparse.values)
    if kind is not None:
        raise unsupported(f"a vector given as `{kind}`")
    # The fields of clients older than 1.16.
    if message.HasField("indices"):
        return sparse_vector(message.indices.data, message.data)
    return list(message.data)


def _checked_vector(
    name: str, message: q.Vector, schema: Schema
) -> list[float] | edge.SparseVector:
    """The vector, if the collection has a place for it.

    The engine applies a batch up to its first bad point: we look before it leaps.
    """
    vector = _vector(message)
    if isinstance(vector, edge.SparseVector):
        if name not in schema.sparse:
            raise invalid(f"Not existing vector name error: {name}")
    elif name not in schema.sizes:
        raise invalid(f"Not existing vector name error: {name}")
    elif len(vector) != schema.sizes[name]:
        raise invalid(
            f"Vector dimension error: expected dim: {schema.sizes[name]}, got {len(vector)}"
        )
    return vector


def _point(message: q.PointStruct, schema: Schema) -> edge.Point:
    vectors: dict[str, list[float] | edge.SparseVector] = {}
    if message.vectors.WhichOneof("vectors_options") == "vector":
        vectors[""] = _checked_vector("", message.vectors.vector, schema)
    else:
        for name, vector in message.vectors.vectors.vectors.items():
            vectors[name] = _checked_vector(name, vector, schema)
    return engine(edge.Point, point_id(message.id), vectors, payload(message.payload))


async def points(messages: Iterable[q.PointStruct], schema: Schema) -> list[edge.Point]:
    translated = []
    for number, message in enumerate(messages, start=1):
        translated.append(_point(message, schema))
        if number % SLICE == 0:
            await asyncio.sleep(0)
    return translated


def with_payload(message: q.WithPayloadSelector) -> bool | edge.PayloadSelector:
    kind = message.WhichOneof("selector_options")
    if kind == "include":
        return edge.PayloadSelector.Include(list(message.include.fields))
    if kind == "exclude":
        return edge.PayloadSelector.Exclude(list(message.exclude.fields))
    return bool(message.enable)


def with_vectors(message: q.WithVectorsSelector) -> bool | list[str]:
    if message.WhichOneof("selector_options") == "include":
        return list(message.include.names)
    return bool(message.enable)


def _vector_message(vector: Any) -> q.VectorOutput:
    if isinstance(vector, edge.SparseVector):
        return q.VectorOutput(sparse=q.SparseVector(indices=vector.indices, values=vector.values))
    return q.VectorOutput(dense=q.DenseVector(data=vector))


def _vectors_message(vectors: Any) -> q.VectorsOutput:
    if isinstance(vectors, list):
        return q.VectorsOutput(vector=_vector_message(vectors))
    named = {name: _vector_message(vector) for name, vector in vectors.items()}
    return q.VectorsOutput(vectors=q.NamedVectorsOutput(vectors=named))


def add_scored(answer: q.QueryResponse | q.BatchResult, points: Iterable[edge.ScoredPoint]) -> None:
    for point in points:
        message = answer.result.add(score=point.score, version=point.version)
        _describe(message, point)


async def add_records(
    answer: q.GetResponse | q.ScrollResponse, records: Iterable[edge.Record]
) -> None:
    for number, record in enumerate(records, start=1):
        _describe(answer.result.add(), record)
        if number % SLICE == 0:
            await asyncio.sleep(0)


def _describe(
    message: q.ScoredPoint | q.RetrievedPoint, point: edge.ScoredPoint | edge.Record
) -> None:
    """Fill in place, and only what there is: a search brings two hundred of them."""
    identifier = point.id
    if isinstance(identifier, int):
        message.id.num = identifier
    else:
        message.id.uuid = _text_of(identifier)
    for name, content in (point.payload or {}).items():
        if isinstance(content, str):
            message.payload[name].string_value = content
        else:
            message.payload[name].CopyFrom(value_message(content))
    if point.vector is not None:
        message.vectors.CopyFrom(_vectors_message(point.vector))


def selected_ids(message: q.PointsIdsList) -> list[int | str]:
    allow_only(message, "ids")
    return [point_id(identifier) for identifier in message.ids]
