"""Choose a whole list or table that answers, where several things or steps are asked for."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from libs.question.expected import AnswerKind
from libs.question.said import asked_words, share_of_words
from libs.question.synonyms import are_said
from libs.text import COLONS, is_question
from services.generation.extractive.candidates import CandidateSpan, Ranked, item_before
from services.generation.extractive.features import Asked
from services.generation.extractive.places import (
    ALL_CHARACTERS,
    JOINED_CHARACTERS,
    Place,
    list_end,
    paragraphs_of,
    place_of,
    within_room,
)
from services.generation.extractive.rows import rows_asked_of
from services.generation.model import BlockKind

_OF_SECTION = 0.2
"""Share of the best span's odds from which a list of its section leads, where things are asked."""

_OF_ONE_ITEM = 0.5
"""Share of the odds of a list that one item has at most, if all are steps of what is asked."""

_STEPS = 3
"""Paragraphs that instruct one behind the other, from which they are steps."""

_List = tuple[int, int | None, str, BlockKind]


def whole_list(asked: Asked, fit: Sequence[Ranked], ranked: Sequence[Ranked]) -> list[Place]:
    """Return the list or table that all its parts together make likelier than any other span.

    Who asks how to do something wants steps, which no rows of a table are, nor a list of which one item
    alone is likely, unless its title names just that. Of a list none is left out, fit to lead or not.
    """
    of_things = asked.types.list_of_things or asked.expects(AnswerKind.LIST)
    kinds = (BlockKind.LIST_ITEM, *((BlockKind.TABLE,) if of_things else ()))
    are_steps = asked.expects(AnswerKind.PROCEDURE)
    list_of = _outer_list_of if are_steps else _list_of
    lists = defaultdict[_List, list[Ranked]](list)
    for one in fit:
        if one.item.span.kind in kinds:
            lists[list_of(one.item)].append(one)
    best: Sequence[Ranked] = max(lists.values(), key=_sum_odds, default=[])
    if len(best) < 2 or not _leads(asked, fit, best):
        return []
    if best[0].item.span.kind is BlockKind.LIST_ITEM:
        best = [one for one in ranked if list_of(one.item) == list_of(best[0].item)]
    return _shown(asked, _fitting(best))


def steps_around(asked: Asked, item: CandidateSpan, ranked: Sequence[Ranked]) -> list[Place]:
    """Return all steps below the line that leads to the one that tells how; [] for any other span.

    One that says all that is asked is no step of it, but one of several ways. A sentence that only says
    by what it can be done leads with the steps right behind it.
    """
    if behind := _steps_behind(item, ranked):
        return [place_of(item), *_shown(asked, behind)]
    if steps := _told_in_turn(asked, item, ranked):
        return steps
    line = item.intro_text.rstrip()
    if item.span.kind is not BlockKind.LIST_ITEM or not line.endswith(COLONS):
        return []
    if are_said(asked.words, item.text, asked.lexicon, asked.analysis.language):
        return []
    held = _outer_list_of(item)
    items = [one.item for one in ranked if _outer_list_of(one.item) == held]
    is_short = sum(len(one.text) for one in items) <= ALL_CHARACTERS
    return _shown(asked, sorted(items, key=lambda one: one.index)) if is_short else []


def _steps_behind(item: CandidateSpan, ranked: Sequence[Ranked]) -> list[CandidateSpan]:
    """Return the items of the list that the paragraph of the span goes on with, if they instruct."""
    spans, at = item.passage.spans, item.index + 1
    is_followed = at < len(spans) and spans[at].kind is BlockKind.LIST_ITEM
    if not is_followed or item.span.kind is not BlockKind.PARAGRAPH or item.instructs:
        return []
    last = list_end(item.passage, at)
    held = [one.item for one in ranked if one.item.source == item.source]
    steps = sorted((one for one in held if at <= one.index <= last), key=lambda one: one.index)
    is_short = sum(len(one.text) for one in steps) <= ALL_CHARACTERS
    return steps if is_short and 2 * sum(one.instructs for one in steps) > len(steps) else []


def _told_in_turn(asked: Asked, item: CandidateSpan, ranked: Sequence[Ranked]) -> list[Place]:
    """Return the paragraphs around one that instructs, if all do and there are several.

    They are steps that lost their numbers, of what the title and the span say.
    """
    passage, language = item.passage, asked.analysis.language
    if item.span.kind is not BlockKind.PARAGRAPH or not item.instructs:
        return []
    if not are_said(asked.words, f"{item.text}\n{item.over}", asked.lexicon, language):
        return []
    instructing = {
        one.item.index for one in ranked if one.item.source == item.source and one.item.instructs
    }
    lines = paragraphs_of(passage, item.index)
    at = next((at for at, (first, last) in enumerate(lines) if first == item.index), None)
    if at is None:
        return []
    start = end = at
    while start and lines[start - 1][0] in instructing:
        start -= 1
    while end + 1 < len(lines) and lines[end + 1][0] in instructing:
        end += 1
    if end - start + 1 < _STEPS:
        return []
    pieces = within_room(passage, lines[start : end + 1])
    return [replace(place_of(item), span=one) for one in pieces]


def _leads(asked: Asked, fit: Sequence[Ranked], best: Sequence[Ranked]) -> bool:
    """Whether the list answers, and no other span does so better."""
    of_things = asked.types.list_of_things or asked.expects(AnswerKind.LIST)
    are_steps = asked.expects(AnswerKind.PROCEDURE)
    is_told = _is_titled(asked, best[0].item)
    # What stands over steps names what they do, and each of them hardly does.
    is_led = are_steps and is_told and bool(best[0].item.intro_text)
    is_led = is_led or _is_beside(fit[0], best, of_things=of_things)
    if _sum_odds(best) < fit[0].odds and not is_led:
        return False
    is_of_one = best[0].odds > _OF_ONE_ITEM * _sum_odds(best)
    return not is_of_one or of_things or is_told


def _shown(asked: Asked, kept: Sequence[CandidateSpan]) -> list[Place]:
    """Return the items with what introduces them, in one piece if it is short, or the rows asked of."""
    first, last = kept[0], kept[-1]
    if first.span.kind is BlockKind.TABLE:
        return list(map(place_of, rows_asked_of(asked, kept)))
    spans, indexes = first.passage.spans, {item.index for item in kept}
    leading = (
        at
        for at in range(first.index, last.index)
        if at not in indexes
        and (
            spans[at].kind is BlockKind.CODE
            or is_question(first.passage.text_of(spans[at]))
            or first.passage.text_of(spans[at]).rstrip().endswith(COLONS)
        )
    )
    # What is no candidate by itself has its place among them: a command, a question, what leads on.
    over = first.index if first.intro is None else first.intro
    shown = sorted({over, *indexes, *leading})
    whole = place_of(first, shown[0], shown[-1])
    if whole.length <= JOINED_CHARACTERS and shown[-1] - shown[0] < len(shown):
        return [whole]
    return [place_of(first, at, at) for at in shown]


def _is_beside(best: Ranked, held: Sequence[Ranked], *, of_things: bool) -> bool:
    """Whether things are asked for, and the list stands in the section of the likeliest span."""
    is_near = of_things and held[0].item.section == best.item.section
    return is_near and len(held) > 1 and _sum_odds(held) >= _OF_SECTION * best.odds


def _list_of(item: CandidateSpan) -> _List:
    """Return what tells the list or table that a span is of from others."""
    return item.source, item.intro, item.heading, item.span.kind


def _outer_list_of(item: CandidateSpan) -> _List:
    """Return the list that a span is of, or the one whose item introduces that: steps have steps."""
    spans, at = item.passage.spans, item.intro
    if item.span.kind is not BlockKind.LIST_ITEM:
        return _list_of(item)
    while at is not None and spans[at].kind is BlockKind.LIST_ITEM:
        before = item_before(spans, at)
        at = before if before is not None else at - 1 if at else None
    return item.source, at, item.heading, item.span.kind


def _is_titled(asked: Asked, item: CandidateSpan) -> bool:
    """Whether its title, with what introduces it, says all that is asked, in whatever words."""
    over, lexicon = f"{item.heading}\n{item.intro_text}", asked.lexicon
    question, language = asked.analysis.question, asked.analysis.language
    if share_of_words(question, over, lexicon) == 1.0:
        return True
    wanted = asked_words(question, lexicon)
    return bool(wanted) and are_said(wanted, over, lexicon, language)


def _sum_odds(held: Sequence[Ranked]) -> float:
    return sum(one.odds for one in held)


def _fitting(held: Sequence[Ranked]) -> list[CandidateSpan]:
    """Return the best items that there is room for, in the list's own order."""
    left, kept = ALL_CHARACTERS, list[CandidateSpan]()
    for one in held:
        length = len(one.item.text)
        if length <= left or not kept:
            kept.append(one.item)
            left -= length
    return sorted(kept, key=lambda item: item.index)
