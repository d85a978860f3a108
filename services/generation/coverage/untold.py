"""List the number and the words of a class in a question that no passage has: "in batches of 500"."""

import re
from collections.abc import Sequence
from dataclasses import replace

from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind, ExpectedAnswer
from libs.question.said import is_one_of, words_told
from libs.question.stated import claim_in
from libs.question.synonyms import said_of
from libs.text import words
from services.generation.checks.quantities import Quantity
from services.generation.model import Passage
from services.generation.premise.rates import are_alike, rates_in
from services.generation.premise.values import Value, holds, is_hedged, list_values

_TAKING = (AnswerKind.CAUSE, AnswerKind.YES_NO)
"""Kinds of questions that take all else for granted, or ask whether just that is so."""


_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"(?<![\w.,/-])\d+(?:[.,]\d+)*(?![\w/-])")


def list_untold(question: QuestionAnalysis, passages: Sequence[Passage]) -> tuple[str, ...]:
    """Return the one number, and the one month, colour or metal, of which no passage says anything.

    Two of a kind are alternatives, of which the book need have one alone.
    """
    lexicon = load_lexicon(question.language)
    takes = question.expected.kind in _TAKING or bool(claim_in(question.question, lexicon))
    if not takes or question.follow_up:
        return ()
    said = "\n".join("\n".join((*one.locator.section_path, one.text)) for one in passages)
    spoken, numbers = frozenset(words(said)), _NUMBER.findall(question.question)
    lacking = [one for one in numbers if len(numbers) == 1 and one not in _NUMBER.findall(said)]
    lacking = _list_measures(question, passages, lexicon) or lacking
    for group in lexicon.names.exclusive:
        # The first word has a capital whatever it is: "May I", "Pink".
        told = [one for one in _WORD.findall(question.question)[1:] if {one, one.lower()} & group]
        lacking += [
            one
            for one in told
            if len(told) == 1
            and not any(is_one_of(word, (one.lower(),), lexicon) for word in spoken)
        ]
    return tuple(lacking)


def _list_measures(
    question: QuestionAnalysis, passages: Sequence[Passage], lexicon: Lexicon
) -> list[str]:
    """Return the one measure or the one rate of a question that no passage on its thing has.

    "Why do cycles last eight weeks?" takes more for granted than a number in digits.
    """
    taken = replace(question, expected=ExpectedAnswer(AnswerKind.CAUSE))
    values = [one for one in list_values(taken, lexicon) if _is_measure(one)]
    rates = list(rates_in(question.question, lexicon))
    shown = [one.shown for one in (rates or values)]
    if len(shown) != 1:
        return []
    if not rates and is_hedged(question.question[: values[0].start], lexicon):
        return []
    stated = claim_in(question.question, lexicon) or question.question
    rest = words_told(stated.replace(shown[0], " "), lexicon) - _saying_little(lexicon)
    for passage in passages:
        said = "\n".join((*passage.locator.section_path, passage.text))
        spoken = said_of(rest, said, lexicon, question.language)
        if 2 * len(spoken) < len(rest):
            continue
        if rates and any(are_alike(rates[0], one) for one in rates_in(said, lexicon)):
            return []
        lines = [] if rates else said.splitlines()
        if any(holds(values[0], line, lexicon, question.language) for line in lines):
            return []
    return shown


def _is_measure(value: Value) -> bool:
    """Whether a value has a unit: what is counted may be called otherwise, and its number is told."""
    return isinstance(value.measure, Quantity) and bool(value.measure.unit)


def _saying_little(lexicon: Lexicon) -> frozenset[str]:
    return lexicon.expected.light | lexicon.expected.lasting
