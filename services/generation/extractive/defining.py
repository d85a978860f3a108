"""Choose the span that says what the thing is that a question wants explained.

A textbook does so in many ways. "Care ethics is a …" says it outright; "Bias occurs when …" explains
it; "Deskilling does not mean forgetting a rule. It means …" says it behind what it is not.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, takewhile

from libs.question.expected import AnswerKind
from libs.question.said import share_of_words
from libs.text import COLONS, words
from services.generation.checks.normal_forms import is_negation
from services.generation.extractive.candidates import CandidateSpan, Ranked, distinct_terms
from services.generation.extractive.definitions import (
    entry_share,
    names_subject,
    names_what_it_is,
    opens_section_of,
)
from services.generation.extractive.features import Asked
from services.generation.extractive.places import (
    JOINED_CHARACTERS,
    Place,
    follow_each_other,
    place_of,
)
from services.generation.model import BlockKind

_WORD = re.compile(r"\S+")
_MARKS = " \t\n,:;*_\"'“”‘’"
"""What may stand between a thing's name and what is said of it."""

_IN_BRACKETS = re.compile(r"\s*\([^()]{1,40}\)")
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
    if purpose := _telling_purpose(asked, fit):
        return purpose
    near = items[:FITTING_AMONG]
    defining = [item for item in near if asked.defined_by(item) == 1.0]
    named = _stating_first([item for item in near if _names_kind(asked, item)])
    # An entry for the thing tells what it is however unlike the question its words are, and so does
    # how the section begins that is named so: "Pipes join programs", where others "are open source".
    entries = (item for item in items if entry_share(item, asked.thing) == 1.0)
    opening = [item for item in items if opens_section_of(item, asked.thing)]
    explaining = (item for item in near if _explains(asked, item))
    telling = (item for item in opening if _begins_with(asked, item))
    # What a thing is not says what it is only where the next sentence goes on with that.
    corrected = (item for item in defining if _sentence_behind(asked, item))
    affirmed = [item for item in defining if not _denies(asked, item)]
    # What has the thing for its subject says more of what it is than what only names it.
    subjects = (item for item in near if _begins_with(asked, item) and not _denies(asked, item))
    ways = (named, telling, entries, explaining, affirmed, corrected, opening, subjects, defining)
    return next(chain.from_iterable(ways), None)


def is_defined(asked: Asked, fit: Sequence[Ranked]) -> bool:
    """Whether a thing is asked for by its bare name and a sentence near says what it is.

    "What are taxes?" is told by "Taxes are …", before rows and lists that have some of them.
    """
    return find_named(asked, fit) is not None and _needed_terms(asked) == asked.thing


def find_named(asked: Asked, fit: Sequence[Ranked]) -> CandidateSpan | None:
    """Return the likeliest span near that says of which kind the thing is: "A servo is a motor …"."""
    near = (one.item for one in fit[:FITTING_AMONG])
    return next((item for item in near if asked.thing and _names_kind(asked, item)), None)


def define_over_list(asked: Asked, fit: Sequence[Ranked]) -> list[Place]:
    """Return what says what the thing is and goes on with a list: "Ecology studies all of life:".

    Nothing where a sentence near says what it is by itself.
    """
    if not asked.thing or asked.said or find_named(asked, fit) is not None:
        return []
    near = (one.item for one in fit[:FITTING_AMONG])
    found = chain.from_iterable(_lists_of(asked, item) for item in near)
    return next(filter(None, found), [])


def _lists_of(asked: Asked, item: CandidateSpan) -> Iterator[list[Place]]:
    """Yield each list of the span's passage whose introduction says what the thing is."""
    spans = item.passage.spans
    for index, span in enumerate(spans[:-1]):
        text = item.passage.text_of(span)
        if span.kind is not BlockKind.PARAGRAPH or not text.rstrip().endswith(COLONS):
            continue
        end = _end_of_name(asked, text)
        predicate = text[end:].lstrip()
        if (
            end
            and _says_what_it_is(item, predicate)
            and spans[index + 1].kind is BlockKind.LIST_ITEM
        ):
            listed = takewhile(lambda one: one.kind is BlockKind.LIST_ITEM, spans[index + 1 :])
            whole = place_of(item, index, index + len(list(listed)))
            yield [whole] if whole.length <= JOINED_CHARACTERS else []


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


def with_correction(asked: Asked, item: CandidateSpan) -> list[Place]:
    """Return a sentence that says what a thing is not, with the next, which says what it is."""
    return [place_of(item, item.index, item.index + 1)] if _sentence_behind(asked, item) else []


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
    needed = _needed_terms(asked)
    return bool(needed) and not any(_names(asked, needed, item) for item in items)


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


def _sentence_behind(asked: Asked, item: CandidateSpan) -> str:
    """Return the sentence behind a denial of the thing if it says what "it" is; "" for any other."""
    if not asked.thing or not _denies(asked, item) or not _begins_with(asked, item):
        return ""
    if item.before is not None or not follow_each_other(item.passage, item.index):
        return ""
    behind = item.passage.text_of(item.passage.spans[item.index + 1])
    pronouns = asked.lexicon.checks.clauses.pronouns
    first, _, rest = behind.partition(" ")
    return behind if first.lower() in pronouns and _says_what_it_is(item, rest) else ""


def _says_what_it_is(item: CandidateSpan, predicate: str) -> bool:
    """Whether a sentence, without its subject, names what that is, or explains it."""
    return bool(item.rules.names_kind.match(predicate) or item.rules.explains.match(predicate))


def _begins_with(asked: Asked, item: CandidateSpan) -> bool:
    """Whether the span begins with just the thing and goes on: "Pipes join …", "A token may be …"."""
    end = _end_of_name(asked, item.text)
    goes_on = end > 0 and any(map(str.isalnum, item.text[end:]))
    return goes_on and item.span.kind is not BlockKind.CODE


def _explains(asked: Asked, item: CandidateSpan) -> bool:
    """Whether the span goes on behind the thing's name as what explains it: "Bias occurs when …"."""
    end = _end_of_name(asked, item.text)
    in_brackets = _IN_BRACKETS.match(item.text, end)
    predicate = item.text[in_brackets.end() if in_brackets else end :].lstrip(_MARKS)
    return end > 0 and item.rules.explains.match(predicate) is not None


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


def _telling_purpose(asked: Asked, fit: Sequence[Ranked]) -> CandidateSpan | None:
    """Return the likeliest span that says what the thing is for, if that is asked and one is near."""
    found = fit[0].item.rules.purpose_asked.search(asked.analysis.question)
    if found is None:
        return None
    # Their odds are those of a definition, which what only tells a purpose is none.
    near = (one.item for one in fit[:FITTING_AMONG])
    return next((item for item in near if _tells_purpose(asked, item, found["thing"])), None)


def _tells_purpose(asked: Asked, item: CandidateSpan, thing: str) -> bool:
    """Whether the span says of the thing that it is used to, lets one or helps to do something."""
    told = item.rules.tells_purpose.search(item.text)
    said = item.text[: told.start()] if told else ""
    return bool(said) and share_of_words(thing, said, asked.lexicon) == 1.0
