"""Group the lines of plain text that belong together."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from services.ingest.parsers.plain.entries import find_entries
from services.ingest.parsers.wrapped import first_word

_MARK = re.compile(r"(?:([-*•‣◦+–])|(\(?(?:\d{1,3}|[a-zA-Z])[.)])|(\^?\[\d{1,4}\]))[ ]{1,4}(?=\S)")
_COUNTED = re.compile(r" *(\d{1,3}) {1,4}(\S.*)")
_LEAST_COUNTED = 3
_GAP = re.compile(r"\S {2,}(?=\S)")
_SPACE = re.compile(r"\S +(?=\S)")
_OPTION = re.compile(r"--?[^\W\d_]\S*(?:[ ,|].*)?|-\?.*")
_RULE = re.compile(r"([-=*~_^#+.:'\"`])(?:[ ]?\1){2,}")
_HARD_INDENT = re.compile(r"[ \xa0]*\xa0[ \xa0]*")
_TAB = 8
_DEEPEST_FIRST = 8
"""Columns by which the first line of a paragraph stands further in."""
_LEAST_FIRST = 50
"""Characters of a line that is as full as others may be."""
_ENDS_FIRST = (":", ";", ".", "!", "?")
_ENDS_ABOVE = '.!?:…”"»)'


class SourceLine(str):
    """A line of the file that knows its number, from 1."""

    __slots__ = ("number",)

    number: int


@dataclass(frozen=True)
class Run:
    """Lines without an empty one between them, and of one indentation but for a hanging mark."""

    lines: tuple[str, ...]
    indent: int
    mark: str = ""
    """The mark of a list item or of a footnote; "" for any other run."""
    inner: int = 0
    """Where the text behind the mark starts."""
    is_first: bool = True
    """Whether an empty line is above."""
    is_last: bool = True
    """Whether an empty line is below."""
    hangs: bool = False
    """Whether a few words stand before the text, which goes on below itself and not below them."""
    is_entry: bool = False
    """Whether it is a key with what it means beside it, as others above and below are."""


def is_rule(line: str) -> bool:
    return bool(_RULE.fullmatch(line.strip()))


def read_blocks(text: str) -> list[list[SourceLine]]:
    """Return the lines between empty lines, without tabs and without space at their ends."""
    blocks: list[list[SourceLine]] = []
    lines: list[SourceLine] = []
    for number, line in _numbered(text):
        clean = line.expandtabs(_TAB).rstrip()
        if indent := _HARD_INDENT.match(clean):
            clean = " " * indent.end() + clean[indent.end() :]
        if clean:
            lines.append(SourceLine(clean))
            lines[-1].number = number
        elif lines:
            blocks.append(lines)
            lines = []
    return [*blocks, lines] if lines else blocks


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers; a form feed is an empty line that counts for none."""
    for number, line in enumerate(text.split("\n"), start=1):
        for part, shown in enumerate(line.split("\f")):
            if part:
                yield number, ""
            yield number, shown


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def split_runs(lines: Sequence[str]) -> list[Run]:
    """Split a block where the indentation changes or a mark begins an item."""
    if is_counted(lines):
        return [_counted_run(at, line, len(lines)) for at, line in enumerate(lines)]
    groups: list[list[str]] = []
    inner: tuple[int, ...] = ()
    longest = max(map(len, lines), default=0)
    entries, keys = find_entries(lines), set[int]()
    for at, line in enumerate(lines):
        if at in entries:
            _add_entry(groups, keys, line, begins=entries[at])
            inner = ()
            continue
        indent = indent_of(line)
        mark = _MARK.match(line, indent)
        starts = (mark and _is_mark(mark, groups)) or is_described_option(line)
        if inner and not starts and _is_first_indented(groups, line, longest):
            groups[-1].append(line)
            inner = (indent,)
        elif not groups or starts or indent not in inner:
            groups.append([line])
            own = _inner_of(mark) if mark and starts else (indent,)
            inner = (*own, *_columns_behind_gaps(line))
        else:
            groups[-1].append(line)
            inner = (indent,)
    runs = _to_runs(groups)
    return [replace(run, is_entry=True) if at in keys else run for at, run in enumerate(runs)]


def _add_entry(groups: list[list[str]], keys: set[int], line: str, *, begins: bool) -> None:
    if begins:
        keys.add(len(groups))
        groups.append([line])
    else:
        groups[-1].append(line)


def _is_first_indented(groups: Sequence[Sequence[str]], line: str, longest: int) -> bool:
    """Whether `line` goes on with the first line of a paragraph, which alone stands further in.

    That has to be full: the next word had no room in it. Behind a line that ends no sentence it is
    something set apart within a paragraph.
    """
    if not groups or len(groups[-1]) > 1:
        return False
    [first], indent = groups[-1], indent_of(line)
    deeper = indent_of(first) - indent
    if not 0 < deeper <= _DEEPEST_FIRST or _MARK.match(first, indent_of(first)):
        return False
    if len(first) < _LEAST_FIRST or len(first) + 1 + len(first_word(line)) < longest:
        return False
    above = groups[-2][-1] if len(groups) > 1 else ""
    return not first.rstrip().endswith(_ENDS_FIRST) and (not above or above[-1] in _ENDS_ABOVE)


def is_counted(lines: Sequence[str]) -> bool:
    """Whether the lines are those of a list that count up by a number without a sign behind it."""
    found = [_COUNTED.fullmatch(line) for line in lines]
    numbers = [int(one[1]) for one in found if one]
    first = numbers[0] if numbers else 0
    goes_up = numbers == list(range(first, first + len(lines)))
    return goes_up and first <= 1 and len(lines) >= _LEAST_COUNTED


def _counted_run(at: int, line: str, count: int) -> Run:
    found = _COUNTED.fullmatch(line)
    assert found is not None
    start, inner = found.start(1), found.start(2)
    return Run((found[2],), start, found[1], inner, at == 0, at == count - 1)


def _is_mark(mark: "re.Match[str]", groups: Sequence[Sequence[str]]) -> bool:
    # Inside a paragraph, a dash or a number at the start of a line may be part of a sentence.
    if not groups:
        return True
    above = groups[-1]
    hangs = _MARK.match(above[0], indent_of(above[0])) is not None
    return hangs or indent_of(above[-1]) != indent_of(mark.string)


def _inner_of(mark: "re.Match[str]") -> tuple[int, ...]:
    """Return where the next line of an item may start: a footnote's may stand below its mark."""
    return (mark.end(), indent_of(mark.string)) if mark[3] else (mark.end(),)


def _columns_behind_gaps(line: str) -> tuple[int, ...]:
    """Return where text goes on that is set apart by spaces: below it may be the next line."""
    gap = _SPACE if is_option(line) else _GAP
    return tuple(found.end() for found in gap.finditer(line))


def is_option(line: str) -> bool:
    """Whether it begins with an option of a command."""
    return _OPTION.fullmatch(line.strip()) is not None


def is_described_option(line: str) -> bool:
    """Whether what an option does stands in the line of it, behind a gap."""
    return is_option(line) and "  " in line.strip()


def _to_runs(groups: Sequence[Sequence[str]]) -> Iterator[Run]:
    for number, group in enumerate(groups):
        indent = indent_of(group[0])
        mark = _MARK.match(group[0], indent)
        if not mark:
            indent = min(map(indent_of, group[:2]))
        is_item = mark and (
            len(group) == 1
            or indent_of(group[1]) in (*_inner_of(mark), *_columns_behind_gaps(group[0]))
        )
        lines = [line.strip() for line in group]
        if mark and is_item:
            lines[0] = group[0][mark.end() :].strip()
        hangs = not is_item and len(group) > 1 and indent_of(group[1]) > indent
        yield Run(
            tuple(lines),
            indent,
            mark[0].strip() if mark and is_item else "",
            mark.end() if mark and is_item else indent_of(group[1]) if hangs else indent,
            number == 0,
            number == len(groups) - 1,
            hangs,
        )
