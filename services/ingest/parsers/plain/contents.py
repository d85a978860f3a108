"""Drop the table of contents and the index from the blocks of a text."""

import re
from collections.abc import Sequence, Set
from operator import attrgetter

from libs.language.entries import alternatives
from libs.language.layout import load_layout
from services.ingest.parsers.plain.headings import Heading
from services.ingest.parsers.plain.lines import SourceLine, is_rule

_LEADER = re.compile(r"(?:\s?\.){3,}\s*\w{1,6}$")
_MARK = re.compile(r"\s*[-*•‣◦+–]\s+(?=\S)")
_NAME = re.compile(rf"\s*(?:{alternatives(load_layout().contents)})[.:]?\s*", re.IGNORECASE)
_MENU = re.compile(r"\s*\* Menu:")
_OF_INDEX = re.compile(r"\* \S.*")
_AT_LINE = re.compile(r".*\(line\s+\d{1,7}\)")
_MIN_LINES = 4
_MIN_LETTERS = 4


def drop_contents(
    blocks: Sequence[Sequence[SourceLine]], headings: Sequence[Heading | None]
) -> tuple[list[Sequence[SourceLine]], list[list[SourceLine]]]:
    """Part blocks from those of which nearly every line is one of the headings of the text.

    So are items one after the other that are nothing but headings, each a block of its own.
    """
    shown = "\n".join(_letters(heading.text) for heading in headings if heading)
    listed = _listed(blocks, set(shown.split("\n")))
    kept: list[Sequence[SourceLine]] = []
    found: list[list[SourceLine]] = []
    for at, (lines, heading) in enumerate(zip(blocks, headings, strict=True)):
        rest = lines[heading.line_count :] if heading else lines
        if at not in listed and (len(rest) < _MIN_LINES or not _is_contents(rest, shown)):
            kept.append(lines)
            continue
        over, entries, under = ([], rest, []) if at in listed else _part(rest, shown)
        if at in listed and at - 1 in listed:
            found[-1] += entries
        else:
            found.append(list(entries))
        if heading and not _NAME.fullmatch(heading.text):
            kept.append(lines[: heading.line_count])
        elif kept and len(kept[-1]) < 3 and _NAME.fullmatch(kept[-1][0]):
            kept.pop()
        kept += filter(None, (over, under))
    return kept, found


def drop_index(
    blocks: Sequence[Sequence[SourceLine]],
) -> tuple[list[Sequence[SourceLine]], list[SourceLine]]:
    """Part blocks from the lines of an index as GNU's manuals have it, its title and its menu too."""
    kept: list[Sequence[SourceLine]] = []
    dropped: list[SourceLine] = []
    for lines in blocks:
        if not _is_index(lines):
            kept.append(lines)
            continue
        while kept and (_MENU.fullmatch(kept[-1][0]) or _is_title_alone(kept[-1])):
            dropped += kept.pop()
        dropped += lines
    return kept, sorted(dropped, key=attrgetter("number"))


def _is_title_alone(lines: Sequence[str]) -> bool:
    """Whether a block is a line that is underlined, and nothing else."""
    return len(lines) == 2 and not is_rule(lines[0]) and is_rule(lines[1])


def _is_index(lines: Sequence[str]) -> bool:
    entries = sum(_OF_INDEX.fullmatch(line) is not None for line in lines)
    at_lines = sum(_AT_LINE.fullmatch(line) is not None for line in lines)
    return entries >= _MIN_LINES and at_lines >= 0.9 * entries and entries + at_lines >= len(lines)


def _listed(blocks: Sequence[Sequence[str]], shown: Set[str]) -> set[int]:
    """Return which blocks are items of a list of headings, at least as many as contents have lines."""
    found, run = set[int](), list[int]()
    for at, lines in enumerate([*blocks, []]):
        if lines and _MARK.match(lines[0]) and _letters("".join(lines)) in shown:
            run.append(at)
        else:
            found.update(run if len(run) >= _MIN_LINES else ())
            run = []
    return found


def _is_contents(lines: Sequence[str], shown: str) -> bool:
    bare = [_letters(_LEADER.sub("", line)) for line in lines]
    told = [line for line in bare if len(line) >= _MIN_LETTERS]
    return len(told) >= _MIN_LINES and sum(line in shown for line in told) * 10 >= 9 * len(told)


def _part(
    lines: Sequence[SourceLine], shown: str
) -> tuple[Sequence[SourceLine], Sequence[SourceLine], Sequence[SourceLine]]:
    """Part contents from the lines over and under them that are no entries: a version, a sentence."""
    places = [at for at, line in enumerate(lines) if _is_entry(line, shown)]
    first, behind = places[0], places[-1] + 1
    return lines[:first], lines[first:behind], lines[behind:]


def _is_entry(line: str, shown: str) -> bool:
    bare = _letters(_LEADER.sub("", line))
    is_told = len(bare) < _MIN_LETTERS or bare in shown
    return is_told or bool(_LEADER.search(line) or _NAME.fullmatch(line))


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
