"""Order pages of Mallard as their guides list them, and give them their titles."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from libs.errors import InvalidInput
from services.ingest.model.book import SourceFile
from services.ingest.parsers.contents import ContentsEntry, ContentsReader
from services.ingest.parsers.encoding import decode_text
from services.ingest.parsers.formats import Format, format_of
from services.ingest.parsers.lazy import load_guides

if TYPE_CHECKING:
    # Loaded with the parser, where a source has such pages.
    from services.ingest.parsers.mallard import Head

_FIRST = "index"
_NAME = "mallard:"
_LAST = 1 << 20


def read_guides(files: Mapping[str, SourceFile], kept: Sequence[str]) -> dict[str, ContentsEntry]:
    """Return the pages in the order of their guides, of each folder from its page "index" down."""
    folders: dict[str, list[str]] = {}
    for path in kept:
        if format_of(path) is Format.MALLARD:
            folders.setdefault(posixpath.dirname(path), []).append(path)
    contents: dict[str, ContentsEntry] = {}
    for paths in folders.values():
        heads = dict(_heads_of(files, paths))
        pages = {head.page: path for path, head in heads.items()}
        if _FIRST in pages:
            reader = ContentsReader()
            _follow(reader, pages, {page: heads[path] for page, path in pages.items()})
            contents |= dict(reader.entries)
    return contents


def read_page_names(files: Mapping[str, SourceFile], kept: Sequence[str]) -> dict[str, str]:
    """Return the titles that references to pages and to their sections show."""
    paths = [path for path in kept if format_of(path) is Format.MALLARD]
    names = dict[str, str]()
    for _, head in _heads_of(files, paths):
        names[f"{_NAME}{head.page}"] = head.title
        for section, title in head.titles.items():
            names[f"{_NAME}{head.page}#{section}"] = title
    return names


def title_of_guides(files: Mapping[str, SourceFile], kept: Sequence[str]) -> str:
    """Return the title of the page that a folder of nothing but such pages opens with; "" without."""
    if not kept or any(format_of(path) is not Format.MALLARD for path in kept):
        return ""
    firsts = [path for path in kept if posixpath.basename(path) == f"{_FIRST}.page"]
    return next((head.title for _, head in _heads_of(files, firsts)), "") if firsts else ""


def _heads_of(
    files: Mapping[str, SourceFile], paths: Sequence[str]
) -> Iterator[tuple[str, "Head"]]:
    for path in paths:
        try:
            yield path, load_guides().read_head(decode_text(files[path]))
        except InvalidInput:
            continue  # reading the page says what is wrong with it


def _follow(reader: ContentsReader, pages: Mapping[str, str], heads: Mapping[str, "Head"]) -> None:
    waiting, seen = [(_FIRST, 0, "")], set[str]()
    children = _children_of(heads)
    while waiting:
        page, depth, part = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        if part:
            reader.add_part(part, depth - 1)
        reader.add_document(pages[page], depth)
        waiting += reversed(list(_below(page, depth, heads, children.get(page, []), seen)))


def _below(
    page: str,
    depth: int,
    heads: Mapping[str, "Head"],
    children: Sequence[tuple[str, str, str]],
    seen: set[str],
) -> Iterator[tuple[str, int, str]]:
    """Yield the pages that a guide lists, how deep, and the title over the first of several.

    What the first page lists stands beside it, below the titles of its sections.
    """
    guide, last = heads[page], ""
    sections, groups = list(guide.titles), list(guide.groups)

    def key(child: tuple[str, str, str]) -> tuple[int, int, str]:
        name, section, group = child
        at = sections.index(section) if section in sections else -1
        ranked = groups.index(group) if group in groups else _LAST
        return at, ranked, heads[name].sort_title.casefold()

    for name, section, _ in sorted(children, key=key):
        if name in seen:
            continue
        title = guide.titles.get(section, "") if page == _FIRST else ""
        below = bool(title) if page == _FIRST else depth + 1
        yield name, int(below), title if title != last else ""
        last = title


def _children_of(heads: Mapping[str, "Head"]) -> dict[str, list[tuple[str, str, str]]]:
    """Return by the guide its pages with the section and the group in which it lists each."""
    children: dict[str, list[tuple[str, str, str]]] = {}
    for page, head in heads.items():
        for guide in head.guides:
            if guide.page in heads:
                children.setdefault(guide.page, []).append((page, guide.section, guide.group))
        for topic in head.topics:
            if topic in heads:
                children.setdefault(page, []).append((topic, "", ""))
    return children
