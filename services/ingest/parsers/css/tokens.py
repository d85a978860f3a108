"""Write what a style says in one spelling: without comments and escapes, lengths in pixels."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tinycss2 import ast

_DEEPEST = 20
"""Brackets in brackets."""
LONGEST = 400
"""Of a value, as far as it is read: pictures may stand in one."""
_VARIABLE = re.compile(r"var\((--[^\s,()]+)(?: ?, ?((?:[^()]|\([^()]*\))*))?\)")
_MOST_VARIABLES = 20


class Said(NamedTuple):
    """A value, and whether it is marked as important."""

    value: str
    is_important: bool = False


def spell(tokens: Iterable[ast.Node], depth: int = 0, *, keeps_strings: bool = False) -> str:
    """Return tokens in small letters, one space for any, "url()" for an address.

    Strings are empty, unless `keeps_strings`.
    """
    if depth > _DEEPEST:
        return ""
    return "".join(_spell_one(token, depth, keeps_strings=keeps_strings) for token in tokens)


def _spell_one(token: ast.Node, depth: int, *, keeps_strings: bool) -> str:
    kind = token.type
    if kind == "string" and keeps_strings:
        return str(token.serialize())
    if kind == "ident":
        return str(token.value if token.value.startswith("--") else token.lower_value)
    if kind in ("number", "percentage", "dimension"):
        unit = {"number": "", "percentage": "%"}.get(kind) or getattr(token, "lower_unit", "")
        return f"{token.value:.6g}{unit}"
    if kind == "function":
        inside = spell(token.arguments, depth + 1, keeps_strings=keeps_strings)
        return f"{token.lower_name}({inside.strip()})"
    if kind == "() block":
        return f"({spell(token.content, depth + 1).strip()})"
    spelt = {"whitespace": " ", "comment": "", "url": "url()", "string": '""', "hash": "#"}
    shown = spelt.get(kind, getattr(token, "value", ""))
    return f"#{token.value.lower()}" if kind == "hash" else str(shown)


def with_variables(value: str, variables: Mapping[str, str]) -> str:
    """Return a value with its variables in place; "" where one is not known."""
    for _ in range(_MOST_VARIABLES):
        found = _VARIABLE.search(value)
        if not found:
            break
        put = variables.get(found[1], found[2])
        if put is None:
            return ""
        value = f"{value[: found.start()]}{put}{value[found.end() :]}"[:LONGEST]
    return "" if "var(" in value else value


def split(value: str, separator: str) -> list[str]:
    """Return what a sign parts outside of brackets, without spaces around it."""
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(value):
        depth += (sign == "(") - (sign == ")")
        if sign == separator and depth == 0:
            parts.append(value[start:at].strip())
            start = at + 1
    parts.append(value[start:].strip())
    return [part for part in parts if part]


def calls_in(value: str) -> list[tuple[str, str]]:
    """Return the functions of a value that stand in no other, each with what is in its brackets."""
    found = []
    for part in split(value.replace(")", ") "), " "):
        name, bracket, inside = part.partition("(")
        if bracket and inside.endswith(")"):
            found.append((name, inside[:-1].strip()))
    return found
