"""Find the terms that what stands deeper below them defines, as manuals list options."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from services.ingest.model.book import BlockKind
from services.ingest.parsers.outline import Item
from services.ingest.parsers.plain.lines import Run, is_described_option, is_option

_MOST_OPTIONS = 4
"""Lines of options, one below the other, that are defined together."""
_TERM = re.compile(r"[^\W_].{0,58}(?<![\s.,:;!?、。，：；！？])")
_DEFINITION = re.compile(r"[^\w\s]?(\w).*[.!?)。！？）]", re.DOTALL)
_STEP, _CLEAR_STEP = 2, 4


def mark_definitions(items: Sequence[Item], runs: Mapping[int, Run]) -> list[Item]:
    """Return the pieces, terms and definitions as such; `runs` are theirs by their number.

    An option is a term by its dash. Words are where a neighbour is built alike: a short line alone, not
    in capitals as titles are, and right below it, deeper, what begins and ends as sentences do.
    """
    options = {at for at in runs if _is_option(at, items, runs)}
    all_like = [at for at in runs if at in options or _may_be_term(at, items, runs)]
    terms = options | {
        at for at, other in _beside(all_like, runs) if runs[at].indent == runs[other].indent
    }
    return list(_marked(items, runs, terms))


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
    return not below.is_first and not below.mark and below.indent >= run.indent + step


def _may_be_term(at: int, items: Sequence[Item], runs: Mapping[int, Run]) -> bool:
    run, below = runs[at], runs.get(at + 1)
    return (
        below is not None
        and items[at].kind is items[at + 1].kind is BlockKind.PARAGRAPH
        and len(run.lines) == 1
        and _stands_below(run, below, _CLEAR_STEP)
        and _TERM.fullmatch(run.lines[0]) is not None
        and not run.lines[0].isupper()
        and _is_sentences(items[at + 1].text)
    )


def _is_sentences(text: str) -> bool:
    found = _DEFINITION.fullmatch(text)
    return found is not None and not found[1].islower()


def _beside(terms: Sequence[int], runs: Mapping[int, Run]) -> Iterator[tuple[int, int]]:
    """Yield each pair of terms, both ways, between which there is nothing but a definition."""
    for at, other in pairwise(terms):
        between = [runs.get(place) for place in range(at + 1, other)]
        if all(run is not None and run.indent > runs[at].indent for run in between):
            yield from ((at, other), (other, at))


def _marked(items: Sequence[Item], runs: Mapping[int, Run], terms: set[int]) -> Iterator[Item]:
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
            defined = run.hangs or is_described_option(run.lines[0])
            yield replace(item, definitions=len(open_at), is_term=True, is_defined=defined)
        else:
            yield replace(item, definitions=len(open_at)) if open_at else item
