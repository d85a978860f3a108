"""Words that Sphinx writes of its own, whichever markup a book has."""

import re

_VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}
VERSIONS = frozenset(_VERSIONS)
"""Directives that say since when something is so."""
_ACCELERATOR = re.compile(r"(?<!&)&(?![&\s])")
"""What stands before the letter of a label that chooses it by the keyboard; two are the sign itself."""


def version_label(name: str, argument: str) -> tuple[str, str]:
    """Return what a directive of `VERSIONS` begins with, and what else its argument says."""
    version, _, said = argument.strip().partition(" ")
    return f"{_VERSIONS[name]} {version}".rstrip(), said.strip()


def menu_label(text: str, *, is_path: bool = False) -> str:
    """Return the label of a button or an entry of a menu; `is_path` for entries with arrows between."""
    text = text.replace("-->", "‣") if is_path else text
    return _ACCELERATOR.sub("", text).replace("&&", "&")
