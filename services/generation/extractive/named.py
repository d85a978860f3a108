"""Put what names the very thing that the question names before what is only like the question.

Who asks about `mime.types`, BNO055 or VACUUM FULL uses the book's own spelling, and a sentence about
another file, part or command is no answer, however alike its other words are.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from libs.question.analyse import QuestionAnalysis
from libs.question.entities import holds_listing

_NAMED = 0.05
"""Share of the best odds from which a span leads for a name: what is less likely only mentions it."""

_PIECE_OF_CODE = re.compile(r"`[^`\s]+\s[^`]*`")
"""Code of several words, which is the reader's own rather than the name of something."""


class WithOdds(Protocol):
    @property
    def odds(self) -> float: ...


OneT = TypeVar("OneT", bound=WithOdds)


def naming_first(
    analysis: QuestionAnalysis, ranked: Sequence[OneT], text_of: Callable[[OneT], str]
) -> list[OneT]:
    """Return the spans with those first that name most of what the question names; their order else.

    A spelling that only code has ("/**", "set_bool") counts in any of them, and an acronym or a name
    with digits in the likely ones. A question that holds a program names what no book knows.
    """
    question = analysis.question
    said = _PIECE_OF_CODE.sub(" ", question)
    literals = _finding(word for word in analysis.literals if word in said)
    names = _finding(name for name in analysis.names if name in said)
    if not ranked or holds_listing(question) or not (literals or names):
        return list(ranked)
    least = _NAMED * ranked[0].odds

    def count(one: OneT) -> tuple[int, int]:
        text = text_of(one)
        return _count(literals, text), _count(names, text) if one.odds >= least else 0

    counts = [count(one) for one in ranked]
    most = max(counts)
    naming = [one for one, counted in zip(ranked, counts, strict=True) if counted == most]
    others = [one for one, counted in zip(ranked, counts, strict=True) if counted != most]
    return [*naming, *others]


def _finding(spelled: Iterable[str]) -> list[re.Pattern[str]]:
    return [re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE) for word in spelled]


def _count(patterns: Iterable[re.Pattern[str]], text: str) -> int:
    return sum(pattern.search(text) is not None for pattern in patterns)
