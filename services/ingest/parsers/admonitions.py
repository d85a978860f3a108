"""Boxes of text that say what they are ("Warning"): the same in every format, their type as a label."""

import re
from collections.abc import Iterable

KINDS = frozenset(
    (
        *("note", "warning", "tip", "important", "caution", "danger", "hint", "attention"),
        *("error", "info", "seealso", "success", "secondary", "deprecated", "todo"),
    )
)
POINTERS = "seealso"
"""The type of a box that leads elsewhere."""
_USUAL = "note"
_LEAD = re.compile(r"([^\W\d_]+)\s*(?:[:!.](?:\s+|\Z)|(\Z))")


def kind_of(names: Iterable[str]) -> str:
    """Return which type of box the names say one is, in small letters; a note if none does."""
    return next((name for name in names if name in KINDS), _USUAL)


def lead_of(text: str, label: str, *, may_be_title: bool = True) -> int:
    """Return how many characters of a box's text only say its type, which its label does: "Note: ".

    With `may_be_title` also a word alone.
    """
    found = _LEAD.match(text)
    if not found or found[1].casefold() != label.casefold():
        return 0
    return found.end() if may_be_title or found[2] is None else 0
