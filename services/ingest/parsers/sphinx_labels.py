"""Words that Sphinx writes of its own, whichever markup a book has."""

import posixpath
import re
from collections.abc import Mapping

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


FOLDER = "folder:"
"""Among the names that references show, that of the folder of the file at hand."""
_SOURCE_ENDING = re.compile(r"(?:\.rst(?:\.txt)?|\.md|\.markdown)\Z", re.IGNORECASE)


def bare_path(path: str) -> str:
    """Return a path as references name it: without the ending of a source, in lower case."""
    return _SOURCE_ENDING.sub("", path).lower()


def document_title(target: str, names: Mapping[str, str]) -> str:
    """Return the title of the document that a file in the folder of `names` refers to; "" if none."""
    path = bare_path(target.strip())
    inside = posixpath.normpath(posixpath.join(names.get(FOLDER, ""), path))
    return names.get(f"doc:{inside}") or names.get(f"doc:{path.lstrip('./')}", "")
