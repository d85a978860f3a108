"""Lead with the whole list of which no item is asked for rather than another.

Whoever asks which modes there are is answered by none of the three alone. Where what stands over a list
says what is asked, and its items no word of it, or each its own, all answer.
"""

from collections.abc import Sequence
from dataclasses import replace

from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.how_many import small_numbers
from libs.question.said import asked_words
from libs.question.synonyms import are_said, is_said, said_of
from libs.text import COLONS, words
from services.generation.extractive.candidates import (
    CandidateSpan,
    list_candidates,
)
from services.generation.extractive.features import Asked, ask_of
from services.generation.extractive.places import (
    JOINED_CHARACTERS,
    Place,
    items_around,
    place_of,
    within_room,
)
from services.generation.model import BlockKind, Passage

_OF_LIST = (
    *(AnswerKind.ANY, AnswerKind.LIST, AnswerKind.DEFINITION, AnswerKind.PERSON),
    *(AnswerKind.PLACE, AnswerKind.DATE, AnswerKind.CAUSE, AnswerKind.PROCEDURE),
)
"""Kinds of answers that a list may be: "of whom does it consist", "for what reasons"."""

_LEAST = 2
"""Items of a list, and words of a question, that are several."""


_BESIDE = 1
"""Words beside those of a question that the line over a list has, where the question has but one."""


def has_list_for(question: QuestionAnalysis, passages: Sequence[Passage]) -> bool:
    """Whether a list of the passages is all of what is asked, as the line over it says."""
    is_list = question.types.list_of_things or question.expected.kind is AnswerKind.LIST
    if question.sub_questions or not (is_list or question.expected.kind is AnswerKind.ANY):
        return False
    items = list_candidates(passages, question.language)
    asked = ask_of(question, items)
    led = (one for one in items if one.span.kind is BlockKind.LIST_ITEM and one.intro is not None)
    return any(_is_listed(asked, one) for one in led if len(items_around(one)) >= _LEAST)


def _is_listed(asked: Asked, item: CandidateSpan) -> bool:
    """Whether the line over the list says all of the question, and little else where that is a word."""
    lexicon = asked.lexicon
    wanted = asked.words
    if not wanted or not are_said(wanted, item.intro_text, lexicon, asked.analysis.language):
        return False
    said = asked_words(item.intro_text, lexicon)
    beside = [one for one in said if not is_said(one, wanted, lexicon, asked.analysis.language)]
    return len(wanted) > 1 or len(beside) <= _BESIDE


def all_announced(asked: Asked, first: CandidateSpan) -> list[Place]:
    """Return what announces several things, and these; [] where `first` is of none such."""
    expected = asked.analysis.expected
    is_any = expected.kind is AnswerKind.QUANTITY and not expected.required
    may_be_list = is_any or asked.expects(*_OF_LIST)
    if not may_be_list or asked.selection is not None or asked.own:
        return []
    return _items_announced(asked, first) if first.span.kind is BlockKind.LIST_ITEM else []


def is_led_to(asked: Asked, item: CandidateSpan) -> bool:
    """Whether a span is of a list, as long as is announced, and the line over it says all of it."""
    line = item.intro_text.rstrip()
    if item.span.kind is not BlockKind.LIST_ITEM or not line.endswith(COLONS):
        return False
    counts = [number for number, _ in small_numbers(line, asked.lexicon)]
    is_whole = not counts or len(items_around(item)) in counts
    return is_whole and _says_all(asked, line)


def _items_announced(asked: Asked, first: CandidateSpan) -> list[Place]:
    if first.intro is None:
        return []
    items = items_around(first)
    counts = [number for number, _ in small_numbers(first.intro_text, asked.lexicon)]
    if counts and len(items) not in counts:
        return []
    is_all = _says_all(asked, f"{first.heading}\n{first.intro_text}")
    if not (is_all and counts) and not _chooses_none(asked, first, items):
        return []
    return _with_items(first, first.intro, items)


def _chooses_none(asked: Asked, item: CandidateSpan, items: Sequence[tuple[int, int]]) -> bool:
    """Whether the question names no item of a list rather than others, and with its line all of it.

    "What do the levels 0, 1 and 2 mean?" is asked of all three below "The meanings of levels are:".
    """
    lexicon, language, spans = asked.lexicon, asked.analysis.language, item.passage.spans
    wanted = _wanted(asked)
    over = said_of(wanted, item.intro_text, lexicon, language)
    titled = said_of(asked.words, item.heading, lexicon, language)
    texts = [
        "\n".join(item.passage.text_of(one) for one in spans[first : last + 1])
        for first, last in items
    ]
    held = [said_of(asked.words, one, lexicon, language) - over - titled for one in texts]
    told = frozenset[str]().union(*held)
    if len(told) == 1 or any(len(one) > 1 for one in held):
        return False
    return bool(over) and 2 * len(over | (told & wanted)) >= len(wanted)


def _wanted(asked: Asked) -> frozenset[str]:
    """Return the words of the question; of a list without what its items are called, if there are more.

    "Which animals may be kept?" is asked of a list below "The following may be kept".
    """
    wanted = asked.words
    if not asked.types.list_of_things and not asked.expects(AnswerKind.LIST):
        return wanted
    named = asked_words(asked.analysis.expected.attribute, asked.lexicon)
    first = next((one for one in words(asked.analysis.question) if one in wanted), "")
    return wanted - (named or {first}) or wanted


def _says_all(asked: Asked, text: str) -> bool:
    wanted = _wanted(asked)
    return bool(wanted) and are_said(wanted, text, asked.lexicon, asked.analysis.language)


def _with_items(first: CandidateSpan, intro: int, items: Sequence[tuple[int, int]]) -> list[Place]:
    """Return what introduces a list with its items, in one piece if short; [] for a very long one."""
    whole = place_of(first, intro, items[-1][1])
    if whole.length <= JOINED_CHARACTERS and intro + 1 == items[0][0]:
        return [whole]
    over = place_of(first, intro, intro)
    pieces = within_room(first.passage, items)
    return [over, *(replace(over, span=one) for one in pieces)] if pieces else []
