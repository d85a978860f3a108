"""Tell what hides an element by what is said of it, and what those within it take over."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from services.ingest.parsers.css.tokens import (
    Colour,
    Said,
    colour,
    length,
    percent,
    with_variables,
)

NEAR = 20 / 255
"""Of each colour: less is the same to eyes."""
_FAINT = 0.06
"""Density from which on something is seen at all."""
_LEAST_FONT = 3.0
_LEAST_SIDE = 1.0
_AWAY, _FAR = -500.0, 5000.0
"""Pixels to the left of a page or above it, and to its right, where nobody looks."""
_AWAY_PERCENT = -100.0
_CLIPPING = ("hidden", "clip", "auto", "scroll")
_PLACED = ("absolute", "fixed", "sticky")
_SIDES = ("left", "top", "right", "bottom")
_SIZES = ("height", "width", "max-height", "max-width")
_LOGICAL = {
    "block-size": "height",
    "inline-size": "width",
    "max-block-size": "max-height",
    "max-inline-size": "max-width",
    "inset-inline-start": "left",
    "inset-inline-end": "right",
    "inset-block-start": "top",
    "inset-block-end": "bottom",
    "margin-inline-start": "margin-left",
    "margin-block-start": "margin-top",
    "margin-inline": "margin-left",
    "margin-block": "margin-top",
    "overflow-inline": "overflow-x",
    "inset-inline": "left",
    "inset-block": "top",
    "overflow-block": "overflow-y",
    "-webkit-background-clip": "background-clip",
    "-webkit-clip-path": "clip-path",
    "-webkit-transform": "transform",
    "animation": "animation-name",
    "-webkit-filter": "filter",
}
_OF_FOUR = {
    "inset": ("top", "right", "bottom", "left"),
    "margin": ("margin-top", "", "", "margin-left"),
}
_WORDS = re.compile(r"(?:[^\s()]|\((?:[^()]|\([^()]*\))*\))+")
_PAINTED = re.compile(r"url\(|gradient\(|image\(|image-set\(|element\(|cross-fade\(")
_SIZE_WORDS = {
    "xx-small": 9.0,
    "x-small": 10.0,
    "small": 13.0,
    "medium": 16.0,
    "large": 18.0,
    "x-large": 24.0,
    "xx-large": 32.0,
    "xxx-large": 48.0,
}
_FUNCTION = re.compile(r"([a-z0-9]+)\(([^()]*)\)")
_NO_RECTANGLE = re.compile(r"rect\((?: ?[01](?:\.\d+)?(?:px|pt|em)?[ ,]*){4}\)")
_OPENED = frozenset(
    (
        *("display", "visibility", "opacity", "content-visibility", "transform", "translate"),
        *("scale", "filter", *_SIDES, *_SIZES),
    )
)
"""What menus, tabs and folded parts of a page are hidden by, until a reader opens them."""
NAMES = frozenset(
    (
        *(*_OPENED, *_LOGICAL, *_OF_FOUR, "margin-left", "margin-top", "overflow", "overflow-x"),
        *("overflow-y", "position", "clip", "clip-path", "text-indent", "font", "font-size"),
        *("color", "-webkit-text-fill-color", "background", "background-color", "z-index"),
        *("background-image", "background-clip", "text-shadow", "color-scheme", "animation-name"),
        *("letter-spacing", "zoom", "-webkit-text-stroke", "rotate"),
    )
)


class Around(NamedTuple):
    """What an element takes over from the one around it.

    `ground` is the colour it stands on, None for one that is not known; sizes are in pixels.
    """

    ink: Colour | None = (0.0, 0.0, 0.0, 1.0)
    ground: Colour | None = (1.0, 1.0, 1.0, 1.0)
    font: float = 16.0
    is_seen: bool = True
    is_away: bool = False
    """Whether its lines begin beyond the page."""
    is_shaped: bool = False
    """Whether a shadow or an outline shows the letters, whatever their ink."""
    variables: Mapping[str, str] = {}


class Effect(NamedTuple):
    """What hides all of an element, what its own words, by the names of properties; "" for nothing."""

    hides_all: str
    hides_words: str
    around: Around
    """For what is within it."""


def may_open(name: str) -> bool:
    """Whether what a property hides may be there for a reader to open."""
    return name in _OPENED


@lru_cache(8192)
def expand(name: str, said: Said) -> tuple[tuple[str, Said], ...]:
    """Return what a declaration says by the names of single properties."""
    return tuple((one, Said(value, said.is_important)) for one, value in _expand(name, said.value))


def _expand(name: str, value: str) -> Iterator[tuple[str, str]]:
    name = _LOGICAL.get(name, name)
    words = _WORDS.findall(value)
    if "var(" in value and name in ("background", "font", "overflow", *_OF_FOUR):
        yield name, value
    elif name in _OF_FOUR:
        four = {1: (0, 0, 0, 0), 2: (0, 1, 0, 1), 3: (0, 1, 2, 1), 4: (0, 1, 2, 3)}
        for one, at in zip(_OF_FOUR[name], four.get(len(words), ()), strict=False):
            if one:
                yield one, words[at]
    elif name == "overflow":
        yield "overflow-x", words[0] if words else ""
        yield "overflow-y", words[-1] if words else ""
    elif name == "background":
        plain = [word for word in words if colour(word) or word == "currentcolor"]
        yield "background-image", "url()" if _PAINTED.search(value) else "none"
        yield "background-color", plain[-1] if plain else "transparent"
        yield "background-clip", "text" if "text" in words else "border-box"
    elif name == "font":
        sizes = (word.partition("/")[0] for word in words)
        found = (
            one
            for one in sizes
            if one == "0" or (_font_of(one, 16.0) is not None and not one.isdecimal())
        )
        yield "font-size", next(found, "medium")
    else:
        yield name, value


def lay(said: dict[str, str], variables: Mapping[str, str]) -> dict[str, str]:
    """Return what is said with its variables in place."""
    laid: dict[str, str] = {}
    for name, value in said.items():
        if "var(" not in value:
            laid[name] = value
            continue
        whole = with_variables(value, variables)
        for one, part in expand(name, Said(whole)) if whole else _unknown(name):
            laid[one] = part.value
    return laid


def _unknown(name: str) -> list[tuple[str, Said]]:
    """Return what is said by a value that is not known."""
    colours = {"background": "background-image", "background-color": "background-image"}
    return [(colours.get(name, name), Said("url()" if name in colours else "?"))]


def effect_of(said: Mapping[str, str], around: Around) -> Effect:
    """Return what is hidden by what is said of an element, by the names of single properties."""
    font = _font_of(said.get("font-size", ""), around.font) or around.font
    if said.get("font-size") and _font_of(said["font-size"], around.font) == 0:
        font = 0.0
    inner = around._replace(
        font=font,
        ink=_ink(said, around),
        ground=_ground(said, around),
        is_seen=_is_seen(said, around),
        is_away=_is_away(said, font, around),
        is_shaped=_is_shaped(said, around),
    )
    hidden = _hides_all(said, font)
    words = ""
    if not inner.is_seen:
        words = "visibility"
    elif inner.font * _number(said.get("zoom", "1"), 1.0) < _LEAST_FONT:
        words = "font-size"
    elif inner.is_away:
        words = "text-indent"
    elif _is_its_ground(inner):
        words = "color"
    return Effect(hidden, words, inner)


def _font_of(value: str, around: float) -> float | None:
    if value in _SIZE_WORDS:
        return _SIZE_WORDS[value]
    if value in ("smaller", "larger"):
        return around * (1.2 if value == "larger" else 1 / 1.2)
    share = percent(value)
    return around * share / 100 if share is not None else length(value, around)


def _number(value: str, otherwise: float) -> float:
    share = percent(value)
    if share is not None:
        return share / 100
    try:
        return float(value)
    except ValueError:
        return otherwise


def _is_seen(said: Mapping[str, str], around: Around) -> bool:
    value = said.get("visibility", "inherit")
    return value not in ("hidden", "collapse") if value in _SEEN else around.is_seen


_SEEN = ("visible", "hidden", "collapse", "initial")


def _is_away(said: Mapping[str, str], font: float, around: Around) -> bool:
    if "text-indent" not in said:
        return around.is_away
    value = said["text-indent"]
    return _beyond(value, font) or (percent(value) or 0) >= 100


def _is_shaped(said: Mapping[str, str], around: Around) -> bool:
    is_cut = said.get("background-clip") == "text"
    shadow = said.get("text-shadow", said.get("-webkit-text-stroke"))
    return is_cut or (
        around.is_shaped if shadow is None else shadow not in ("none", "0", "initial")
    )


def _ink(said: Mapping[str, str], around: Around) -> Colour | None:
    value = said.get("-webkit-text-fill-color", said.get("color", "inherit"))
    if value == "currentcolor" and "color" in said:
        value = said["color"]
    if value in ("inherit", "unset", "revert", "currentcolor"):
        return around.ink
    return (0.0, 0.0, 0.0, 1.0) if value == "initial" else colour(value)


def _ground(said: Mapping[str, str], around: Around) -> Colour | None:
    if _PAINTED.search(said.get("background-image", "")):
        return None
    value = said.get("background-color", "")
    if value == "currentcolor":
        return _ink(said, around)
    if not value or value in ("none", "initial", "unset", "revert", "transparent", "inherit"):
        return around.ground
    own = colour(value)
    return own and (own if own[3] >= 1 else around.ground and _over(own, around.ground))


def _over(above: Colour, below: Colour) -> Colour:
    """Return the colour that one which is not dense makes on another one."""
    share = above[3]
    red, green, blue = (
        one * share + other * (1 - share) for one, other in zip(above[:3], below[:3], strict=True)
    )
    return red, green, blue, 1.0


def _is_its_ground(inner: Around) -> bool:
    if inner.is_shaped or inner.ink is None:
        return False
    if inner.ink[3] < _FAINT:
        return True
    if inner.ground is None:
        return False
    shown = _over(inner.ink, inner.ground)
    return all(abs(a - b) <= NEAR for a, b in zip(shown[:3], inner.ground[:3], strict=True))


def _hides_all(said: Mapping[str, str], font: float) -> str:
    """Return what hides an element whatever is in it; first what is there for nobody to open."""
    if _is_cut_off(said):
        return "clip"
    for name in ("margin-left", "margin-top"):
        if _beyond(said.get(name, ""), font):
            return name
    if said.get("display") == "none":
        return "display"
    if said.get("content-visibility") == "hidden":
        return "content-visibility"
    for name in ("opacity", "scale"):
        if name in said and _number(said[name].split(" ")[0], 1.0) < _FAINT:
            return name
    return _by_function(said, font) or _by_size(said, font) or _by_place(said, font)


def _is_cut_off(said: Mapping[str, str]) -> bool:
    is_placed = said.get("position") in ("absolute", "fixed")
    if is_placed and _NO_RECTANGLE.fullmatch(said.get("clip", "")):
        return True
    found = _FUNCTION.match(said.get("clip-path", ""))
    if not found:
        return False
    name, inside = found[1], found[2]
    numbers = [float(one) for one in re.findall(r"-?\d+\.?\d*", inside)]
    if name == "inset":
        return bool(numbers) and "%" in inside and min(numbers) >= 50
    if name in ("circle", "ellipse"):
        return bool(numbers) and not any(numbers[: 1 + (name == "ellipse")])
    points = {point.strip() for point in inside.split(",")}
    return name == "polygon" and len(points) <= 2


def _by_function(said: Mapping[str, str], font: float) -> str:
    dim = (
        inside for name, inside in _FUNCTION.findall(said.get("filter", "")) if name == "opacity"
    )
    if any(_number(inside, 1.0) < _FAINT for inside in dim):
        return "filter"
    if any(_beyond(part, font, percents=True) for part in said.get("translate", "").split(" ")):
        return "translate"
    for name, inside in _FUNCTION.findall(said.get("transform", "")):
        if _moves_away(name, [part.strip() for part in inside.split(",")], font):
            return "transform"
    return ""


def _moves_away(name: str, parts: list[str], font: float) -> bool:
    """Whether a function of a transformation leaves nothing to see."""
    if name.startswith("scale"):
        return any(abs(_number(part, 1.0)) < _FAINT for part in parts)
    if name.startswith("translate"):
        return any(_beyond(part, font, percents=True) for part in parts)
    if name in ("rotatex", "rotatey"):
        return parts[0] in ("90deg", "-90deg", "0.25turn")
    return name == "matrix" and all(_number(part, 1.0) == 0 for part in parts[:4])


def _by_size(said: Mapping[str, str], font: float) -> str:
    if not any(said.get(f"overflow-{way}") in _CLIPPING for way in ("x", "y")):
        return ""
    for name in _SIZES:
        value = said.get(name, "")
        pixels = length(value, font) if value else None
        if percent(value) == 0 or (pixels is not None and 0 <= pixels <= _LEAST_SIDE):
            return name
    return ""


def _by_place(said: Mapping[str, str], font: float) -> str:
    if said.get("position") not in (*_PLACED, "relative"):
        return ""
    for name in _SIDES:
        value = said.get(name, "")
        if _beyond(value, font, percents=said["position"] != "relative", far=name == "left"):
            return name
    return ""


def _beyond(value: str, font: float, *, percents: bool = False, far: bool = True) -> bool:
    """Whether a length leads off the page; of percents where what they are of is as wide as that."""
    share = percent(value)
    if share is not None:
        return share <= _AWAY_PERCENT if percents else share <= 5 * _AWAY_PERCENT
    pixels = length(value, font)
    return pixels is not None and (pixels <= _AWAY or (far and pixels >= _FAR))
