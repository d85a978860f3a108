"""Tell what hides an element by what is said of it, and what those within it take over."""

from collections.abc import Mapping
from typing import NamedTuple

from services.ingest.parsers.css.clip import colours_of_gradient, is_clipped_away
from services.ingest.parsers.css.colours import FAINT, Colour, colour, is_near, over, written
from services.ingest.parsers.css.reckon import length, number, percent
from services.ingest.parsers.css.shorthands import PAINTED, SIDES, SIZES, font_of
from services.ingest.parsers.css.tokens import split
from services.ingest.parsers.css.transform import Moved, moved_by
from services.ingest.parsers.css.veils import (
    Veil,
    blur_of,
    density_of,
    may_shape,
    veil_of,
    veiled,
)

_LEAST_FONT = 3.0
_LEAST_SIDE = 1.0
_AWAY, _FAR = -500.0, 5000.0
"""Pixels to the left of a page or above it, and to its right, where nobody looks."""
_AWAY_PERCENT = -100.0
_LEAST_STEP = -0.5
"""Of a letter's height, between letters: all of them stand on one another."""
_LAYING = ("flex", "inline-flex", "grid", "inline-grid")
"""What makes boxes of the lines of text within it."""
_CLIPPING = ("hidden", "clip", "auto", "scroll")
_PLACED = ("absolute", "fixed", "sticky")


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
    density: float = 1.0
    step: float = 0.0
    """Pixels that are added between letters."""
    veils: tuple[Veil, ...] = ()
    scale: float = 1.0
    adjust: float = 1.0
    """What sizes of letters are made larger by."""
    is_deep: bool = False
    """Whether what is in it stands in a space that is seen from one point."""
    makes_boxes: bool = False
    """Whether each element in it is a box, also one of a line."""


class Effect(NamedTuple):
    """What hides all of an element, what its own words, by the names of properties; "" for nothing."""

    hides_all: str
    hides_words: str
    around: Around
    """For what is within it."""


def effect_of(said: Mapping[str, str], around: Around) -> Effect:
    """Return what is hidden by what is said of an element, by the names of single properties."""
    font = font_of(said.get("font-size", ""), around.font) or around.font
    if said.get("font-size") and font_of(said["font-size"], around.font) == 0:
        font = 0.0
    is_part = _is_part_of_line(said, around)
    inner = around._replace(
        font=font,
        ink=_ink(said, around),
        is_seen=_is_seen(said, around),
        is_away=around.is_away if is_part else _is_away(said, font, around),
        is_shaped=_is_shaped(said, around),
        step=_step(said, font, around),
        is_deep=_is_deep(said),
        makes_boxes=said.get("display") in _LAYING,
        scale=around.scale * (number(said.get("zoom", "1"), 1.0) or 1.0),
        adjust=number(said.get("font-size-adjust", ""), 0.5 * around.adjust) / 0.5,
    )
    if said.get("display") == "contents":
        return Effect("", _hides_words(inner), inner)
    veil = veil_of(said)
    veils = (*around.veils, veil) if veil else around.veils
    if _paints(said, around):
        veils = tuple(one._replace(is_bare=False) for one in veils)
    density = around.density * density_of(said)
    is_deep = around.is_deep or inner.is_deep
    moved = Moved() if is_part else moved_by(said, font=font, is_deep=is_deep)
    inner = inner._replace(
        ground=_ground(said, around),
        density=density,
        veils=veils,
        scale=inner.scale * moved.scale,
    )
    is_column = not (around.makes_boxes or _is_out_of_line(said))
    hidden = _hides_all(said, inner, moved, is_part=is_part, is_column=is_column)
    return Effect(hidden, _hides_words(inner), inner)


def _hides_words(inner: Around) -> str:
    if not inner.is_seen:
        return "visibility"
    if inner.font * inner.scale * inner.adjust < _LEAST_FONT:
        return "font-size"
    if inner.step <= _LEAST_STEP * inner.font:
        return "letter-spacing"
    if inner.is_away:
        return "text-indent"
    return "color" if _is_its_ground(inner) else ""


def _is_part_of_line(said: Mapping[str, str], around: Around) -> bool:
    """Whether an element has no size of its own, and is moved by nothing."""
    if around.makes_boxes or _is_out_of_line(said):
        return False
    return said.get("display") == "inline"


def _is_out_of_line(said: Mapping[str, str]) -> bool:
    """Whether an element floats or is placed: such is a block, whatever its style displays it as."""
    floats = said.get("float", "none") not in ("none", "initial", "unset", "inherit")
    return floats or said.get("position") in ("absolute", "fixed")


def _is_deep(said: Mapping[str, str]) -> bool:
    has_point = said.get("perspective", "none") not in ("none", "initial")
    return has_point or said.get("transform-style") == "preserve-3d"


def _step(said: Mapping[str, str], font: float, around: Around) -> float:
    value = said.get("letter-spacing", "inherit")
    if value in ("inherit", "unset"):
        return around.step
    share = percent(value)
    pixels = share * font / 100 if share is not None else length(value, font)
    return pixels or 0.0


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
    if may_shape(said) or (said.get("background-clip") == "text" and _fills_letters(said, around)):
        return True
    told = [said[name] for name in ("text-shadow", "-webkit-text-stroke") if name in said]
    if not told:
        return around.is_shaped
    ink = _ink(said, around)
    return any(_draws(part, ink, around) for value in told for part in split(value, ","))


def _fills_letters(said: Mapping[str, str], around: Around) -> bool:
    """Whether letters that are cut out of their ground show it."""
    if PAINTED.search(said.get("background-image", "")):
        stops = colours_of_gradient(said["background-image"])
    else:
        plain = colour(said.get("background-color", "transparent"))
        stops = [plain] if plain else None
    return stops is None or any(_differs(one, around.ground) for one in stops)


def _draws(value: str, ink: Colour | None, around: Around) -> bool:
    """Whether a shadow or an outline is there to be seen: near its letters, of another colour."""
    if value in ("none", "0", "initial", "unset"):
        return False
    words = split(value, " ")
    pixels = [one for one in (length(word, around.font) for word in words) if one is not None]
    if any(abs(one) >= -_AWAY for one in pixels[:2]) or (len(pixels) == 1 and not pixels[0]):
        return False
    others = [word for word in words if length(word, around.font) is None]
    told = _colour(others[0], ink) if others else ink
    return told is None or _differs(told, around.ground)


def _differs(one: Colour, ground: Colour | None) -> bool:
    if one[3] < FAINT:
        return False
    return ground is None or not is_near(over(one, ground), ground)


def _ink(said: Mapping[str, str], around: Around) -> Colour | None:
    value = said.get("-webkit-text-fill-color", said.get("color", "inherit"))
    if value == "currentcolor" and "color" in said:
        value = said["color"]
    if value in ("inherit", "unset", "revert", "currentcolor"):
        return around.ink
    if value == "initial":
        return (0.0, 0.0, 0.0, 1.0)
    return _colour(value, around.ink)


def _colour(value: str, ink: Colour | None) -> Colour | None:
    """Return a colour, in which that of the letters may be meant."""
    if "currentcolor" not in value:
        return colour(value)
    return colour(value.replace("currentcolor", written(ink))) if ink else None


def _paints(said: Mapping[str, str], around: Around) -> bool:
    """Whether an element has a ground of its own."""
    if said.get("background-clip") == "text":
        return False
    if PAINTED.search(said.get("background-image", "")):
        return True
    value = said.get("background-color", "")
    own = (0.0,) * 4 if value in _UNPAINTED else _colour(value, _ink(said, around))
    return own is None or own[3] > 0


def _ground(said: Mapping[str, str], around: Around) -> Colour | None:
    if not _paints(said, around):
        return around.ground
    picture = said.get("background-image", "")
    if PAINTED.search(picture):
        return _ground_of_picture(picture)
    own = _colour(said["background-color"], _ink(said, around))
    return own and (own if own[3] >= 1 else around.ground and over(own, around.ground))


_UNPAINTED = ("", "none", "initial", "unset", "revert", "transparent", "inherit")


def _ground_of_picture(picture: str) -> Colour | None:
    stops = colours_of_gradient(picture)
    is_plain = stops and all(one[3] >= 1 and is_near(one, stops[0]) for one in stops)
    return stops[0] if stops and is_plain else None


def _is_its_ground(inner: Around) -> bool:
    if inner.is_shaped or inner.ink is None:
        return False
    if inner.ink[3] < FAINT:
        return True
    if inner.ground is None:
        return False
    ink, ground = veiled(inner.veils, inner.ink, inner.ground)
    return is_near(over(ink, ground), ground)


def _hides_all(
    said: Mapping[str, str], inner: Around, moved: Moved, *, is_part: bool, is_column: bool
) -> str:
    """Return what hides an element whatever is in it; first what is there for nobody to open."""
    font = inner.font
    is_picture = PAINTED.search(said.get("content", ""))  # which stands in its place
    if is_picture or is_clipped_away(said, font):
        return "content" if is_picture else "clip"
    for name in ("margin-left", "margin-top", "padding-left"):
        if _beyond(said.get(name, ""), font):
            return name
    if said.get("display") == "none" or (is_column and said.get("display") in _COLUMNS):
        return "display"
    dim = _by_filter(said, inner)
    if dim or is_part:
        return dim or _by_place(said, font)
    if said.get("content-visibility") == "hidden":
        return "content-visibility"
    return moved.hides or _by_size(said, font) or _by_place(said, font)


_COLUMNS = ("table-column", "table-column-group")


def _by_filter(said: Mapping[str, str], inner: Around) -> str:
    if inner.density < FAINT:
        return "filter" if number(said.get("opacity", "1"), 1.0) >= 1 else "opacity"
    return "filter" if inner.font and blur_of(said, inner.font) >= inner.font else ""


def _by_size(said: Mapping[str, str], font: float) -> str:
    if not any(said.get(f"overflow-{way}") in _CLIPPING for way in ("x", "y")):
        return ""
    if "table" in said.get("display", ""):
        return ""  # which is as large as what is in it
    for name in SIZES:
        value = said.get(name, "")
        least = length(said.get(f"min-{name.removeprefix('max-')}", "0"), font)
        if least is None or least > _LEAST_SIDE:
            continue
        pixels = length(value, font) if value else None
        if percent(value) == 0 or (pixels is not None and 0 <= pixels <= _LEAST_SIDE):
            return name
    return ""


def _by_place(said: Mapping[str, str], font: float) -> str:
    position = said.get("position")
    if position not in (*_PLACED, "relative"):
        return ""
    for name in SIDES:
        value = said.get(name, "")
        if _beyond(value, font, percents=position != "relative", far=name in ("left", "right")):
            return name
        if position == "fixed" and (percent(value) or 0) >= -_AWAY_PERCENT:
            return name
    return ""


def _beyond(value: str, font: float, *, percents: bool = False, far: bool = True) -> bool:
    """Whether a length leads off the page; of percents where what they are of is as wide as that."""
    share = percent(value)
    if share is not None:
        return share <= _AWAY_PERCENT if percents else share <= 5 * _AWAY_PERCENT
    pixels = length(value, font)
    return pixels is not None and (pixels <= _AWAY or (far and pixels >= _FAR))
