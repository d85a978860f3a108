"""Find what defines the very thing that a question wants explained, as an entry of a list of terms."""

import re
from collections.abc import Collection, Iterable
from functools import cache

from libs.defined_terms import name_key
from libs.language.lexicon import load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.text import literals
from services.retrieval.model import Passage, distinct_terms

_JOINED = re.compile(r"(?<!\w)\w{1,40}(?:[-_]\w{1,40}){1,8}(?!\w)")
_MOST_TERMS = 4
"""Of what is to be explained: a longer question wants more than an entry says."""


def thing_of(question: QuestionAnalysis) -> frozenset[str]:
    """Return the terms of what the question wants explained; none when it asks otherwise."""
    thing = distinct_terms(question.definiendum)
    return thing if len(thing) <= _MOST_TERMS else frozenset()


def plain_thing(question: QuestionAnalysis) -> frozenset[str]:
    """Return the same without what says of which kind the thing is: of "the gap option" "gap"."""
    return thing_of(question) - _kinds_of(question.language)


def keys_asked(question: QuestionAnalysis) -> frozenset[str]:
    """Return the keys of what is asked for: of "the gap option" those of "gap" and "gap option".

    Of "the --log-file option" that of "log-file" alone, whatever else the words in it mean.
    """
    wanted = question.definiendum
    named: list[Iterable[str]] = [thing_of(question), plain_thing(question)]
    options = [one for one in literals(wanted) if one.startswith("-")]
    for name in options or _JOINED.findall(wanted):
        rest = distinct_terms(wanted.replace(name, " "))
        if len(options) == 1 or rest <= _kinds_of(question.language):
            named.append(distinct_terms(name))
    return frozenset(filter(None, map(name_key, named)))


def keys_of_each(question: QuestionAnalysis) -> list[frozenset[str]]:
    """Return the keys of each thing that is asked for: of two that are compared those of both."""
    parts = [question.about(part) for part in question.sub_questions] or [question]
    return list(map(keys_asked, parts))


def defines(passage: Passage, keys: Collection[str]) -> bool:
    """Whether the passage has an entry with one of the keys."""
    return any(key in passage.candidate.terms for key in keys)


@cache
def _kinds_of(language: str) -> frozenset[str]:
    return distinct_terms(" ".join(load_lexicon(language).spans.kinds))
