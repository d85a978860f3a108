"""Tell what turning, scaling, skewing and moving leave to see of an element."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from services.ingest.parsers.css.reckon import degrees, length, number, percent
from services.ingest.parsers.css.tokens import calls_in, split

_NAMES = ("translate", "rotate", "scale", "transform")
"""In the order in which browsers lay them on one another."""
_LEAST_SCALE = 0.06
"""Of one side: less shows no letter."""
_AWAY, _FAR = -500.0, 5000.0
"""Pixels to the left of a page or above it, and to its right or below, where nobody looks."""
_AWAY_PERCENT = -100.0
_NOTHING = 1e-6
_CELLS = 16
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_IN_SPACE = frozenset(("rotatex", "rotatey", "rotate3d", "matrix3d"))
_ANGLED = frozenset(
    ("rotate", "rotatex", "rotatey", "rotatez", "rotate3d", "skew", "skewx", "skewy")
)

_Matrix = list[list[float]]
_Call = tuple[str, list[str]]


class Moved(NamedTuple):
    """The property that leaves nothing to see, "" for none, and what is left of the shorter side."""

    hides: str = ""
    scale: float = 1.0


def moved_by(said: Mapping[str, str], *, font: float, is_deep: bool) -> Moved:
    """Return what becomes of an element that is turned, scaled and moved.

    With `is_deep` it stands in a space of its own, in which it may be seen from the side.
    """
    told = {name: list(_calls_of(name, said[name])) for name in _NAMES if said.get(name)}
    if not told:
        return Moved()
    for name, calls in told.items():
        shares = (part for call, parts in calls if call.startswith("translate") for part in parts)
        if any((percent(part) or 0) <= _AWAY_PERCENT for part in shares):
            return Moved(name)
    is_one_sided = (
        said.get("backface-visibility", said.get("-webkit-backface-visibility")) == "hidden"
    )
    whole = [one for calls in told.values() for one in calls]
    scale = _left_by(whole, font, is_deep, is_one_sided)
    if scale >= _LEAST_SCALE:
        return Moved("", scale)
    parts = (
        name
        for name, calls in told.items()
        if _left_by(calls, font, is_deep, is_one_sided) < _LEAST_SCALE
    )
    return Moved(next(parts, next(reversed(told))), scale)


def _left_by(calls: Sequence[_Call], font: float, is_deep: bool, is_one_sided: bool) -> float:
    """Return what functions, of which each may undo another one, leave of the shorter side."""
    whole = _one()
    for name, parts in calls:
        step = _matrix_of(name, parts, font)
        if step is None:
            return 1.0
        whole = _product(whole, step)
    across, down = whole[0][3], whole[1][3]
    is_far = any(one <= _AWAY or one >= _FAR for one in (across, down))
    if is_far or not all(math.isfinite(one) for row in whole for one in row):
        return 0.0
    names = {name for name, _ in calls}
    if (is_deep or "perspective" in names) and names & _IN_SPACE:
        return 1.0
    is_turned_away = is_one_sided and whole[2][2] < 0
    return 0.0 if is_turned_away or abs(_volume(whole)) < _NOTHING else _shorter(whole)


def _shorter(whole: _Matrix) -> float:
    """Return the least that a line of one pixel becomes on the page."""
    (a, c, _, _), (b, d, _, _) = whole[0], whole[1]
    half, area = (a * a + b * b + c * c + d * d) / 2, a * d - b * c
    return math.sqrt(max(half - math.sqrt(max(half * half - area * area, 0.0)), 0.0))


def _volume(whole: _Matrix) -> float:
    (a, b, c, _), (d, e, f, _), (g, h, i, _) = whole[0], whole[1], whole[2]
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def _calls_of(name: str, value: str) -> Iterator[_Call]:
    """Yield the functions of a value, those included that the single properties stand for."""
    words = split(value, " ")
    if name == "transform":
        for call, inside in calls_in(value):
            yield call, split(inside, ",")
    elif value in ("none", "initial", "unset", "inherit", "revert"):
        return
    elif name == "rotate":
        angles = [word for word in words if degrees(word) is not None and word != "0"]
        axis = next((_AXES[word] for word in words if word in _AXES), None)
        numbers = [word for word in words if word not in angles]
        if axis is None and len(numbers) == len("xyz"):
            yield "rotate3d", [*numbers, *angles[:1]]
        elif axis:
            yield "rotate3d", [*map(str, axis), *angles[:1]]
        else:
            yield "rotate", angles[:1]
    else:
        yield f"{name}3d" if len(words) == len("xyz") else name, words


def _matrix_of(name: str, parts: list[str], font: float) -> _Matrix | None:
    if name.startswith("translate"):
        return _moved(name, [length(part, font) or 0.0 for part in parts])
    if name in _ANGLED:
        return _turned(name, parts)
    numbers = [number(part, math.nan) for part in parts]
    if name == "perspective":
        return _one()
    if not numbers or any(map(math.isnan, numbers)):
        return None
    return _scaled(name, numbers) if name.startswith("scale") else _written(name, numbers)


def _written(name: str, numbers: list[float]) -> _Matrix | None:
    """Return a matrix that stands in its style as one, column after column."""
    if name == "matrix" and len(numbers) == len("abcdef"):
        a, b, c, d, e, f = numbers
        return [[a, c, 0.0, e], [b, d, 0.0, f], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    if name == "matrix3d" and len(numbers) == _CELLS:
        return [numbers[row::4] for row in range(4)]
    return None


def _one() -> _Matrix:
    return [[float(row == column) for column in range(4)] for row in range(4)]


def _moved(name: str, pixels: list[float]) -> _Matrix:
    found = _one()
    first = {"translatey": 1, "translatez": 2}.get(name, 0)
    for at, one in enumerate(pixels[: 3 - first]):
        found[first + at][3] = one
    return found


def _scaled(name: str, numbers: list[float]) -> _Matrix:
    found = _one()
    axis = {"scalex": 0, "scaley": 1, "scalez": 2}.get(name)
    if axis is not None:
        found[axis][axis] = numbers[0]
        return found
    both = [*numbers, numbers[0]] if len(numbers) == 1 else numbers
    for at, one in enumerate(both[:3]):
        found[at][at] = one
    return found


def _turned(name: str, parts: list[str]) -> _Matrix | None:
    angles = [degrees(part) for part in (parts[3:] if name == "rotate3d" else parts)]
    known = [math.radians(one) for one in angles if one is not None and math.isfinite(one)]
    if not known or len(known) != len(angles):
        return None
    if name.startswith("skew"):
        found = _one()
        if name == "skewy":
            found[1][0] = math.tan(known[0])
        else:
            found[0][1] = math.tan(known[0])
            found[1][0] = math.tan(known[1]) if len(known) > 1 else 0.0
        return found
    axis = _AXES.get(name.removeprefix("rotate"), _AXES["z"])
    if name == "rotate3d":
        axis = tuple(number(part, math.nan) for part in parts[:3])  # type: ignore[assignment]
    return _around(axis, known[0])


def _around(axis: tuple[float, float, float], angle: float) -> _Matrix | None:
    """Return what turns around an axis, as O. Rodrigues reckons it."""
    size = math.hypot(*axis)
    if math.isnan(size):
        return None
    if size == 0:
        return _one()
    x, y, z = (one / size for one in axis)
    cosine, sine = math.cos(angle), math.sin(angle)
    rest = 1 - cosine
    return [
        [cosine + x * x * rest, x * y * rest - z * sine, x * z * rest + y * sine, 0.0],
        [y * x * rest + z * sine, cosine + y * y * rest, y * z * rest - x * sine, 0.0],
        [z * x * rest - y * sine, z * y * rest + x * sine, cosine + z * z * rest, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]


def _product(one: _Matrix, other: _Matrix) -> _Matrix:
    return [
        [sum(one[row][at] * other[at][column] for at in range(4)) for column in range(4)]
        for row in range(4)
    ]
