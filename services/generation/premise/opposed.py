"""Find a word that a question takes for granted and the book says the opposite of.

"Why are pots always glazed on the foot?" has an "always" where a sentence with all its other words says
"never", and "Since the oil is changed every year" another rate than "every four years".
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from libs.language.entries import Words
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.said import words_told
from libs.question.synonyms import said_of
from libs.text import words
from services.generation.checks.normal_forms import is_negation
from services.generation.other_value import OtherValue
from services.generation.premise.clauses import pieces
from services.generation.premise.compared import compares
from services.generation.premise.rates import Rate, are_alike, rates_in, without_rates
from services.generation.premise.sayings import Saying, told_before

_LEAST_WORDS = 2
"""Words beside it: of fewer, anything may be said."""

_MANY = 3
"""Words beside it from which a sentence that has them all is of that very thing, and others are not."""

_MAY_SAY = 0.5
"""Share of the words beside it from which a sentence that has it may say just that."""


def find_opposed(question: QuestionAnalysis, sayings: Sequence[Saying]) -> OtherValue | None:
    """Return a word or a rate of the question for which a saying has another; None without one.

    Nothing is told where a sentence may say the same of the same thing, nor of what is only so in some
    case.
    """
    lexicon = load_lexicon(question.language)
    # "Sand is lighter than clay" does not deny that clay is heavier: how it is compared tells that.
    if question.expected.kind is not AnswerKind.CAUSE or compares(question):
        return None
    told = [one for one in sayings if not one.header and _is_plain(one, lexicon)]
    other = _find_other_rate(question, told, lexicon)
    return other or _find_opposite(question, told, lexicon)


def _is_plain(saying: Saying, lexicon: Lexicon) -> bool:
    return lexicon.claims.conditions.isdisjoint(words(saying.text))


def _find_other_rate(
    question: QuestionAnalysis, sayings: Sequence[Saying], lexicon: Lexicon
) -> OtherValue | None:
    asked = list(rates_in(question.question, lexicon))
    rest = _beside(without_rates(question.question, lexicon), lexicon)
    if len(asked) != 1 or len(rest) < _LEAST_WORDS:
        return None
    found = dict[Rate, str]()
    for saying in sayings:
        rates = list(rates_in(saying.text, lexicon))
        if any(are_alike(one, asked[0]) for one in rates):
            if _shares(rest, saying, lexicon, question.language) >= _MAY_SAY:
                return None
        elif len(rates) == 1 and _says_all(rest, saying, rates[0].shown, question, lexicon):
            found[rates[0]] = saying.quote
    return _only_one(asked[0].shown, found.values())


def _find_opposite(
    question: QuestionAnalysis, sayings: Sequence[Saying], lexicon: Lexicon
) -> OtherValue | None:
    language, rules = question.language, lexicon.claims
    pairs = lexicon.checks.polarity.contraries, lexicon.checks.polarity.opposites
    spoken = words(question.question)
    for group in chain(rules.opposed, *pairs):
        sides = [side for side in group if not side.isdisjoint(spoken)]
        if len(sides) != 1:
            continue
        own = [one for one in spoken if one in sides[0]]
        if len(own) != 1 or any(is_negation(one, language) for one in spoken if one != own[0]):
            continue
        rest = _beside(question.question, lexicon) - sides[0]
        if len(rest) < _LEAST_WORDS:
            continue
        others = Words(frozenset().union(*group) - sides[0])
        found = list(_opposites_in(rest, sides[0], others, sayings, question))
        if other := _only_one(own[0], found):
            return other
    return None


def _opposites_in(
    rest: frozenset[str],
    own: Words,
    others: Words,
    sayings: Sequence[Saying],
    question: QuestionAnalysis,
) -> Iterator[str]:
    """Yield what has an opposite beside all the rest; nothing where the word itself may be said."""
    lexicon, language = load_lexicon(question.language), question.language
    found, shared, is_whole = list[str](), 0.0, False
    for saying in sayings:
        spoken = words(saying.text)
        if not own.isdisjoint(spoken):
            shared = max(shared, _shares(rest, saying, lexicon, language))
        opposite = list(dict.fromkeys(one for one in spoken if one in others))
        if len(opposite) != 1 or _is_denied_beside(opposite[0], saying.text, lexicon, language):
            continue
        if _says_all(rest, saying, opposite[0], question, lexicon):
            found.append(saying.quote)
            is_whole |= len(rest) >= _MANY and said_of(rest, saying.text, lexicon, language) == rest
    # That plugins are enabled is no word on those of the neighbours, which one sentence says are not.
    if shared < (1.0 if is_whole else _MAY_SAY):
        yield from found


def _is_denied_beside(word: str, text: str, lexicon: Lexicon, language: str) -> bool:
    """Whether a clause with the word has a negation that is another."""
    clauses = [spoken for one in pieces(text, lexicon) if word in (spoken := words(one))]
    return any(is_negation(one, language) for spoken in clauses for one in spoken if one != word)


def _beside(text: str, lexicon: Lexicon) -> frozenset[str]:
    return words_told(text, lexicon) - lexicon.expected.light


def _shares(rest: frozenset[str], saying: Saying, lexicon: Lexicon, language: str) -> float:
    near = f"{told_before(saying, lexicon)}\n{saying.text}"
    return len(said_of(rest, near, lexicon, language)) / len(rest)


def _says_all(
    rest: frozenset[str],
    saying: Saying,
    shown: str,
    question: QuestionAnalysis,
    lexicon: Lexicon,
) -> bool:
    """Whether a saying has all the rest, and most of it in the clause of what is `shown`."""
    language = question.language
    near = f"{saying.over}\n{told_before(saying, lexicon)}\n{saying.text}"
    if said_of(rest, near, lexicon, language) != rest:
        return False
    clauses = [one for one in pieces(saying.text, lexicon) if shown.lower() in one.lower()]
    return any(2 * len(said_of(rest, clause, lexicon, language)) >= len(rest) for clause in clauses)


def _only_one(asked: str, quotes: Iterable[str]) -> OtherValue | None:
    found = dict.fromkeys(quotes)
    return OtherValue(asked, next(iter(found))) if len(found) == 1 else None
