"""Tell what names one of the alternatives that a question asks for one of.

"Which size fits: tiny, base or small?" is not answered by how much memory there is, nor "What colour is
it?" by a sentence without one: these the language gives.
"""

import re

from libs.language.entries import Pattern
from libs.question.expected import AnswerKind
from libs.question.said import asked_words
from libs.question.synonyms import are_said
from libs.text import words
from services.generation.checks.normal_forms import antonyms, contraries
from services.generation.extractive.candidates import Ranked
from services.generation.extractive.features import Asked

_COMMA = re.compile(r",\s*")
_WORDS = 3
"""Of an alternative; more of them ask something of their own."""


_LIKELY = 0.1
"""Share of the best span's odds from which another that names an alternative may answer."""


def naming_alternative(asked: Asked, fit: list[Ranked]) -> list[Ranked]:
    """Return the likely spans that name an alternative, or stand under it; all where none is given.

    What may be "longer or shorter" is told by a figure, and whether it is so by anything.
    """
    question = asked.analysis.question
    for closed in asked.lexicon.closed.values():
        if closed.asked.search(question):
            rest = closed.asked.sub(" ", question)
            fit = [
                one
                for one in fit
                if _names_one_of(closed.said, one.item.text, rest) and _is_of_code(asked, one)
            ]
    given = _alternatives(asked)
    if not given or not fit:
        return fit
    least = _LIKELY * fit[0].odds
    return [
        one
        for one in fit
        if one.odds >= least
        and any(_is_named(asked, told, f"{one.item.text}\n{one.item.over}") for told in given)
    ]


def _names_one_of(said: Pattern, text: str, question: str) -> bool:
    """Whether a text has one of the words that the question has not: "Moor Black" is a name."""
    asked = {found[0].lower() for found in said.finditer(question)}
    return any(found[0].lower() not in asked for found in said.finditer(text))


def _is_of_code(asked: Asked, one: Ranked) -> bool:
    """Whether the span, or what stands over it, has the code of the thing: "940-0024C"."""
    codes = (name.lower() for name in asked.analysis.names if any(map(str.isdigit, name)))
    over = "\n".join((one.item.text, one.item.over, one.item.titles_text)).lower()
    return all(code in over for code in codes)


def _alternatives(asked: Asked) -> list[frozenset[str]]:
    """Return the words of each alternative; none where the question asks for several, or compares."""
    several = asked.analysis.sub_questions or asked.expects(
        AnswerKind.COMPARISON, AnswerKind.YES_NO, AnswerKind.LIST
    )
    return [] if several else alternatives_in(asked)


def alternatives_in(asked: Asked) -> list[frozenset[str]]:
    """Return the words of each alternative that a question names; none where it names none."""
    found = asked.lexicon.types.alternatives.search(asked.analysis.question)
    if found is None:
        return []
    texts = [*_COMMA.split(found["first"].rstrip(", ")), found["last"]]
    told = [asked_words(one, asked.lexicon) for one in texts]
    language = asked.analysis.language
    opposed = antonyms(language).keys() | contraries(language).keys()
    if any(not one or len(words(text)) > _WORDS for one, text in zip(told, texts, strict=True)):
        return []
    return [] if any(one & opposed for one in told) else told


def _is_named(asked: Asked, wanted: frozenset[str], text: str) -> bool:
    return are_said(wanted, text, asked.lexicon, asked.analysis.language)
