"""Read what a style, or a rule of a sheet, says of an element."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

import tinycss2
from tinycss2 import ast

from services.ingest.parsers.css.tokens import LONGEST, Said, spell
from services.ingest.parsers.css.valid import is_valid

_OF_WORDS = frozenset(("content", "font", "font-family"))
"""Properties of which strings are the value."""


def read_declarations(tokens: Iterable[ast.Node]) -> dict[str, Said]:
    """Return what declarations say by their names; of two that say the same the one that holds."""
    found: dict[str, Said] = {}
    for one in tokens:
        if one.type == "declaration":
            name = one.name if one.name.startswith("--") else one.lower_name
            keeps_strings = name in _OF_WORDS or name.startswith("--")
            spelt = spell(one.value, keeps_strings=keeps_strings).strip()
            said = Said(spelt[:LONGEST], bool(one.important))
            if not is_valid(name, said.value):
                continue
            if said.is_important or not found.get(name, said).is_important:
                found.pop(name, None)
                found[name] = said
    return found


@lru_cache(4096)
def read_style(style: str) -> Mapping[str, Said]:
    """Return what the style of an element says."""
    return read_declarations(tinycss2.parse_blocks_contents(style, True, True))
