"""Find what a question says of one thing where the book says it of another beside it.

"Why does an amber lamp mean that the drive is ready?" has the subject of one clause, and what another
of the same verb says: "A green lamp means that the drive is ready. An amber lamp means an open guard."
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.said import asked_words, words_told
from libs.question.synonyms import said_of
from libs.text import words
from services.generation.checks.normal_forms import is_negation
from services.generation.other_value import OtherValue
from services.generation.premise.sayings import Saying

_PART = re.compile(r"[;:]\s|,\s(?=(?:and|und)\s)")
_NEAR = 2
"""Clauses from one to another that is told beside it."""

_LEAST_WORDS = 3
"""Of what is asked: the thing, the verb, and what is said of it."""


@dataclass(frozen=True)
class _Clause:
    """What stands before a verb of the question in a clause, and behind it."""

    before: str
    behind: str
    saying: Saying


def find_crossed(question: QuestionAnalysis, sayings: Sequence[Saying]) -> OtherValue | None:
    """Return the thing of the question of which a clause says something else, and another clause that.

    Nothing is told where a sentence has all that is asked in one of its clauses, or denies anything.
    """
    lexicon, language = load_lexicon(question.language), question.language
    told = words_told(question.question, lexicon) - lexicon.expected.light
    if question.expected.kind is not AnswerKind.CAUSE or len(told) < _LEAST_WORDS:
        return None
    parts = [(part, one) for one in sayings if not one.header for part in _PART.split(one.text)]
    if any(said_of(told, part, lexicon, language) == told for part, _ in parts):
        return None
    found = {
        (thing, saying.quote)
        for verb in told
        for thing, saying in _crossed_by(verb, told - {verb}, parts, question, lexicon)
    }
    if len({quote for _, quote in found}) != 1:
        return None
    thing, quote = max(found, key=lambda one: len(one[0]))
    return OtherValue(thing, quote)


def _crossed_by(
    verb: str,
    rest: frozenset[str],
    parts: Sequence[tuple[str, Saying]],
    question: QuestionAnalysis,
    lexicon: Lexicon,
) -> Iterator[tuple[str, Saying]]:
    """Yield the thing and the saying that has of another what the question has of it."""
    language = question.language
    clauses = [_clause_of(verb, part, saying, lexicon, language) for part, saying in parts]
    for at, own in enumerate(clauses):
        near = clauses[max(0, at - _NEAR) : at] + clauses[at + 1 : at + 1 + _NEAR]
        for other in near:
            if own is None or other is None or own.saying.over != other.saying.over:
                continue
            things = _only_in(own.before, other.before, rest, lexicon, language)
            said = _only_in(other.behind, own.behind, rest, lexicon, language)
            shared = said_of(rest, own.before, lexicon, language) & said_of(
                rest, other.before, lexicon, language
            )
            if not things or not said or rest != things | said | shared:
                continue
            # What is said of a thing stands behind it in a question too: no thing is "by default".
            if _place_of(things, question, lexicon) > _place_of(said, question, lexicon):
                continue
            # Another subject, of which that is said, and something else that is said of this one.
            if _has_more(other.before, rest, lexicon, language) and _has_more(
                own.behind, rest, lexicon, language
            ):
                yield _as_asked(things, question.question), other.saying


def _clause_of(
    verb: str, part: str, saying: Saying, lexicon: Lexicon, language: str
) -> _Clause | None:
    """Return a clause parted at the verb; None where it has none behind a subject, or denies it."""
    if any(is_negation(word, language) for word in words(part)):
        return None
    for found in re.finditer(r"\w+", part):
        if said_of((verb,), found[0], lexicon, language):
            before = part[: found.start()]
            return _Clause(before, part[found.end() :], saying) if before.strip() else None
    return None


def _only_in(
    text: str, other: str, asked: frozenset[str], lexicon: Lexicon, language: str
) -> frozenset[str]:
    return said_of(asked, text, lexicon, language) - said_of(asked, other, lexicon, language)


def _place_of(asked: frozenset[str], question: QuestionAnalysis, lexicon: Lexicon) -> int:
    """Return where the first of the words stands among those of the question."""
    spoken = words(question.question)
    return next(
        (at for at, one in enumerate(spoken) if said_of(asked, one, lexicon, question.language)),
        len(spoken),
    )


def _has_more(text: str, asked: frozenset[str], lexicon: Lexicon, language: str) -> bool:
    """Whether the text has a word that says something and is not asked."""
    told = asked_words(text, lexicon)
    return len(said_of(told, " ".join(asked), lexicon, language)) < len(told)


def _as_asked(things: frozenset[str], question: str) -> str:
    """Return the words as they stand in the question, with what stands between them."""
    places = [
        one.span()
        for one in re.finditer(r"[\w-]+(?:['’]s?)?", question)
        if things.intersection(words(one[0]))
    ]
    return question[places[0][0] : places[-1][1]] if places else " ".join(sorted(things))
