"""Find a word that a question takes for granted and for which the book has another of its class.

A hull is painted in one month, and a keel laid of one wood: where a sentence has all other words of
the question and another month, that is what the book says.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from libs.language.entries import Words
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.said import asked_words, is_one_of, words_told
from libs.question.synonyms import said_of
from libs.table_rows import cells_of
from libs.text import words
from services.generation.checks.normal_forms import has_negation
from services.generation.other_value import OtherValue
from services.generation.premise.sayings import WORD, Saying, told_before

_LEAST_WORDS = 2
"""Words beside it: of fewer, anything may be said."""

_LEAST_PART = 4
"""Letters from which a word is known at the end of a compound: "Edelstahl" is a "Stahl"."""

_JOINING = 2
"""Words between two that are listed: "and in"."""

_MAY_SAY = 0.5
"""Share of the words beside it from which a sentence that has it may say just that."""

_OF_PREMISES = (AnswerKind.CAUSE, AnswerKind.PERSON, AnswerKind.DATE, AnswerKind.YES_NO)


def find_other_member(question: QuestionAnalysis, sayings: Sequence[Saying]) -> OtherValue | None:
    """Return a word of the question for which the sayings have another, and that saying; else None."""
    lexicon = load_lexicon(question.language)
    if question.expected.kind not in _OF_PREMISES:
        return None
    told = words_told(question.question, lexicon) - lexicon.expected.light
    for members in lexicon.names.exclusive:
        asked = list(_members_in(question.question, members))
        if len(asked) != 1:
            continue
        rest = frozenset(one for one in told if not is_one_of(one, (asked[0].lower(),), lexicon))
        if len(rest) < _LEAST_WORDS or any(
            _may_be_so(asked[0], rest, saying, members, question) for saying in sayings
        ):
            continue
        led = _behind(asked[0], question.question)
        found = {
            other.lower(): saying.quote
            for saying in sayings
            for other in _others_in(rest, led, saying, members, question)
        }
        if len(found) == 1:
            return OtherValue(asked[0], next(iter(found.values())))
    return None


def _members_in(text: str, members: Words) -> Iterator[str]:
    """Yield the words of a text that are of the class; a capital that the class has is wanted here."""
    for word in WORD.findall(text):
        if word in members or word.lower() in members:
            yield word


def _may_be_so(
    asked: str,
    rest: frozenset[str],
    saying: Saying,
    members: Words,
    question: QuestionAnalysis,
) -> bool:
    """Whether the saying has the word, in another form or in a compound, and may say just that."""
    lexicon, language = load_lexicon(question.language), question.language
    near = f"{told_before(saying, lexicon)}\n{saying.text}"
    held = [one.lower() for one in _members_in(near, members)]
    word = asked.lower()
    if not any(_is_alike(one, word, lexicon) for one in (*held, *words(saying.text))):
        return False
    return len(said_of(rest, near, lexicon, language)) >= _MAY_SAY * len(rest)


def _is_alike(one: str, other: str, lexicon: Lexicon) -> bool:
    short, long = sorted((one, other), key=len)
    is_part = len(short) >= _LEAST_PART and long.endswith(short)
    # "May" is a word for nothing else, and yet itself.
    return short == long or is_part or is_one_of(one, (other,), lexicon)


def _others_in(
    rest: frozenset[str],
    led: list[str],
    saying: Saying,
    members: Words,
    question: QuestionAnalysis,
) -> Iterator[str]:
    """Yield the one word of the class in a saying that has all the rest, and denies nothing.

    Of several it is the one behind the same words: "moved to Saturdays". A row that is of what is asked
    about need not have the verb.
    """
    lexicon, language = load_lexicon(question.language), question.language
    found = list(dict.fromkeys(_members_in(saying.text, members)))
    if len(found) > 1 and not _are_listed(found, saying.text):
        found = [one for one in found if led and _behind(one, saying.text) == led]
    if len(found) != 1 or has_negation(saying.text, language):
        return
    near = f"{saying.over}\n{told_before(saying, lexicon)}\n{saying.header}\n{saying.text}"
    unsaid = rest - said_of(rest, near, lexicon, language)
    if not unsaid or (len(unsaid) == 1 and _is_of(rest, saying, lexicon, language)):
        yield found[0]


def _are_listed(members: Sequence[str], text: str) -> bool:
    """Whether two of the words stand side by side: "in May and in October"."""
    between = (text.partition(one)[2].partition(other)[0] for one, other in pairwise(members))
    return any(len(words(one)) <= _JOINING for one in between)


def _is_of(rest: frozenset[str], saying: Saying, lexicon: Lexicon, language: str) -> bool:
    """Whether the saying is a row, and the question has the whole name of what it is of."""
    name = asked_words(cells_of(saying.text)[0], lexicon) if saying.header else frozenset()
    return bool(name) and len(said_of(name, " ".join(rest), lexicon, language)) == len(name)


def _behind(word: str, text: str) -> list[str]:
    """Return the two words that stand before a word in a text."""
    before, _, _ = text.partition(word)
    return words(before)[-2:]
