"""Filters: Qdrant's conditions in the engine's terms."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import qdrant_edge as edge
from google.protobuf.message import Message
from qdrant_client import grpc as q

from deploy.qdrant_node.errors import allow_only, engine, invalid, unsupported
from deploy.qdrant_node.wire import point_id


def _boolean(flag: bool) -> edge.MatchValue:
    import numpy as np  # noqa: PLC0415 - 20 MB that most nodes do without

    # Python's own booleans are integers to the engine's binding, and match none.
    return edge.MatchValue(np.bool_(flag))  # type: ignore[arg-type]


_MATCHES: dict[str, Callable[[Any], Any]] = {
    "keyword": edge.MatchValue,
    "integer": edge.MatchValue,
    "boolean": _boolean,
    "keywords": lambda listed: edge.MatchAny(list(listed.strings)),
    "integers": lambda listed: edge.MatchAny(list(listed.integers)),
    "except_keywords": lambda listed: edge.MatchExcept(list(listed.strings)),
    "except_integers": lambda listed: edge.MatchExcept(list(listed.integers)),
    "text": edge.MatchText,
    "text_any": edge.MatchTextAny,
    "phrase": edge.MatchPhrase,
}


def _bounds(message: Message) -> dict[str, Any]:
    return {
        name: getattr(message, name)
        for name in ("lt", "gt", "lte", "gte")
        if message.HasField(name)
    }


def _match(message: q.Match) -> Any:
    kind = message.WhichOneof("match_value")
    if kind is None:
        raise invalid("a match condition has no value")
    if kind not in _MATCHES:
        raise unsupported(f"the match condition `{kind}`")
    return _MATCHES[kind](getattr(message, kind))


def _datetime_range(message: q.DatetimeRange) -> edge.RangeDateTime:
    times = {name: time.ToJsonString() for name, time in _bounds(message).items()}
    return edge.RangeDateTime(**times)


_FIELD_PARTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "match": ("match", _match),
    "range": ("range", lambda message: edge.RangeFloat(**_bounds(message))),
    "datetime_range": ("range", _datetime_range),
    "values_count": ("values_count", lambda message: edge.ValuesCount(**_bounds(message))),
    "is_empty": ("is_empty", bool),
    "is_null": ("is_null", bool),
}


def _field(message: q.FieldCondition) -> edge.FieldCondition:
    allow_only(message, "key", *_FIELD_PARTS)
    parts = [name for name in _FIELD_PARTS if message.HasField(name)]  # type: ignore[arg-type]
    if len(parts) != 1:
        raise invalid(f"the condition on `{message.key}` needs exactly one of its parts")
    option, translate = _FIELD_PARTS[parts[0]]
    arguments = {option: translate(getattr(message, parts[0]))}
    return engine(edge.FieldCondition, message.key, **arguments)


def _nested(message: q.NestedCondition) -> edge.NestedCondition:
    return engine(edge.NestedCondition, message.key, filter_of(message.filter))


_CONDITIONS: dict[str, Callable[[Any], Any]] = {
    "field": _field,
    "nested": _nested,
    "is_empty": lambda message: engine(edge.IsEmptyCondition, message.key),
    "is_null": lambda message: engine(edge.IsNullCondition, message.key),
    "has_id": lambda message: edge.HasIdCondition({point_id(i) for i in message.has_id}),
    "has_vector": lambda message: edge.HasVectorCondition(message.has_vector),
}


def condition(message: q.Condition) -> Any:
    kind = message.WhichOneof("condition_one_of")
    if kind is None:
        raise invalid("a filter has an empty condition")
    if kind == "filter":
        return filter_of(message.filter)
    if kind not in _CONDITIONS:
        raise unsupported(f"the condition `{kind}`")
    return _CONDITIONS[kind](getattr(message, kind))


def _min_should(message: q.MinShould) -> edge.MinShould:
    return edge.MinShould([condition(c) for c in message.conditions], message.min_count)


def filter_of(message: q.Filter) -> edge.Filter:
    allow_only(message, "must", "should", "must_not", "min_should")
    return edge.Filter(
        must=[condition(c) for c in message.must] or None,
        should=[condition(c) for c in message.should] or None,
        must_not=[condition(c) for c in message.must_not] or None,
        min_should=_min_should(message.min_should) if message.HasField("min_should") else None,
    )


def optional_filter(message: Any) -> edge.Filter | None:
    """The `filter` of a request, if it has one."""
    return known_filter(message.filter) if message.HasField("filter") else None


def known_filter(message: q.Filter) -> edge.Filter:
    """As filter_of, once: all queries of a batch, and all questions to a book, have the same filter."""
    return _known_filter(message.SerializeToString())


@lru_cache(maxsize=256)
def _known_filter(serialised: bytes) -> edge.Filter:
    return filter_of(q.Filter.FromString(serialised))
