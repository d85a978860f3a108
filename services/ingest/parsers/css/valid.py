"""Tell which values browsers pass over: what was said before them still holds."""

import re

from services.ingest.parsers.css.colours import colour
from services.ingest.parsers.css.reckon import reckon
from services.ingest.parsers.css.tokens import calls_in, split

_PUT = re.compile(r"(?:var|env|attr|if|random|sibling-index|sibling-count)\(")
"""What is put in a value's place, whatever that says."""
_GLOBAL = frozenset(("inherit", "initial", "unset", "revert", "revert-layer"))
_OVERFLOWS = ("visible", "hidden", "clip", "scroll", "auto", "overlay")
_WORDS = {
    "display": (
        *("none", "contents", "block", "inline", "flow", "flow-root", "list-item", "ruby"),
        *("inline-block", "inline-table", "inline-flex", "inline-grid", "flex", "grid", "table"),
        *("table-row", "table-cell", "table-column", "table-caption", "table-row-group"),
        *("table-header-group", "table-footer-group", "table-column-group", "ruby-text", "math"),
        *("ruby-base", "-webkit-box", "-webkit-inline-box", "-webkit-flex", "-webkit-inline-flex"),
    ),
    "visibility": ("visible", "hidden", "collapse"),
    "content-visibility": ("visible", "hidden", "auto"),
    "position": ("static", "relative", "absolute", "fixed", "sticky", "-webkit-sticky"),
    "overflow": _OVERFLOWS,
    "overflow-x": _OVERFLOWS,
    "overflow-y": _OVERFLOWS,
    "float": ("none", "left", "right", "inline-start", "inline-end"),
}
_NUMBERS = frozenset(("opacity", "z-index", "scale", "zoom"))
_LENGTHS = frozenset(
    (
        *("left", "right", "top", "bottom", "text-indent", "letter-spacing", "margin-left"),
        *("margin-top", "font-size", "width", "height", "max-width", "max-height"),
    )
)
_COLOURS = frozenset(("color", "background-color", "-webkit-text-fill-color"))
_IDENTIFIER = re.compile(r"-?[a-z][a-z-]*")
_IDENTIFIERS = frozenset(
    (
        *("none", "auto", "normal", "min-content", "max-content", "fit-content", "stretch"),
        *("content", "-webkit-fill-available", "-webkit-min-content", "-webkit-max-content"),
        *("-webkit-fit-content", "math", "smaller", "larger", "xx-small", "x-small", "small"),
        *("medium", "large", "x-large", "xx-large", "xxx-large", "border-box", "padding-box"),
        *("content-box", "margin-box", "fill-box", "stroke-box", "view-box", "intrinsic"),
    )
)
"""That stand alone for sizes, places, filters and clips."""
_CALLS = {
    "transform": re.compile(r"(?:matrix|translate|scale|rotate|skew)(?:3d|[xyz])?|perspective"),
    "filter": re.compile(
        r"url|blur|brightness|contrast|drop-shadow|grayscale|hue-rotate|invert|opacity|saturate|sepia"
    ),
    "clip-path": re.compile(r"url|inset|circle|ellipse|polygon|path|rect|xywh|shape"),
}
_KNOWN_COLOURS = re.compile(r"(?:rgba?|hsla?|hwb|(?:ok)?(?:lab|lch))\(")
_SYSTEM = frozenset(
    (
        *("accentcolor", "accentcolortext", "activetext", "buttonborder", "buttonface", "field"),
        *("buttontext", "canvas", "canvastext", "fieldtext", "graytext", "highlight", "linktext"),
        *("highlighttext", "mark", "marktext", "selecteditem", "selecteditemtext", "visitedtext"),
        *("currentcolor", "window", "windowtext", "infobackground", "infotext", "menu", "menutext"),
        *("background", "activeborder", "threedface", "threedshadow", "scrollbar", "captiontext"),
    )
)
_NAME = re.compile(r"[a-z]+")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_QUOTES = frozenset(("open-quote", "close-quote", "no-open-quote", "no-close-quote", "/"))


def is_valid(name: str, value: str) -> bool:
    """Whether browsers take a value of a property, as it is spelt; True where that is not known."""
    if value in _GLOBAL or _PUT.search(value):
        return True
    if name in _WORDS:
        return all(word in _WORDS[name] for word in value.split(" "))
    if name in _NUMBERS or name in _LENGTHS:
        return _is_amount(value, is_length=name in _LENGTHS)
    if name in _CALLS:
        return _is_called(value, _CALLS[name])
    if name == "content":
        words = split(_STRING.sub(" ", value), " ")
        return value in ("none", "normal") or all("(" in one or one in _QUOTES for one in words)
    return bool(value) and (name not in _COLOURS or _is_colour(value))


def _is_called(value: str, names: re.Pattern[str]) -> bool:
    if "(" not in value:
        return value in _IDENTIFIERS
    return all(names.fullmatch(call) for call, _ in calls_in(value))


def _is_colour(value: str) -> bool:
    if colour(value) or "currentcolor" in value or value.startswith("-"):
        return True
    if _KNOWN_COLOURS.match(value):
        return False
    return value in _SYSTEM or not (_NAME.fullmatch(value) or value.startswith("#"))


def _is_amount(value: str, *, is_length: bool) -> bool:
    """Whether a value may be read: a number alone is no length, and a length is no number."""
    found = reckon(value)
    if found is None:
        return not _IDENTIFIER.fullmatch(value) or value in _IDENTIFIERS
    if is_length:
        return found.unit in ("px", "%") or value in ("0", "+0", "-0")
    return found.unit in ("", "%")
