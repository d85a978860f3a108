"""Find the step of a list that a question asks for by its place: the first, the last."""

import re
from collections.abc import Sequence

from libs.language.entries import alternatives
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.said import asked_words
from services.generation.extractive.candidates import CandidateSpan, Ranked, list_candidates
from services.generation.extractive.lookup import said_in
from services.generation.extractive.places import Place, is_new_line, place_of
from services.generation.model import BlockKind, Passage

_LAST = -1
_LEAST_ITEMS = 2


def has_step_for(question: QuestionAnalysis, passages: Sequence[Passage], *, of_part: bool) -> bool:
    """Whether a list in the passages has the step that is asked for by its place.

    All else that the question names stands over the list. Who asks for the first step and no more means
    the part of the book that was chosen, if it is `of_part`.
    """
    lexicon = load_lexicon(question.language)
    named = name_step(question.question, lexicon)
    if named is None:
        return False
    sought = asked_words(named[1], lexicon)
    if not sought and not of_part:
        return False
    items = [
        one
        for one in list_candidates(passages, question.language)
        if one.span.kind is BlockKind.LIST_ITEM
    ]
    return any(
        len(items_around(one)) >= _LEAST_ITEMS
        and len(said_in(sought, f"{one.intro_text}\n{one.heading}", question)) == len(sought)
        for one in items
    )


def name_step(question: str, lexicon: Lexicon) -> tuple[int, str] | None:
    """Return the place of the step that is asked for, 0 for the first and -1 for the last, and what
    else the question says; None where none is asked for."""
    rules, step = lexicon.about_book, lexicon.expected.step
    heads = {head: at for at, heads in enumerate(rules.places) for head in heads.split()}
    heads |= dict.fromkeys(rules.last, _LAST)
    named = re.compile(rf"(?<!\w)({alternatives(heads)})\w*\s+", re.IGNORECASE)
    for found in named.finditer(question) if heads else ():
        if (thing := step.match(question, found.end())) is not None:
            rest = f"{question[: found.start()]} {question[thing.end() :]}"
            return heads[found[1].lower()], rest
    counted = re.search(
        rf"(?:{step.pattern})\s*(?P<number>\d{{1,2}})(?![\w.,]\w|\w)", question, re.IGNORECASE
    )
    if counted and int(counted["number"]):
        return int(
            counted["number"]
        ) - 1, f"{question[: counted.start()]} {question[counted.end() :]}"
    return None


def find_step(
    asked: QuestionAnalysis, fit: Sequence[Ranked], ranked: Sequence[Ranked]
) -> list[Place]:
    """Return the step that is asked for by its place in the list below the title of the likeliest span.

    Where the question names nothing but the step it is in the likeliest list. [] where none is asked
    for; nor has a list that the passage begins inside of a first step there, or one that it ends in a
    last.
    """
    lexicon = load_lexicon(asked.language)
    named = name_step(asked.question, lexicon)
    if named is None:
        return []
    place, best = named[0], fit[0].item
    is_bare = not asked_words(named[1], lexicon)
    listed = (
        one.item
        for one in (ranked if is_bare else fit)
        if one.item.span.kind is BlockKind.LIST_ITEM
        and (is_bare or (one.item.source, one.item.heading) == (best.source, best.heading))
    )
    item = next(listed, None)
    if item is None:
        return []
    items = items_around(item)
    is_there = -len(items) <= place < len(items) and not _goes_beyond(item, items, place)
    return [place_of(item, *items[place])] if is_there else []


def items_around(item: CandidateSpan) -> list[tuple[int, int]]:
    """Return for each item of its list the first and the last of its spans."""
    spans, first, last = item.passage.spans, item.index, item.index
    while first and spans[first - 1].kind is BlockKind.LIST_ITEM:
        first -= 1
    while last + 1 < len(spans) and spans[last + 1].kind is BlockKind.LIST_ITEM:
        last += 1
    starts = [at for at in range(first, last + 1) if at == first or is_new_line(item.passage, at)]
    ends = [*(at - 1 for at in starts[1:]), last]
    return list(zip(starts, ends, strict=True))


def _goes_beyond(item: CandidateSpan, items: Sequence[tuple[int, int]], place: int) -> bool:
    """Whether the passage lacks the end of the list from which the place is counted."""
    passage = item.passage
    start, end = passage.spans[items[0][0]].start, passage.spans[items[-1][1]].end
    beside = [one.span for one in passage.neighbours if one.span.kind is BlockKind.LIST_ITEM]
    before = items[0][0] == 0 and any(span.start < start for span in beside)
    after = items[-1][1] == len(passage.spans) - 1 and any(span.start >= end for span in beside)
    return after if place < 0 else before
