"""Find the chapters of a book whose titles are but numbers that count up, as many novels have them."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from libs.text import read_roman
from services.ingest.parsers.plain.headings import Heading
from services.ingest.parsers.plain.lines import indent_of, is_rule
from services.ingest.parsers.wrapped import columns_of

_NUMBER = re.compile(
    r"[_*]?(?:(?P<figures>\d{1,3})|(?P<roman>[IVXLC]{1,8}))"
    r"(?:[.:)]?[_*]?|[.:)]?[ ]+(?P<title>[^\W\d_].{0,60}))"
)
_LEAST_CHAPTERS = 3
_LEAST_BETWEEN = 400
"""Characters of most chapters: items of a list have less, though all the rest follows the last."""
_MOST_WORDS = 10
_LEAST_OVER_PROSE, _LEAST_PROSE = 2, 40
"""Chapters in a short text, and characters of a paragraph: below such a line it is no list's item."""
_MOSTLY = 0.75
"""Share of such lines that stand over a paragraph."""
_MOST_INDENT = 3
_NO_TITLE_ENDS = ".,;:!。，；：！、"
_ENDS = re.compile(r"[.!?:。！？：][\"'”’»)\]」』]*$")


def find_counted(blocks: Sequence[Sequence[str]]) -> dict[int, Heading]:
    """Return the headings by the index of their block; none where no numbers count up from one."""
    for kind in ("roman", "figures"):
        numbered = list(_numbers(blocks, kind))
        run = _count_up(numbered)
        if len(run) < _LEAST_CHAPTERS or _between(blocks, run) < _LEAST_BETWEEN:
            run = (
                _count_alone(blocks, numbered)
                if kind == "roman"
                else _count_over_prose(blocks, numbered)
            )
        if run:
            titles = {at: " ".join(blocks[at][0].split()).strip("_*") for at in run}
            return {at: Heading(title, "chapter", 1) for at, title in titles.items()}
    return {}


def _count_alone(blocks: Sequence[Sequence[str]], numbered: Sequence[tuple[int, int]]) -> list[int]:
    """Return the numbers alone in their lines, as no items of a list are, if all of them count up.

    With a part of a book they may begin again; two count at least, with something under each.
    """
    alone = [(at, number) for at, number in numbered if _is_alone(blocks[at])]
    places, numbers = [at for at, _ in alone], [number for _, number in alone]
    steps = list(pairwise(numbers))
    goes_up = all(after in (before + 1, 1) for before, after in steps) and (1, 1) not in steps
    has_text = all(end - start > 1 for start, end in pairwise([*places, len(blocks)]))
    return places if numbers and goes_up and has_text and numbers[0] == 1 != numbers[-1] else []


def _count_over_prose(
    blocks: Sequence[Sequence[str]], numbered: Sequence[tuple[int, int]]
) -> list[int]:
    """Return numbers with a title that count up, each over a paragraph as far at the margin as it is.

    What an item of a list goes on with stands as deep as its words, and items follow each other. A few
    may stand over something else, a table or a list.
    """
    numbers = dict(numbered)
    titled = [
        (at, number)
        for at, number in numbered
        if not _is_alone(blocks[at])
        and numbers.get(at - 1) != number - 1
        and at + 1 < len(blocks)
        and at + 1 not in numbers
    ]
    over_prose = [
        at for at, _ in titled if _is_prose_at_margin(blocks[at + 1], indent_of(blocks[at][0]))
    ]
    run = _count_up(titled)
    least = max(_LEAST_OVER_PROSE, _MOSTLY * len(titled))
    return run if len(over_prose) >= least and len(run) == len(titled) else []


def _is_prose_at_margin(lines: Sequence[str], indent: int) -> bool:
    # The first line of a paragraph may stand further in, where others show that it is one.
    is_there = indent <= _MOST_INDENT and all(
        indent_of(line) == indent for line in lines[1:] or lines
    )
    text = " ".join(map(str.strip, lines))
    return is_there and columns_of(text) >= _LEAST_PROSE and _ENDS.search(text) is not None


def _is_alone(lines: Sequence[str]) -> bool:
    found = _NUMBER.fullmatch(lines[0].strip())
    return found is not None and not found["title"]


def _numbers(blocks: Sequence[Sequence[str]], kind: str) -> Iterator[tuple[int, int]]:
    """Yield the blocks that may be such a title, each with its number."""
    for at, lines in enumerate(blocks):
        found = _NUMBER.fullmatch(lines[0].strip()) if len(lines) == 1 else None
        if found is None or not found[kind] or not _may_be_title(found["title"] or ""):
            continue
        number = int(found[kind]) if kind == "figures" else read_roman(found[kind])
        assert number is not None
        yield at, number


def _may_be_title(text: str) -> bool:
    """Whether a text is no sentence of a list: short, with a capital, without an end."""
    ends = text.rstrip(".") if text.isupper() else text
    is_short = len(text.split()) <= _MOST_WORDS
    return not text or (not text[0].islower() and is_short and ends[-1:] not in _NO_TITLE_ENDS)


def _count_up(numbered: Sequence[tuple[int, int]]) -> list[int]:
    run: list[int] = []
    for at, number in numbered:
        if number == len(run) + 1:
            run.append(at)
        elif number == 1 and len(run) < _LEAST_CHAPTERS:
            run = [at]
    return run


def _between(blocks: Sequence[Sequence[str]], run: Sequence[int]) -> float:
    ends = [*run, len(blocks)]
    lengths = [
        sum(len(line) for lines in blocks[start + 1 : end] for line in lines if not is_rule(line))
        for start, end in pairwise(ends)
    ]
    return median(lengths)
