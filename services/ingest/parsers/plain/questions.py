"""Find an index of questions: lines that all stand again below, each as the title of an answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from services.ingest.parsers.plain.headings import Heading
from services.ingest.parsers.plain.lines import SourceLine, indent_of

_LEAST, _LONGEST = 4, 120
_ALIKE = 0.75
_MOST_TRIED = 5
"""Blocks that look like an index but are none, behind which no more are sought."""
STYLE = "question"

Blocks = Sequence[Sequence[SourceLine]]


@dataclass(frozen=True)
class Questions:
    """The block that is the index, -1 for none, and the titles by the number of their line."""

    index: int = -1
    headings: Mapping[int, Heading] = field(default_factory=dict)


def find_questions(blocks: Blocks) -> Questions:
    """Return the first index of which every line stands again, over text that stands deeper.

    A title may have a few other words than its line in the index, if it begins with the same one and
    stands between the titles of the lines above and below.
    """
    titles = [(at, lines[0]) for at, lines in enumerate(blocks) if _is_title(lines)]
    if len(titles) < _LEAST:
        return Questions()
    known = {_words(line) for _, line in titles}
    tried = 0
    for at, lines in enumerate(blocks):
        told = sum(_words(line) in known for line in lines)
        if len(lines) < _LEAST or told < _ALIKE * len(lines):
            continue
        below = [line for place, line in titles if place > at]
        found = _found(lines, below)
        if found:
            headings = {one.number: Heading(" ".join(one.split()), STYLE, 1) for one in found}
            return Questions(at, headings)
        tried += 1
        if tried == _MOST_TRIED:
            break
    return Questions()


def _is_title(lines: Sequence[SourceLine]) -> bool:
    first, *below = lines
    is_line = not indent_of(first) and len(first) <= _LONGEST
    return is_line and bool(below) and all(indent_of(line) for line in below)


def _found(lines: Sequence[SourceLine], titles: Sequence[SourceLine]) -> list[SourceLine]:
    """Return the titles of all lines, in their order; nothing where one has none."""
    found: list[SourceLine] = []
    at = 0
    for line in lines:
        while at < len(titles) and not _says(titles[at], line):
            at += 1
        if at == len(titles):
            return []
        found.append(titles[at])
        at += 1
    return found


def _says(title: str, line: str) -> bool:
    one, other = _words(title), _words(line)
    if one == other:
        return bool(one)
    shared = len(set(one) & set(other))
    return one[:1] == other[:1] and shared >= _ALIKE * max(len(set(one)), len(set(other)))


def _words(text: str) -> tuple[str, ...]:
    bare = "".join(sign if sign.isalnum() else " " for sign in text.casefold())
    return tuple(bare.split())
