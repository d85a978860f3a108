"""Find what references of Sphinx, Mallard and AsciiDoc show: titles of files and of labels."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from services.ingest.model.book import SourceFile
from services.ingest.parsers import asciidoc
from services.ingest.parsers.encoding import decode_text
from services.ingest.parsers.formats import Format, format_of
from services.ingest.parsers.lazy import load_rst
from services.ingest.parsers.markdown import front_matter_of, read_titles, refers
from services.ingest.parsers.sphinx_labels import bare_path
from services.ingest.planning.mallard import read_page_names

_MOST_FOLDERS = 8


def read_names(files: Mapping[str, SourceFile], kept: Sequence[str]) -> dict[str, str]:
    """Return the titles of a book's documents, by "doc:" and the end of their path, and of labels.

    The end of a path that two documents have stands for neither.
    """
    if not any(shows_names(files[path]) for path in kept):
        return {}
    names, ends = read_page_names(files, kept), dict[str, str]()
    for path in kept:
        title, labels = "", dict[str, str]()
        if format_of(path) is Format.RST:
            labels = load_rst().read_names("", decode_text(files[path]), path)
            title = labels.pop("doc:", "")
        elif format_of(path) is Format.MARKDOWN:
            text = decode_text(files[path])
            title, found = read_titles(text[len(front_matter_of(text)) :])
            labels = {f"ref:{label}": shown for label, shown in found.items()}
        elif format_of(path) is Format.ASCIIDOC:
            title, labels = asciidoc.read_names(decode_text(files[path]), path)
        names |= labels
        for end in _ends_of(bare_path(path)):
            ends[end] = title if end not in ends else ""
    return names | {f"doc:{end}": title for end, title in ends.items() if title}


def shows_names(file: SourceFile) -> bool:
    """Whether references in a document may show titles of others."""
    if format_of(file.path) is Format.MARKDOWN:
        return refers(decode_text(file))
    if format_of(file.path) is Format.ASCIIDOC:
        return asciidoc.refers(decode_text(file))
    return format_of(file.path) in (Format.RST, Format.MALLARD)


def _ends_of(path: str) -> Iterator[str]:
    """Yield a path, and its ends that begin with a folder or are the name alone."""
    parts = path.split("/")
    for first in range(max(0, len(parts) - _MOST_FOLDERS), len(parts)):
        yield posixpath.join(*parts[first:])
