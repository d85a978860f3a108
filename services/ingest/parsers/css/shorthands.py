"""Say what is said by short names in the names of single properties, with variables in place."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from services.ingest.parsers.css.colours import colour
from services.ingest.parsers.css.reckon import length, percent
from services.ingest.parsers.css.tokens import Said, split, with_variables

SIDES = ("left", "top", "right", "bottom")
SIZES = ("height", "width", "max-height", "max-width")
_LOGICAL = {
    "block-size": "height",
    "inline-size": "width",
    "max-block-size": "max-height",
    "max-inline-size": "max-width",
    "inset-inline-start": "left",
    "inset-inline-end": "right",
    "inset-block-start": "top",
    "inset-block-end": "bottom",
    "padding-inline-start": "padding-left",
    "padding-inline": "padding-left",
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
    "-webkit-mask-image": "mask-image",
    "-webkit-mask": "mask",
    "-webkit-mask-size": "mask-size",
    "min-block-size": "min-height",
    "min-inline-size": "min-width",
}
_OF_FOUR = {
    "inset": ("top", "right", "bottom", "left"),
    "margin": ("margin-top", "", "", "margin-left"),
    "padding": ("", "", "", "padding-left"),
}
PAINTED = re.compile(r"url\(|gradient\(|image\(|image-set\(|element\(|cross-fade\(")
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
_OPENED = frozenset(
    (
        *("display", "visibility", "opacity", "content-visibility", "transform", "translate"),
        *("scale", "rotate", "filter", *SIDES, *SIZES),
    )
)
"""What menus, tabs and folded parts of a page are hidden by, until a reader opens them."""
NAMES = frozenset(
    (
        *(*_OPENED, *_LOGICAL, *_OF_FOUR, "margin-left", "margin-top", "overflow", "overflow-x"),
        *("overflow-y", "position", "clip", "clip-path", "text-indent", "font", "font-size"),
        *("color", "-webkit-text-fill-color", "background", "background-color", "z-index"),
        *("background-image", "background-clip", "text-shadow", "color-scheme", "animation-name"),
        *("letter-spacing", "zoom", "-webkit-text-stroke", "float", "perspective", "mask"),
        *("padding-left", "font-size-adjust", "backface-visibility", "-webkit-backface-visibility"),
        *("animation-fill-mode", "animation-duration", "all", "content"),
        *("mask-image", "mask-size", "min-height", "min-width", "transform-style"),
    )
)


_SINGLE = NAMES.difference(_LOGICAL, _OF_FOUR, ("all", "background", "font", "mask", "overflow"))


def may_open(name: str) -> bool:
    """Whether what a property hides may be there for a reader to open."""
    return name in _OPENED


@lru_cache(8192)
def expand(name: str, said: Said) -> tuple[tuple[str, Said], ...]:
    """Return what a declaration says by the names of single properties."""
    return tuple((one, Said(value, said.is_important)) for one, value in _expand(name, said.value))


def _expand(name: str, value: str) -> Iterator[tuple[str, str]]:
    name = _LOGICAL.get(name, name)
    words = split(value, " ")
    if name == "all":
        yield from ((one, value) for one in _SINGLE)
    elif "var(" in value and name in ("background", "font", "overflow", *_OF_FOUR):
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
        yield "background-image", _painted_by(words) if PAINTED.search(value) else "none"
        yield "background-color", plain[-1] if plain else "transparent"
        yield "background-clip", "text" if "text" in words else "border-box"
    elif name == "mask":
        layers = [part for one in split(value, ",") for part in split(one, " ")]
        pictures = [part for part in layers if PAINTED.match(part) or "gradient(" in part]
        yield "mask-image", ",".join(pictures) or "none"
        yield "mask-size", " ".join(split(value.partition("/")[2], " ")[:2]) or "auto"
    elif name == "font":
        sizes = (word.partition("/")[0] for word in words)
        found = (
            one
            for one in sizes
            if one == "0" or (font_of(one, 16.0) is not None and not one.isdecimal())
        )
        yield "font-size", next(found, "medium")
    else:
        yield name, value


def _painted_by(words: list[str]) -> str:
    """Return a gradient that is all that is painted, as it is written."""
    pictures = [word for word in words if PAINTED.search(word)]
    return pictures[0] if len(pictures) == 1 and "gradient(" in pictures[0] else "url()"


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


def font_of(value: str, around: float) -> float | None:
    """Return the size of letters in pixels within letters of another size; None for one not known."""
    if value in _SIZE_WORDS:
        return _SIZE_WORDS[value]
    if value in ("smaller", "larger"):
        return around * (1.2 if value == "larger" else 1 / 1.2)
    share = percent(value)
    return around * share / 100 if share is not None else length(value, around)
