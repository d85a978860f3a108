"""Tell what references of AsciiDoc to the book's other files lead to, and what they show."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from services.ingest.parsers.asciidoc.titles import read_titles
from services.ingest.parsers.sphinx_labels import FOLDER

NO_NAMES: Mapping[str, str] = MappingProxyType({})
_FILE, _DOCUMENT = "file:", "doc:"
_REFERS = re.compile(r"<<|xref:|>#")
_BRACKETS, _LONGEST = re.compile(r"[\[\]]"), 200


def refers(text: str) -> bool:
    """Whether references in a file may show titles of others."""
    return _REFERS.search(text) is not None


def names_of(text: str) -> str:
    """Return lines that say the same to `read_names` and `refers` as a whole file does."""
    title, found = _read(text)
    mark = _REFERS.search(text)
    named = {_DOCUMENT: title, **found} if title else found
    lines = (f"[[{name},{_BRACKETS.sub('', it)[:_LONGEST]}]]" for name, it in named.items())
    return "\n".join((*lines, mark[0] if mark else ""))


def read_names(text: str, path: str) -> tuple[str, dict[str, str]]:
    """Return the title of a file, and what references show of what has an id there, and its file."""
    title, found = _read(text)
    titles = {f"ref:{name}": shown for name, shown in found.items()}
    return title, titles | {f"{_FILE}{name}": path for name in found}


def file_of(place: str, names: Mapping[str, str]) -> str:
    """Return the address, from the folder of `names`, of the file where something has an id."""
    path, folder = names.get(f"{_FILE}{place}", ""), names.get(FOLDER, "")
    if not path or not folder:
        return path
    if path.lower().startswith(f"{folder}/"):
        return path[len(folder) + 1 :]
    return posixpath.join(*[".."] * (folder.count("/") + 1), path)


def _read(text: str) -> tuple[str, dict[str, str]]:
    """Return the title of a file, and the titles of ids: not those that words of a title make."""
    titles = list(read_titles(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")))
    first = next((shown for name, shown in titles if name == shown), "")
    found = dict(_of_ids(titles))
    return found.pop(_DOCUMENT, "") or first, found


def _of_ids(titles: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for name, shown in titles:
        if name != shown and not name.startswith("_") and shown.strip():
            yield name, shown
