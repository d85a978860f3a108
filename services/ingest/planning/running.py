"""Find the texts that nearly all pages of a book, or of a folder of it, have near their edges."""

import posixpath
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from services.ingest.model.book import SourceFile
from services.ingest.parsers.formats import Format, format_of
from services.ingest.planning.page_text import page_of

_LEAST_PAGES = 5
_SHARE = 0.8


def find_running(files: Mapping[str, SourceFile], kept: Sequence[str]) -> dict[str, frozenset[int]]:
    """Return for pages the numbers of those of their texts that a page before them has as well.

    The first page keeps them: what a book says on each page it says.
    """
    edges = {path: page_of(files[path]).edges for path in kept if format_of(path) is Format.HTML}
    folders: dict[str, list[str]] = {}
    for path in edges:
        folders.setdefault(posixpath.dirname(path), []).append(path)
    of_all = _repeated(edges.values())
    of_folders = {
        folder: of_all | _repeated([edges[path] for path in pages])
        for folder, pages in folders.items()
    }
    found, said = dict[str, frozenset[int]](), set[int]()
    for path, numbers in edges.items():
        running = numbers & of_folders[posixpath.dirname(path)]
        if again := running & said:
            found[path] = again
        said |= running
    return found


def _repeated(pages: Iterable[frozenset[int]]) -> frozenset[int]:
    every = list(pages)
    if len(every) < _LEAST_PAGES:
        return frozenset()
    counts = Counter(number for page in every for number in page)
    return frozenset(one for one, count in counts.items() if count >= _SHARE * len(every))
