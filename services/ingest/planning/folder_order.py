"""Order the folders of a site by the files that its plugins for MkDocs read in each of them."""

import fnmatch
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from services.ingest.model.book import SourceFile
from services.ingest.planning.settings_file import Values, read_settings

NAMES = (".pages", ".nav.yml")
"""Of awesome-pages, and of what has come after it."""
Entry = tuple[str, int, str]
"""The path of a document, its depth, and its title; the path is "" for the title of a part."""

_REST = re.compile(r"(?:\.\.\.|…)(?:\s*\|.*)?|\*")
"""Stands for all that a list does not name."""
_FIRST = ("index", "readme")
_DEEPEST = 20


def list_folder(
    folder: str, kept: Sequence[str], files: Mapping[str, SourceFile], depth: int = 0
) -> Iterator[Entry]:
    """Yield what lies in a folder as its file orders it, else by names, with folders as parts."""
    settings = _settings_of(folder, files)
    listed = settings.get("nav") or settings.get("arrange") or []
    waiting = _children(folder, kept)
    named = _named_in(listed, folder, waiting) if isinstance(listed, list) else []
    taken = {path for _, paths in named for path in paths or ()}
    # What a list passes over has its place at the end.
    for title, paths in (*named, ("", None)):
        group = [path for path in waiting if path not in taken] if paths is None else paths
        taken.update(group)
        for path in group:
            yield from _list_one(path, title, kept, files, depth)


def _list_one(
    path: str, title: str, kept: Sequence[str], files: Mapping[str, SourceFile], depth: int
) -> Iterator[Entry]:
    if not path.endswith("/"):
        yield path, depth, title
    elif depth < _DEEPEST:
        own = _settings_of(path, files).get("title")
        name = PurePosixPath(path).name.replace("-", " ").replace("_", " ")
        shown = title or (own if isinstance(own, str) else "") or name[:1].upper() + name[1:]
        yield "", depth, shown
        yield from list_folder(path, kept, files, depth + 1)


def _named_in(
    listed: Sequence[object], folder: str, waiting: Sequence[str]
) -> list[tuple[str, list[str] | None]]:
    """Return the title that each entry of a list gives, and what it names; None is all the rest."""
    found: list[tuple[str, list[str] | None]] = []
    for entry in listed:
        pairs = entry.items() if isinstance(entry, dict) else [("", entry)]
        for title, named in pairs:
            if isinstance(named, str) and _REST.fullmatch(named.strip()):
                found.append(("", None))
            elif isinstance(named, str):
                wanted = posixpath.normpath(posixpath.join(folder, named))
                paths = [one for one in waiting if fnmatch.fnmatchcase(one.rstrip("/"), wanted)]
                found.append((str(title), paths))
    return found


def _children(folder: str, kept: Sequence[str]) -> list[str]:
    """Return the documents in a folder and its folders, with a slash behind, the first page first."""
    inside = (path.removeprefix(folder) for path in kept if path.startswith(folder))
    names = {path.split("/")[0] + "/" * ("/" in path) for path in inside}
    return [folder + name for name in sorted(names, key=_rank)]


def _rank(name: str) -> tuple[bool, str]:
    return PurePosixPath(name).stem.lower() not in _FIRST, name.lower()


def _settings_of(folder: str, files: Mapping[str, SourceFile]) -> Values:
    for name in NAMES:
        if folder + name in files:
            return read_settings(files[folder + name]) or {}
    return {}
