"""Find the terms that what stands deeper below them defines, as manuals list options."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from libs.text import COLONS
from services.ingest.model.book import BlockKind
from services.ingest.parsers.outline import Item
from services.ingest.parsers.plain.lines import Run, is_described_option, is_option

_MOST_OPTIONS = 4
"""Lines of options, one below the other, that are defined together."""
_LONGEST_TERM = 76
_BESIDE = re.compile(r"\S+(?: \S+){0,3}? {2,}(?=\S)|\S+ (?=\S)")
_TERM = re.compile(r"[\"“‘'*<+/.]{0,3}[^\W_].{0,72}(?<![\s.,;!?、。，；！？])")
_SETS_APART = '"“*'
"""What stands around words in the font of code, or bold, where there are no fonts."""
_DEFINITION = re.compile(r"[^\w\s]?(\w).*[.!?)。！？）]", re.DOTALL)
_STEP, _CLEAR_STEP = 2, 3
_LEAST_CLEAR = 2


def mark_definitions(
    items: Sequence[Item], runs: Mapping[int, Run], *, is_manual: bool = False
) -> list[Item]:
    """Return the pieces, terms and definitions as such; `runs` are theirs by their number.

    An option is a term by its dash. Words are where a neighbour is built alike: a short line alone, not
    all in capitals as titles are, with deeper text right below. Of two this begins and ends as
    sentences do, or they stand in quotation marks or stars. In a manual page titles are at the margin,
    and whatever has deeper text right below is a term.
    """
    options = {at for at in runs if _is_option(at, items, runs)}
    all_like = [at for at in runs if at in options or _may_be_term(at, items, runs)]
    terms = options | {
        at
        for group in _groups(all_like, items, runs)
        if sum(at in options or _is_clear(at, items, runs) for at in group) >= _LEAST_CLEAR
        and not all(runs[at].lines[0].isupper() for at in group)
        for at in group
    }
    entries = {at for at in runs if _is_entry(at, items, runs)}
    terms |= entries
    defined = entries | {
        at for at in terms if runs[at].hangs or is_described_option(runs[at].lines[0])
    }
    if is_manual:
        beside = {at for at in runs if _is_beside(at, items, runs)}
        defined |= beside
        terms |= beside | _terms_above(items, runs, beside)
    return list(_marked(items, runs, terms, defined))


def _terms_above(
    items: Sequence[Item], runs: Mapping[int, Run], beside: Collection[int]
) -> set[int]:
    """Return the lines of a manual page with deeper text right below, and the terms above such."""
    terms = set(beside)
    for at in sorted(runs, reverse=True):
        run, below = runs[at], runs.get(at + 1)
        is_line = len(run.lines) == 1 and len(run.lines[0]) <= _LONGEST_TERM
        if below is None or not is_line or not _may_define(at, items, runs):
            continue
        shares = at + 1 in terms and below.indent == run.indent
        is_named = _TERM.fullmatch(run.lines[0]) is not None or is_option(run.lines[0])
        if _stands_below(run, below, _STEP) or (shares and is_named):
            terms.add(at)
    return terms


def _may_define(at: int, items: Sequence[Item], runs: Mapping[int, Run]) -> bool:
    return items[at].kind is BlockKind.PARAGRAPH and runs[at].indent > 0


def _is_beside(at: int, items: Sequence[Item], runs: Mapping[int, Run]) -> bool:
    """Whether what a term means begins in its line, and goes on below that beginning."""
    run, below = runs[at], runs.get(at + 1)
    gap = _BESIDE.match(run.lines[0])
    if gap is None or not _may_define(at, items, runs):
        return False
    start = run.indent + gap.end()
    is_told_below = below is not None and below.is_first and below.indent == start
    return (run.hangs and run.inner == start) or (len(run.lines) == 1 and is_told_below)


def _is_entry(at: int, items: Sequence[Item], runs: Mapping[int, Run]) -> bool:
    return runs[at].is_entry and items[at].kind is BlockKind.PARAGRAPH


def _is_option(at: int, items: Sequence[Item], runs: Mapping[int, Run]) -> bool:
    run = runs[at]
    if items[at].kind is not BlockKind.PARAGRAPH:
        return False
    if is_described_option(run.lines[0]) or (run.hangs and is_option(run.lines[0])):
        return True
    below = runs.get(at + 1)
    all_are = len(run.lines) <= _MOST_OPTIONS and all(map(is_option, run.lines))
    return all_are and below is not None and _stands_below(run, below, _STEP)


def _stands_below(run: Run, below: Run, step: int) -> bool:
    start = run.inner if run.mark else run.indent
    return not below.is_first and not below.mark and below.indent >= start + step


def _may_be_term(at: int, items: Sequence[Item], runs: Mapping[int, Run]) -> bool:
    run, below = runs[at], runs.get(at + 1)
    return (
        below is not None
        and items[at].kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
        and items[at + 1].kind is BlockKind.PARAGRAPH
        and len(run.lines) == 1
        and _stands_below(run, below, _CLEAR_STEP)
        and _TERM.fullmatch(run.lines[0]) is not None
    )


def _is_clear(at: int, items: Sequence[Item], runs: Mapping[int, Run]) -> bool:
    """Whether what may be a term is one by its signs, or by the sentences below it.

    A line that ends in a colon may as well introduce them.
    """
    line, below = runs[at].lines[0], items[at + 1].text
    found = _DEFINITION.fullmatch(below)
    is_told = found is not None and (below[0] in _SETS_APART or not found[1].islower())
    return (is_told and not line.endswith(COLONS)) or line[0] in _SETS_APART


def _groups(
    terms: Sequence[int], items: Sequence[Item], runs: Mapping[int, Run]
) -> Iterator[list[int]]:
    """Yield those that stand beside each other, as far in, by their places."""
    next_of = {
        at: other
        for at, other in _beside(terms, items, runs)
        if runs[at].indent == runs[other].indent
    }
    followers = set(next_of.values())
    for first in terms:
        if first in followers:
            continue
        group = [first]
        while group[-1] in next_of:
            group.append(next_of[group[-1]])
        yield group


def _beside(
    terms: Sequence[int], items: Sequence[Item], runs: Mapping[int, Run]
) -> Iterator[tuple[int, int]]:
    """Yield each term with the next one where there is nothing but a definition between them."""
    for at, other in pairwise(terms):
        if all(
            runs[place].indent > runs[at].indent
            if place in runs
            else items[place].kind is BlockKind.CODE
            for place in range(at + 1, other)
        ):
            yield at, other


def _marked(
    items: Sequence[Item], runs: Mapping[int, Run], terms: set[int], defined: Collection[int]
) -> Iterator[Item]:
    open_at: list[int] = []
    for at, item in enumerate(items):
        run = runs.get(at)
        if item.kind is BlockKind.HEADING:
            open_at = []
        elif run is not None:
            while open_at and run.indent <= open_at[-1]:
                open_at.pop()
        if run is not None and at in terms:
            open_at.append(run.indent)
            yield replace(item, definitions=len(open_at), is_term=True, is_defined=at in defined)
        else:
            yield replace(item, definitions=len(open_at)) if open_at else item
