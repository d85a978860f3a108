"""Choose the span that says what the thing is that a question wants explained.

"Care ethics is a …" says it outright, an entry below its term, or how its section begins.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import chain, islice

from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.text import words
from services.generation.checks.normal_forms import is_negation
from services.generation.extractive.candidates import (
    CandidateSpan,
    Ranked,
    distinct_terms,
    list_candidates,
)
from services.generation.extractive.definitions import (
    entry_share,
    names_subject,
    names_what_it_is,
    opens_section_of,
)
from services.generation.extractive.features import Asked, ask_of
from services.generation.extractive.places import follow_each_other
from services.generation.model import BlockKind, Passage

_WORD = re.compile(r"\S+")

_MOST_ARTICLES = 2
"""Words that a name at the beginning of a sentence may have beside its own terms."""


_DENIED_WITHIN = 4
"""Words behind a thing's name among which its predicate is denied: "does not simply mean"."""

FITTING_AMONG = 8
"""Of this many best spans one leads that defines, tells how, or says more than the likeliest."""


def find_defining(asked: Asked, fit: Sequence[Ranked]) -> CandidateSpan | None:
    """Return the likeliest span that says just what the question wants explained, if one is near."""
    if asked.said:
        return None
    items = [one.item for one in fit]
    near = items[:FITTING_AMONG]
    defining = [item for item in near if asked.defined_by(item) == 1.0]
    named = _stating_first([item for item in near if _names_kind(asked, item)])
    # An entry for the thing tells what it is however unlike the question its words are, and so does
    # how the section begins that is named so: "Pipes join programs", where others "are open source".
    entries = (item for item in items if entry_share(item, asked.thing) == 1.0)
    opening = [item for item in items if opens_section_of(item, asked.thing)]
    # "This is" says what the sentence before ends in.
    behind = (item for item in items if _is_told_behind(asked, item))
    telling = (item for item in opening if _begins_with(asked, item))
    affirmed = [item for item in defining if not _denies(asked, item)]
    # What has the thing for its subject says more of what it is than what only names it.
    subjects = (item for item in near if _begins_with(asked, item) and not _denies(asked, item))
    ways = (named, telling, entries, behind, affirmed, opening, subjects, defining)
    return next(chain.from_iterable(ways), None)


def without_code(asked: Asked, fit: Sequence[Ranked]) -> list[Ranked]:
    """Return the spans without code, where a thing is to be explained that code need not spell.

    A program or a file that has its name shows how it is used, and says nothing of what it is.
    """
    is_spelled = asked.analysis.literals or any(map(str.isdigit, asked.analysis.definiendum))
    if not asked.expects(AnswerKind.DEFINITION) or is_spelled or not asked.thing:
        return list(fit)
    return [one for one in fit if one.item.span.kind is not BlockKind.CODE]


def has_definition_for(question: QuestionAnalysis, passages: Sequence[Passage]) -> bool:
    """Whether a sentence of the passages says what the very thing is that a question names alone."""
    if question.expected.kind is not AnswerKind.DEFINITION or question.sub_questions:
        return False
    items = list_candidates(passages, question.language)
    asked = ask_of(question, items)
    if not asked.thing:
        return False
    return any(_names_kind(asked, one) and not _denies(asked, one) for one in items)


def find_named(asked: Asked, fit: Sequence[Ranked]) -> CandidateSpan | None:
    """Return the likeliest span near that says of which kind the thing is: "A servo is a motor …"."""
    near = (one.item for one in fit[:FITTING_AMONG])
    return next((item for item in near if asked.thing and _names_kind(asked, item)), None)


def _names_kind(asked: Asked, item: CandidateSpan) -> bool:
    return asked.defined_by(item) == 1.0 and names_what_it_is(item)


def _stating_first(named: Sequence[CandidateSpan]) -> list[CandidateSpan]:
    """Return the spans with the one first that says of the thing what it is, below the same term.

    "Fuzzy strings / You will meet some. A fuzzy string means …" is told by its second sentence.
    """
    if not named or names_subject(named[0]):
        return list(named)
    same = (one for one in named if one.intro == named[0].intro or one.index > named[0].index)
    stating = [one for one in same if one.passage is named[0].passage and names_subject(one)]
    return [*stating[:1], *(one for one in named if one not in stating[:1])]


def names_nowhere(asked: Asked, items: Iterable[CandidateSpan]) -> bool:
    """Whether a question wants a thing explained by its bare name, which no span has, nor its titles.

    "What is anchoring bias?" is not answered by what biases there are, nor is "the Gini coefficient"
    where none is Gini's. "The current version" is no such name: a book need not call it so.
    """
    analysis = asked.analysis
    if not asked.thing or asked.own or asked.selection is not None or analysis.deictic:
        return False
    if not asked.expects(AnswerKind.DEFINITION, AnswerKind.LIST, AnswerKind.ANY):
        return False
    items = list(items)
    if analysis.definiendum in analysis.literals and "=" not in analysis.definiendum:
        # What only code spells, "2+2", is named by no other spelling; "save=off" may be, by its parts.
        return not any(_spells(analysis.definiendum, item) for item in items)
    needed = _needed_terms(asked)
    return bool(needed) and not any(_names(asked, needed, item) for item in items)


def _spells(literal: str, item: CandidateSpan) -> bool:
    said = (*item.passage.locator.section_path, item.heading, item.intro_text, item.text)
    return any(literal.casefold() in text.casefold() for text in said)


def _names(asked: Asked, needed: frozenset[str], item: CandidateSpan) -> bool:
    """Whether the span or what stands over it has all these terms, or the thing's name as it is."""
    texts = (item.text, item.over, item.titles_text)
    if needed <= asked.importance.asked_in(*texts):
        return True
    return asked.analysis.definiendum.lower() in "\n".join(texts).lower()


def _needed_terms(asked: Asked) -> frozenset[str]:
    """Return what names the thing: all of a bare name, of "the Gini coefficient" what has a capital."""
    analysis, lexicon = asked.analysis, asked.lexicon
    before, found, _ = analysis.question.lower().partition(analysis.definiendum.lower())
    is_short_form = lexicon.short_forms.asked.search(analysis.question) is not None
    if not found or is_short_form or not lexicon.stop_words.isdisjoint(words(analysis.definiendum)):
        return frozenset()
    if lexicon.phrasing.definite.isdisjoint(words(before)[-1:]):
        return asked.thing
    if not lexicon.checks.names.capitals:
        return frozenset()
    named = [word for word in analysis.definiendum.split() if word[:1].isupper()]
    return asked.thing & distinct_terms(" ".join(named))


def _begins_with(asked: Asked, item: CandidateSpan) -> bool:
    """Whether the span begins with just the thing and goes on: "Pipes join …", "A token may be …"."""
    end = _end_of_name(asked, item.text)
    goes_on = end > 0 and any(map(str.isalnum, item.text[end:]))
    return goes_on and item.span.kind is not BlockKind.CODE


def _is_told_behind(asked: Asked, item: CandidateSpan) -> bool:
    """Whether the span says what the sentence before it ends in, which is just the thing."""
    if not item.index or not item.rules.points_back.search(item.text):
        return False
    if not follow_each_other(item.passage, item.index - 1):
        return False
    last = item.around[0].split()[-len(asked.thing) :]
    return bool(asked.thing) and distinct_terms(" ".join(last)) == asked.thing


def _end_of_name(asked: Asked, text: str) -> int:
    """Return where the shortest beginning of `text` ends that names just the thing; 0 for none."""
    begun, articles = distinct_terms(""), asked.lexicon.checks.clauses.articles
    for word in islice(_WORD.finditer(text), len(asked.thing) + _MOST_ARTICLES):
        begun |= distinct_terms("" if word[0].lower() in articles else word[0])
        if asked.thing and begun == asked.thing:
            return word.end()
        if not begun <= asked.thing:
            break
    return 0


def _denies(asked: Asked, item: CandidateSpan) -> bool:
    """Whether the span denies what it says of the thing, and not only something on the way."""
    end = _end_of_name(asked, item.text)
    said = words(item.text[end:])[: _DENIED_WITHIN if end else None]
    return any(is_negation(word, asked.analysis.language) for word in said)
