"""Tell verses from wrapped prose, and columns of prose that stand side by side from tables."""

import re
from collections.abc import Sequence

from services.ingest.parsers.wrapped import columns_of

_LEAST_VERSES, _LONGEST_VERSE = 3, 70
_BEGINS = re.compile(r"[\"“”‘’'«„(\[_*—–-]*([^\W\d_])")
_ENDS = re.compile(r"[.,;:!?…—–-][\"'”’»)]*$")
_GAP = re.compile(r"(?<=\S)\s{2,}(?=\S)")
_NO_VERSE = re.compile(r"[{}<>|\\=$]\s*$|\)\s*;\s*$|\S\s{2,}\S|:\s*\S+$|^\S+\(|\.{3,}\s*\d+$")
_LEAST_LINES = 3
_LEAST_WORDS = 3
"""Of a line of a column of prose on average."""


def is_verse(lines: Sequence[str]) -> bool:
    """Whether each line begins with a capital, half of them end with a sign, and none is long.

    Wrapped prose may begin so in three lines, and all that is in capitals does.
    """
    bare = [line.strip() for line in lines]
    if len(bare) < _LEAST_VERSES or any(map(_NO_VERSE.search, bare)):
        return False
    begins = [_BEGINS.match(line) for line in bare]
    is_short = all(columns_of(line) <= _LONGEST_VERSE and " " in line for line in bare)
    are_capitals = all(found is not None and found[1].isupper() for found in begins)
    ends = sum(_ENDS.search(line) is not None for line in bare)
    return (
        is_short
        and are_capitals
        and ends * 2 >= len(bare)
        and not any(line.isupper() for line in bare)
    )


def part_columns(lines: Sequence[str]) -> list[list[str]]:
    """Return the lines of two columns of prose one after the other; nothing where there are none.

    Through all lines a gap goes down, and on both sides most lines go on with the sentence of the
    line above, as no rows of a table do.
    """
    if len(lines) < _LEAST_LINES:
        return []
    width = max(map(len, lines))
    padded = [line.ljust(width) for line in lines]
    free = "".join("x" if any(line[at] != " " for line in padded) else " " for at in range(width))
    rivers = list(_GAP.finditer(free))
    if len(rivers) != 1:
        return []
    middle = rivers[0].end()
    sides = ([line[:middle].rstrip(), line[middle:].rstrip()] for line in padded)
    columns = [[line for line in side if line] for side in zip(*sides, strict=True)]
    return columns if all(map(_is_prose, columns)) else []


def _is_prose(lines: Sequence[str]) -> bool:
    if len(lines) < _LEAST_LINES or any(map(_GAP.search, map(str.strip, lines))):
        return False
    words = sum(len(line.split()) for line in lines)
    below = [line.strip() for line in lines[1:]]
    goes_on = sum(line[0].islower() for line in below)
    return words >= _LEAST_WORDS * len(lines) and goes_on * 2 >= len(below)
