"""Read who wrote a book, and what it is called, from the settings of what its site is built by."""

import ast
import posixpath
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath

from libs.errors import InvalidInput
from services.ingest.model.book import SourceFile
from services.ingest.model.byline import read_byline
from services.ingest.parsers.encoding import decode_text
from services.ingest.parsers.markdown import names_in
from services.ingest.planning.settings_file import Values, read_settings

_MDBOOK = "book.toml"
_GITBOOK = "book.json"
_LONGEST = 256_000
"""Bytes of the settings of a program."""


def read_site_authors(files: Mapping[str, SourceFile], kept: Sequence[str]) -> tuple[str, ...]:
    """Return whom the topmost settings above most of what is `kept` name; nobody where none do."""
    found = [path for path in files if PurePosixPath(path).name in _READERS]
    for path in sorted(found, key=lambda path: (path.count("/"), path)):
        above = posixpath.join(posixpath.dirname(path), "")
        if 2 * sum(one.startswith(above) for one in kept) < len(kept):
            continue
        named = read_byline(_READERS[PurePosixPath(path).name](files[path])).authors
        if named:
            return named
    return ()


def read_title_beside(files: Mapping[str, SourceFile], summary: str) -> str:
    """Return the title that the settings of mdBook or GitBook give the book of a SUMMARY.md; or ""."""
    folders = PurePosixPath(summary).parents
    named = (str(folder / name) for folder in folders for name in (_MDBOOK, _GITBOOK))
    settings = next((files[path] for path in named if path in files), None)
    if settings is None:
        return ""
    is_gitbook = PurePosixPath(settings.path).name == _GITBOOK
    values = (read_settings(settings) or {}) if is_gitbook else _mdbook(settings)
    title = values.get("title")
    return " ".join(title.split()) if isinstance(title, str) else ""


def _mdbook(file: SourceFile) -> Values:
    try:
        book = tomllib.loads(decode_text(file)).get("book")
    except (ValueError, RecursionError, InvalidInput):
        return {}
    return book if isinstance(book, dict) else {}


def _in_mdbook(file: SourceFile) -> list[str]:
    return names_in(_mdbook(file))


def _in_yaml(*inside: str) -> Callable[[SourceFile], list[str]]:
    """Return a reader of authors at the top of the settings, or in one of their parts."""

    def read(file: SourceFile) -> list[str]:
        values = read_settings(file) or {}
        parts: list[Values] = [values]
        parts += [part for name in inside if isinstance(part := values.get(name), dict)]
        named = (
            names_in({**part, "authors": part.get("site_author") or part.get("authors")})
            for part in parts
        )
        return next((names for names in named if any(names)), [])

    return read


def _in_python(file: SourceFile) -> list[str]:
    """Return what the settings of Sphinx, a program, set the author to as a text of its own."""
    if len(file.data) > _LONGEST:
        return []
    try:
        tree = ast.parse(decode_text(file))
    except (SyntaxError, ValueError, RecursionError, MemoryError, InvalidInput):
        return []
    for line in tree.body:
        if not isinstance(line, ast.Assign) or not isinstance(line.value, ast.Constant):
            continue
        names = [target.id for target in line.targets if isinstance(target, ast.Name)]
        if "author" in names and isinstance(line.value.value, str):
            return [line.value.value]
    return []


_READERS: Mapping[str, Callable[[SourceFile], list[str]]] = {
    "mkdocs.yml": _in_yaml(),
    "mkdocs.yaml": _in_yaml(),
    "_config.yml": _in_yaml(),
    "myst.yml": _in_yaml("project", "site"),
    "_quarto.yml": _in_yaml("book", "website"),
    "conf.py": _in_python,
    _MDBOOK: _in_mdbook,
    _GITBOOK: _in_yaml(),
}
NAMES = tuple(_READERS)
"""Files that it is read from."""
