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


_NUMBER = re.compile(r"%s|\{(?:number|name)\}")
"""What stands in a reference for the number, or the title, of what it leads to."""


def is_numbered(words: str) -> bool:
    """Whether the words of a reference have a place for a number or a title."""
    return _NUMBER.search(words) is not None


NUMBERED = frozenset(("eq", "eqref", "numref"))
"""Roles of numbers, which only a site has: without a title a label stays, in brackets."""
NOT_KNOWN = "its label stands for the number or title that the book's own site writes"


def numbered(words: str, title: str, quotes: str = "“”") -> str:
    """Return the words of a reference with a title where a site has a number, or the title itself.

    `quotes` are what stands before and after the title, half of them each.
    """
    if "{name}" in words:
        return title
    half = len(quotes) // 2
    return _NUMBER.sub(lambda _: f"{quotes[:half]}{title}{quotes[half:]}", words)


def title_of_caption(caption: str) -> str:
    """Return a caption as a name within a sentence."""
    return caption.removesuffix(".") if not caption.endswith("..") else caption


def words_of_label(label: str) -> str:
    """Return the words that a label is made of."""
    return re.sub(r"[-_]+", " ", label.rsplit(":", 1)[-1]).strip()


FOLDER = "folder:"
"""Among the names that references show, that of the folder of the file at hand."""
_SOURCE_ENDING = re.compile(
    r"(?:\.rst(?:\.txt)?|\.md|\.markdown|\.a(?:scii)?doc|\.asc)\Z", re.IGNORECASE
)


def bare_path(path: str) -> str:
    """Return a path as references name it: without the ending of a source, in lower case."""
    return _SOURCE_ENDING.sub("", path).lower()


def document_title(target: str, names: Mapping[str, str]) -> str:
    """Return the title of the document that a file in the folder of `names` refers to; "" if none."""
    path = bare_path(target.strip())
    inside = posixpath.normpath(posixpath.join(names.get(FOLDER, ""), path))
    return names.get(f"doc:{inside}") or names.get(f"doc:{path.lstrip('./')}", "")
