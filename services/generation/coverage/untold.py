"""List the number and the words of a class in a question that no passage has: "in batches of 500"."""

import re
from collections.abc import Iterable

from libs.language.lexicon import load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.said import is_one_of
from libs.text import words
from services.generation.model import Passage

_TAKING = (AnswerKind.CAUSE, AnswerKind.YES_NO)
"""Kinds of questions that take all else for granted, or ask whether just that is so."""

_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"(?<![\w.,/-])\d+(?:[.,]\d+)*(?![\w/-])")


def list_untold(question: QuestionAnalysis, passages: Iterable[Passage]) -> tuple[str, ...]:
    """Return the one number, and the one month, colour or metal, of which no passage says anything.

    Two of a kind are alternatives, of which the book need have one alone.
    """
    lexicon = load_lexicon(question.language)
    if question.expected.kind not in _TAKING or question.follow_up:
        return ()
    said = "\n".join("\n".join((*one.locator.section_path, one.text)) for one in passages)
    spoken, numbers = frozenset(words(said)), _NUMBER.findall(question.question)
    lacking = [one for one in numbers if len(numbers) == 1 and one not in _NUMBER.findall(said)]
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
