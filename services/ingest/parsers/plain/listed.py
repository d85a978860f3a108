"""Find the headings that a table of contents names, where nothing but their words tells them.

A text may set its titles as lines like any other. Where the front lists them, after "Contents" or with
the pages that they had in print, the same lines alone further on are the headings.
"""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from libs.language.entries import alternatives
from libs.language.layout import load_layout
from services.ingest.parsers.plain.headings import Heading, find_heading, has_only_number
from services.ingest.parsers.plain.lines import SourceLine, indent_of

_NAME = re.compile(rf"\s*(?:{alternatives(load_layout().contents)})[.:]?\s*", re.IGNORECASE)
_PAGE = re.compile(r"(?:(?:\s?\.){3,}\s*|\s{2,}|\t)(\d{1,4}|[ivxlc]{1,7})\s*$", re.IGNORECASE)
"""How an entry ends: dots or a gap, and the page."""
_NUMBER = re.compile(r"\s*(?:[-*•]\s+|(?:\d{1,3}|[IVXLC]{1,8}|[A-Z])[.):]\s+)")
_LONGEST = 120
_LEAST_NAMED, _LEAST_PAGED = 3, 3
_SHARE_NAMED, _SHARE_PAGED, _SHARE_FOUND = 0.8, 0.9, 0.5
"""Of the lines: those that stand further on, after the word; those with a page; of these, those that
stand further on. A list of prices has dots as well, and its lines stand nowhere else."""
_STEP = 2

Blocks = Sequence[Sequence[SourceLine]]


@dataclass(frozen=True)
class Listed:
    """The blocks of the contents by their place, and headings by the number of their line."""

    contents: frozenset[int] = frozenset()
    headings: Mapping[int, Heading] = field(default_factory=dict)
    others: Mapping[int, Sequence[SourceLine]] = field(default_factory=dict)
    """Of blocks of the contents, the lines over or under the entries that are text."""


@dataclass(frozen=True)
class _Entry:
    text: str
    indent: int
    found: int | None
    """The block that is its line alone further on."""


def find_listed(blocks: Blocks) -> Listed:
    """Return the first table of contents whose titles stand alone further on, and these titles."""
    alone = defaultdict[str, list[int]](list)
    for at, lines in enumerate(blocks):
        if len(lines) == 1 and len(lines[0].strip()) <= _LONGEST:
            for name in {_letters(lines[0]), _letters(_NUMBER.sub("", lines[0]))} - {""}:
                alone[name].append(at)
    for at, lines in enumerate(blocks):
        region = _named_at(blocks, at, alone) or _paged_at(lines, at)
        if not region:
            continue
        end = max(region) + 1
        entries = list(_read_entries(blocks, region, end, alone))
        found = sum(entry.found is not None for entry in entries)
        share = _SHARE_NAMED if _NAME.fullmatch(lines[0]) else _SHARE_FOUND
        if len(entries) >= _LEAST_NAMED and found >= share * len(entries):
            others = {one: _others_of(blocks[one], one, alone) for one in region}
            return Listed(frozenset(region), _headings_of(blocks, entries), others)
    return Listed()


def _named_at(blocks: Blocks, at: int, alone: Mapping[str, Sequence[int]]) -> list[int]:
    """Return the blocks of contents that begin with the word; none where they do not."""
    if not _NAME.fullmatch(blocks[at][0]):
        return []
    region = [at]
    rest = blocks[at][1:]
    if rest and not _stand_further_on(rest, at, alone):
        return []
    for place in range(at + 1, len(blocks)):
        lines = blocks[place]
        if _NAME.fullmatch(lines[0]) or not _stand_further_on(lines, place, alone):
            break
        region.append(place)
    return region if rest or len(region) > 1 else []


def _stand_further_on(
    lines: Sequence[SourceLine], at: int, alone: Mapping[str, Sequence[int]]
) -> bool:
    """Whether most lines of a block stand alone behind it."""
    found = sum(_next_place(line, at + 1, alone) is not None for line in lines)
    return found >= _SHARE_NAMED * len(lines)


def _paged_at(lines: Sequence[SourceLine], at: int) -> list[int]:
    """Return the block, where nearly all its lines end in pages that go up."""
    pages = [found[1] for line in lines if (found := _PAGE.search(line))]
    figures = [int(page) for page in pages if page.isdecimal()]
    goes_up = figures == sorted(figures)
    enough = len(pages) >= max(_LEAST_PAGED, _SHARE_PAGED * len(lines))
    return [at] if enough and goes_up and len(figures) >= _LEAST_PAGED - 1 else []


def _others_of(
    lines: Sequence[SourceLine], at: int, alone: Mapping[str, Sequence[int]]
) -> list[SourceLine]:
    """Return the lines over the first and under the last entry, which stand nowhere else."""
    places = [
        place
        for place, line in enumerate(lines)
        if _NAME.fullmatch(line) or _PAGE.search(line) or _next_place(line, at + 1, alone)
    ]
    return [*lines[: places[0]], *lines[places[-1] + 1 :]] if places else []


def _read_entries(
    blocks: Blocks, region: Sequence[int], end: int, alone: Mapping[str, Sequence[int]]
) -> Iterator[_Entry]:
    """Yield the entries, each with its place behind that of the one before."""
    after = end
    for line in (line for at in region for line in blocks[at]):
        if _NAME.fullmatch(line):
            continue
        text = _PAGE.sub("", line)
        found = _next_place(text, after, alone)
        if found is None:
            found = _next_place(text, end, alone)
        after = after if found is None else max(after, found + 1)
        yield _Entry(" ".join(text.split()), indent_of(line), found)


def _next_place(line: str, start: int, alone: Mapping[str, Sequence[int]]) -> int | None:
    text = _PAGE.sub("", line)
    for name in (_letters(text), _letters(_NUMBER.sub("", text))):
        places = alone.get(name, ())
        at = bisect(places, start - 1)
        if at < len(places):
            return places[at]
    return None


def _headings_of(blocks: Blocks, entries: Sequence[_Entry]) -> dict[int, Heading]:
    """Return the headings that are known by the contents alone, as deep as they stand there.

    Where others that stand as deep say what they are, "Chapter 2", they are of the same style.
    """
    depths = _depths([entry.indent for entry in entries])
    known = dict[int, str]()
    for entry, depth in zip(entries, depths, strict=True):
        own = find_heading(blocks[entry.found]) if entry.found is not None else None
        if own:
            known.setdefault(depth, own.style)
    headings = dict[int, Heading]()
    for entry, depth in zip(entries, depths, strict=True):
        if entry.found is None or _names_chapter(blocks, entry.found):
            continue
        line = blocks[entry.found][0]
        style = known.get(depth, f"listed {depth}")
        headings[line.number] = Heading(" ".join(line.split()).strip("_*"), style, 1)
    return headings


def _names_chapter(blocks: Blocks, at: int) -> bool:
    """Whether a line is the name below the number of its chapter, which is joined with it."""
    over = find_heading(blocks[at - 1]) if at else None
    return over is not None and has_only_number(over)


def _depths(indents: Sequence[int]) -> list[int]:
    steps = list[int]()
    for indent in sorted(set(indents)):
        if not steps or indent - steps[-1] >= _STEP:
            steps.append(indent)
    return [bisect(steps, indent) - 1 for indent in indents]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
