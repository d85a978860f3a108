"""Choose what a book says that somebody understands by a thing: "How does Aristotle define virtue?"."""

from collections.abc import Sequence

from services.generation.extractive.candidates import CandidateSpan, Ranked, distinct_terms
from services.generation.extractive.features import Asked
from services.generation.extractive.places import follow_each_other
from services.generation.model import BlockKind

_AMONG = 25
"""Likeliest spans among which the one is that says it."""


def find_said_by(asked: Asked, fit: Sequence[Ranked]) -> CandidateSpan | None:
    """Return the likeliest span that says what the thing is for who is asked of; None without any.

    The sentence before, or the title, may name him.
    """
    found = asked.lexicon.spans.said_asked.search(asked.analysis.question)
    if found is None:
        return None
    who, thing = distinct_terms(found["who"]), distinct_terms(found["thing"])
    prose = [one.item for one in fit[:_AMONG] if one.item.span.kind is not BlockKind.CODE]
    of_thing = [item for item in prose if thing <= item.terms and _says_what(item)]
    own = (item for item in of_thing if who <= item.terms)
    near = (item for item in of_thing if who <= _terms_near(item))
    return next(own, None) or next(near, None)


def _says_what(item: CandidateSpan) -> bool:
    return item.rules.says_what.search(item.text) is not None


def _terms_near(item: CandidateSpan) -> frozenset[str]:
    texts = [item.titles_text]
    if item.index and follow_each_other(item.passage, item.index - 1):
        texts.append(item.passage.text_of(item.passage.spans[item.index - 1]))
    return distinct_terms("\n".join(texts))
