"""Write what a style says in one spelling: without comments and escapes, lengths in pixels."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import tinycss2
from tinycss2 import ast
from tinycss2.color4 import Color
from tinycss2.color5 import parse_color

_DEEPEST = 20
"""Brackets in brackets."""
_LONGEST = 400
"""Of a value, as far as it is read: pictures may stand in one."""
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_LENGTH = re.compile(rf"({_NUMBER})([a-z]*)")
_PERCENT = re.compile(rf"({_NUMBER})%")
_SUM = re.compile(r" ([+-]) ")
_PRODUCT = re.compile(rf"(?:calc\()?({_NUMBER}[a-z]*) ?\* ?({_NUMBER})\)?")
_CHOICE = re.compile(r"(min|max|clamp)\(([^()]*)\)")
_SYSTEM = {"canvas": "white", "canvastext": "black"}
_WHITE_OF = {"lab": "xyz-d50", "lch": "xyz-d50", "oklab": "xyz-d65", "oklch": "xyz-d65"}
_TO_RGB = {
    "xyz-d65": (
        (3.2409699, -1.5373832, -0.4986108),
        (-0.9692436, 1.8759675, 0.0415551),
        (0.0556301, -0.203977, 1.0569715),
    ),
    "xyz-d50": (
        (3.1338561, -1.6168667, -0.4906146),
        (-0.9787684, 1.9161415, 0.033454),
        (0.0719453, -0.2289914, 1.4052427),
    ),
}
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
    chosen = _CHOICE.fullmatch(value)
    if chosen:
        return _choose(chosen[1], [length(one.strip(), font) for one in chosen[2].split(",")])
    if value.startswith("calc(") and value.endswith(")"):
        first, *rest = _SUM.split(value[5:-1])
        terms = [length(first, font)]
        for sign, term in zip(rest[::2], rest[1::2], strict=True):
            one = length(term, font)
            terms.append(None if one is None else -one if sign == "-" else one)
        known = [term for term in terms if term is not None]
        return sum(known) if len(known) == len(terms) else None
    product = _PRODUCT.fullmatch(value)
    if product:
        one = length(product[1], font)
        return None if one is None else one * float(product[2])
    found = _LENGTH.fullmatch(value)
    if not found:
        return None
    number, unit = float(found[1]), found[2]
    if not unit:
        return 0.0 if number == 0 else None
    factor = _OF_FONT[unit] * font if unit in _OF_FONT else _PIXELS.get(unit)
    return None if factor is None else number * factor


def _choose(name: str, among: Sequence[float | None]) -> float | None:
    """Return what `min`, `max` or `clamp` makes of its lengths; None where one is not known."""
    known = [one for one in among if one is not None]
    if len(known) != len(among) or (name == "clamp" and len(known) != len(("least", "at", "most"))):
        return None
    if name == "clamp":
        least, at, most = known
        return max(least, min(at, most))
    return min(known) if name == "min" else max(known)


def percent(value: str) -> float | None:
    found = _PERCENT.fullmatch(value)
    return float(found[1]) if found else None


@lru_cache(4096)
def colour(value: str) -> Colour | None:
    """Return a colour; None for one that is not known or none at all."""
    try:
        found = parse_color(_SYSTEM.get(value, value))
        if found is None or isinstance(found, str):
            return None
        white = _WHITE_OF.get(found.space)
        parts = _from_xyz(found.to(white), white) if white else found.to("srgb").coordinates
        red, green, blue = (min(max(float(part), 0.0), 1.0) for part in parts)
    except (NotImplementedError, TypeError, ValueError):
        return None
    return red, green, blue, float(found.alpha)


def _from_xyz(found: Color, white: str) -> list[float]:
    """Return red, green and blue, as CSS Color 4 (10.7) and B. Lindbloom's matrix for D50 give them."""
    linear = (
        sum(weight * float(part) for weight, part in zip(row, found.coordinates, strict=True))
        for row in _TO_RGB[white]
    )
    return [12.92 * one if one <= 0.0031308 else 1.055 * one ** (1 / 2.4) - 0.055 for one in linear]
