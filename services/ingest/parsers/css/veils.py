"""Tell what filters make of the colours of an element: of its letters and of what they stand on."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from services.ingest.parsers.css.colours import Colour
from services.ingest.parsers.css.reckon import length, number
from services.ingest.parsers.css.tokens import calls_in

_SHAPING = frozenset(("url", "drop-shadow"))
"""Filters that may draw letters again, in other colours."""

_Step = tuple[str, float]


class Veil(NamedTuple):
    """The filters of one element; `is_bare` while nothing within it has painted a ground."""

    steps: tuple[_Step, ...]
    is_bare: bool = True


def density_of(said: Mapping[str, str]) -> float:
    """Return how dense an element is, from 0 to 1, by its opacity and its filters."""
    found = min(max(number(said.get("opacity", "1"), 1.0), 0.0), 1.0)
    for name, inside in calls_in(said.get("filter", "")):
        if name == "opacity":
            found *= min(max(number(inside, 1.0), 0.0), 1.0)
    return found


def blur_of(said: Mapping[str, str], font: float) -> float:
    """Return by how many pixels an element is blurred."""
    blurs = (inside for name, inside in calls_in(said.get("filter", "")) if name == "blur")
    return sum(length(inside, font) or 0.0 for inside in blurs)


def veil_of(said: Mapping[str, str]) -> Veil | None:
    """Return the filters of an element that change its colours, as far as they are known."""
    calls = calls_in(said.get("filter", ""))
    steps = tuple((name, number(inside, 1.0)) for name, inside in calls if name in _MADE)
    return Veil(steps) if steps else None


def may_shape(said: Mapping[str, str]) -> bool:
    """Whether a filter may show letters whatever their ink."""
    return any(name in _SHAPING for name, _ in calls_in(said.get("filter", "")))


def veiled(veils: Sequence[Veil], ink: Colour, ground: Colour) -> tuple[Colour, Colour]:
    """Return the colours of letters and of their ground as filters show them, the inmost first."""
    for veil in reversed(veils):
        ink = _through(veil, ink)
        ground = ground if veil.is_bare else _through(veil, ground)
    return ink, ground


def _through(veil: Veil, one: Colour) -> Colour:
    red, green, blue, density = one
    for name, amount in veil.steps:
        make = _MADE[name]
        red, green, blue = (min(max(make(part, amount), 0.0), 1.0) for part in (red, green, blue))
    return red, green, blue, density


_MADE: Mapping[str, Callable[[float, float], float]] = {
    "brightness": lambda part, amount: part * max(amount, 0.0),
    "contrast": lambda part, amount: (part - 0.5) * max(amount, 0.0) + 0.5,
    "invert": lambda part, amount: part + (1 - 2 * part) * min(max(amount, 0.0), 1.0),
}
