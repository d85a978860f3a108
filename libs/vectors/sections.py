"""Make the keys that a section is found by."""

from collections.abc import Sequence

SECTION_SEPARATOR = "\u001f"


def section_keys(path: Sequence[str]) -> list[str]:
    """Return the values of Payload.SECTIONS for a chunk under `path`."""
    return [SECTION_SEPARATOR.join(path[: depth + 1]) for depth in range(len(path))]
