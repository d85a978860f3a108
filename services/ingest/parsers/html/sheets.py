"""What style sheets say that changes what text means: struck out, raised, lowered."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from services.ingest.parsers.scripts import STRIKING, STRUCK_NAMES, TAGS, Script

_ALIGNED = re.compile(r"vertical-align\s*:\s*(super|sub)\b", re.IGNORECASE)
_MOVED = re.compile(
    r"(?:^|[;\s])(vertical-align|top|bottom)\s*:\s*([+-]?(?:\d{1,6}(?:\.\d{0,9})?|\.\d{1,9}))"
    r"(%|r?em|ex|px|pt)",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"position\s*:\s*relative", re.IGNORECASE)
_LEAST = {"%": 15, "px": 2, "pt": 2}
"""From which on text is raised and not set a little better; of the other units the next."""
_LEAST_OF_SIZE = 0.15
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_MOST_STYLE = 400_000
_OF_A_CLASS = re.compile(r"\s*[a-z]*\.([\w-]+)\s*")


class Sheets(NamedTuple):
    """The classes whose text is struck out, and where that of others stands."""

    struck: frozenset[str]
    scripts: Mapping[str, Script]


def script_of_style(style: str) -> Script:
    """Return where a style puts text: a raised number is no part of the one before it."""
    aligned = _ALIGNED.search(style)
    if aligned:
        return TAGS[aligned[1].lower()[:3]]
    for name, amount, unit in _MOVED.findall(style):
        least = _LEAST.get(unit.lower(), _LEAST_OF_SIZE)
        if abs(float(amount)) < least or not (name.startswith("v") or _RELATIVE.search(style)):
            continue
        is_up = (float(amount) > 0) is not (name.lower() == "top")
        return Script.RAISED if is_up else Script.LOWERED
    return Script.LINE


# Each document of a book has the same.
@lru_cache(16)
def read_sheets(sheets: str) -> Sheets:
    """Read what is said of single classes."""
    struck = set(STRUCK_NAMES)
    scripts: dict[str, Script] = {}
    for rule in _COMMENT.sub("", sheets[:_MOST_STYLE]).split("}"):
        before, _, style = rule.rpartition("{")
        strikes, script = STRIKING.search(style), script_of_style(style)
        if not strikes and script is Script.LINE:
            continue
        for selector in before.rpartition("{")[2].split(","):
            found = _OF_A_CLASS.fullmatch(selector)
            if found and strikes:
                struck.add(found[1].lower())
            if found and script is not Script.LINE:
                scripts[found[1].lower()] = script
    return Sheets(frozenset(struck), scripts)
