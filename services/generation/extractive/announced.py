"""Lead with all that a sentence announces by its number: "three modes", and the three behind it.

Whoever asks which modes there are is answered by none of the three alone, nor by their number.
"""

import re
from collections.abc import Iterator

from libs.question.expected import AnswerKind
from libs.question.said import is_one_of
from libs.question.synonyms import are_said
from services.generation.extractive.candidates import CandidateSpan
from services.generation.extractive.features import Asked
from services.generation.extractive.places import (
    JOINED_CHARACTERS,
    Place,
    follow_each_other,
    is_new_line,
    place_of,
)
from services.generation.extractive.steps import items_around
from services.generation.model import BlockKind

_OF_ALL = (AnswerKind.ANY, AnswerKind.LIST, AnswerKind.DEFINITION)
"""Kinds of answers that may be all of several; how many there are the number itself says."""

_LEAST, _MOST = 2, 9
_NOUN_WITHIN = 3
"""Words behind a number among which is what it counts."""

_LIST_CHARACTERS = 1200
"""Of a list that is shown whole."""

_WORD = re.compile(r"\w+")


def all_announced(asked: Asked, first: CandidateSpan) -> list[Place]:
    """Return a sentence that announces so many things, and these; [] where `first` is of none such."""
    if not asked.expects(*_OF_ALL) or asked.selection is not None or asked.own:
        return []
    if first.span.kind is BlockKind.LIST_ITEM:
        return _items_announced(asked, first)
    return _sentences_announced(asked, first)


def _sentences_announced(asked: Asked, first: CandidateSpan) -> list[Place]:
    passage, spans, at = first.passage, first.passage.spans, first.index
    wanted = asked.words
    for number, behind in _numbers_in(passage.text_of(spans[at]), asked):
        last = at + number
        if not any(is_one_of(word, wanted, asked.lexicon) for word in behind):
            continue
        told = range(at + 1, last + 1)
        if last < len(spans) and all(
            spans[one].kind is BlockKind.PARAGRAPH and not is_new_line(passage, one) for one in told
        ):
            whole = place_of(first, at, last)
            return [whole] if whole.length <= JOINED_CHARACTERS else []
        if _names_them(first, number, asked):
            return [place_of(first, at, at + 1)]
    return []


def _names_them(first: CandidateSpan, number: int, asked: Asked) -> bool:
    """Whether the sentence behind names so many things: "From top to bottom these are: a, b and c"."""
    passage = first.passage
    if not follow_each_other(passage, first.index):
        return False
    told = passage.text_of(passage.spans[first.index + 1]).partition(":")[2]
    joins = re.compile(rf"[,;]|\b{asked.lexicon.phrasing.conjunction}\b")
    parts = [one for one in joins.split(told) if one.strip(" .")]
    return len(parts) == number


def _items_announced(asked: Asked, first: CandidateSpan) -> list[Place]:
    if first.intro is None:
        return []
    items = items_around(first)
    over = f"{first.heading}\n{first.intro_text}"
    wanted = asked.words
    is_announced = any(number == len(items) for number, _ in _numbers_in(first.intro_text, asked))
    if not is_announced or not are_said(wanted, over, asked.lexicon, asked.analysis.language):
        return []
    whole = place_of(first, first.intro, items[-1][1])
    if whole.length > _LIST_CHARACTERS:
        return []
    if whole.length <= JOINED_CHARACTERS and first.intro + 1 == items[0][0]:
        return [whole]
    return [place_of(first, first.intro, first.intro), *(place_of(first, *one) for one in items)]


def _numbers_in(text: str, asked: Asked) -> Iterator[tuple[int, list[str]]]:
    """Yield each small number of a text, in digits or in words, with the words behind it."""
    known = asked.lexicon.checks.numbers.values
    said = [word.lower() for word in _WORD.findall(text)]
    for at, word in enumerate(said):
        value = float(word) if word.isdecimal() else known.get(word, 0.0)
        if _LEAST <= value <= _MOST:
            yield int(value), said[at + 1 : at + 1 + _NOUN_WITHIN]
