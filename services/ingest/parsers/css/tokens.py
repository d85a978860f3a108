"""Write what a style says in one spelling: without comments and escapes, lengths in pixels."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

import tinycss2
from tinycss2 import ast
from tinycss2.color5 import parse_color

_DEEPEST = 20
"""Brackets in brackets."""
_LONGEST = 400
"""Of a value, as far as it is read: pictures may stand in one."""
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_LENGTH = re.compile(rf"({_NUMBER})([a-z]*)")
_PERCENT = re.compile(rf"({_NUMBER})%")
_SUM = re.compile(r" ([+-]) ")
_VARIABLE = re.compile(r"var\((--[^\s,()]+)(?: ?, ?((?:[^()]|\([^()]*\))*))?\)")
_MOST_VARIABLES = 20
_ROOT_FONT = 16.0
_OF_FONT = {"em": 1.0, "ex": 0.5, "ch": 0.5, "lh": 1.2, "cap": 0.7, "ic": 1.0}
_PIXELS = {
    "px": 1.0,
    "pt": 96 / 72,
    "pc": 16.0,
    "in": 96.0,
    "cm": 96 / 2.54,
    "mm": 9.6 / 2.54,
    "q": 2.4 / 2.54,
    "rem": _ROOT_FONT,
    "rlh": 19.2,
    "vmin": 8.0,
    "vmax": 12.8,
    **dict.fromkeys(("vw", "svw", "lvw", "dvw", "vi"), 12.8),
    **dict.fromkeys(("vh", "svh", "lvh", "dvh", "vb"), 8.0),
}
"""On a screen of 1280 by 800."""

Colour = tuple[float, float, float, float]
"""Red, green, blue and how dense it is, each from 0 to 1."""


class Said(NamedTuple):
    """A value, and whether it is marked as important."""

    value: str
    is_important: bool = False


def spell(tokens: Iterable[ast.Node], depth: int = 0) -> str:
    """Return tokens in small letters, one space for any, "url()" for an address."""
    if depth > _DEEPEST:
        return ""
    return "".join(_spell_one(token, depth) for token in tokens)


def _spell_one(token: ast.Node, depth: int) -> str:
    kind = token.type
    if kind == "ident":
        return str(token.value if token.value.startswith("--") else token.lower_value)
    if kind in ("number", "percentage", "dimension"):
        unit = {"number": "", "percentage": "%"}.get(kind) or getattr(token, "lower_unit", "")
        return f"{token.value:.6g}{unit}"
    if kind == "function":
        return f"{token.lower_name}({spell(token.arguments, depth + 1).strip()})"
    if kind == "() block":
        return f"({spell(token.content, depth + 1).strip()})"
    spelt = {"whitespace": " ", "comment": "", "url": "url()", "string": '""', "hash": "#"}
    shown = spelt.get(kind, getattr(token, "value", ""))
    return f"#{token.value.lower()}" if kind == "hash" else str(shown)


def read_declarations(tokens: Iterable[ast.Node]) -> dict[str, Said]:
    """Return what declarations say by their names; of two that say the same the one that holds."""
    found: dict[str, Said] = {}
    for one in tokens:
        if one.type == "declaration":
            name = one.name if one.name.startswith("--") else one.lower_name
            said = Said(spell(one.value).strip()[:_LONGEST], bool(one.important))
            if said.is_important or not found.get(name, said).is_important:
                found.pop(name, None)
                found[name] = said
    return found


@lru_cache(4096)
def read_style(style: str) -> Mapping[str, Said]:
    """Return what the style of an element says."""
    return read_declarations(tinycss2.parse_blocks_contents(style, True, True))


def with_variables(value: str, variables: Mapping[str, str]) -> str:
    """Return a value with its variables in place; "" where one is not known."""
    for _ in range(_MOST_VARIABLES):
        found = _VARIABLE.search(value)
        if not found:
            break
        put = variables.get(found[1], found[2])
        if put is None:
            return ""
        value = f"{value[: found.start()]}{put}{value[found.end() :]}"[:_LONGEST]
    return "" if "var(" in value else value


def length(value: str, font: float) -> float | None:
    """Return a length in pixels; None for one that depends on what is around, or is none."""
    if value.startswith("calc(") and value.endswith(")"):
        first, *rest = _SUM.split(value[5:-1])
        terms = [length(first, font)]
        for sign, term in zip(rest[::2], rest[1::2], strict=True):
            one = length(term, font)
            terms.append(None if one is None else -one if sign == "-" else one)
        known = [term for term in terms if term is not None]
        return sum(known) if len(known) == len(terms) else None
    found = _LENGTH.fullmatch(value)
    if not found:
        return None
    number, unit = float(found[1]), found[2]
    if not unit:
        return 0.0 if number == 0 else None
    factor = _OF_FONT[unit] * font if unit in _OF_FONT else _PIXELS.get(unit)
    return None if factor is None else number * factor


def percent(value: str) -> float | None:
    found = _PERCENT.fullmatch(value)
    return float(found[1]) if found else None


@lru_cache(4096)
def colour(value: str) -> Colour | None:
    """Return a colour; None for one that is not known or none at all."""
    try:
        found = parse_color(value)
        if found is None or isinstance(found, str):
            return None
        red, green, blue = (
            min(max(float(part), 0.0), 1.0) for part in found.to("srgb").coordinates
        )
    except (NotImplementedError, TypeError, ValueError):
        return None
    return red, green, blue, float(found.alpha)
