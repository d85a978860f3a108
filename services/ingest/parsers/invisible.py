"""Text that no reader of a source sees: hidden by its style, or of characters without a shape."""

import re
from collections.abc import Mapping
from dataclasses import replace

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.dropped import visible
from services.ingest.parsers.styles import hides

HIDDEN = DroppedContent("hidden text", "", "no reader of the source sees it")
_BY_SHEET = "a style sheet hides it from all readers"
_SHAPELESS = DroppedContent("hidden characters", "", "they have no shape, so no reader sees them")

# Zero-width spaces and joiners of words, marks and overrides of direction, the tags of plane 14. The
# two joiners of letters stay: Persian, Hindi and emoji are written with them.
_NO_SHAPE = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")


def is_hiding(attributes: Mapping[str, str]) -> bool:
    """Whether the attributes of a tag hide what is in its element."""
    return "hidden" in attributes or hides(attributes.get("style", ""))


def hidden(text: str, place: str) -> DroppedContent:
    """Return what the report says of text that was left out because it is hidden."""
    return replace(HIDDEN, place=place, characters=visible(text))


def hidden_by_sheet(text: str, place: str) -> DroppedContent:
    """Return what the report says of text that a style sheet hides, whatever a reader does."""
    return replace(hidden(text, place), reason=_BY_SHEET)


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
