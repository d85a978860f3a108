"""Find what a question takes to be so of one thing only, and the book says of others as well.

"Why does it cut only visible layers?" is wrong where it cuts "both visible and hidden layers"; and "How
do I reach it only with a key?" where it opens "without a key".
"""

from collections.abc import Sequence

from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.said import is_one_of, words_told
from libs.question.synonyms import said_of
from services.generation.checks.normal_forms import has_negation
from services.generation.other_value import OtherValue
from services.generation.premise.sayings import Saying, told_before

_LEAST_WORDS = 2
"""Words of the question that a sentence has beside the thing: of fewer, anything may be said."""


def find_exclusive(question: QuestionAnalysis, sayings: Sequence[Saying]) -> OtherValue | None:
    """Return "only visible" where one saying has it of that and of others too, or without it."""
    lexicon, language = load_lexicon(question.language), question.language
    asked = lexicon.claims.only.search(question.question)
    if asked is None or has_negation(question.question, language):
        return None
    groups = asked.groupdict()
    thing = (groups["with"] or groups["thing"]).lower()
    rest = words_told(question.question, lexicon) - lexicon.expected.light - {thing}
    found = dict[str, None]()
    for saying in sayings:
        near = f"{saying.over}\n{told_before(saying, lexicon)}\n{saying.text}"
        is_whole = len(rest) >= _LEAST_WORDS and said_of(rest, near, lexicon, language) == rest
        if is_whole and _says_more(thing, saying.text, lexicon, is_with=bool(groups["with"])):
            found[saying.quote] = None
    return OtherValue(asked[0], next(iter(found))) if len(found) == 1 else None


def _says_more(thing: str, text: str, lexicon: Lexicon, *, is_with: bool) -> bool:
    pattern = lexicon.claims.without if is_with else lexicon.claims.both
    return any(
        is_one_of(one.lower(), (thing,), lexicon)
        for found in pattern.finditer(text)
        for one in found.groups()
        if one
    )
