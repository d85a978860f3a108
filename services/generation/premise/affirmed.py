"""Find where a book says what a question denies: "Why do workers have no wax glands?"."""

from collections.abc import Sequence

from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.said import words_told
from libs.question.synonyms import said_of
from libs.text import words
from services.generation.checks.normal_forms import is_negation
from services.generation.other_value import OtherValue
from services.generation.premise.clauses import pieces
from services.generation.premise.sayings import Saying

_LEAST_WORDS = 3
"""Of what is denied: the thing, and what of it; of fewer, a sentence says anything."""


def find_affirmed(question: QuestionAnalysis, sayings: Sequence[Saying]) -> OtherValue | None:
    """Return a sentence that says all that the question denies; None where any denies some of it."""
    lexicon, language = load_lexicon(question.language), question.language
    spoken = words(question.question)
    denying = [one for one in spoken if is_negation(one, language)]
    if question.expected.kind is not AnswerKind.CAUSE or len(denying) != 1:
        return None
    asked = words_told(question.question, lexicon) - lexicon.expected.light
    asked = frozenset(one for one in asked if not is_negation(one, language))
    if len(asked) < _LEAST_WORDS or not lexicon.claims.conditions.isdisjoint(spoken):
        return None
    if any(_denies(asked, one, lexicon, language) for one in sayings):
        return None
    found = [one for one in sayings if _says_plainly(asked, one, lexicon, language)]
    return OtherValue(denying[0], found[0].quote) if found else None


def _denies(asked: frozenset[str], saying: Saying, lexicon: Lexicon, language: str) -> bool:
    """Whether a sentence has a negation, or a word for lacking, and half of what is asked."""
    title = saying.over.rpartition("\n")[2]
    spoken = words(f"{title} {saying.text}")
    is_denied = any(is_negation(one, language) for one in spoken)
    is_denied = is_denied or not lexicon.claims.lacking.isdisjoint(spoken)
    near = f"{saying.over}\n{saying.prior}\n{saying.text}"
    return is_denied and 2 * len(said_of(asked, near, lexicon, language)) >= len(asked)


def _says_plainly(asked: frozenset[str], saying: Saying, lexicon: Lexicon, language: str) -> bool:
    """Whether a clause says all of it, and not in some case only."""
    if saying.header or not lexicon.claims.conditions.isdisjoint(words(saying.text)):
        return False
    clauses = pieces(saying.text, lexicon)
    return any(said_of(asked, one, lexicon, language) == asked for one in clauses)
