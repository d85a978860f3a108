"""Tell which colour a style says: by name, by numbers, mixed of others or reckoned from one."""

import colorsys
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

from tinycss2.color4 import Color
from tinycss2.color5 import parse_color

from services.ingest.parsers.css.reckon import percent, reckon
from services.ingest.parsers.css.tokens import split

Colour = tuple[float, float, float, float]
"""Red, green, blue and how dense it is, each from 0 to 1."""

NEAR = 20 / 255
"""Of each colour: less is the same to eyes."""
FAINT = 0.06
"""Density from which on something is seen at all."""
_DEEPEST = 5
"""Colours made of colours."""
_SYSTEM = {"canvas": "white", "canvastext": "black"}
_WHITE_OF = {
    **dict.fromkeys(("lab", "lch", "xyz-d50"), "xyz-d50"),
    **dict.fromkeys(("oklab", "oklch", "xyz", "xyz-d65"), "xyz-d65"),
}
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
_ALIKE = ("display-p3", "a98-rgb", "prophoto-rgb", "rec2020")
"""Spaces of more colours, of which the greys are about those of screens."""
_FROM_RGB = {
    "xyz-d65": (
        (0.4123908, 0.3575843, 0.1804808),
        (0.212639, 0.7151687, 0.0721923),
        (0.0193308, 0.1191948, 0.9505322),
    ),
    "xyz-d50": (
        (0.4360747, 0.3850649, 0.1430804),
        (0.2225045, 0.7168786, 0.0606169),
        (0.0139322, 0.0971045, 0.7141733),
    ),
}
_D50 = (0.9642200, 1.0, 0.8252100)
_TO_CONES = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_OKLAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
_CHANNELS = {
    **dict.fromkeys(("rgb", "rgba", "srgb", "srgb-linear"), "rgb"),
    **dict.fromkeys(("hsl", "hsla"), "hsl"),
    "hwb": "hwb",
    **dict.fromkeys(("lab", "oklab"), "lab"),
    **dict.fromkeys(("lch", "oklch"), "lch"),
    **dict.fromkeys(("xyz", "xyz-d50", "xyz-d65"), "xyz"),
}
"""One letter for each channel of a space."""
_NO_HUE = 1e-3
_SHARES = ("hsl", "hsla", "hwb")
"""Spaces of which all channels but the hue are written as shares."""

_Three = Sequence[float]


@lru_cache(4096)
def colour(value: str) -> Colour | None:
    """Return a colour; None for one that is not known or none at all."""
    return _colour(value, 0)


def is_near(one: Colour, other: Colour) -> bool:
    """Whether two colours are the same to eyes, however dense they are."""
    return all(abs(a - b) <= NEAR for a, b in zip(one[:3], other[:3], strict=True))


def over(above: Colour, below: Colour) -> Colour:
    """Return the colour that one which is not dense makes on another one."""
    share = above[3]
    red, green, blue = (
        one * share + other * (1 - share) for one, other in zip(above[:3], below[:3], strict=True)
    )
    return red, green, blue, 1.0


def written(one: Colour) -> str:
    """Return a colour as styles write it."""
    return f"color(srgb {one[0]:.6f} {one[1]:.6f} {one[2]:.6f} / {one[3]:.6f})"


def _colour(value: str, depth: int) -> Colour | None:
    name, bracket, inside = value.partition("(")
    if depth > _DEEPEST:
        return None
    if not bracket or not inside.endswith(")"):
        return _absolute(value)
    inside = inside[:-1].strip()
    if name == "color-mix":
        return _mixed(inside, depth)
    if name == "light-dark":
        among = [_colour(one, depth + 1) for one in split(inside, ",")]
        return among[0] if len(among) == len(("light", "dark")) else None
    if inside.startswith("from "):
        return _reckoned(name, inside[len("from ") :], depth)
    return _absolute(f"{name}({_with_numbers(inside)})" if "(" in inside else value)


def _absolute(value: str) -> Colour | None:
    try:
        found = parse_color(_SYSTEM.get(value, value))
        if found is None or isinstance(found, str):
            return None
        parts = _in_srgb(found)
        red, green, blue = (min(max(float(part), 0.0), 1.0) for part in parts)
    except (NotImplementedError, TypeError, ValueError):
        return None
    return red, green, blue, float(found.alpha)


def _in_srgb(found: Color) -> Sequence[float]:
    white = _WHITE_OF.get(found.space)
    if white:
        return _from_xyz(found.to(white), white)
    if found.space == "srgb-linear":
        return [_curved(float(part)) for part in found.coordinates]
    if found.space in _ALIKE:
        return [float(part) for part in found.coordinates]
    return [float(part) for part in found.to("srgb").coordinates]


def _with_numbers(inside: str) -> str:
    """Return what stands in a colour's brackets with what is to be reckoned in its place."""
    separator = "," if "," in inside else " "
    colours, *density = split(inside, "/")
    parts = [_written_amount(part, {}) or part for part in split(colours, separator)]
    behind = [_written_amount(part, {}) or part for part in density]
    return f"{' / '.join([separator.join(parts), *behind])}"


def _written_amount(value: str, names: Mapping[str, float], unit: str = "") -> str:
    if value == "none":
        return f"0{unit}"
    found = reckon(value, names=names)
    return f"{found.number:.8f}{found.unit or unit}" if found else ""


def _mixed(inside: str, depth: int) -> Colour | None:
    """Return what `color-mix` makes of two colours, as CSS Color 5 (2) says."""
    method, *mixed = split(inside, ",")
    words = method.split(" ")
    if words[0] != "in" or len(mixed) != len(("one", "other")):
        return None
    pairs = [_with_share(one, depth) for one in mixed]
    (one, first), (other, second) = pairs
    if first is None and second is None:
        first, second = 0.5, 0.5
    first = 1 - second if first is None and second is not None else first
    second = 1 - first if second is None and first is not None else second
    if one is None or other is None or first is None or second is None or first + second <= 0:
        return None
    whole = first + second
    density = (one[3] * first + other[3] * second) / whole * min(whole, 1.0)
    if density < FAINT:
        return 0.0, 0.0, 0.0, density
    weights = one[3] * first, other[3] * second
    share = weights[1] / sum(weights)
    if share in (0, 1) or one[:3] == other[:3]:
        return *(other if share == 1 else one)[:3], density
    return _between(words[1:], one, other, share, density)


def _with_share(value: str, depth: int) -> tuple[Colour | None, float | None]:
    words = split(value, " ")
    shares = [share for share in map(percent, words) if share is not None]
    named = [word for word in words if percent(word) is None]
    found = _colour(named[0], depth + 1) if len(named) == 1 else None
    return found, min(max(shares[0], 0.0), 100.0) / 100 if shares else None


def _between(
    space: list[str], one: Colour, other: Colour, share: float, density: float
) -> Colour | None:
    """Return a colour on the way between two in a space, by the shorter arc where hues are turned."""
    if not space or space[0] not in _CHANNELS or (len(space) > 1 and space[1] != "shorter"):
        return None
    ends = [_coordinates(space[0], each) for each in (one, other)]
    letters = _CHANNELS[space[0]]
    at = letters.find("h")
    if at >= 0:
        _share_hue(ends, letters, at)
    parts = [a + (b - a) * share for a, b in zip(*ends, strict=True)]
    return _placed(space[0], [f"{part:.8f}" for part in parts], f"{density:.8f}")


def _share_hue(ends: list[list[float]], letters: str, at: int) -> None:
    """Give a colour without a hue that of the other one, and take the shorter way around."""
    for one, other in (ends, ends[::-1]):
        is_grey = one[1] + one[2] >= 100 - _NO_HUE if letters == "hwb" else one[1] < _NO_HUE
        if is_grey:
            one[at] = other[at]
    turn = ends[1][at] - ends[0][at]
    ends[1][at] -= 360 * round(turn / 360)


def _reckoned(name: str, inside: str, depth: int) -> Colour | None:
    """Return a colour that is reckoned from the channels of another one: `rgb(from white r g b)`."""
    channels, *behind = split(inside, "/")
    words = split(channels, " ")
    origin = _colour(words[0], depth + 1)
    space = words.pop(1) if name == "color" and len(words) > 1 else name
    if origin is None or space not in _CHANNELS or len(words) != 1 + len(_CHANNELS[space]):
        return None
    scale = 255.0 if name in ("rgb", "rgba") else 1.0
    known = dict(
        zip(_CHANNELS[space], (one * scale for one in _coordinates(space, origin)), strict=True)
    )
    names = {**known, "alpha": origin[3]}
    units = ["%" if space in _SHARES and letter != "h" else "" for letter in _CHANNELS[space]]
    parts = [
        _written_amount(word, names, unit) for word, unit in zip(words[1:], units, strict=True)
    ]
    density = _written_amount(behind[0], names) if behind else f"{origin[3]:.8f}"
    if not (all(parts) and density):
        return None
    if name in ("rgb", "rgba"):
        return _absolute(f"rgb({' '.join(parts)} / {density})")
    return _placed(
        space, [part.removesuffix("%") if space in _SHARES else part for part in parts], density
    )


def _placed(space: str, parts: list[str], density: str) -> Colour | None:
    """Return the colour at a place of a space."""
    if space in _SHARES:
        parts = [
            part if letter == "h" else f"{part}%"
            for part, letter in zip(parts, _CHANNELS[space], strict=True)
        ]
    if _CHANNELS[space] in ("rgb", "xyz"):
        return _absolute(f"color({space} {' '.join(parts)} / {density})")
    return _absolute(f"{space}({' '.join(parts)} / {density})")


def _coordinates(space: str, one: Colour) -> list[float]:
    """Return where a colour is in a space; hues in degrees, shares of a hundred."""
    red, green, blue = one[:3]
    linear = [_linear(part) for part in one[:3]]
    hue, light, full = colorsys.rgb_to_hls(red, green, blue)
    if space in ("lab", "lch", "oklab", "oklch"):
        depth, across, along = _oklab(linear) if space.startswith("ok") else _lab(linear)
        turned = [math.hypot(across, along), math.degrees(math.atan2(along, across)) % 360]
        return [depth, *(turned if space.endswith("ch") else (across, along))]
    if space.startswith("xyz"):
        return _times(_FROM_RGB["xyz-d50" if space == "xyz-d50" else "xyz-d65"], linear)
    others = {
        "hwb": [hue * 360, min(one[:3]) * 100, (1 - max(one[:3])) * 100],
        "srgb-linear": linear,
        "hsl": [hue * 360, full * 100, light * 100],
    }
    return others.get("hsl" if space == "hsla" else space, [red, green, blue])


def _oklab(linear: _Three) -> list[float]:
    """Return lightness and two opponent colours, as B. Ottosson gives them for linear sRGB."""
    return _times(_OKLAB, [math.cbrt(one) for one in _times(_TO_CONES, linear)])


def _lab(linear: _Three) -> list[float]:
    """Return lightness and two opponent colours of CIE, with the white of D50."""
    x, y, z = (
        math.cbrt(part / white)
        if part / white > 216 / 24389
        else (24389 / 27 * part / white + 16) / 116
        for part, white in zip(_times(_FROM_RGB["xyz-d50"], linear), _D50, strict=True)
    )
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]


def _times(matrix: Sequence[_Three], three: _Three) -> list[float]:
    return [sum(a * b for a, b in zip(row, three, strict=True)) for row in matrix]


def _linear(one: float) -> float:
    return one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4


def _from_xyz(found: Color, white: str) -> list[float]:
    """Return red, green and blue, as CSS Color 4 (10.7) and B. Lindbloom's matrix for D50 give them."""
    linear = _times(_TO_RGB[white], [float(part) for part in found.coordinates])
    return [_curved(one) for one in linear]


def _curved(one: float) -> float:
    return 12.92 * one if one <= 0.0031308 else 1.055 * one ** (1 / 2.4) - 0.055
