"""What an element's style says, as far as it can hide what is in the element."""

import re
from collections.abc import Mapping

_IMPORTANT = re.compile(r"!\s*important\s*\Z")
_UNIT = r"(?:px|pt|r?em|ex|ch|vh|vw|%)?"
_ZERO = re.compile(rf"0*(?:\.0+)?{_UNIT}")
_HIDING = {
    "display": re.compile(r"none"),
    "visibility": re.compile(r"hidden|collapse"),
    "opacity": _ZERO,
    "font-size": _ZERO,
    "font": re.compile(rf"(?:[a-z]+ )*0{_UNIT}(?:/\S+)? .*"),
    "transform": re.compile(r"scale(?:3d|x|y)?\( ?0 ?(?:,.*)?\)"),
    "text-indent": re.compile(r"-(?:\d{4,}(?:px|pt)|\d{3,}(?:r?em|%))"),
    "clip-path": re.compile(r"inset\( ?(?:50|100)% ?\)|circle\( ?0\D*\)"),
}
_SIZES = ("height", "width", "max-height", "max-width")
_SIDES = ("left", "top", "right", "bottom")
_CLIPPED = re.compile(r"hidden|clip")
_AWAY = re.compile(r"-(?:\d{4,}(?:px|pt)|\d{3,}(?:r?em|%))")
_MOVED = ("absolute", "fixed", "relative")
_NO_RECTANGLE = re.compile(r"rect\((?: ?[01](?:px|pt|em)?[ ,]*){4}\)")
_RGB = re.compile(
    r"rgba?\( ?(\d{1,3})[ ,]+(\d{1,3})[ ,]+(\d{1,3}) ?(?:[,/] ?(\d?\.?\d{1,9}%?) ?)?\)"
)
_HEX = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_NAMED = {"white": "#ffffff", "black": "#000000"}
_CLEAR = "transparent"
_SHAPED = ("text-shadow", "background-clip", "-webkit-background-clip")
"""What shows words that have no colour of their own."""
NAMES = frozenset(
    (
        *_HIDING,
        *_SIZES,
        *_SIDES,
        *_SHAPED,
        *("overflow", "overflow-x", "overflow-y", "position", "clip"),
        *("color", "color-scheme", "background", "background-color", "background-image"),
    )
)
_REPLACED = {
    "background": ("background-color", "background-image"),
    "overflow": ("overflow-x", "overflow-y"),
    "font": ("font-size",),
    "font-size": ("font",),
}
"""What is said no more where another thing is said."""
INHERITED = frozenset(("visibility", "font-size", "font", "text-indent", "color"))
"""What an element within may take back."""


def read_declarations(style: str) -> dict[str, str]:
    """Return what a style says of `NAMES`; what is important keeps its mark."""
    found: dict[str, str] = {}
    for declaration in style.split(";"):
        said, _, value = declaration.partition(":")
        name = said.strip().lower()
        if name in NAMES:
            lay_over(found, {name: " ".join(value.lower().split())})
    return found


def lay_over(declared: dict[str, str], more: Mapping[str, str]) -> None:
    """Let what is said later hold, but for what was said with more weight."""
    for name, value in more.items():
        if _is_important(value) or not _is_important(declared.get(name, "")):
            declared[name] = value
            for replaced in _REPLACED.get(name, ()):
                declared.pop(replaced, None)


def _is_important(value: str) -> bool:
    return bool(_IMPORTANT.search(value))


def hidden_by(declared: Mapping[str, str]) -> str:
    """Return the name of what hides: gone, of no size, in the colour of its ground; "" for none."""
    plain = {name: _IMPORTANT.sub("", value).strip() for name, value in declared.items()}
    for name, hiding in _HIDING.items():
        if name in plain and hiding.fullmatch(plain[name]):
            return name
    if any(
        _CLIPPED.match(plain.get(name, "")) for name in ("overflow", "overflow-x", "overflow-y")
    ):
        for name in _SIZES:
            if name in plain and _ZERO.fullmatch(plain[name]):
                return name
    if plain.get("position") in _MOVED:
        for name in _SIDES:
            if _AWAY.fullmatch(plain.get(name, "")):
                return name
        if _NO_RECTANGLE.fullmatch(plain.get("clip", "")):
            return "clip"
    return "color" if _is_its_ground(plain) else ""


def hides(style: str) -> bool:
    """Whether an inline style shows nothing: gone, of no size, or in the colour it stands on."""
    return bool(style) and bool(hidden_by(read_declarations(style)))


def colour_of(declared: Mapping[str, str]) -> str:
    """Return the colour of the words, `#rrggbb` where it can be told; "" for none said."""
    return to_hex(_IMPORTANT.sub("", declared.get("color", "")))


def ground_of(declared: Mapping[str, str]) -> str:
    """Return what is said of the background, a colour or words; "" for nothing or none."""
    for name in ("background-image", "background-color", "background"):
        said = to_hex(_IMPORTANT.sub("", declared.get(name, "")))
        if said and said not in ("none", _CLEAR, "initial", "inherit", "unset"):
            return said
    return ""


def _is_its_ground(plain: Mapping[str, str]) -> bool:
    colour = colour_of(plain)
    if colour == _CLEAR:
        return not any(plain.get(name, "none") != "none" for name in _SHAPED)
    return bool(colour) and colour == ground_of(plain)


def to_hex(colour: str) -> str:
    """Return a colour in one spelling where it is written in figures, else as it is."""
    plain = colour.strip().lower()
    figures = _RGB.fullmatch(plain)
    if figures:
        if figures[4] and not float(figures[4].rstrip("%")):
            return _CLEAR
        return "#" + "".join(f"{min(int(one), 255):02x}" for one in figures.groups()[:3])
    if not _HEX.fullmatch(plain):
        return _NAMED.get(plain, plain)
    if len(plain) < 6:
        plain = "#" + "".join(digit * 2 for digit in plain[1:])
    return _CLEAR if plain[7:] == "00" else plain[:7]
