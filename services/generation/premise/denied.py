"""Find where a book denies what a question takes for granted: "The queen lays no eggs in winter"."""

import re
from collections.abc import Sequence

from libs.language.entries import alternatives
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.said import asked_words, words_told
from libs.question.synonyms import is_said, said_of
from libs.text import is_question, words
from services.generation.checks.normal_forms import is_negation
from services.generation.other_value import OtherValue
from services.generation.premise.clauses import pieces
from services.generation.premise.sayings import Saying, told_before

_LEAST_WORDS = 2


def find_denial(question: QuestionAnalysis, sayings: Sequence[Saying]) -> OtherValue | None:
    """Return the one sentence that denies all that the question takes for granted."""
    lexicon, language = load_lexicon(question.language), question.language
    if question.expected.kind is not AnswerKind.CAUSE:
        return None
    asked = words_told(question.question, lexicon) - lexicon.expected.light
    if len(asked) < _LEAST_WORDS:
        return None
    if refusing := [one for one in sayings if _answers_no(asked, one, lexicon, language)]:
        return OtherValue("", refusing[0].quote)
    whole = [one for one in sayings if not one.header and _says(asked, one, lexicon, language)]
    denied = [one for one in whole if _denies(asked, one, lexicon, language)]
    if len(denied) != 1 or len(whole) != 1:
        return None
    return OtherValue("", denied[0].quote)


def _answers_no(asked: frozenset[str], saying: Saying, lexicon: Lexicon, language: str) -> bool:
    """Whether it says "No." under a title that asks whether all of it is so, and no more."""
    title = saying.over.splitlines()[-1] if saying.over else ""
    first, sign, rest = re.split(r"([.,:;!])", f"{saying.text}.", maxsplit=1)
    is_no = len(words(first)) == 1 and is_negation(words(first)[0], language)
    if not is_no or not sign or not is_question(title):
        return False
    return bool(rest) and said_of(asked, title, lexicon, language) == asked


def _says(asked: frozenset[str], saying: Saying, lexicon: Lexicon, language: str) -> bool:
    told = f"{saying.over}\n{told_before(saying, lexicon)}\n{saying.text}"
    own = said_of(asked, saying.text, lexicon, language)
    return len(own) * 2 >= len(asked) and said_of(asked, told, lexicon, language) == asked


def _denies(asked: frozenset[str], saying: Saying, lexicon: Lexicon, language: str) -> bool:
    """Whether the words that a negation stands beside are in no other clause of the saying."""
    joins = re.compile(rf"\b(?:{alternatives(lexicon.checks.clauses.joiners)})\b", re.IGNORECASE)
    clauses = [one for part in pieces(saying.text, lexicon) for one in joins.split(part)]
    is_denied = [any(is_negation(one, language) for one in words(part)) for part in clauses]
    own = said_of(asked, saying.text, lexicon, language)
    if not lexicon.claims.conditions.isdisjoint(words(saying.text)):
        return False
    # "No bells ring at night in Lent" denies no more than that.
    told = " ".join(part for part, no in zip(clauses, is_denied, strict=True) if no)
    # "n'a" says no more than that it has not.
    beside = (re.split(r"['’]", one)[-1] for one in asked_words(told, lexicon))
    more = [one for one in beside if len(one) > 1 and not is_said(one, asked, lexicon, language)]
    # What is called a parameter is no other thing.
    said = lexicon.stop_words | lexicon.expected.light | lexicon.spans.kinds
    if any(one not in said and not is_negation(one, language) for one in more):
        return False
    affirmed = " ".join(part for part, no in zip(clauses, is_denied, strict=True) if not no)
    return any(is_denied) and not own <= said_of(own, affirmed, lexicon, language)
