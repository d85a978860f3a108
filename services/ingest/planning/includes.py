"""Read the order of a book in AsciiDoc from the document that includes the others."""

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence

from services.ingest.model.book import SourceFile
from services.ingest.parsers.contents import ContentsEntry, ContentsReader
from services.ingest.parsers.encoding import decode_text
from services.ingest.parsers.formats import Format, format_of

_TELLING = re.compile(
    r"^(?:include::[^\[\]\n]{1,300}\[|:[\w-]{1,60}:|={1,2}[ \t]+\S).*$", re.MULTILINE
)
_INCLUDE = re.compile(r"include::([^\[\]\n]{1,300})\[")
_ATTRIBUTE = re.compile(r":([\w-]{1,60}):[ \t]*(\S*)")
_NAMED = re.compile(r"\{([\w-]{1,60})\}")
_PART = re.compile(r"=[ \t]+(\S.*)")
_LEAST = 2
"""Documents that one includes which is the whole of them."""
_DEEPEST = 20


def includes_of(text: str) -> str:
    """Return the lines of a document by which `read_includes` goes."""
    return "\n".join(found[0] for found in _TELLING.finditer(text))


def read_includes(
    files: Mapping[str, SourceFile], kept: Sequence[str]
) -> tuple[str, Mapping[str, ContentsEntry]]:
    """Return the title of the document that includes most others, and these as it has them.

    Nothing where none includes two. Parts are its titles as high as its own.
    """
    known = {path for path in kept if format_of(path) is Format.ASCIIDOC}
    named = {path: list(_named_in(path, files, known)) for path in sorted(known)}
    targets = {path: [one for one, _ in found if one] for path, found in named.items()}
    counts = {path: len(_reach(path, targets)) for path in known}
    whole = min(known, key=lambda path: (-counts[path], path.count("/"), path), default="")
    if not whole or counts[whole] < _LEAST:
        return "", {}
    title = next((title for path, title in named[whole][:1] if not path), "")
    reader, seen = ContentsReader(), {whole}
    reader.add_document(whole, 0)
    waiting = [(entry, 0) for entry in reversed(_with_parts(named[whole]))]
    while waiting:
        (path, part, below), depth = waiting.pop()
        if part:
            reader.add_part(part, depth)
        elif path not in seen:
            seen.add(path)
            reader.add_document(path, depth + below)
            inner = [((one, "", 0), min(depth + below + 1, _DEEPEST)) for one in targets[path]]
            waiting += reversed(inner)
    return title, dict(reader.entries)


def _with_parts(named: Iterable[tuple[str, str]]) -> list[tuple[str, str, int]]:
    """Return what is named, each with 1 behind a title of a part; the first title is the book's."""
    found, titles = list[tuple[str, str, int]](), 0
    for path, title in named:
        titles += bool(title)
        if path or titles > 1:
            found.append((path, title, int(titles > 1)))
    return found


def _reach(path: str, targets: Mapping[str, Sequence[str]]) -> set[str]:
    """Return all that a document includes, and what that includes."""
    reached, waiting = set[str](), list(targets[path])
    while waiting:
        one = waiting.pop()
        if one not in reached:
            reached.add(one)
            waiting += targets[one]
    return reached - {path}


def _named_in(
    path: str, files: Mapping[str, SourceFile], known: Iterable[str]
) -> Iterable[tuple[str, str]]:
    """Yield the documents that one includes, and in their places its titles of the highest level."""
    attributes: dict[str, str] = {}
    for line in decode_text(files[path]).split("\n"):
        if said := _ATTRIBUTE.match(line):
            attributes[said[1]] = said[2]
        elif title := _PART.fullmatch(line):
            yield "", title[1]
        elif found := _INCLUDE.match(line):
            target = _NAMED.sub(lambda one: attributes.get(one[1], one[0]), found[1])
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            if target in known:
                yield target, ""
