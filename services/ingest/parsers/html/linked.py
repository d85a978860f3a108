"""Put into a page the style sheets that it links to: they strike out, raise or hide what it says."""

import posixpath
import re
from collections.abc import Callable
from urllib.parse import unquote

from lxml import etree

from services.ingest.parsers.html.marks import writable

Find = Callable[[str], str | None]
"""Returns the text of the sheet at a path; None where there is none."""

_IMPORT = re.compile(
    r"@import\s+(?:url\(\s*)?[\"']?(?P<address>[^\"')\s;]{1,1000})[\"']?\s*\)?(?P<medium>[^;{}]{0,200});",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_OUTWARD = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_DEEPEST = 5
"""Sheets that import one another."""
MOST_SHEET = 400_000
"""Characters of the sheets of one page."""


def take_in_sheets(root: etree._Element, path: str, find: Find) -> None:
    """Make each linked and imported sheet that `find` has a part of the page at `path`."""
    reader = _Reader(find)
    for link in [*root.iter("link")]:
        relations = (link.get("rel") or "").lower().split()
        if "stylesheet" not in relations or "alternate" in relations:
            continue
        text = reader.read(resolve(path, link.get("href") or ""))
        if text is not None:
            link.tag = "style"
            link.text = writable(text)
    for style in root.iter("style"):
        if style.text and "@import" in style.text.lower():
            style.text = writable(reader.with_imported(style.text, path, 0))


def resolve(base: str, address: str) -> str:
    """Return the path that a file at `base` means by an address; "" for one outside of the source."""
    target = re.split(r"[?#]", address.strip(), maxsplit=1)[0]
    if not target or _OUTWARD.match(target) or target.startswith("/"):
        return ""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(target)))
    return "" if path.startswith("../") else path


class _Reader:
    """Reads the sheets of one page, as many as there is room for."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._left = MOST_SHEET

    def read(self, path: str, depth: int = 0) -> str | None:
        text = self._find(path) if path else None
        if text is None or len(text) > self._left:
            return None
        self._left -= len(text)
        return self.with_imported(text, path, depth) if "@import" in text.lower() else text

    def with_imported(self, text: str, path: str, depth: int) -> str:
        """Return the sheet with those it imports in their place; what is not found stays named."""

        def put(found: re.Match[str]) -> str:
            address = resolve(path, found["address"])
            text = self.read(address, depth + 1) if depth < _DEEPEST else None
            if text is None:
                return found[0]
            return f"@media {found['medium'].strip() or 'all'} {{{text}}}"

        return _IMPORT.sub(put, _COMMENT.sub("", text))
