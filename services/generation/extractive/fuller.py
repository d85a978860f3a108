"""Put first what says all that the likeliest span does of the question, and more of it.

"Can Muttprint print attachments?" is not answered by how the mail program prints them, where another
sentence has Muttprint as well; nor the drawback of a method by how that is used, where the sentence
behind says "Its main drawback".
"""

from collections.abc import Sequence

from libs.question.expected import AnswerKind, holds_answer
from libs.question.said import asked_words, names_agent
from libs.question.synonyms import said_of
from libs.text import is_question, is_unspaced, words
from services.generation.extractive.candidates import CandidateSpan, Ranked, distinct_terms
from services.generation.extractive.defining import FITTING_AMONG
from services.generation.extractive.features import Asked
from services.generation.extractive.places import follow_each_other
from services.generation.model import BlockKind

_OF_ONE = (
    *(AnswerKind.ANY, AnswerKind.YES_NO, AnswerKind.QUANTITY, AnswerKind.DATE),
    *(AnswerKind.PERSON, AnswerKind.PLACE),
)
"""What one sentence answers."""

_LIKELY = 0.1
"""Share of the best span's odds from which another one leads for saying more."""

_POINTS_WITHIN = 4
"""First words of a sentence, of which a pronoun speaks of what stands before it."""


def saying_more_first(asked: Asked, fit: Sequence[Ranked]) -> Sequence[Ranked]:
    """Return the spans with the one first that has most words of the question, if it has all of the
    likeliest one's among them."""
    wanted = asked.words
    # "What is the drawback of it?" asks for no definition.
    is_of_one = asked.expects(*_OF_ONE) or bool(asked.analysis.expected.attribute)
    if not fit or asked.own or asked.selection is not None or not is_of_one:
        return fit
    if not wanted or any(map(is_unspaced, wanted)) or _asks_for_sign(asked):
        return fit
    first, least = fit[0], _LIKELY * fit[0].odds
    for one in fit[1:FITTING_AMONG]:
        says_more = one.odds >= least and _says_more(asked, one.item, first.item)
        if says_more and _holds_as_much(asked, one.item, first.item):
            first = one
    return [first, *(one for one in fit if one is not first)]


def _says_more(asked: Asked, item: CandidateSpan, first: CandidateSpan) -> bool:
    """Whether a span has all words of the question that `first` has, and more, or more of them itself.

    What a title says is of all below it. Of an attribute that is asked for, "the drawback", it is
    enough to have that, where it stands in the passage of one that has not.
    """
    if item.terms <= distinct_terms(asked.analysis.question):
        return False
    spelled = [one for one in asked.analysis.literals if one in first.text]
    if not all(one in item.text for one in spelled):
        return False
    said, best = _said(asked, item), _said(asked, first)
    is_replied = best == asked.words and any(map(is_question, first.titles_text.split("\n")))
    if is_replied:
        return False  # below a title that is the question
    if best <= said:
        own = [_said_of(asked, "\n".join(_told_by(asked, one))) for one in (item, first)]
        return best < said or own[1] < own[0]
    named = asked_words(asked.analysis.expected.attribute, asked.lexicon) & asked.words
    return bool(named) and item.passage is first.passage and named <= said and not named <= best


def _holds_as_much(asked: Asked, item: CandidateSpan, first: CandidateSpan) -> bool:
    """Whether a span has a value of the kind asked for, or the likeliest one has none either."""
    expected, lexicon, question = asked.analysis.expected, asked.lexicon, asked.analysis.question
    told = "\n".join(_told_by(asked, item))
    if expected.kind is AnswerKind.PERSON:
        is_told = names_agent(question, first.text, lexicon)
        return not is_told or names_agent(question, told, lexicon)
    is_told = holds_answer(expected, first.text, lexicon)
    return not is_told or holds_answer(expected, told, lexicon)


def _asks_for_sign(asked: Asked) -> bool:
    """Whether a key or an option is asked for, which the span that leads was chosen for."""
    return any(one.asked.search(asked.analysis.question) for one in asked.lexicon.signs.values())


def _said(asked: Asked, item: CandidateSpan) -> frozenset[str]:
    """Return the words of the question that a span has, with what stands over it and it speaks of."""
    over = (item.over, item.titles_text)
    return _said_of(asked, "\n".join((*_told_by(asked, item), *over)))


def _said_of(asked: Asked, text: str) -> frozenset[str]:
    return said_of(asked.words, text, asked.lexicon, asked.analysis.language)


def _told_by(asked: Asked, item: CandidateSpan) -> list[str]:
    """Return the span, with the sentences before it in its line where it begins with a pronoun."""
    begun = words(item.text)[:_POINTS_WITHIN]
    passage, at = item.passage, item.index
    if item.span.kind is BlockKind.TABLE:
        return [item.text]
    if item.before is None and asked.lexicon.checks.clauses.pronouns.isdisjoint(begun):
        return [item.text]
    while at and follow_each_other(passage, at - 1):
        at -= 1
    return [passage.text_of(one) for one in passage.spans[at : item.index + 1]]
