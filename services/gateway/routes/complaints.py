"""Say what is wrong with a body or a query: in JSON's words, with what would have been right."""

import re
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import cache

from msgspec import inspect

_TYPES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "datetime": "a time such as 2026-11-24T12:00:00Z",
    "null": "null",
}
_BOUNDS = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}
_GOT = {**_TYPES, "float": "a fraction"}
_STEP = re.compile(r"\.(?P<name>\w+)|\[[^\]]*\]")


def say(complaint: str, kind: type) -> str:
    """Return a complaint of msgspec about a `kind` as a sentence that names the field."""
    what, _, rest = complaint.partition(" - at `$")
    place = rest.removesuffix("`")
    sentence = _sentence(what, list(_find(_information(kind), place)))
    return f"{place.lstrip('.')}: {sentence}" if place else sentence


def _sentence(what: str, expected: list[inspect.Type]) -> str:
    values = [str(value) for one in expected for value in getattr(one, "values", ())]
    if values:
        return f"Send one of {', '.join(values)}."
    for pattern, in_words in _SENTENCES:
        if found := pattern.fullmatch(what):
            return in_words(found, expected)
    return what.replace("`", '"') + "."


def _unknown(found: re.Match[str], expected: list[inspect.Type]) -> str:
    known = [name for one in expected for name in _names(one)]
    near = get_close_matches(found[1], known, 1)
    guess = f" Do you mean “{near[0]}”?" if near else ""
    more = f"{guess} Known are {', '.join(known)}." if known else ""
    return f"“{found[1]}” is not known here.{more}"


def _missing(found: re.Match[str], _: list[inspect.Type]) -> str:
    return f"“{found[1]}” is missing."


def _wrong_type(found: re.Match[str], _: list[inspect.Type]) -> str:
    wanted = [_TYPES.get(name, name) for name in found[1].split(" | ") if name != "null"]
    return f"Send {' or '.join(wanted)}, not {_GOT.get(found[2], found[2])}."


def _wrong_length(found: re.Match[str], _: list[inspect.Type]) -> str:
    one, more = ("character", "characters") if found[1] == "str" else ("entry", "entries")
    return f"Send {_BOUNDS[found[2]]} {found[3]} {one if found[3] == '1' else more}."


def _wrong_number(found: re.Match[str], _: list[inspect.Type]) -> str:
    return f"Send a number of {_BOUNDS[found[1]]} {found[2]}."


def _wrong_form(found: re.Match[str], _: list[inspect.Type]) -> str:
    return f"Send text that matches {found[1]}"


def _no_time(_: re.Match[str], __: list[inspect.Type]) -> str:
    return f"Send {_TYPES['datetime']}."


_SENTENCES: list[tuple[re.Pattern[str], Callable[[re.Match[str], list[inspect.Type]], str]]] = [
    (re.compile("Object contains unknown field `(.*)`", re.DOTALL), _unknown),
    (re.compile("Object missing required field `(.*)`"), _missing),
    (re.compile("Expected `([^`]+)`, got `([^`]+)`"), _wrong_type),
    (re.compile("Expected `(str|array|object)` of length ([<>]=?) ([0-9]+)"), _wrong_length),
    (re.compile(r"Expected `(?:int|float)` ([<>]=?) ([-.\d]+)"), _wrong_number),
    (re.compile("Expected `str` matching regex '(.*)'", re.DOTALL), _wrong_form),
    (re.compile("Invalid RFC3339 encoded datetime"), _no_time),
]


@cache
def _information(kind: type) -> inspect.Type:
    return inspect.type_info(kind)


def _names(kind: inspect.Type) -> list[str]:
    fields = kind.fields if isinstance(kind, inspect.StructType) else ()
    return [field.encode_name for field in fields]


def _find(kind: inspect.Type, place: str) -> Iterator[inspect.Type]:
    """Yield the types that may stand at a place, which msgspec writes as `.scopes[0]`."""
    if isinstance(kind, inspect.Metadata):
        yield from _find(kind.type, place)
    elif isinstance(kind, inspect.UnionType):
        for one in kind.types:
            yield from _find(one, place)
    elif not place:
        yield kind
    elif step := _STEP.match(place):
        for one in _below(kind, step["name"]):
            yield from _find(one, place[step.end() :])


def _below(kind: inspect.Type, name: str | None) -> list[inspect.Type]:
    """Return the types of a field; without a name those of an entry."""
    if isinstance(kind, inspect.StructType):
        return [field.type for field in kind.fields if field.encode_name == name]
    if name is None and isinstance(kind, inspect.ListType | inspect.VarTupleType):
        return [kind.item_type]
    if name is None and isinstance(kind, inspect.DictType):
        return [kind.value_type]
    return []
