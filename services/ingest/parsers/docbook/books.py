"""Find among the files of a source which are documents of DocBook or Mallard, and which their parts."""

import hashlib
import posixpath
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from libs.errors import InvalidInput
from services.ingest.model.book import SourceFile
from services.ingest.parsers.docbook.kinds import is_fragment, is_read
from services.ingest.parsers.docbook.tree import put_together, read_tree
from services.ingest.parsers.encoding import decode_text
from services.ingest.parsers.formats import is_xml

_TAKES_IN = (b"<!ENTITY", b"XInclude")
"""One of these stands in each file that takes in another one."""


@dataclass
class Books:
    """What becomes of files of XML: those with other bytes now, and those that are no documents."""

    whole: dict[str, bytes] = field(default_factory=dict)
    parts: set[str] = field(default_factory=set)
    others: list[str] = field(default_factory=list)
    """Those of another kind: neither a document nor a part of one."""
    unused: dict[str, str] = field(default_factory=dict)
    """Parts that a document declares and never takes in, and that document."""
    copies: dict[str, str] = field(default_factory=dict)
    """Documents that are the same as another one once they are put together, and that one."""
    seen: dict[tuple[str, bytes], str] = field(default_factory=dict)
    """The first document of each folder and digest."""
    pieces: list[str] = field(default_factory=list)
    """Those that are no XML alone, and that no document declares or takes in."""


def find_books(paths: Sequence[str], read: Callable[[str], SourceFile], *, strict: bool) -> Books:
    """Put the books of a source together: what one of its documents takes in is no document itself.

    `paths` are of all its files. With `strict` raises InvalidInput, naming it, for a part of a book
    that can't be read; else its book goes on without it, and reading that says so.
    """
    books, known = Books(), frozenset(paths)
    # Where a book lies under two names, it goes by the one that says what it is.
    of_xml = sorted(filter(is_xml, paths), key=lambda path: (path.endswith(".xml"), path))

    def text_of(path: str) -> str | None:
        try:
            return decode_text(read(path)) if path in known else None
        except InvalidInput:
            return None

    for path in of_xml:
        file = read(path)
        if not is_read(path, file.data):
            books.others.append(path)
        elif path not in books.parts:
            _add(books, file, text_of, strict=strict)
    books.whole = {path: data for path, data in books.whole.items() if path not in books.parts}
    books.others = [path for path in books.others if path not in books.parts]
    books.copies = {
        path: first for path, first in books.copies.items() if not {path, first} & books.parts
    }
    left = [path for path in of_xml if path not in books.parts and path not in books.others]
    fragments = [path for path in left if is_fragment(read(path).data)]
    declared = {path: books.unused[path] for path in fragments if path in books.unused}
    books.unused = declared
    if len(fragments) < len(left):
        books.pieces = [
            path for path in fragments if path not in declared and not _is_whole(text_of(path))
        ]
    return books


def _is_whole(text: str | None) -> bool:
    """Whether a text is well-formed XML alone: else it is made to stand in another one."""
    try:
        read_tree(text or "")
    except InvalidInput:
        return False
    return True


def _add(
    books: Books, file: SourceFile, read: Callable[[str], str | None], *, strict: bool
) -> None:
    data = file.data
    if any(mark in data for mark in _TAKES_IN):
        source = read(file.path)
        if source is None:
            return  # reading it says what is wrong with it
        whole = put_together(file.path, source, read, strict=strict)
        books.unused |= dict.fromkeys(whole.unused, file.path)
        if whole.used:
            data = books.whole[file.path] = whole.text.encode()
            books.parts |= {path for path in whole.used if path != file.path}
    # Help is often kept under its old name, too.
    place = posixpath.dirname(file.path), hashlib.sha256(data).digest()
    first = books.seen.setdefault(place, file.path)
    if first != file.path:
        books.copies[file.path] = first
