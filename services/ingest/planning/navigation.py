"""Read the navigation that a site is built by: MkDocs, Jupyter Book, MyST, Quarto and bookdown.

Each names the documents in reading order in a YAML file, with the parts they stand below. What it does
not name follows, for these tools build that too.
"""

import fnmatch
import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from services.ingest.model.book import SourceFile
from services.ingest.parsers.contents import ContentsEntry, ContentsReader
from services.ingest.planning.settings_file import Values, read_settings

_TITLES_OF = {"_toc.yml": "_config.yml"}
"""Files that say what the book of a navigation is called, where that does not say it."""
_PASSED_OVER = "it can't be read as YAML and was passed over."
_MOST_TOLD = 3
_DEEPEST = 20
"""Levels of a navigation; what lies deeper is read as if it stood there."""


Item = str | Values


@dataclass(frozen=True)
class Navigation:
    """The documents in reading order; `folder` is where all of them lie, "" for the source's own."""

    contents: Mapping[str, ContentsEntry]
    title: str = ""
    folder: str = ""
    warnings: Sequence[str] = ()
    """What could not be followed in it."""


NO_NAVIGATION = Navigation({})


def read_navigation(files: Mapping[str, SourceFile], kept: Sequence[str]) -> Navigation:
    """Return the topmost navigation of what is `kept`; NO_NAVIGATION where none says anything.

    One that lies above less than half of the documents is of an example, or of another book.
    """
    found = [path for path in files if PurePosixPath(path).name in _READERS]
    for path in sorted(found, key=lambda path: (path.count("/"), path)):
        above = posixpath.join(posixpath.dirname(path), "")
        if 2 * sum(one.startswith(above) for one in kept) < len(kept):
            continue
        values = read_settings(files[path])
        if values is None:
            return replace(NO_NAVIGATION, warnings=(f'"{path}": {_PASSED_OVER}',))
        read = _READERS[PurePosixPath(path).name]
        navigation = read(values, posixpath.dirname(path), kept)
        if navigation is None:
            continue
        warnings = [f'"{path}": {one}' for one in navigation.warnings]
        title = navigation.title or _title_beside(files, path)
        return replace(navigation, title=title, warnings=warnings)
    return NO_NAVIGATION


def _title_beside(files: Mapping[str, SourceFile], path: str) -> str:
    name = _TITLES_OF.get(PurePosixPath(path).name, "")
    beside = posixpath.join(posixpath.dirname(path), name)
    values = read_settings(files[beside]) if name and beside in files else None
    return _line(values.get("title")) if values else ""


class _Writer:
    """Puts what a navigation names, relative to `folder`, among the documents that are kept."""

    def __init__(self, folder: str, kept: Sequence[str]) -> None:
        self._folder, self._kept = folder, kept
        self._by_stem = {posixpath.splitext(path)[0]: path for path in reversed(kept)}
        self._by_stem.update((path, path) for path in kept)
        self._reader = ContentsReader()
        self._read = set[int]()
        self.missing: list[str] = []
        """What is named as a document and is none that is kept."""

    def items_of(self, value: object) -> list[Any]:
        """Return the items of a list the first time it is asked for: by aliases it may hold itself."""
        if not isinstance(value, list) or id(value) in self._read:
            return []
        self._read.add(id(value))
        return value

    def has(self, named: object) -> bool:
        """Whether a document is kept of this name, which may be the title of a part too."""
        return self._place_of(named) in self._by_stem

    def add(self, named: object, depth: int, title: object = "") -> bool:
        """Add a document; returns whether there is one of this name."""
        path = self._by_stem.get(self._place_of(named))
        if path is None and _line(named) and "://" not in _line(named):
            self.missing.append(_line(named))
        elif path:
            self._reader.add_document(path, min(depth, _DEEPEST), _line(title))
        return path is not None

    def _place_of(self, named: object) -> str:
        return posixpath.normpath(posixpath.join(self._folder, _line(named).split("#")[0]))

    def add_matching(self, pattern: object, depth: int) -> None:
        wanted = posixpath.normpath(posixpath.join(self._folder, _line(pattern)))
        for path in self._kept:
            stem = posixpath.splitext(path)[0]
            if fnmatch.fnmatchcase(stem, wanted) or fnmatch.fnmatchcase(path, wanted):
                self._reader.add_document(path, min(depth, _DEEPEST))

    def add_part(self, title: object, depth: int) -> None:
        self._reader.add_part(_line(title), min(depth, _DEEPEST))

    def contents(self) -> Mapping[str, ContentsEntry]:
        """Return what was added by its paths; what is named twice stands where it was named first."""
        found: dict[str, ContentsEntry] = {}
        for path, entry in self._reader.entries:
            found.setdefault(path, entry)
        return found


def _read_mkdocs(values: Values, folder: str, kept: Sequence[str]) -> Navigation | None:
    docs = posixpath.join(folder, _line(values.get("docs_dir")) or "docs") + "/"
    inside = [path for path in kept if path.startswith(docs)]
    writer = _Writer(docs, inside)

    def read(items: Iterable[object], depth: int) -> None:
        for item in items:
            for title, value in item.items() if isinstance(item, dict) else (("", item),):
                if isinstance(value, list):
                    writer.add_part(title, depth)
                    read(writer.items_of(value), depth + 1)
                elif isinstance(value, str):
                    writer.add(value, depth, title)

    read(writer.items_of(values.get("nav")), 0)
    title = _line(values.get("site_name"))
    found = Navigation(writer.contents(), title, docs, _warnings(writer.missing))
    return found if inside else None


def _read_jupyter_book(values: Values, folder: str, kept: Sequence[str]) -> Navigation | None:
    writer = _Writer(folder, kept)

    def read(items: Iterable[object], depth: int) -> None:
        for item in _mappings(items):
            part = item.get("caption") or item.get("part")
            below = item.get("chapters") or item.get("sections")
            if "glob" in item:
                writer.add_matching(item["glob"], depth)
            elif part:
                writer.add_part(part, depth)
                read(writer.items_of(below), depth + 1)
                continue
            elif "file" in item:
                writer.add(item["file"], depth, item.get("title"))
            read(writer.items_of(below), depth + 1 if "file" in item else depth)

    if "root" in values:
        writer.add(values["root"], 0)
    for name in ("parts", "chapters", "sections"):
        read(writer.items_of(values.get(name)), 0)
    return _navigation(writer)


def _read_myst(values: Values, folder: str, kept: Sequence[str]) -> Navigation | None:
    project = _mapping(values.get("project"))
    writer = _Writer(folder, kept)

    def read(items: Iterable[object], depth: int) -> None:
        for item in _mappings(items):
            if "pattern" in item:
                writer.add_matching(item["pattern"], depth)
            elif "file" in item:
                writer.add(item["file"], depth, item.get("title"))
            else:
                writer.add_part(item.get("title"), depth)
            read(writer.items_of(item.get("children")), depth + 1)

    read(writer.items_of(project.get("toc")), 0)
    return _navigation(writer, project.get("title"))


def _read_quarto(values: Values, folder: str, kept: Sequence[str]) -> Navigation | None:
    book = _mapping(values.get("book"))
    writer = _Writer(folder, kept)

    def read(items: Iterable[object], depth: int) -> None:
        for item in items:
            if isinstance(item, str):
                writer.add(item, depth)
            elif isinstance(item, dict) and "part" in item:
                if not writer.has(item["part"]) or not writer.add(item["part"], depth):
                    writer.add_part(item["part"], depth)
                read(writer.items_of(item.get("chapters")), depth + 1)
            elif isinstance(item, dict):
                writer.add(item.get("href") or item.get("file"), depth, item.get("text"))

    read(writer.items_of(book.get("chapters")), 0)
    read(writer.items_of(book.get("appendices")), 0)
    return _navigation(writer, book.get("title"))


def _read_bookdown(values: Values, folder: str, kept: Sequence[str]) -> Navigation | None:
    writer = _Writer(folder, kept)
    for named in writer.items_of(values.get("rmd_files")):
        writer.add(named, 0)
    return _navigation(writer)


def _navigation(writer: _Writer, title: object = "") -> Navigation | None:
    contents = writer.contents()
    found = Navigation(contents, _line(title), warnings=_warnings(writer.missing))
    return found if contents else None


def _warnings(missing: Sequence[str]) -> list[str]:
    """Return that documents are named which are not there, a few by their names."""
    if not missing:
        return []
    told = ", ".join(f'"{name}"' for name in missing[:_MOST_TOLD])
    more = len(missing) - _MOST_TOLD
    return [f"it names {told}{f' and {more} more' if more > 0 else ''}, which the source has not."]


def _mappings(items: Iterable[object]) -> list[Values]:
    return [item for item in items if isinstance(item, dict)]


def _mapping(value: object) -> Values:
    return value if isinstance(value, dict) else {}


def _line(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


Reader = Callable[[Values, str, Sequence[str]], Navigation | None]
_READERS: Mapping[str, Reader] = {
    "mkdocs.yml": _read_mkdocs,
    "mkdocs.yaml": _read_mkdocs,
    "_toc.yml": _read_jupyter_book,
    "myst.yml": _read_myst,
    "_quarto.yml": _read_quarto,
    "_bookdown.yml": _read_bookdown,
}
NAMES = (*_READERS, *_TITLES_OF.values())
"""Files that a navigation is read from."""
