"""Join the number of a chapter with the name that stands alone in the line below it."""

from collections.abc import Sequence
from dataclasses import replace

from services.ingest.parsers.plain.headings import Heading, has_only_number
from services.ingest.parsers.plain.lines import SourceLine, is_rule

_LEAST_NAMED = 2
_SHARE_NAMED = 2 / 3
"""Of chapters with a number alone: a few may begin with a short line of speech or of a letter."""
_LONGEST = 80
_MOST_WORDS = 12
_ENDS = ".,;:…"

Blocks = Sequence[Sequence[SourceLine]]


def join_names(
    blocks: Blocks, headings: Sequence[Heading | None]
) -> tuple[list[Sequence[SourceLine]], list[Heading | None]]:
    """Return blocks and headings, those with a name as one with it, where most chapters have one."""
    counted = [at for at, one in enumerate(headings) if one and _is_bare(one, blocks[at])]
    named = {at for at in counted if _has_name(blocks, headings, at)}
    if len(named) < max(_LEAST_NAMED, _SHARE_NAMED * len(counted)):
        return list(blocks), list(headings)
    joined: list[Sequence[SourceLine]] = []
    found: list[Heading | None] = []
    for at, (lines, heading) in enumerate(zip(blocks, headings, strict=True)):
        if at - 1 in named and found[-1]:
            text = f"{found[-1].text} {_plain(lines[0])}"
            found[-1] = replace(found[-1], text=text, line_count=len(joined[-1]) + 1)
            joined[-1] = [*joined[-1], lines[0]]
        else:
            joined.append(lines)
            found.append(heading)
    return joined, found


def _is_bare(heading: Heading, lines: Sequence[SourceLine]) -> bool:
    return heading.line_count == len(lines) and has_only_number(heading)


def _has_name(blocks: Blocks, headings: Sequence[Heading | None], at: int) -> bool:
    """Whether a line alone, that is no sentence, stands between a heading and its text."""
    if at + 2 >= len(blocks) or headings[at + 1] or headings[at + 2]:
        return False
    lines = blocks[at + 1]
    if len(lines) != 1 or is_rule(lines[0]):
        return False
    text = _plain(lines[0])
    ends = text.rstrip(".") if text.isupper() else text
    is_short = len(text) <= _LONGEST and len(text.split()) <= _MOST_WORDS
    return is_short and text[:1].isalnum() and not text[0].islower() and ends[-1:] not in _ENDS


def _plain(line: str) -> str:
    return " ".join(line.split()).strip("_*")
