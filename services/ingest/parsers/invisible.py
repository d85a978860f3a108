"""Text that no reader of a source sees: hidden by its style, or of characters without a shape."""

import re
from collections.abc import Mapping
from dataclasses import replace

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.dropped import visible

HIDDEN = DroppedContent("hidden text", "", "no reader of the source sees it")
_SHAPELESS = DroppedContent("hidden characters", "", "they have no shape, so no reader sees them")

# Zero-width spaces and joiners of words, marks and overrides of direction, the tags of plane 14. The
# two joiners of letters stay: Persian, Hindi and emoji are written with them.
_NO_SHAPE = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
_HIDING = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)"
    r"|transform\s*:\s*scale\(\s*0\s*\)|text-indent\s*:\s*-\d{4,}px"
    r"|(?:opacity|font-size)\s*:\s*0*(?:\.0+)?(?:px|pt|r?em|%)?)\s*(?:!important\s*)?(?:;|$)",
    re.IGNORECASE,
)
_FLAT = re.compile(r"(?:^|;)\s*(?:height|width)\s*:\s*0(?:px|pt|r?em|%)?\s*(?:;|$)", re.IGNORECASE)
_CLIPPED = re.compile(r"(?:^|;)\s*overflow\s*:\s*(?:hidden|clip)\s*(?:;|$)", re.IGNORECASE)
_COLOUR = re.compile(r"(?:^|;)\s*(color|background)(?:-color)?\s*:\s*([^;!]+)", re.IGNORECASE)
_NAMED = {"white": "#ffffff", "black": "#000000"}


def hides(style: str) -> bool:
    """Whether an inline style shows nothing: gone, of no size, or in the colour it stands on."""
    if _HIDING.search(style) or (_FLAT.search(style) and _CLIPPED.search(style)):
        return True
    colours = _colours_of(style)
    return len(colours) == 2 and len(set(colours.values())) == 1


def is_white(style: str) -> bool:
    """Whether an inline style sets words in white."""
    return _colours_of(style).get("color") == _NAMED["white"]


def ground_of(style: str) -> str:
    """Return the background that an inline style gives; "" for none."""
    return _colours_of(style).get("background", "")


def _colours_of(style: str) -> dict[str, str]:
    return {name.lower(): _to_hex(value) for name, value in _COLOUR.findall(style)}


def is_hiding(attributes: Mapping[str, str]) -> bool:
    """Whether the attributes of a tag hide what is in its element."""
    return "hidden" in attributes or hides(attributes.get("style", ""))


def _to_hex(colour: str) -> str:
    plain = "".join(colour.lower().split())
    if re.fullmatch(r"#[0-9a-f]{3}", plain):
        return "#" + "".join(digit * 2 for digit in plain[1:])
    return _NAMED.get(plain, plain)


def hidden(text: str, place: str) -> DroppedContent:
    """Return what the report says of text that was left out because it is hidden."""
    return replace(HIDDEN, place=place, characters=visible(text))


def shapeless(count: int) -> DroppedContent:
    """Return what the report says of `count` characters that were left out of a document."""
    return replace(_SHAPELESS, characters=count)


def count_shapeless(text: str) -> int:
    return 0 if text.isascii() else len(_NO_SHAPE.findall(text))


def list_shapeless(text: str) -> list[int]:
    """Return where in `text` the characters stand that nobody sees, in order."""
    return [] if text.isascii() else [found.start() for found in _NO_SHAPE.finditer(text)]


def drop_shapeless(text: str) -> str:
    """Return `text` without the characters that nobody sees."""
    return text if text.isascii() else _NO_SHAPE.sub("", text)
