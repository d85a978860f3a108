"""Find where a book denies what a question takes for granted: "The queen lays no eggs in winter"."""

import re
from collections.abc import Sequence
from itertools import takewhile

from libs.language.entries import alternatives
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.said import asked_words, words_in, words_told
from libs.question.synonyms import is_said, said_of
from libs.text import words
from services.generation.checks.normal_forms import has_negation, is_negation
from services.generation.other_value import OtherValue
from services.generation.premise.clauses import pieces
from services.generation.premise.sayings import Saying, told_before

_LEAST_WORDS = 2

_LONGEST_ITEM = 2
"""Words of a thing in a list of them."""

_LEAST_OF_CASE, _MOST_OF_CASE = 2, 4
"""Words that say before a comma in which case something is so."""

_PART = re.compile(r"[,;:(]\s")

_ASK_HOW = (AnswerKind.PROCEDURE, AnswerKind.DATE, AnswerKind.ANY)


def find_denial(question: QuestionAnalysis, sayings: Sequence[Saying]) -> OtherValue | None:
    """Return a sentence that denies all that the question takes for granted; None where one says it.

    Who asks how or when takes for granted that it can be done, which is denied by what is not possible.
    """
    lexicon, language = load_lexicon(question.language), question.language
    kind, rules = question.expected.kind, lexicon.claims
    if kind not in (AnswerKind.CAUSE, *_ASK_HOW) or question.types.yes_no:
        return None
    asked = words_told(question.question, lexicon) - lexicon.expected.light
    # "Not allowed" denies all of what is taken to be allowed, or to be a duty.
    asked = bare if len(bare := asked - rules.allowing) >= _LEAST_WORDS else asked
    if len(asked) < _LEAST_WORDS:
        return None
    is_cause = kind is AnswerKind.CAUSE
    whole = [one for one in sayings if not one.header and _says(asked, one, lexicon, language)]
    denied = [
        one
        for one in whole
        if _denies(asked, one, lexicon, language)
        and (is_cause or _denies_ability(one, lexicon, language))
    ]
    others = (one for one in whole if one not in denied)
    if not denied or any(_says_plainly(asked, one, lexicon, language) for one in others):
        return None
    return OtherValue("", denied[0].quote)


def _says(asked: frozenset[str], saying: Saying, lexicon: Lexicon, language: str) -> bool:
    own = said_of(asked, saying.text, lexicon, language)
    # "As such, there is no central server" is said of what the sentence before is about.
    before = saying.prior if len(asked - own) == 1 < len(own) else told_before(saying, lexicon)
    told = f"{saying.over}\n{before}\n{saying.text}"
    return len(own) * 2 >= len(asked) and said_of(asked, told, lexicon, language) == asked


def _says_plainly(asked: frozenset[str], saying: Saying, lexicon: Lexicon, language: str) -> bool:
    """Whether a sentence says it by itself, or of what the one before names where it begins so."""
    told = f"{saying.before}\n{saying.text}"
    return said_of(asked, told, lexicon, language) == asked


def _denies_ability(saying: Saying, lexicon: Lexicon, language: str) -> bool:
    """Whether a clause denies not only that something is done but that it can be."""
    rules = lexicon.claims
    for clause in map(words, clauses_of(saying.text, lexicon)):
        is_denied = any(is_negation(one, language) for one in clause)
        if is_denied and not (rules.allowing | rules.barring).isdisjoint(clause):
            return True
    return False


def _denies(asked: frozenset[str], saying: Saying, lexicon: Lexicon, language: str) -> bool:
    """Whether a negation denies all of it, and in every case, and no other clause says it."""
    if is_denied_twice(saying.text, lexicon, language):
        return False
    if _is_of_a_case(saying.text, asked, lexicon, language):
        return False
    clauses = clauses_of(saying.text, lexicon)
    no = [has_negation(part, language) for part in clauses]
    # "No bells ring at night in Lent" denies no more than that.
    for at in (at for at, is_no in enumerate(no) if is_no):
        told = _behind_list(clauses[: at + 1], asked, lexicon, language)
        # "No server or point of control" denies each of them.
        first = lexicon.claims.or_else.split(told, maxsplit=1)[0]
        if said_of(asked, first, lexicon, language) == said_of(asked, told, lexicon, language):
            told = first
        if _more(told, asked, lexicon, language, saying.over.partition("\n")[0]):
            return False
    own = said_of(asked, saying.text, lexicon, language)
    affirmed = " ".join(part for part, is_no in zip(clauses, no, strict=True) if not is_no)
    return any(no) and not own <= said_of(own, affirmed, lexicon, language)


def clauses_of(text: str, lexicon: Lexicon) -> list[str]:
    """Return what a text says one by one; what a negation does not reach is another clause.

    All behind ", not" is denied: "the link, not the file to which it points".
    """
    joins = re.compile(rf"\b(?:{alternatives(lexicon.checks.clauses.joiners)})\b", re.IGNORECASE)
    ends = lexicon.checks.polarity.clause_end
    parts = (one for part in pieces(text, lexicon) for one in joins.split(part))
    return [
        one
        for part in parts
        for one in ([part] if _begins_with_no(part, lexicon) else ends.split(part))
        if one and one.strip()
    ]


def _begins_with_no(text: str, lexicon: Lexicon) -> bool:
    return not lexicon.checks.polarity.negations.isdisjoint(words(text)[:1])


def _is_of_a_case(text: str, asked: frozenset[str], lexicon: Lexicon, language: str) -> bool:
    """Whether it is said of some case only, and of another than is asked about: "On Sundays, …"."""
    conditions = lexicon.claims.conditions
    first, *rest = parts = _PART.split(text)
    is_short = bool(rest) and _LEAST_OF_CASE <= len(words(first)) <= _MOST_OF_CASE
    is_asked = bool(said_of(asked, first, lexicon, language))
    if is_short and not is_asked and _more(first, asked, lexicon, language):
        return True
    return any(
        has_negation(part, language)
        or not said_of(asked, part, lexicon, language)
        or _more(part, asked, lexicon, language)
        for part in parts
        if not conditions.isdisjoint(words(part))
    )


def is_denied_twice(text: str, lexicon: Lexicon, language: str) -> bool:
    """Whether it says what there must be: "none without a permit", "what is not … is not allowed"."""
    denying = [word for word in words(text) if is_negation(word, language)]
    polarity = lexicon.checks.polarity
    lacking = (polarity.weak | polarity.lacks | lexicon.claims.lacking).intersection(words(text))
    return len(denying) > len(set(denying)) or bool(lacking)


def _behind_list(
    clauses: Sequence[str], asked: frozenset[str], lexicon: Lexicon, language: str
) -> str:
    """Return the last clause, without its subject where that ends a list: "bamboo and walnut"."""
    items = [
        asked_words(one, lexicon)
        for one in takewhile(lambda one: len(words(one)) <= _LONGEST_ITEM, reversed(clauses[:-1]))
    ]
    if not any(item and said_of(asked, " ".join(item), lexicon, language) for item in items):
        return clauses[-1]
    places = re.finditer(r"[\w'’]+", clauses[-1])
    no = (one.start() for one in places if is_negation(one[0].lower(), language))
    return clauses[-1][next(no, 0) :]


def _more(
    text: str, asked: frozenset[str], lexicon: Lexicon, language: str, book: str = ""
) -> list[str]:
    """Return words of a clause that say more than is asked, the book's title and whether it is so."""
    # "n'a" says no more than that it has not.
    beside = (re.split(r"['’]", one)[-1] for one in asked_words(text, lexicon))
    asked |= words_in(book)
    more = [one for one in beside if len(one) > 1 and not is_said(one, asked, lexicon, language)]
    # What is called a parameter is no other thing.
    rules = lexicon.claims
    said = lexicon.stop_words | lexicon.expected.light | lexicon.spans.kinds
    said |= rules.allowing | rules.conditions | rules.passed | rules.being
    return [one for one in more if one not in said and not is_negation(one, language)]
