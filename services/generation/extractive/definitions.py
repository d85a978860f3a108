"""Rate whether a span defines the thing that the question asks about.

"What is ownership?" is answered by "Ownership is a discipline …", and by no other sentence about it.
"""

import re
from dataclasses import dataclass
from functools import cache

from libs.defined_terms import list_forms, other_names
from libs.language.entries import Words
from libs.language.spans import Spans
from libs.question.analyse import QuestionAnalysis
from libs.text import COLONS, literals
from services.generation.extractive.candidates import (
    CandidateSpan,
    distinct_terms,
    without_number,
)

_ABBREVIATION = re.compile(r"\b[A-Z]{2}|[a-z][A-Z]")
_LEAST_BEFORE = 5
"""Words by which a sentence says what a thing is whose name it ends in; "The third is" has too few."""

_BETWEEN_DASHES = re.compile(
    r"(?P<name>[\w’'-]+(?:\s[\w’'-]+){0,3})\s?[—–]\s?\w+\s\w+\s[^—–.!?]{3,120}[—–]"
)
"""What is put in after a name: "the sampling frame—the list of all who may be asked—"."""

_IN_APPOSITION = re.compile(
    r"[“\"‘«„]?(?P<name>[^\W_][\w’'-]*(?:\s[\w’'-]+){0,3})[”\"’»“]?(?:\s?[—–]\s?|\s--?\s)(?P<article>[\w'’]+)\s[^—–!?]{8,}$"
)
"""A name, and what it is behind a dash, to the end: "a burn down chart — a graph of what remains"."""

_SHORT_FORM = re.compile(r"\s\([A-Z][A-Za-z.]{1,7}\).*")
_COLON = ": "
_IN_BRACKETS = re.compile(r"\s*\([^)]*\)")

_MOST_TERMS = 4
"""Of what is asked: a longer question wants more than a definition."""

_MOST_OTHERS = 2
"""Terms of a sentence's subject that the question may leave out ("Debian GNU/Linux is …")."""


def asked_thing(question: QuestionAnalysis) -> frozenset[str]:
    """Return the terms of the thing that the question wants explained; none when it asks otherwise."""
    thing = distinct_terms(question.definiendum)
    return thing if len(thing) <= _MOST_TERMS else frozenset()


@dataclass(frozen=True)
class AskedEntry:
    """An entry of a manual that is asked for: its literals ("-e"), and the question's other terms."""

    literals: frozenset[str]
    others: frozenset[str]


def asked_entry(question: QuestionAnalysis) -> AskedEntry:
    """Return the entry that the question names; one without literals when it names none."""
    named = frozenset(literals(question.question))
    others = question.question
    for literal in named:
        others = others.replace(literal, " ")
    return AskedEntry(named, distinct_terms(others) - named)


def entry_fit(item: CandidateSpan, entry: AskedEntry) -> float:
    """Return how well the span begins what a manual says of `entry`, in [0, 1].

    The line over it has to be one of the literals; half is for the share of the other terms that stand
    in the titles and in the passage before it: the command that the option is one of.
    """
    if not entry.literals or not entry.literals & set(literals(item.entry)):
        return 0.0
    locator = item.passage.locator
    before = item.passage.text[: item.span.start - locator.start]
    around = item.titles | distinct_terms(before) | distinct_terms(locator.document)
    share = len(entry.others & around) / len(entry.others) if entry.others else 1.0
    return 0.5 + 0.5 * share


def definition_fit(item: CandidateSpan, thing: frozenset[str]) -> float:
    """Return how well the span defines `thing`, in [0, 1]: as its subject or as a glossary's term."""
    rules = item.rules
    book = item.passage.locator.section_path[:1]
    shares = [0.0]
    for found in _subjects_of(item):
        of_all = rules.of_any.sub("", found["name"])
        names = (found["name"], of_all, found["short"] or "", *other_names(found["name"], book))
        share = max(_share(name, thing, rules) for name in names)
        shares.append(share if found["verb"] or share == 1.0 else 0.0)
    if item.intro is not None and not item.intro_text.rstrip().endswith(COLONS):
        terms = (item.intro_text, _IN_BRACKETS.sub("", item.intro_text))
        shares += [_share(term, thing, rules) for term in terms]
    if _is_called(item, thing):
        shares.append(1.0)
    return max(*shares, entry_share(item, thing))


def _is_called(item: CandidateSpan, thing: frozenset[str]) -> bool:
    """Whether the span says that what it tells of is called so, or is: "a structure called an inode".

    So it does where it ends in the name, "the likeliest value is the mode", or puts in what that is.
    """
    rules = item.rules
    wanted = _without_kinds(thing, rules)
    # Most spans lack a word of it, and the patterns below are a quarter of choosing what to show.
    if not wanted or not wanted <= item.terms:
        return False
    for found in rules.calls.finditer(item.text):
        called = _SHORT_FORM.sub("", found["name"] or found["short"]).split()
        # A further noun makes it another thing: "called inode table".
        if wanted == _without_kinds(distinct_terms(" ".join(called[: len(wanted) + 1])), rules):
            return True
    last = rules.named_last.search(item.text)
    if last is not None and wanted == _without_kinds(distinct_terms(last["name"]), rules):
        return len(item.text[: last.start()].split()) >= _LEAST_BEFORE
    apart = (*_BETWEEN_DASHES.finditer(item.text), *_appositions_in(item))
    return any(wanted in _ends_of(one["name"]) for one in apart)


def _ends_of(name: str) -> list[frozenset[str]]:
    """Return the terms of a name, and of it without its first words: "for a burn down chart"."""
    said = name.split()
    return [distinct_terms(" ".join(said[at:])) for at in range(len(said))]


def _appositions_in(item: CandidateSpan) -> list[re.Match[str]]:
    """Return what is put behind a name with a dash and an article, which says what that is."""
    found = _IN_APPOSITION.search(item.text)
    return [found] if found and found["article"].lower() in item.rules.indefinite else []


def entry_share(item: CandidateSpan, thing: frozenset[str]) -> float:
    """Return how much of the term that the span begins to define `thing` is, in [0, 1].

    The gap option is all of "gap" and half of "repeat gap".
    """
    wanted = _without_kinds(thing, item.rules)
    terms = item.list_terms(is_first=True) if wanted else []
    forms = [form for term in terms for form in list_forms(term)]
    named = [distinct_terms(form) for form in forms]
    return max((len(wanted) / len(one) for one in named if wanted <= one), default=0.0)


def opens_section_of(item: CandidateSpan, thing: frozenset[str]) -> bool:
    """Whether the span is the first sentence below the title that is `thing` and no more.

    Manuals give each variable a section, and its type and default lines of their own before it; a
    command has its "Description" below its name.
    """
    wanted = _without_kinds(thing, item.rules)
    titled = _without_kinds(distinct_terms(without_number(item.named_by)), item.rules)
    return bool(wanted) and wanted == titled and item.is_first_sentence


def names_what_it_is(item: CandidateSpan) -> bool:
    """Whether the span says of its subject what it is ("is a …"), not what is done with it."""
    said = [found for found in _subjects_of(item) if found["verb"]]
    kinds = (item.rules.names_kind.match(one.string, one.start("verb")) for one in said)
    return not said or any(kinds)


def names_subject(item: CandidateSpan) -> bool:
    """Whether the span has a subject of its own, and a verb that says what that is."""
    return any(found["verb"] for found in _subjects_of(item)) and names_what_it_is(item)


def _subjects_of(item: CandidateSpan) -> list[re.Match[str]]:
    """Return what the span tells of, and what it does behind a colon that leads to that."""
    texts = (item.text, item.text.partition(_COLON)[2])
    return list(filter(None, map(item.rules.subject.search, filter(None, texts))))


def _without_kinds(named: frozenset[str], rules: Spans) -> frozenset[str]:
    return named - _terms_of(rules.kinds) or named


def _share(subject: str, thing: frozenset[str], rules: Spans) -> float:
    """Return the share of the subject's terms that belong to the thing asked for; 0 if it lacks one.

    An abbreviation may stand without the noun that says what it is, "URDF" for a URDF file, and any
    name with it: "the recode program" for recode.
    """
    named = distinct_terms(subject)
    if thing and named - _terms_of(rules.named_kinds) == thing:
        return 1.0
    if not thing or rules.clause.search(subject) or len(named - thing) > _MOST_OTHERS:
        return 0.0
    least = thing
    if _ABBREVIATION.search(subject):
        least = _without_kinds(thing, rules)
    return len(thing & named) / len(named) if least <= named else 0.0


@cache
def _terms_of(kinds: Words) -> frozenset[str]:
    return distinct_terms(" ".join(kinds))
