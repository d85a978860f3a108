"""Find the sentence that says the measure of a thing by its unit alone.

"The control gets by on 24 volts" has no word of "Which voltage does the control need?" but the thing's:
what is alike in meaning tells little of a number, and its unit all of what it measures.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.attributes import asked_attribute
from libs.question.expected import AnswerKind, ExpectedAnswer, holds_answer
from libs.question.said import asked_words
from libs.text import is_unspaced, words
from services.generation.checks.normal_forms import has_negation
from services.generation.extractive.candidates import CandidateSpan, list_candidates
from services.generation.extractive.lookup import said_in, words_looked_up
from services.generation.extractive.places import Place, follow_each_other, place_of
from services.generation.extractive.sought import BY_UNIT
from services.generation.model import BlockKind, Passage

_PROSE = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
_MOST_WORDS = 3
"""Words for the thing up to which a sentence that has them all is about it."""


def has_measure_for(question: QuestionAnalysis, passages: Sequence[Passage]) -> bool:
    """Whether a sentence of the passages says the measure that is asked for of the very thing."""
    return find_measure(question, list_candidates(passages, question.language)) is not None


def find_measure(question: QuestionAnalysis, items: Iterable[CandidateSpan]) -> Place | None:
    """Return the first span that says it, with what its pronoun points to; None where none does."""
    expected, lexicon = question.expected, load_lexicon(question.language)
    dimensions = expected.dimensions
    if expected.kind is not AnswerKind.QUANTITY or not dimensions or not dimensions <= BY_UNIT:
        return None
    # "The power of the motor" says of what it is, and what.
    asking = asked_words(expected.attribute, lexicon)
    sought = words_looked_up(question, lexicon) - asking
    if question.sub_questions or not 0 < len(sought) <= _MOST_WORDS:
        return None
    if any(map(is_unspaced, sought)) or lexicon.extremes.asked.search(question.question):
        return None
    if asked_attribute(question.question, lexicon, is_quantity=True) is not None:
        return None
    wanted = ExpectedAnswer(expected.kind, dimensions)
    told = (one for one in items if one.span.kind in _PROSE and one.intro is None)
    places = (_place_in(one, sought, wanted, question, lexicon) for one in told)
    return next((place for place in places if place is not None), None)


def _place_in(
    item: CandidateSpan,
    sought: frozenset[str],
    wanted: ExpectedAnswer,
    question: QuestionAnalysis,
    lexicon: Lexicon,
) -> Place | None:
    """Return where the span says it, itself or with the sentence that its pronoun points to."""
    if not holds_answer(wanted, item.text, lexicon):
        return None
    if has_negation(item.text, question.language):
        return None
    own = said_in(sought, item.text, question, loosely=False)
    if own == sought:
        return place_of(item)
    leans = not lexicon.checks.clauses.pronouns.isdisjoint(words(item.text)[:1])
    if not leans or not item.index or not follow_each_other(item.passage, item.index - 1):
        return None
    before = replace(item, index=item.index - 1).text
    if holds_answer(wanted, before, lexicon):
        return None
    said = own | said_in(sought, before, question, loosely=False)
    return place_of(item, first=item.index - 1) if said == sought else None
