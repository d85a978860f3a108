"""Find the table of contents among a book's files: SUMMARY.md, sidebars, toctrees, a first page."""

import fnmatch
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote

from services.ingest.model.book import SourceFile
from services.ingest.parsers import markdown
from services.ingest.parsers.contents import ContentsEntry, ContentsReader
from services.ingest.parsers.encoding import decode_text
from services.ingest.parsers.formats import Format, format_of
from services.ingest.parsers.lazy import load_html, load_rst
from services.ingest.planning.page_text import page_of

_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]\(\s*<?([^()<>\s]*)>?\s*\)")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+")
_PART = re.compile(r"#[ \t]+(\S.*)")

_OF_SPHINX = (Format.RST, Format.MARKDOWN)

Contents = Mapping[str, ContentsEntry]
"""By the paths of the documents, in reading order."""


def read_summary(text: str, root: str, known: Iterable[str]) -> Contents:
    """Read the SUMMARY.md of an mdBook that lies in the folder `root`."""
    reader, indents, part, is_begun = ContentsReader(), list[int](), 0, False
    for line in text.splitlines():
        heading = _PART.match(line)
        if heading and is_begun:
            reader.add_part(heading[1], 0)
            part = 1
        # A heading before all else is the table's own: "Summary", "Table of contents".
        is_begun = is_begun or bool(line.strip())
        item = _ITEM.match(line)
        depth = 0
        if item:
            indent = len(item[1].expandtabs(4))
            indents = [*(outer for outer in indents if outer < indent), indent]
            depth = part + len(indents) - 1
        for title, target in _LINK.findall(line):
            if target:
                reader.add_document(root + target.removeprefix("./"), depth, title)
            else:
                reader.add_part(title, depth)
    return _of_known(reader, known)


def read_sidebar(entries: ContentsReader, ids: Mapping[str, str]) -> Contents:
    """Return the documents that a sidebar names, whose paths are `ids` by their ids."""
    found = {ids[named]: entry for named, entry in reversed(entries.entries) if named in ids}
    return dict(reversed(found.items()))


def read_toctrees(files: Mapping[str, SourceFile], kept: Sequence[str]) -> Contents:
    """Read the toctrees of a Sphinx project, from its first page down."""
    stems = {_without_ending(path): path for path in kept if format_of(path) in _OF_SPHINX}
    roots = [
        stem
        for stem, path in stems.items()
        if stem.rsplit("/", 1)[-1] in ("index", "contents")
        and (format_of(path) is Format.RST or _toctrees_of(files[path]))
    ]
    reader = ContentsReader()
    if roots:
        root = min(roots, key=lambda stem: (stem.count("/"), stem))
        # What the first page lists stands beside it, not below.
        _follow_toctrees(reader, root, stems, files)
    return dict(reader.entries)


def _follow_toctrees(
    reader: ContentsReader,
    root: str,
    stems: Mapping[str, str],
    files: Mapping[str, SourceFile],
) -> None:
    waiting, seen = [(root, 0, "")], set[str]()
    while waiting:
        stem, depth, caption = waiting.pop()
        if caption:
            reader.add_part(caption, depth - 1)
        path = stems.get(stem, "")
        if not path or path in seen:
            continue
        seen.add(path)
        reader.add_document(path, depth)
        below = 0 if stem == root else depth + 1
        waiting += reversed(list(_entries_of(files[path], stem, below, stems)))


def _toctrees_of(file: SourceFile) -> list[tuple[str, list[str]]]:
    if format_of(file.path) is Format.MARKDOWN:
        return markdown.read_toctrees(decode_text(file))
    toctrees: list[tuple[str, list[str]]] = load_rst().read_toctrees(decode_text(file))
    return toctrees


def _entries_of(
    file: SourceFile, stem: str, depth: int, stems: Iterable[str]
) -> Iterator[tuple[str, int, str]]:
    """Yield the stems that the toctrees of a file name, how deep, and the caption before the first.

    One with a star names all of `stems` that it fits and no other entry does.
    """
    base = posixpath.dirname(stem)
    for caption, entries in _toctrees_of(file):
        named = [
            posixpath.normpath(
                posixpath.join("" if one[0] == "/" else base, one.strip("/").lower())
            )
            for one in entries
        ]
        found = dict.fromkeys(
            target
            for name in named
            for target in (_fitting(name, stems, {stem, *named}) if "*" in name else [name])
        )
        for number, target in enumerate(found):
            yield target, depth + bool(caption), "" if number else caption


def _fitting(pattern: str, stems: Iterable[str], taken: Collection[str]) -> list[str]:
    """Return what a pattern fits whose star stands for no slash."""
    parts = pattern.count("/")
    found = (one for one in stems if one.count("/") == parts and one not in taken)
    return sorted(one for one in found if fnmatch.fnmatchcase(one, pattern))


def _without_ending(path: str) -> str:
    return path.lower().removesuffix(".txt").removesuffix(".rst").removesuffix(".md")


def read_first_page(files: Mapping[str, SourceFile], kept: Sequence[str]) -> Contents:
    """Read the lists of links of the page that a folder of HTML opens with, and what those list.

    What that page only mentions in a sentence stands where another page lists it, else at the end.
    """
    pages = {path for path in kept if format_of(path) is Format.HTML}
    index = first_page(pages)
    if not index or len(pages) == 1:
        return {}
    links = load_html().read_links(decode_text(files[index]))
    listed = _paths_of(links.listed, index, pages)
    found = {index: ContentsEntry()}
    _follow_lists(found, listed, pages, files)
    for path, depth in _paths_of(links.mentioned, index, pages):
        found.setdefault(path, ContentsEntry(depth=depth))
    return found


def _follow_lists(
    found: dict[str, ContentsEntry],
    listed: Sequence[tuple[str, int]],
    pages: Collection[str],
    files: Mapping[str, SourceFile],
) -> None:
    """Add what is listed to `found`, and below each page what only its own contents list."""
    of_first_page = {path for path, _ in listed}
    waiting = list(reversed(_gather(listed)))
    while waiting:
        path, depth = waiting.pop()
        if path in found:
            continue
        found[path] = ContentsEntry(depth=depth)
        if len(found) < len(pages):
            own = page_of(files[path]).contents
            below = _without(of_first_page, _paths_of(own, path, pages))
            waiting += [(target, depth + 1 + at) for target, at in reversed(below)]


def _gather(entries: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Put what any list has below a page there, each page once.

    A menu at the edge of a page names the chapters alone, and its list in the middle what is in each.
    """
    below, depths = dict[str, list[str]](), dict[str, int]()
    over: list[tuple[str, int]] = []
    for path, depth in entries:
        while over and over[-1][1] >= depth:
            over.pop()
        if path not in depths:
            parent, at = over[-1] if over else ("", 0)
            below.setdefault(parent, []).append(path)
            depths[path] = depths.get(parent, 0) + depth - at
        over.append((path, depth))
    ordered, waiting = list[tuple[str, int]](), list(reversed(below.get("", [])))
    while waiting:
        path = waiting.pop()
        ordered.append((path, depths[path]))
        waiting += reversed(below.get(path, []))
    return ordered


def _without(placed: Collection[str], entries: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Leave out the entries that have a place already, with what stands below each."""
    kept: list[tuple[str, int]] = []
    left_out: int | None = None
    for path, depth in entries:
        if left_out is not None and depth > left_out:
            continue
        left_out = depth if path in placed else None
        if left_out is None:
            kept.append((path, depth))
    return kept


def _paths_of(
    links: Iterable[tuple[str, int]], page: str, pages: Collection[str]
) -> list[tuple[str, int]]:
    """Return the pages that the links of one lead to, each with its depth."""
    folder = posixpath.dirname(page)
    targets = ((unquote(link.split("#")[0].split("?")[0]), depth) for link, depth in links)
    paths = [
        (posixpath.normpath(posixpath.join(folder, target)), depth)
        for target, depth in targets
        if target
    ]
    return [(path, depth) for path, depth in paths if path in pages]


def first_page(pages: Iterable[str]) -> str:
    """Return the topmost page named index; "" where there is none.

    Beside "index.html" texinfo writes the register, "Index.html".
    """
    indexes = [path for path in pages if stem_of(path) == "index"]
    return min(
        indexes,
        key=lambda path: (path.count("/"), not PurePosixPath(path).name.islower(), path),
        default="",
    )


def stem_of(path: str) -> str:
    return PurePosixPath(path).name.lower().split(".")[0]


def _of_known(reader: ContentsReader, known: Iterable[str]) -> Contents:
    """Return the first entry of each path that there is."""
    paths = set(known)
    found: dict[str, ContentsEntry] = {}
    for path, entry in reader.entries:
        if path in paths:
            found.setdefault(path, entry)
    return found
