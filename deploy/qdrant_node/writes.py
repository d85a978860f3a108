"""Writes: each of Qdrant's write requests as the engine's operations, checked before the first."""

from collections.abc import Awaitable, Callable
from typing import Any

import qdrant_edge as edge
from google.protobuf.message import Message
from qdrant_client import grpc as q

from deploy.qdrant_node.errors import allow_only, engine, invalid, unsupported
from deploy.qdrant_node.filters import filter_of
from deploy.qdrant_node.wire import Schema, payload, points, selected_ids

# The engine applies one operation at a stretch (about 25 ms for this many points) and keeps it
# whole through a crash. A larger upsert is applied, and may be cut by a crash, in such pieces.
WHOLE_UPSERT = 1000

# One process orders all writes, so any ordering asked for is given; the time limit of a call is
# the deadline that gRPC carries.
_GRANTED = ("collection_name", "wait", "ordering", "timeout")

Operations = list[edge.UpdateOperation]

_MODES = {
    q.UpdateMode.Upsert: edge.UpdateMode.Upsert,
    q.UpdateMode.InsertOnly: edge.UpdateMode.InsertOnly,
    q.UpdateMode.UpdateOnly: edge.UpdateMode.UpdateOnly,
}


def _optional(message: Message, field: str) -> Any:
    return getattr(message, field) if message.HasField(field) else None


async def _upsert(message: q.UpsertPoints, schema: Schema) -> Operations:
    allow_only(message, *_GRANTED, "points", "update_filter", "update_mode")
    translated = await points(message.points, schema)
    condition = filter_of(message.update_filter) if message.HasField("update_filter") else None
    mode = _MODES[message.update_mode]
    return [
        edge.UpdateOperation.upsert_points(
            translated[start : start + WHOLE_UPSERT], condition, mode
        )
        for start in range(0, len(translated), WHOLE_UPSERT)
    ]


def _on_selected(
    selector: q.PointsSelector,
    by_ids: Callable[..., edge.UpdateOperation],
    by_filter: Callable[..., edge.UpdateOperation],
    *content: Any,
) -> Operations:
    kind = selector.WhichOneof("points_selector_one_of")
    if kind == "points":
        return [engine(by_ids, selected_ids(selector.points), *content)]
    if kind == "filter":
        return [engine(by_filter, filter_of(selector.filter), *content)]
    raise invalid("no points are selected: give ids or a filter")


async def _delete(message: q.DeletePoints, _: Schema) -> Operations:
    allow_only(message, *_GRANTED, "points")
    operation = edge.UpdateOperation
    return _on_selected(message.points, operation.delete_points, operation.delete_points_by_filter)


async def _set_payload(message: q.SetPayloadPoints, _: Schema) -> Operations:
    allow_only(message, *_GRANTED, "payload", "points_selector", "key")
    operation = edge.UpdateOperation
    return _on_selected(
        message.points_selector,
        operation.set_payload,
        operation.set_payload_by_filter,
        payload(message.payload),
        _optional(message, "key"),
    )


async def _delete_payload(message: q.DeletePayloadPoints, _: Schema) -> Operations:
    allow_only(message, *_GRANTED, "keys", "points_selector")
    operation = edge.UpdateOperation
    return _on_selected(
        message.points_selector,
        operation.delete_payload,
        operation.delete_payload_by_filter,
        list(message.keys),
    )


async def _clear_payload(message: q.ClearPayloadPoints, _: Schema) -> Operations:
    allow_only(message, *_GRANTED, "points")
    operation = edge.UpdateOperation
    return _on_selected(message.points, operation.clear_payload, operation.clear_payload_by_filter)


_INDEX_TYPES = {
    q.FieldType.FieldTypeKeyword: edge.PayloadSchemaType.Keyword,
    q.FieldType.FieldTypeInteger: edge.PayloadSchemaType.Integer,
    q.FieldType.FieldTypeFloat: edge.PayloadSchemaType.Float,
    q.FieldType.FieldTypeText: edge.PayloadSchemaType.Text,
    q.FieldType.FieldTypeBool: edge.PayloadSchemaType.Bool,
    q.FieldType.FieldTypeDatetime: edge.PayloadSchemaType.Datetime,
    q.FieldType.FieldTypeUuid: edge.PayloadSchemaType.Uuid,
}
_INDEX_PARAMS: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "keyword_index_params": (edge.KeywordIndexParams, ("is_tenant", "on_disk", "enable_hnsw")),
    "integer_index_params": (
        edge.IntegerIndexParams,
        ("lookup", "range", "is_principal", "on_disk", "enable_hnsw"),
    ),
    "float_index_params": (edge.FloatIndexParams, ("is_principal", "on_disk", "enable_hnsw")),
    "bool_index_params": (edge.BoolIndexParams, ("on_disk", "enable_hnsw")),
    "datetime_index_params": (
        edge.DatetimeIndexParams,
        ("is_principal", "on_disk", "enable_hnsw"),
    ),
    "uuid_index_params": (edge.UuidIndexParams, ("is_tenant", "on_disk", "enable_hnsw")),
}


def _index_schema(message: q.CreateFieldIndexCollection) -> Any:
    kind = message.field_index_params.WhichOneof("index_params")
    if kind is not None:
        if kind not in _INDEX_PARAMS:
            raise unsupported(f"`{kind}`")
        build, options = _INDEX_PARAMS[kind]
        params = getattr(message.field_index_params, kind)
        allow_only(params, *options)
        return build(**{name: _optional(params, name) for name in options})
    if not message.HasField("field_type"):
        raise invalid("a field index needs a type")
    if message.field_type not in _INDEX_TYPES:
        raise unsupported(f"the field type {q.FieldType.Name(message.field_type)}")
    return _INDEX_TYPES[message.field_type]


async def _create_field_index(message: q.CreateFieldIndexCollection, _: Schema) -> Operations:
    allow_only(message, *_GRANTED, "field_name", "field_type", "field_index_params")
    schema = _index_schema(message)
    return [engine(edge.UpdateOperation.create_field_index, message.field_name, schema)]


async def _delete_field_index(message: q.DeleteFieldIndexCollection, _: Schema) -> Operations:
    allow_only(message, *_GRANTED, "field_name")
    return [engine(edge.UpdateOperation.delete_field_index, message.field_name)]


_TRANSLATIONS: dict[type[Message], Callable[[Any, Schema], Awaitable[Operations]]] = {
    q.UpsertPoints: _upsert,
    q.DeletePoints: _delete,
    q.SetPayloadPoints: _set_payload,
    q.DeletePayloadPoints: _delete_payload,
    q.ClearPayloadPoints: _clear_payload,
    q.CreateFieldIndexCollection: _create_field_index,
    q.DeleteFieldIndexCollection: _delete_field_index,
}
# By place in this tuple a write is told apart in the journal of an optimisation.
WRITES: tuple[type[Message], ...] = tuple(_TRANSLATIONS)


async def operations(message: Message, schema: Schema) -> Operations:
    return await _TRANSLATIONS[type(message)](message, schema)


def required_ids(message: Message) -> list[int | str]:
    """The points a write must find, or else it is refused whole."""
    if isinstance(message, q.SetPayloadPoints | q.DeletePayloadPoints):
        return selected_ids(message.points_selector.points)
    if isinstance(message, q.ClearPayloadPoints):
        return selected_ids(message.points.points)
    return []


def touched_points(message: Message) -> int:
    """About how many points a write moves into the part of a shard that has no HNSW graph."""
    if isinstance(message, q.UpsertPoints):
        return len(message.points)
    return len(required_ids(message))
