"""Read the navigation that a site is built by: MkDocs, Jupyter Book, MyST, Quarto and bookdown.

Each names the documents in reading order in a YAML file, with the parts they stand below. What it does
not name follows, for these tools build that too.
"""

import fnmatch
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from services.ingest.model.book import SourceFile
from services.ingest.parsers.contents import ContentsEntry, ContentsReader
from services.ingest.parsers.encoding import decode_text
from services.ingest.planning import folder_order
from services.ingest.planning.folder_order import Entry, list_folder
from services.ingest.planning.settings_file import Values, read_settings

_TITLES_OF = {"_toc.yml": "_config.yml"}
"""Files that say what the book of a navigation is called, where that does not say it."""
_HEAD = 10_000
"""Characters in which a file of bookdown says what part it begins."""
_PART = re.compile(r"^# \(PART(?:\\\*)?\)[ \t]*(\S.*?)[ \t]*(?:\{[^{}\n]*\})?[ \t]*$", re.MULTILINE)
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
        navigation = read(values, _Place(posixpath.dirname(path), kept, files))
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


class _Place(NamedTuple):
    """The folder of a navigation, the documents that are kept, and all files of the source."""

    folder: str
    kept: Sequence[str]
    files: Mapping[str, SourceFile]


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

    def path_of(self, named: object) -> str:
        """Return the path of what is named; "" for what is no document that is kept."""
        return self._by_stem.get(self._place_of(named), "")

    def has_folder(self, named: str) -> bool:
        folder = self._place_of(named.rstrip("/")) + "/"
        return not self.has(named) and any(path.startswith(folder) for path in self._kept)

    def add_entries(self, entries: Iterable[Entry]) -> None:
        for path, depth, title in entries:
            if path:
                self._reader.add_document(path, min(depth, _DEEPEST), title)
            else:
                self.add_part(title, depth)

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


def _read_mkdocs(values: Values, place: _Place) -> Navigation | None:
    docs = posixpath.join(place.folder, _line(values.get("docs_dir")) or "docs") + "/"
    inside = [path for path in place.kept if path.startswith(docs)]
    writer = _Writer(docs, inside)

    def read(items: Iterable[object], depth: int) -> None:
        for item in items:
            for title, value in item.items() if isinstance(item, dict) else (("", item),):
                if isinstance(value, list):
                    writer.add_part(title, depth)
                    read(writer.items_of(value), depth + 1)
                elif isinstance(value, str) and writer.has_folder(value):
                    # A plugin reads it: by a list in the folder, or by names.
                    writer.add_part(title, depth)
                    below = posixpath.normpath(posixpath.join(docs, value)) + "/"
                    writer.add_entries(list_folder(below, inside, place.files, depth + 1))
                elif isinstance(value, str):
                    writer.add(value, depth, title)

    read(writer.items_of(values.get("nav")), 0)
    if "nav" not in values and any(f"{docs}{name}" in place.files for name in folder_order.NAMES):
        writer.add_entries(list_folder(docs, inside, place.files))
    title = _line(values.get("site_name"))
    found = Navigation(writer.contents(), title, docs, _warnings(writer.missing))
    return found if inside else None


def _read_jupyter_book(values: Values, place: _Place) -> Navigation | None:
    writer = _Writer(place.folder, place.kept)

    def read(items: Iterable[object], depth: int) -> None:
        for item in _mappings(items):
            part = item.get("caption") or item.get("part")
            below = next((item[name] for name in _BELOW if item.get(name)), None)
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
    for name in ("parts", *_BELOW):
        read(writer.items_of(values.get(name)), 0)
    return _navigation(writer)


_BELOW = ("chapters", "sections", "entries", "subtrees")
"""Where a table of Jupyter Book, or of Sphinx by sphinx-external-toc, has what stands below."""


def _read_myst(values: Values, place: _Place) -> Navigation | None:
    project = _mapping(values.get("project"))
    writer = _Writer(place.folder, place.kept)

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


def _read_quarto(values: Values, place: _Place) -> Navigation | None:
    book, website = _mapping(values.get("book")), _mapping(values.get("website"))
    writer = _Writer(place.folder, place.kept)

    def read(items: Iterable[object], depth: int) -> None:
        for item in items:
            if isinstance(item, str):
                writer.add_matching(item, depth) if "*" in item else writer.add(item, depth)
                continue
            entry = _mapping(item)
            part = entry.get("part") or entry.get("section")
            if part:
                if not writer.has(part) or not writer.add(part, depth):
                    writer.add_part(part, depth)
                below = entry.get("chapters") or entry.get("contents")
                read(writer.items_of(below), depth + 1)
            else:
                writer.add(entry.get("href") or entry.get("file"), depth, entry.get("text"))

    read(writer.items_of(book.get("chapters")), 0)
    read(writer.items_of(book.get("appendices")), 0)
    bars = website.get("sidebar")
    for bar in _mappings(bars if isinstance(bars, list) else [bars]):
        read([one for one in writer.items_of(bar.get("contents")) if one not in _RULES], 0)
    return _navigation(writer, book.get("title") or website.get("title"))


_RULES = ("---", "auto")
"""What a sidebar of Quarto draws between entries, and how it says that it lists all there is."""


def _read_bookdown(values: Values, place: _Place) -> Navigation | None:
    writer = _Writer(place.folder, place.kept)
    rmd_files = values.get("rmd_files")
    listed = _mapping(rmd_files).get("html") or rmd_files
    begun = 0
    for named in writer.items_of(listed) or _all_of_bookdown(place):
        if part := _part_in(place, writer.path_of(named)):
            writer.add_part(part, 0)
            begun = 1
        writer.add(named, begun)
    return _navigation(writer)


def _all_of_bookdown(place: _Place) -> list[str]:
    """Return what bookdown takes where nothing is listed: the files of the folder by their names."""
    folder = posixpath.join(place.folder, "")
    names = (path.removeprefix(folder) for path in place.kept if path.startswith(folder))
    own = (name for name in names if "/" not in name and name.lower().endswith(".rmd"))
    return sorted(own, key=lambda name: (not name.lower().startswith("index."), name))


def _part_in(place: _Place, path: str) -> str:
    """Return the title of the part that a file of bookdown begins with; "" where it begins none."""
    head = decode_text(place.files[path])[:_HEAD] if path in place.files else ""
    found = _PART.search(head)
    return found[1] if found else ""


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


Reader = Callable[[Values, _Place], Navigation | None]
_READERS: Mapping[str, Reader] = {
    "mkdocs.yml": _read_mkdocs,
    "mkdocs.yaml": _read_mkdocs,
    "_toc.yml": _read_jupyter_book,
    "myst.yml": _read_myst,
    "_quarto.yml": _read_quarto,
    "_bookdown.yml": _read_bookdown,
}
NAMES = (*_READERS, *_TITLES_OF.values(), *folder_order.NAMES)
"""Files that a navigation is read from."""
