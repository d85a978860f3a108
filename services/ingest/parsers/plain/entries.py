"""Find keys with what they mean beside them, in two columns: shortcuts, options, files, fields."""

import re
from collections.abc import Iterator, Sequence

from services.ingest.parsers.wrapped import columns_of

_ROW = re.compile(r"( *)(\S+(?: \S+){0,6}?)(?P<gap> {2,})(?=\S)")
_MARK = re.compile(r"(?:\(?(?:\d{1,3}|[a-zA-Z])[.)]|\^?\[\d{1,4}\]|[-*•‣◦+–])(?: |$)")
_ENDS = re.compile(r"[.!?,;。！？，；][\"'”’»)\]]*$")
_DRAWN = re.compile(r"[|│┃]|[-–—=─━]+$")
_WORD = re.compile(r"[\"“‘'(]?[^\W\d_]{2,}[\"”’')]?[.,;:!?]?")
_WIDE_GAP = re.compile(r"(?<=\S) {3,}(?=\S)")
_SIGNS = re.compile(r"[{};|]|/\*|^[#/<=]| = ")
"""What a meaning in words has not: signs of programs, of tables and of what is drawn."""
_LEAST_ROWS = 3
_LONGEST_KEY = 40
_MOSTLY = 0.75
_NEAR = 3

Row = tuple[int, int]
"""The columns at which a key and its meaning begin."""


def find_entries(lines: Sequence[str]) -> dict[int, bool]:
    """Return the lines of keys and their meanings by their place, and whether an entry begins there.

    At least three keys stand below each other, and so do the meanings, whose further lines stand deeper
    than the keys. No key ends as a sentence does, behind which two spaces may stand in prose, and most
    meanings are words. The longest key may have but one space behind it.
    """
    found = dict[int, bool]()
    rows = [_row_of(line) for line in lines]
    at = 0
    while at < len(lines):
        row = rows[at] or (rows[at + 1] if at + 1 < len(lines) else None)
        region = list(_region(lines, rows, at, row)) if row else []
        told = [at + offset for offset in range(len(region)) if rows[at + offset] == row]
        if len(told) >= _LEAST_ROWS and _are_words([lines[one] for one in told]):
            found |= {at + offset: begins for offset, begins in enumerate(region)}
            at += len(region)
        else:
            at += max(len(told), 1)
    return found


def _row_of(line: str) -> Row | None:
    row = _ROW.match(line)
    if row is None or len(row[2]) > _LONGEST_KEY or not _may_be_key(row[2]):
        return None
    return len(row[1]), columns_of(row[0])


def _may_be_key(text: str) -> bool:
    return not (_ENDS.search(text) or _MARK.match(text) or _DRAWN.match(text))


def _region(
    lines: Sequence[str], rows: Sequence[Row | None], first: int, row: Row
) -> Iterator[bool]:
    """Yield of each line from the first on whether it begins an entry or goes on with one."""
    key, meaning = row
    for at in range(first, len(lines)):
        line = lines[at]
        indent = len(line) - len(line.lstrip(" "))
        if rows[at] == row or _is_longest(line, row):
            yield True
        elif at > first and indent > max(key + 1, meaning - _NEAR) and rows[at] is None:
            yield False
        else:
            return


def _is_longest(line: str, row: Row) -> bool:
    """Whether a key that is one word, or ends in a colon, reaches up to a space before the meanings."""
    key, meaning = row
    name = line[key : meaning - 1]
    is_there = line[:key].isspace() or not key
    ends = line[meaning - 1 : meaning] == " " and line[meaning : meaning + 1].strip()
    is_key = name == name.strip() and (" " not in name or name.endswith(":"))
    return bool(is_there and ends and is_key and _may_be_key(name))


def _are_words(lines: Sequence[str]) -> bool:
    told = 0
    for line in lines:
        row = _ROW.match(line)
        assert row is not None
        meaning = line[row.end() :]
        words = sum(_WORD.fullmatch(word) is not None for word in meaning.split())
        told += words > 1 and not _SIGNS.search(meaning) and not _WIDE_GAP.search(meaning)
    return told >= _MOSTLY * len(lines)
