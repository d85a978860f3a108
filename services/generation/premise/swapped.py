"""Find what a question takes for granted in the very place where the book has another.

"Buy goods rather than services" stands where the book says "services, not goods"; and "on by default"
where its entry says "Default: no".
"""

from collections.abc import Iterator, Sequence

from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.said import is_one_of, words_told
from libs.question.synonyms import said_of
from libs.text import words
from services.generation.checks.normal_forms import is_negation
from services.generation.other_value import OtherValue
from services.generation.premise.sayings import Saying

_LEAST_WORDS = 2
"""Words beside it: of fewer, anything may be said."""


def find_swapped(question: QuestionAnalysis, sayings: Sequence[Saying]) -> OtherValue | None:
    """Return what the question has in the place where one saying has another; else None."""
    lexicon = load_lexicon(question.language)
    weak = lexicon.checks.polarity.weak
    spoken = (one for one in words(question.question) if one not in weak)
    if any(is_negation(one, question.language) for one in spoken):
        return None
    return _find_reversed(question.question, sayings, lexicon) or _find_default(
        question, sayings, lexicon
    )


def _find_reversed(question: str, sayings: Sequence[Saying], lexicon: Lexicon) -> OtherValue | None:
    """Return "goods rather than services" where a sentence or a title has them the other way round."""
    asked = next(_preferences_in(question, lexicon), None)
    if asked is None:
        return None
    taken, left = asked[0].lower(), asked[1].lower()
    found = dict[str, str]()
    lines = ((line, one) for one in sayings for line in (*one.over.splitlines(), one.text))
    for line, saying in lines:
        for first, second, _ in _preferences_in(line, lexicon):
            if _are(first, second, taken, left, lexicon):
                return None
            if _are(first, second, left, taken, lexicon):
                found[" ".join(line.split())] = saying.quote if line == saying.text else line
    return OtherValue(asked[2], next(iter(found.values()))) if found else None


def _are(first: str, second: str, one: str, other: str, lexicon: Lexicon) -> bool:
    is_first = is_one_of(first.lower(), (one,), lexicon)
    return is_first and is_one_of(second.lower(), (other,), lexicon)


def _preferences_in(text: str, lexicon: Lexicon) -> Iterator[tuple[str, str, str]]:
    """Yield what is taken, what is left for it, and the words that say so."""
    for found in lexicon.claims.preferring.finditer(text):
        yield found["taken"], found["left"], found[0]


def _find_default(
    question: QuestionAnalysis, sayings: Sequence[Saying], lexicon: Lexicon
) -> OtherValue | None:
    """Return "by default" where the entry of just that says that by default it is not so."""
    asked = lexicon.spans.default_asked.search(question.question)
    spoken = words(question.question)
    denies = any(is_negation(one, question.language) for one in spoken)
    if asked is None or denies or not lexicon.claims.off.isdisjoint(spoken):
        return None
    rest = words_told(question.question, lexicon) - lexicon.expected.light - {*words(asked[0])}
    if len(rest) < _LEAST_WORDS:
        return None
    found = dict[str, None]()
    for saying in sayings:
        text = f"{saying.prior}\n{saying.text}".replace("_", " ")
        is_off = lexicon.claims.default_off.search(saying.text) is not None
        if is_off and said_of(rest, text, lexicon, question.language) == rest:
            found[saying.quote] = None
    return OtherValue(asked[0], next(iter(found))) if len(found) == 1 else None
