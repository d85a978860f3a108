"""Make the OpenAPI 3.1 document from the table of operations."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from services.gateway.access.guard import Access
from services.gateway.errors import STATUS_BY_KIND, TITLE_BY_KIND, Problem

# What may happen to any request.
COMMON_PROBLEMS = ("wrong_host", "internal")
# What may happen to a request that a key is asked of.
_KEY_PROBLEMS = ("unauthenticated", "forbidden", "foreign_origin", "rate_limited", "unavailable")


@dataclass(frozen=True)
class Parameter:
    """One parameter of an operation; `place` is "path", "query" or "header"."""

    name: str
    place: str
    description: str
    schema: dict[str, Any]
    required: bool = False


@dataclass(frozen=True)
class Operation:
    """One method of one path, and everything that can come back.

    `access` is who may use it. `body` is a struct, or media types for a body of bytes. `reply` is the
    struct that is returned with `status`, `reply_media` are types of bytes; `events` maps the names of
    server-sent events to theirs.
    `problems` are kinds, `problem` is the struct that says which. What `has_tag` is not sent again to
    who knows its `ETag`.
    """

    method: str
    path: str
    name: str
    summary: str
    reply: type | None
    access: Access = field(kw_only=True)
    description: str = ""
    parameters: Sequence[Parameter] = ()
    body: type | None = None
    body_media: Sequence[str] = ()
    body_example: dict[str, Any] = field(default_factory=dict)
    reply_media: Sequence[str] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    events: dict[str, type] = field(default_factory=dict)
    also: dict[int, type] = field(default_factory=dict)
    problems: Sequence[str] = ()
    problem: type[Problem] = Problem
    has_tag: bool = False

    @property
    def template(self) -> str:
        """The path without the converters of the router."""
        return self.path.replace(":path}", "}")

    @property
    def structs(self) -> set[type]:
        named = (self.body, self.reply, self.problem, *self.events.values(), *self.also.values())
        return {struct for struct in named if struct is not None}


_KNOWN = Parameter(
    "If-None-Match",
    "header",
    "The `ETag` of what is known: the same is not sent again, but answered 304.",
    {"type": "string", "maxLength": 2000},
)
_KEY = {
    "type": "http",
    "scheme": "bearer",
    "description": "A key of a client, `quoth_…`. On loopback none is needed, unless it is asked for.",
}


def build_document(operations: Iterable[Operation], version: str) -> dict[str, Any]:
    operations = list(operations)
    structs: set[type] = {Problem}.union(*(operation.structs for operation in operations))
    _, components = msgspec.json.schema_components(
        sorted(structs, key=lambda struct: struct.__name__),
        ref_template="#/components/schemas/{name}",
    )
    paths: dict[str, dict[str, Any]] = defaultdict(dict)
    for operation in operations:
        paths[operation.template][operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Quoth",
            "version": version,
            "description": "Ask a book; get answers that carry their own checked quotations.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": dict(paths),
        "components": {"schemas": components, "securitySchemes": {"key": _KEY}},
    }


def _operation(operation: Operation) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "responses": _responses(operation),
    }
    if operation.access != "everybody":
        scopes = [] if operation.access == "any key" else [operation.access]
        described["security"] = [{"key": scopes}]
    if operation.description:
        described["description"] = operation.description
    parameters = [*operation.parameters, *((_KNOWN,) if operation.has_tag else ())]
    if parameters:
        described["parameters"] = [_parameter(parameter) for parameter in parameters]
    if operation.body is not None:
        content: dict[str, Any] = {"schema": _ref(operation.body)}
        if operation.body_example:
            content["example"] = operation.body_example
        described["requestBody"] = {"required": True, "content": {"application/json": content}}
    elif operation.body_media:
        media: dict[str, Any] = {name: {} for name in operation.body_media}
        described["requestBody"] = {"required": True, "content": media}
    return described


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": parameter.place,
        "description": parameter.description,
        "required": parameter.required or parameter.place == "path",
        "schema": parameter.schema,
    }


def _responses(operation: Operation) -> dict[str, Any]:
    content: dict[str, Any] = {name: {} for name in operation.reply_media}
    if operation.reply is not None:
        content["application/json"] = {"schema": _ref(operation.reply)}
    if operation.events:
        content["text/event-stream"] = {
            "schema": {"type": "string", "description": _events_in_words(operation.events)}
        }
    success: dict[str, Any] = {"description": "Done.", "content": content}
    headers = operation.headers | ({"ETag": "Names what is sent."} if operation.has_tag else {})
    if headers:
        success["headers"] = {
            name: {"description": text, "schema": {"type": "string"}}
            for name, text in headers.items()
        }
    responses: dict[str, Any] = {str(operation.status): success}
    if operation.has_tag:
        responses["304"] = {
            "description": "The same as what is known.",
            "headers": success["headers"],
        }
    for status, struct in operation.also.items():
        schema = {"application/json": {"schema": _ref(struct)}}
        responses[str(status)] = {"description": "Not now.", "content": schema}
    problems = [*operation.problems, *COMMON_PROBLEMS]
    if operation.access != "everybody":
        problems += [kind for kind in _KEY_PROBLEMS if kind not in problems]
    return responses | _problem_responses(problems, operation.problem)


def _problem_responses(kinds: Iterable[str], problem: type[Problem]) -> dict[str, Any]:
    by_status: dict[int, list[str]] = defaultdict(list)
    for kind in kinds:
        by_status[STATUS_BY_KIND[kind]].append(kind)
    return {
        str(status): {
            "description": "; ".join(f"{TITLE_BY_KIND[kind]} (`{kind}`)" for kind in same),
            "content": {"application/problem+json": {"schema": _ref(problem)}},
        }
        for status, same in sorted(by_status.items())
    }


def _events_in_words(events: dict[str, type]) -> str:
    if "" in events:
        kind = events[""].__name__
        ends = 'An event `{"error": …}` ends a stream that broke.'
        return f"Server-sent events without names: JSON of {kind}. {ends}"
    lines = [f"`{name}`: JSON of {struct.__name__}." for name, struct in events.items()]
    return "Server-sent events. " + " ".join(lines) + " `error`: JSON of Problem, the last event."


def _ref(struct: type) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{struct.__name__}"}
