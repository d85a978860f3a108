"""Leave out what the header of a text says to programs, as that of a mail or of a page of a wiki."""

import re
from collections.abc import Sequence

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.plain.lines import SourceLine

FIELDS = DroppedContent("header", "", "it speaks to programs")
_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9]{0,30}(-[A-Za-z0-9]{1,30}){0,4}:[ \t]+\S")
"""A field of RFC 822. Programs name theirs by words with hyphens, "Content-Type"; "Subject" and
"Title" tell readers something."""
_LEAST_LINES = 2


def part_fields(
    blocks: Sequence[Sequence[SourceLine]],
) -> tuple[list[Sequence[SourceLine]], list[SourceLine]]:
    """Return the blocks without the fields for programs in a header on top, and these.

    A header begins in the first line, has two fields at least and nothing else up to an empty line,
    but indented lines with which a field goes on.
    """
    first, *rest = blocks or [[]]
    if len(first) < _LEAST_LINES or first[0].number != 1:
        return list(blocks), []
    kept, gone = list[SourceLine](), list[SourceLine]()
    goes_on = kept
    for line in first:
        found = _FIELD.match(line)
        if not found and (line is first[0] or not line[:1].isspace()):
            return list(blocks), []
        if found:
            goes_on = gone if found[1] else kept
        goes_on.append(line)
    if not gone:
        return list(blocks), []
    return [kept, *rest] if kept else rest, gone
