"""List the numbers and words of a class in a question that no passage has: "in batches of 500"."""

import re
from collections.abc import Iterable

from libs.language.lexicon import load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.said import is_one_of
from libs.text import words
from services.generation.model import Passage
from services.generation.premise.sayings import WORD

_TAKING = (AnswerKind.CAUSE, AnswerKind.YES_NO)
"""Kinds of questions that take all else for granted, or ask whether just that is so."""

_NUMBER = re.compile(r"(?<![\w.,/-])\d+(?:[.,]\d+)*(?![\w/-])")


def list_untold(question: QuestionAnalysis, passages: Iterable[Passage]) -> tuple[str, ...]:
    """Return the numbers, and the one month, colour or metal, of which no passage says anything.

    None of alternatives, of which one alone is so.
    """
    lexicon = load_lexicon(question.language)
    text = question.question
    if question.expected.kind not in _TAKING or question.follow_up:
        return ()
    if lexicon.types.alternatives.search(text) is not None:
        return ()
    said = "\n".join("\n".join((*one.locator.section_path, one.text)) for one in passages)
    spoken = frozenset(words(said))
    numbers = [one for one in _NUMBER.findall(text) if one not in _NUMBER.findall(said)]
    members = [
        word
        for group in lexicon.names.exclusive
        for word in WORD.findall(text)[1:]
        if word.lower() in group or word in group
    ]
    lacking = [
        one
        for one in members
        if not any(is_one_of(said, (one.lower(),), lexicon) for said in spoken)
    ]
    return tuple(dict.fromkeys((*numbers, *lacking)))
