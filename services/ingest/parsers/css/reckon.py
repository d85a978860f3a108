"""Reckon what a length, an angle or a number of a style comes to, however it is written."""

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

import tinycss2
from tinycss2 import ast

_DEEPEST = 20
"""Brackets in brackets."""
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_PLAIN = re.compile(rf"({_NUMBER})(%|[a-z]*)")
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
_DEGREES = {"deg": 1.0, "grad": 0.9, "rad": 180 / math.pi, "turn": 360.0}
_SECONDS = {"s": 1.0, "ms": 0.001}
_CONSTANTS = {"pi": math.pi, "e": math.e, "infinity": math.inf, "-infinity": -math.inf}
_NO_NAMES: Mapping[str, float] = MappingProxyType({})


class Amount(NamedTuple):
    """A number and its unit: "" for none, "%", "px", "deg" or "s"."""

    number: float
    unit: str = ""


def reckon(
    value: str, font: float = _ROOT_FONT, names: Mapping[str, float] = _NO_NAMES
) -> Amount | None:
    """Return what a value comes to where letters have `font` pixels; None for none that is known.

    `names` are those of numbers that may stand in it.
    """
    plain = _PLAIN.fullmatch(value)
    if plain:
        return _amount(float(plain[1]), plain[2], font)
    if "(" not in value and value not in names:
        return None
    return _Reckoner(font, names).value(value) if names else _reckon(value, font)


@lru_cache(4096)
def _reckon(value: str, font: float) -> Amount | None:
    return _Reckoner(font, _NO_NAMES).value(value)


def length(value: str, font: float) -> float | None:
    """Return a length in pixels; None for one that depends on what is around, or is none."""
    found = reckon(value, font)
    if found is None or found.unit not in ("px", ""):
        return None
    if found.unit == "px":
        return found.number
    return 0.0 if found.number == 0 and "(" not in value else None


def percent(value: str) -> float | None:
    """Return the share in a hundred that a value says; None if it is no such."""
    found = reckon(value)
    return found.number if found and found.unit == "%" else None


def number(value: str, otherwise: float) -> float:
    """Return a number, which may be written as a share; `otherwise` for none."""
    found = reckon(value)
    if found is None or found.unit not in ("", "%"):
        return otherwise
    return found.number / 100 if found.unit else found.number


def degrees(value: str) -> float | None:
    """Return an angle; None for no angle."""
    found = reckon(value)
    if found is None or not (found.unit == "deg" or value == "0"):
        return None
    return found.number


def _amount(number: float, unit: str, font: float) -> Amount | None:
    if unit in ("", "%"):
        return Amount(number, unit)
    for scale, name in ((_PIXELS, "px"), (_DEGREES, "deg"), (_SECONDS, "s")):
        if unit in scale:
            return Amount(number * scale[unit], name)
    return Amount(number * _OF_FONT[unit] * font, "px") if unit in _OF_FONT else None


class _Unknown(Exception):
    """Raised for what is no amount, or one that depends on what is around."""


class _Reckoner:
    def __init__(self, font: float, names: Mapping[str, float]) -> None:
        self._font, self._names = font, names

    def value(self, value: str) -> Amount | None:
        try:
            found = self._sum(tinycss2.parse_component_value_list(value, skip_comments=True), 0)
        except (_Unknown, ArithmeticError, TypeError, ValueError):  # a TypeError counts arguments
            return None
        return None if math.isnan(found.number) else found

    def _sum(self, tokens: Sequence[ast.Node], depth: int) -> Amount:
        if depth > _DEEPEST:
            raise _Unknown
        found = Amount(0.0)
        for sign, part in _parted(tokens, "+-"):
            one = self._product(part, depth)
            found = _add(found, one._replace(number=one.number * (-1 if sign == "-" else 1)))
        return found

    def _product(self, tokens: Sequence[ast.Node], depth: int) -> Amount:
        found = Amount(1.0)
        for sign, part in _parted(tokens, "*/"):
            if len(part) != 1:
                raise _Unknown
            one = self._one(part[0], depth)
            if found.unit and one.unit:
                raise _Unknown
            if sign == "/":
                found = Amount(_divide(found.number, one.number), found.unit)
            else:
                found = Amount(found.number * one.number, found.unit or one.unit)
        return found

    def _one(self, token: ast.Node, depth: int) -> Amount:
        found = None
        if token.type == "ident":
            known = self._names.get(token.lower_value, _CONSTANTS.get(token.lower_value))
            found = None if known is None else Amount(known)
        elif token.type in ("number", "percentage", "dimension"):
            units = {"number": "", "percentage": "%"}
            unit = units[token.type] if token.type in units else str(token.lower_unit)
            found = _amount(float(token.value), unit, self._font)
        elif token.type == "() block":
            found = self._sum(token.content, depth + 1)
        elif token.type == "function":
            found = self._call(token.lower_name, token.arguments, depth)
        if found is None:
            raise _Unknown
        return found

    def _call(self, name: str, arguments: Sequence[ast.Node], depth: int) -> Amount:
        given = [self._sum(part, depth + 1) for _, part in _parted(arguments, ",")]
        numbers = [one.number for one in given]
        if name in _OF_MANY:
            return Amount(_OF_MANY[name](*numbers), _shared_unit(given))
        if name in _OF_ANGLE and len(given) == 1 and given[0].unit in ("", "deg"):
            return Amount(_OF_ANGLE[name](math.radians(*numbers) if given[0].unit else numbers[0]))
        if name == "sign" and len(given) == 1:
            return Amount(float((numbers[0] > 0) - (numbers[0] < 0)))
        if name in _OF_NUMBERS and not any(one.unit for one in given):
            return Amount(_OF_NUMBERS[name](*numbers))
        raise _Unknown


_OF_MANY: Mapping[str, Callable[..., float]] = {
    "calc": lambda one: one,
    "-webkit-calc": lambda one: one,
    "abs": abs,
    "round": lambda one: float(round(one)),
    "min": lambda *given: min(given),
    "max": lambda *given: max(given),
    "clamp": lambda least, at, most: max(least, min(at, most)),
    "hypot": math.hypot,
    "mod": operator.mod,
    "rem": math.fmod,
}
"""Functions of amounts in one unit, which is also that of what they make."""
_OF_ANGLE: Mapping[str, Callable[[float], float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
}


def _power(base: float, exponent: float) -> float:
    if abs(exponent) > _HIGHEST or base < 0:
        raise _Unknown
    return math.pow(base, exponent)


_HIGHEST = 64.0
_OF_NUMBERS: Mapping[str, Callable[..., float]] = {
    "pow": _power,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
}


def _shared_unit(given: Sequence[Amount]) -> str:
    units = {one.unit for one in given if one.number or one.unit}
    if len(units) > 1:
        raise _Unknown
    return next(iter(units), "")


def _add(one: Amount, other: Amount) -> Amount:
    if one.unit != other.unit and one.number and other.number:
        raise _Unknown
    return Amount(one.number + other.number, other.unit or one.unit)


def _divide(one: float, other: float) -> float:
    if other:
        return one / other
    return math.nan if one == 0 else math.copysign(math.inf, one)


def _parted(tokens: Sequence[ast.Node], signs: str) -> list[tuple[str, list[ast.Node]]]:
    """Return what stands between signs, each with the one before it; spaces are left out."""
    parts: list[tuple[str, list[ast.Node]]] = [("", [])]
    for token in tokens:
        if token.type == "literal" and token.value in signs:
            parts.append((token.value, []))
        elif token.type != "whitespace":
            parts[-1][1].append(token)
    if not all(part for _, part in parts):
        raise _Unknown
    return parts
