"""Tell whether the conditions of a style sheet hold where its page is read."""

import re
from collections.abc import Callable
from typing import NamedTuple

from services.ingest.parsers.css.parsed import parse
from services.ingest.parsers.css.reckon import length, number
from services.ingest.parsers.css.valid import is_valid


class Screen(NamedTuple):
    """Where a page is read."""

    width: int
    height: int
    scheme: str


SCREENS = (Screen(1280, 800, "light"), Screen(360, 740, "light"), Screen(1280, 800, "dark"))
"""A desk's, a telephone's, and a desk's at night: what is seen on one of them is seen."""

_FONT = 16.0
_LONGEST = 1000
"""Characters of a condition: each may stand in another one."""
_OPERATOR = r"(<=|>=|<|>|=)"
_SIDE = r"(width|height|inline-size|block-size)"
_LENGTH = r"([-+.\da-z]+|calc\([^()]*\))"
_BOUND = re.compile(rf"(min|max)-(?:device-)?{_SIDE} ?: ?{_LENGTH}")
_RANGE = re.compile(
    rf"(?:{_LENGTH} ?{_OPERATOR} ?)?(?:device-)?{_SIDE} ?(?:{_OPERATOR} ?{_LENGTH})?"
)
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}
_RATIO = re.compile(r"(min|max)-(?:device-)?aspect-ratio ?: ?([.\d]+) ?(?:/ ?([.\d]+))?")
_DENSITY = re.compile(
    r"(min|max)-(?:resolution|-webkit-device-pixel-ratio) ?: ?([.\d]+)(dppx|x|dpi|dpcm|)"
)
_DOTS = {"dppx": 1.0, "x": 1.0, "": 1.0, "dpi": 1 / 96, "dpcm": 2.54 / 96}
"""Dots of a screen's pixel."""
_HOLDING = frozenset(
    (
        *("min-color: 1", "min-color: 8", "color: 8", "monochrome: 0", "max-monochrome: 0"),
        *("prefers-contrast: no-preference", "forced-colors: none", "inverted-colors: none"),
        *("prefers-reduced-transparency: no-preference", "prefers-reduced-data: no-preference"),
        *("display-mode: browser", "dynamic-range: standard", "color-gamut: srgb"),
        *("prefers-color-scheme", "overflow-inline: scroll", "width", "height", "aspect-ratio"),
        *("all", "screen", "hover", "hover: hover", "any-hover: hover", "pointer: fine", "color"),
        *("any-pointer: fine", "prefers-reduced-motion: no-preference", "scripting: enabled", ""),
        *("scripting", "update: fast", "overflow-block: scroll", "pointer", "grid: 0", "any-hover"),
    )
)
_KNOWN = re.compile(
    r"(?:align|animation|appearance|aspect|backdrop|background|border|bottom|box|clear|clip|color|"
    r"columns?|contain|container|content|cursor|direction|display|filter|flex|float|font|gap|grid|"
    r"height|hyphens|inset|isolation|justify|left|letter|line|list|margin|mask|max|min|mix|object|"
    r"opacity|order|outline|overflow|padding|perspective|place|pointer|position|quotes|resize|right|"
    r"rotate|row|scale|scroll|tab|table|text|top|touch|transform|transition|translate|user|"
    r"vertical|visibility|white|width|will|word|writing|z|zoom|-webkit|--|accent|anchor|break|caret|"
    r"counter|empty|field|fill|hyphenate|image|interpolate|offset|orphans|overscroll|page|quotes|"
    r"ruby|scrollbar|shape|stroke|timeline|unicode|view|widows)[\w-]*"
)
"""How the properties that browsers support begin."""


def holds(query: str, screen: Screen) -> bool:
    """Whether one of the media of a query, as it is spelt, is a screen."""
    return any(_holds(one.strip(), lambda text: _has(text, screen)) for one in query.split(","))


def is_supported(condition: str) -> bool:
    """Whether browsers do what `@supports` asks for."""
    return _holds(condition, _is_known)


def _holds(condition: str, asks: Callable[[str], bool]) -> bool:
    plain = condition.strip().removeprefix("only ")
    if len(plain) > _LONGEST:
        return False
    if plain.startswith("not "):
        return not _holds(plain[4:], asks)
    for word, decides in ((" or ", any), (" and ", all)):
        parts = _parts(plain, word)
        if len(parts) > 1:
            return decides(_holds(part, asks) for part in parts)
    if plain.startswith("(") and plain.endswith(")") and "(" in plain[1:]:
        return _holds(plain[1:-1], asks)
    return asks(plain.removeprefix("(").removesuffix(")").strip() if plain[:1] == "(" else plain)


def _parts(condition: str, word: str) -> list[str]:
    """Return what a word parts outside of brackets."""
    parts = [""]
    for piece in re.split(f"({word})", condition):
        is_outside = parts[-1].count("(") == parts[-1].count(")")
        if piece == word and is_outside:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _has(feature: str, screen: Screen) -> bool:
    plain = re.sub(r" ?: ?", ": ", feature)
    if plain in _HOLDING:
        return True
    if plain.startswith("prefers-color-scheme: "):
        return plain.endswith(screen.scheme)
    if plain.startswith("orientation: "):
        return plain.endswith("portrait" if screen.height > screen.width else "landscape")
    bound = _BOUND.fullmatch(plain)
    if bound:
        return _compare(_side(bound[2], screen), ">=" if bound[1] == "min" else "<=", bound[3])
    found = _RANGE.fullmatch(plain)
    if not found:
        return _is_drawn_so(plain, screen)
    low, before, side, after, high = found.groups()
    is_above = not before or _compare(_side(side, screen), _TURNED[before], low)
    return is_above and (not after or _compare(_side(side, screen), after, high))


def _is_drawn_so(plain: str, screen: Screen) -> bool:
    """Whether a screen is as wide for its height, or has as many dots, as is asked."""
    ratio, density = _RATIO.fullmatch(plain), _DENSITY.fullmatch(plain)
    if ratio:
        asked = number(ratio[2], 0.0) / (number(ratio[3] or "1", 1.0) or 1.0)
        own = screen.width / screen.height
        return own >= asked if ratio[1] == "min" else own <= asked
    dots = number(density[2], 0.0) * _DOTS[density[3]] if density else 0.0
    return dots <= 1 if density and density[1] == "min" else dots >= 1


def _side(name: str, screen: Screen) -> int:
    return screen.height if name in ("height", "block-size") else screen.width


def _compare(side: int, operator: str, bound: str) -> bool:
    pixels = length(bound, _FONT)
    if pixels is None:
        return False
    return {
        "<": side < pixels,
        "<=": side <= pixels,
        ">": side > pixels,
        ">=": side >= pixels,
        "=": side == pixels,
    }[operator]


def _is_known(feature: str) -> bool:
    if feature.startswith("selector("):
        return bool(parse(feature[len("selector(") : -1]))
    if feature.startswith(("font-tech(", "font-format(")):
        return True
    name, _, value = (part.strip() for part in feature.partition(":"))
    return bool(_KNOWN.fullmatch(name)) and is_valid(name, value.removesuffix("!important").strip())
