"""Lead with all that a sentence announces: "three modes", "the following", and what is behind it.

Whoever asks which modes there are is answered by none of the three alone, nor by their number. Where
what stands over a list says all that is asked, and none of its items a word of it, all answer.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from libs.language.entries import OFF
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.how_many import small_numbers
from libs.question.said import asked_words, is_one_of, share_of_words, words_in
from libs.question.synonyms import are_said, is_said, said_of
from libs.text import COLONS, words
from services.generation.extractive.candidates import (
    CandidateSpan,
    leads_to_list,
    list_candidates,
)
from services.generation.extractive.features import Asked, ask_of
from services.generation.extractive.intro import is_bare
from services.generation.extractive.places import (
    JOINED_CHARACTERS,
    Place,
    follow_each_other,
    is_new_line,
    items_around,
    place_of,
)
from services.generation.extractive.terms_below import terms_below
from services.generation.model import BlockKind, Passage

_OF_ALL = (AnswerKind.ANY, AnswerKind.LIST, AnswerKind.DEFINITION)
"""Kinds of answers that may be all of several; how many there are the number itself says."""

_OF_LIST = (
    *(*_OF_ALL, AnswerKind.PERSON, AnswerKind.PLACE, AnswerKind.DATE),
    *(AnswerKind.CAUSE, AnswerKind.PROCEDURE),
)
"""Kinds of answers that a list may be: "of whom does it consist", "for what reasons"."""

_LEAST = 2
"""Items of a list, and words of a question, that are several."""

_LIST_CHARACTERS = 1200
"""Of a list that is shown whole."""

_MOST_BEHIND = 5
"""Sentences behind one that says how many there are, of which each may be one of them."""

_BARE_WORDS = 6
"""Words of a sentence that says no more than how many there are."""

_LISTED = re.compile(r"[:：]\s*\w|[,，、].*[,，、]")
"""Stands in a sentence that has a list in it."""

_SENTENCES_CHARACTERS = 800
"""Of sentences that tell all of several things."""

_BESIDE = 1
"""Words beside those of a question that the line over a list has, where the question has but one."""


def has_list_for(question: QuestionAnalysis, passages: Sequence[Passage]) -> bool:
    """Whether a list of the passages is all of what is asked, as the line over it says."""
    is_list = question.types.list_of_things or question.expected.kind is AnswerKind.LIST
    if question.sub_questions or not (is_list or question.expected.kind is AnswerKind.ANY):
        return False
    items = list_candidates(passages, question.language)
    asked = ask_of(question, items)
    led = [one for one in items if one.span.kind is BlockKind.LIST_ITEM and one.intro is not None]
    return any(_is_listed(asked, one) for one in led if _is_under_line(one))


def _is_under_line(item: CandidateSpan) -> bool:
    return item.intro is not None and len(items_around(item)) >= _LEAST


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
    if first.span.kind is BlockKind.LIST_ITEM:
        return _items_announced(asked, first)
    if led := _items_led_to(asked, first) or _items_behind(asked, first):
        return led
    if asked.expects(AnswerKind.CAUSE):
        return _paragraphs_of_reasons(asked, first)
    if not asked.expects(*_OF_ALL):
        return []
    told = _sentences_announced(asked, first) or _list_counted(asked, first)
    return told or _sentences_counted(asked, first)


def is_led_to(asked: Asked, item: CandidateSpan) -> bool:
    """Whether a span is of a list, as long as is announced, and the line over it says all of it."""
    line = item.intro_text.rstrip()
    if item.span.kind is not BlockKind.LIST_ITEM or not line.endswith(COLONS):
        return False
    counts = [number for number, _ in small_numbers(line, asked.lexicon)]
    is_whole = not counts or len(items_around(item)) in counts
    says_all = share_of_words(asked.analysis.question, line, asked.lexicon) == 1.0
    return is_whole and (says_all or _says_all_but_name(asked, line))


def _says_all_but_name(asked: Asked, line: str) -> bool:
    """Whether a line has several words of a question for things, and lacks but what these are called.

    "Which file types can be imported?" is asked of a list below "You can import from the following:".
    """
    if not asked.types.list_of_things:
        return False
    left = asked.words - asked_words(asked.analysis.expected.attribute, asked.lexicon)
    return len(left) >= _LEAST and are_said(left, line, asked.lexicon, asked.analysis.language)


def terms_led_to(asked: Asked, items: Iterable[CandidateSpan]) -> list[Place]:
    """Return the first line that says all that is asked with the terms below it, as many as it says."""
    if not asked.expects(AnswerKind.ANY, AnswerKind.LIST) or len(asked.words) < _LEAST:
        return []
    held = {one.source: one for one in reversed([*items])}
    for first in reversed(held.values()):
        for line in range(len(first.passage.spans)):
            if told := _terms_led_to(asked, replace(first, index=line)):
                return told
    return []


def _terms_led_to(asked: Asked, line: CandidateSpan) -> list[Place]:
    if line.span.kind is not BlockKind.PARAGRAPH or not line.text.rstrip().endswith(COLONS):
        return []
    if share_of_words(asked.analysis.question, line.text, asked.lexicon) < 1.0:
        return []
    terms = terms_below(line.passage, line.index)
    counts = [number for number, _ in small_numbers(line.text, asked.lexicon)]
    if not terms or (counts and len(terms) not in counts):
        return []
    return _with_items(line, line.index, terms)


def _sentences_announced(asked: Asked, first: CandidateSpan) -> list[Place]:
    passage, spans, at = first.passage, first.passage.spans, first.index
    wanted = asked.words
    for number, behind in small_numbers(passage.text_of(spans[at]), asked.lexicon):
        last = at + number
        if not any(is_one_of(word, wanted, asked.lexicon) for word in behind):
            continue
        told = range(at + 1, last + 1)
        if last < len(spans) and all(
            spans[one].kind is BlockKind.PARAGRAPH and not is_new_line(passage, one) for one in told
        ):
            whole = place_of(first, at, last)
            return [whole] if whole.length <= JOINED_CHARACTERS else []
    return []


def _sentences_counted(asked: Asked, first: CandidateSpan) -> list[Place]:
    """Return what says as many as the question does with the sentences behind it, up to `first`.

    "What are the three stages?" is answered by all from "This occurs in three phases" on, and not by
    the last of them.
    """
    passage, wanted = first.passage, _numbers_asked(asked)
    at, last = first.index, first.index
    while wanted and last - at <= _MOST_BEHIND:
        text = passage.text_of(passage.spans[at])
        counted = [
            (number, behind)
            for number, behind in small_numbers(text, asked.lexicon)
            if number in wanted
        ]
        if any(_are_asked_of(asked, text, behind) for _, behind in counted):
            while last < at + counted[0][0] and follow_each_other(passage, last):
                last += 1
            whole = place_of(first, at, last)
            return [whole] if last > at and whole.length <= _SENTENCES_CHARACTERS else []
        if not at or not follow_each_other(passage, at - 1):
            break
        at -= 1
    return []


def _numbers_asked(asked: Asked) -> set[int]:
    """Return the numbers of things that a question asks for: "the three stages"."""
    plural = asked.lexicon.sub_questions.plural
    return {
        number
        for number, behind in small_numbers(asked.analysis.question, asked.lexicon)
        if behind and not behind[0].isdecimal()
        if plural is OFF or any(map(plural.search, behind))
    }


def _are_asked_of(asked: Asked, text: str, behind: Sequence[str]) -> bool:
    """Whether what a sentence counts is what is asked for, in another word where it says little else.

    One that lists them itself needs no other.
    """
    language = asked.analysis.language
    if _LISTED.search(text) is not None:
        return False
    is_asked = any(is_said(one, asked.words, asked.lexicon, language) for one in behind)
    return is_asked or len(words(text)) <= _BARE_WORDS


def _list_counted(asked: Asked, first: CandidateSpan) -> list[Place]:
    """Return a sentence that says how many there are with the next list, if it has just so many."""
    spans, at = first.passage.spans, first.index + 1
    while at < len(spans) and spans[at].kind is BlockKind.PARAGRAPH:
        at += 1
    if at == len(spans) or spans[at].kind is not BlockKind.LIST_ITEM:
        return []
    items = items_around(replace(first, index=at))
    for number, behind in small_numbers(first.text, asked.lexicon):
        is_asked = any(is_one_of(word, asked.words, asked.lexicon) for word in behind)
        if is_asked and number == len(items):
            told = [place_of(first), *(place_of(first, *one) for one in items)]
            return told if sum(one.length for one in told) <= _LIST_CHARACTERS else []
    return []


def _paragraphs_of_reasons(asked: Asked, first: CandidateSpan) -> list[Place]:
    """Return a line that only says how many reasons there are, with as many paragraphs below it."""
    passage, spans = first.passage, first.passage.spans
    asks = asked.lexicon.types.reason
    for number, behind in small_numbers(first.text, asked.lexicon):
        lines = [at for at in range(first.index + 1, len(spans)) if is_new_line(passage, at)]
        if not any(map(asks.search, behind)) or lines[:1] != [first.index + 1]:
            continue
        told = _lines_of(first, lines, number)
        if len(told) == number and all(spans[at].kind is BlockKind.PARAGRAPH for at, _ in told):
            return [place_of(first), *(place_of(first, *one) for one in told)]
    return []


def _lines_of(first: CandidateSpan, lines: Sequence[int], number: int) -> list[tuple[int, int]]:
    """Return the first and the last span of each of so many lines, if all are short enough."""
    ends = [*(at - 1 for at in lines[1:]), len(first.passage.spans) - 1]
    told = list(zip(lines, ends, strict=False))[:number]
    characters = sum(place_of(first, *one).length for one in told)
    return told if characters <= _LIST_CHARACTERS else [(at, at) for at, _ in told]


def _items_led_to(asked: Asked, first: CandidateSpan) -> list[Place]:
    """Return a line with the list below it, where the line says all that is asked and ends in none."""
    passage, at = first.passage, first.index
    if at + 1 >= len(passage.spans) or not leads_to_list(passage, at):
        return []
    if not _says_all(asked, first.text):
        return []
    return _with_items(first, at, items_around(replace(first, index=at + 1)))


def _items_behind(asked: Asked, first: CandidateSpan) -> list[Place]:
    """Return a sentence with the list that its paragraph ends in leading to, where that says as much.

    "A marker shows a state. Good markers must be:" answers what markers must be by the list; so does
    "Machines do more than pay out. Most let you:" what several things they offer.
    """
    passage, spans, at = first.passage, first.passage.spans, first.index
    if not asked.expects(AnswerKind.ANY, AnswerKind.LIST):
        return []
    while follow_each_other(passage, at):
        at += 1
    line = passage.text_of(spans[at]).rstrip()
    is_led = line.endswith(COLONS) and spans[at + 1 : at + 2]
    if at == first.index or not is_led or spans[at + 1].kind is not BlockKind.LIST_ITEM:
        return []
    language = asked.analysis.language
    said = [said_of(asked.words, text, asked.lexicon, language) for text in (first.text, line)]
    if not (_asks_of_several(asked) or (said[1] and said[0] <= said[1])):
        return []
    items = items_around(replace(first, index=at + 1))
    told = [place_of(first), place_of(first, at, at), *(place_of(first, *one) for one in items)]
    return told if sum(one.length for one in told) <= _LIST_CHARACTERS else []


def _asks_of_several(asked: Asked) -> bool:
    """Whether what is asked for is named in the plural: "which services"."""
    name = asked.analysis.expected.attribute.split()[-1:]
    return any(map(asked.lexicon.sub_questions.plural.search, name))


def _items_announced(asked: Asked, first: CandidateSpan) -> list[Place]:
    if first.intro is None:
        return []
    items = items_around(first)
    counts = [number for number, _ in small_numbers(first.intro_text, asked.lexicon)]
    if counts and len(items) not in counts:
        return []
    is_all = _says_all(asked, f"{first.heading}\n{first.intro_text}")
    is_any = _only_line_says(asked, first)
    if not (is_all and (counts or is_any)) and not (is_any and is_bare(first)):
        return []
    return _with_items(first, first.intro, items)


def _only_line_says(asked: Asked, item: CandidateSpan) -> bool:
    """Whether the line over the list has half of what is asked, and its item no word of it."""
    wanted, language = _wanted(asked), asked.analysis.language
    over = words_in(item.intro_text)
    said = sum(is_said(one, over, asked.lexicon, language) for one in wanted)
    return 2 * said >= len(wanted) and _is_silent(asked, item)


def _is_silent(asked: Asked, item: CandidateSpan) -> bool:
    """Whether the span has no word of the question."""
    said, language = words_in(item.text), asked.analysis.language
    return not any(is_said(one, said, asked.lexicon, language) for one in asked.words)


def _wanted(asked: Asked) -> frozenset[str]:
    """Return the words of the question; of a list without what its items are called, if there are more.

    "Which animals may be kept?" is asked of a list below "The following may be kept".
    """
    wanted = asked.words
    if not asked.types.list_of_things and not asked.expects(AnswerKind.LIST):
        return wanted
    named = next((one for one in words(asked.analysis.question) if one in wanted), "")
    return wanted - {named} or wanted


def _says_all(asked: Asked, text: str) -> bool:
    wanted = _wanted(asked)
    return bool(wanted) and are_said(wanted, text, asked.lexicon, asked.analysis.language)


def _with_items(first: CandidateSpan, intro: int, items: Sequence[tuple[int, int]]) -> list[Place]:
    """Return what introduces a list with its items, in one piece if it is short; [] for a long one."""
    whole = place_of(first, intro, items[-1][1])
    if whole.length > _LIST_CHARACTERS:
        return []
    if whole.length <= JOINED_CHARACTERS and intro + 1 == items[0][0]:
        return [whole]
    return [place_of(first, intro, intro), *(place_of(first, *one) for one in items)]
