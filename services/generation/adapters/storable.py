"""Texts as PostgreSQL can hold them."""

import re
from typing import Any

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(value: Any) -> Any:
    """Write out what PostgreSQL can't hold, NUL and lone surrogates, as \\u and four digits."""
    if isinstance(value, str):
        return _UNSTORABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", value)
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]
    if isinstance(value, dict):
        return {name: storable(item) for name, item in value.items()}
    return value
