"""The description of the interface as a page for people: every operation, without a script."""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<h1>{title}</h1>
<p>{about} The same for programs: <a href="/openapi.json">openapi.json</a>.</p>
<nav><ul>{contents}</ul></nav>
<main>{operations}</main>
</html>
"""
_JSON = "application/json"


def render_reference(document: Mapping[str, Any]) -> str:
    """Return the OpenAPI description `document` as HTML, its operations in their order."""
    info = document["info"]
    operations = [
        (f"{method.upper()} {path}", operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]
    contents = (
        f'<li><a href="#{escape(one["operationId"])}">{escape(name)}</a> {escape(one["summary"])}'
        for name, one in operations
    )
    return _PAGE.format(
        title=escape(f"The REST interface of {info['title']} {info['version']}"),
        about=escape(info["description"]),
        contents="".join(contents),
        operations="".join(_section(name, one) for name, one in operations),
    )


def _section(name: str, operation: Mapping[str, Any]) -> str:
    parts = [
        f'<section id="{escape(operation["operationId"])}"><h2>{escape(name)}</h2>',
        f"<p>{escape(operation['summary'])}</p>",
        f"<p>{escape(operation['description'])}</p>" if "description" in operation else "",
        f"<p>{escape(_needed(operation))}</p>",
        *_body(operation.get("requestBody", {}).get("content", {})),
        _table("Parameter", _parameters(operation)),
        _table("Status", ((status, one["description"]) for status, one in _responses(operation))),
        "</section>",
    ]
    return "".join(parts)


def _needed(operation: Mapping[str, Any]) -> str:
    if "security" not in operation:
        return "Needs no key."
    scopes = operation["security"][0]["key"]
    return f"Needs a key with the scope {scopes[0]}." if scopes else "Needs a key."


def _body(content: Mapping[str, Any]) -> Iterator[str]:
    if not content:
        return
    yield f"<p>Body: {escape(', '.join(content))}</p>"
    example = content.get(_JSON, {}).get("example")
    if example is not None:
        yield f"<pre>{escape(json.dumps(example, indent=2, ensure_ascii=False))}</pre>"


def _parameters(operation: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for one in operation.get("parameters", ()):
        place = f"{one['in']}, required" if one["required"] else one["in"]
        yield f"{one['name']} ({place})", one["description"]


def _responses(operation: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(operation["responses"].items())


def _table(what: str, rows: Iterator[tuple[str, str]]) -> str:
    filled = "".join(f"<tr><th scope=row>{escape(name)}<td>{escape(told)}" for name, told in rows)
    head = f"<tr><th scope=col>{what}<th scope=col>Meaning"
    return f"<table>{head}{filled}</table>" if filled else ""
