"""Tell whether a clip or a mask of an element leaves anything of it."""

from collections.abc import Mapping, Sequence

from services.ingest.parsers.css.colours import FAINT, Colour, colour
from services.ingest.parsers.css.reckon import Amount, reckon
from services.ingest.parsers.css.tokens import calls_in, split

_FAR = 5000.0
_LEAST = 1.0
"""Pixels of a side."""
_FOUR = {1: (0, 0, 0, 0), 2: (0, 1, 0, 1), 3: (0, 1, 2, 1), 4: (0, 1, 2, 3)}
_GRADIENTS = ("linear-gradient", "radial-gradient", "conic-gradient")


def is_clipped_away(said: Mapping[str, str], font: float) -> bool:
    """Whether nothing is left of an element by `clip`, `clip-path` or a mask."""
    if said.get("position") in ("absolute", "fixed") and _is_no_rectangle(
        said.get("clip", ""), font
    ):
        return True
    calls = calls_in(said.get("clip-path", ""))
    shapes = [_SHAPES[name](inside, font) for name, inside in calls[:1] if name in _SHAPES]
    return any(shapes) or _is_masked(said, font)


def colours_of_gradient(value: str) -> list[Colour] | None:
    """Return the colours between which a picture passes; None for one that is not known."""
    [(name, inside)] = calls_in(value) if value.count("gradient(") == 1 else [("", "")]
    if name.removeprefix("-webkit-").removeprefix("repeating-") not in _GRADIENTS:
        return None
    stops = split(inside, ",")
    found = [[one for one in map(colour, split(stop, " ")) if one] for stop in stops]
    told = found if found and found[0] else found[1:]  # the first may say where it leads
    if not told or not all(len(one) == 1 for one in told):
        return None
    return [one[0] for one in told]


def _is_masked(said: Mapping[str, str], font: float) -> bool:
    layers = split(said.get("mask-image", ""), ",")
    sizes = [reckon(word, font) for word in split(said.get("mask-size", ""), " ")]
    if not layers or layers == ["none"] or "url()" in layers:
        return False
    if sizes and all(one is not None and one.number == 0 for one in sizes):
        return True
    found = [colours_of_gradient(layer) for layer in layers]
    return all(stops and all(one[3] < FAINT for one in stops) for stops in found)


def _is_no_rectangle(value: str, font: float) -> bool:
    [(name, inside)] = calls_in(value)[:1] or [("", "")]
    sides = [reckon(one, font) for one in inside.replace(",", " ").split()]
    if name != "rect" or len(sides) != len(_FOUR):
        return False
    top, right, bottom, left = sides
    return _is_within(top, bottom) or _is_within(left, right)


def _is_within(first: Amount | None, last: Amount | None) -> bool:
    """Whether a side that begins at one place and ends at another shows less than a pixel."""
    begins = first.number if first else 0.0
    return last is not None and last.unit != "%" and last.number - begins <= _LEAST


def _amounts(value: str, font: float) -> list[Amount]:
    return [one for one in (reckon(word, font) for word in split(value, " ")) if one]


def _inset(inside: str, font: float) -> bool:
    sides = _amounts(inside.partition(" round ")[0], font)
    if len(sides) not in _FOUR:
        return False
    top, right, bottom, left = (sides[at] for at in _FOUR[len(sides)])
    return _meet(top, bottom) or _meet(left, right)


def _meet(one: Amount, other: Amount) -> bool:
    shares = sum(each.number for each in (one, other) if each.unit == "%")
    pixels = sum(each.number for each in (one, other) if each.unit != "%")
    return shares >= 100 or pixels >= _FAR


def _round(inside: str, font: float) -> bool:
    size, _, place = inside.partition("at ")
    radii = _amounts(size, font)
    if any(one.number <= (0 if one.unit == "%" else _LEAST) for one in radii):
        return True
    middle = [one for one in _amounts(place, font) if one.unit != "%"]
    least = min((one.number for one in radii if one.unit != "%"), default=None)
    return least is not None and any(
        one.number + max(each.number for each in radii) <= 0 for one in middle
    )


def _polygon(inside: str, font: float) -> bool:
    points = [_amounts(one, font) for one in split(inside, ",") if " " in one]
    if not points or any(len(one) != len("xy") for one in points):
        return False
    across = [one[0] for one in points]
    down = [one[1] for one in points]
    if any(all(one.number <= 0 for one in row) for row in (across, down)):
        return True
    is_of_one_kind = all(
        len({one.unit for one in row if one.number}) <= 1 for row in (across, down)
    )
    return is_of_one_kind and _is_line([(x.number, y.number) for x, y in points])


def _is_line(points: Sequence[tuple[float, float]]) -> bool:
    first = points[0]
    beyond = [(x - first[0], y - first[1]) for x, y in points]
    far = max(beyond, key=lambda one: abs(one[0]) + abs(one[1]))
    return all(abs(far[0] * y - far[1] * x) <= _LEAST for x, y in beyond)


def _rectangle(inside: str, font: float) -> bool:
    return _is_no_rectangle(f"rect({inside.partition(' round ')[0]})", font)


def _box(inside: str, font: float) -> bool:
    sides = _amounts(inside.partition(" round ")[0], font)
    return len(sides) == len(_FOUR) and any(
        one.number <= (0 if one.unit == "%" else _LEAST) for one in sides[2:]
    )


_SHAPES = {
    "inset": _inset,
    "circle": _round,
    "ellipse": _round,
    "polygon": _polygon,
    "rect": _rectangle,
    "xywh": _box,
}
