"""Texts as PostgreSQL can hold them."""

import re
from typing import Any

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(value: Any) -> Any:
    """Write out what PostgreSQL can't hold, NUL and lone surrogates, as \\u and four digits."""
    if isinstance(value, str):
        if is_storable(value):
            return value
        return _UNSTORABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", value)
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]
    if isinstance(value, dict):
        return {name: storable(item) for name, item in value.items()}
    return value


def is_storable(text: str) -> bool:
    """Say whether PostgreSQL can hold `text` as it is."""
    # A tenth of what a search by a pattern takes, and every row has texts of many kilobytes.
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text
