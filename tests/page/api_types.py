"""Write TypeScript types of the REST interface from its OpenAPI document.

The page's scripts are checked against them. `make types` renews the file.
"""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from services.gateway.bootstrap import bootstrap
from services.gateway.routes.page import WEB
from services.gateway.settings import Settings
from tests.support.gateway_fakes import FakeBackend

TYPES = WEB / "schema.d.ts"
COMMAND = "make types"
_HEAD = f"// Made by `{COMMAND}` from /openapi.json: edit the structs of the gateway instead.\n"
_PLAIN = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}


async def fetch_document() -> dict[str, Any]:
    """Return what the gateway serves as /openapi.json."""
    fake = FakeBackend()
    app = bootstrap(Settings(), library=fake, intake=fake, searcher=fake, answerer=fake, probes={})
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        return dict((await client.get("/openapi.json")).json())


def write_types(document: dict[str, Any]) -> str:
    schemas = document["components"]["schemas"]
    bodies = _named_by(_bodies(document), schemas)
    parts = [_HEAD]
    for name, schema in sorted(schemas.items()):
        parts.append(_declare(name, schema, may_be_left_out=name in bodies))
    for operation in _operations(document):
        query = [given for given in operation.get("parameters", ()) if given["in"] == "query"]
        if query:
            parts.append(_declare_query(operation["operationId"], query))
    return "\n".join(parts)


def _operations(document: dict[str, Any]) -> list[dict[str, Any]]:
    found = [operation for item in document["paths"].values() for operation in item.values()]
    return sorted(found, key=lambda operation: str(operation["operationId"]))


def _bodies(document: dict[str, Any]) -> list[Any]:
    return [operation.get("requestBody") for operation in _operations(document)]


def _named_by(part: Any, schemas: dict[str, Any]) -> set[str]:
    """Return the schemas that `part` refers to, and those that these refer to."""
    named: set[str] = set()
    waiting = list(_references(part))
    while waiting:
        name = waiting.pop()
        if name not in named:
            named.add(name)
            waiting += _references(schemas[name])
    return named


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if "$ref" in part:
            yield part["$ref"].rpartition("/")[2]
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from _references(inner)


def _declare(name: str, schema: dict[str, Any], *, may_be_left_out: bool) -> str:
    # The gateway always sends what has a default; only a body may leave it out.
    required = set(schema["required"]) if may_be_left_out else schema["properties"].keys()
    return _type(
        name,
        {
            _key(field, field in required): _expression(inner)
            for field, inner in schema["properties"].items()
        },
    )


def _declare_query(operation: str, parameters: list[dict[str, Any]]) -> str:
    return _type(
        f"{operation[0].upper()}{operation[1:]}Query",
        {
            _key(given["name"], given["required"]): _expression(given["schema"])
            for given in parameters
        },
    )


def _type(name: str, fields: dict[str, str]) -> str:
    lines = [f"  {key}: {expression};\n" for key, expression in fields.items()]
    return f"export type {name} = {{\n{''.join(lines)}}};\n"


def _key(name: str, required: bool) -> str:
    return name if required else f"{name}?"


def _expression(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(_expression(inner) for inner in schema["anyOf"])
    if schema["type"] == "array":
        return f"Array<{_expression(schema['items'])}>"
    if schema["type"] == "object":
        return f"Record<string, {_expression(schema['additionalProperties'])}>"
    return _PLAIN[schema["type"]]


def main() -> None:
    Path(TYPES).write_text(write_types(asyncio.run(fetch_document())), encoding="utf-8")


if __name__ == "__main__":
    main()
