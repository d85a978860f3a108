"""Rank the passages found, without those that repeat a better one."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import chain, zip_longest
from operator import attrgetter

from msgspec.structs import replace

from libs.defined_terms import name_key
from libs.language.lexicon import load_lexicon
from libs.question.analyse import QuestionAnalysis
from services.retrieval.defined import defines, keys_asked, plain_thing, thing_of
from services.retrieval.model import (
    Chunk,
    Passage,
    ResolvedSelection,
    distinct_terms,
)
from services.retrieval.state import ASSESSED, ScopedQuery

MORE_FOR_SUB_QUESTIONS = 7
"""Passages more than for a list, so that each search shows some; the document profiles have none."""

MAX_SHARED = 0.5
"""Two passages that share more than this part of the shorter one say the same."""

RELATED_SECTIONS = 3

PER_SECTION = 2
"""Passages of one section before other sections get their turn, where a question wants many."""

_NUMBER = re.compile(r"[\d.]+")
_LOOKED_AT = 10
_LEAST_TITLE = 8
"""Letters of a question that may be a title: a word alone stands in many."""


def count_wanted(asked: ScopedQuery, found: int) -> int:
    """Return how many passages to show: what is asked for, all that is selected, or the profile's."""
    profile = asked.profile
    if asked.query.max_passages or (asked.is_direct and found):
        return asked.query.max_passages or found
    if asked.sub_questions:
        return profile.list_top_k + MORE_FOR_SUB_QUESTIONS * (profile.list_top_k > profile.top_k)
    return profile.list_top_k if asked.analysis.several_places else profile.top_k


def rank_for(asked: ScopedQuery, passages: Sequence[Passage], limit: int) -> list[Passage]:
    """Return the best passages by the profile's rules; selected text as it is keeps its own order."""
    profile, selection = asked.profile, asked.selection
    if asked.is_direct:
        return sorted(passages, key=lambda passage: passage.chunk.position)
    if selection and profile.rerank == "boost":
        passages = boost_selection(passages, selection, profile.boost)
    elif profile.rerank != "model" and profile.glossary_boost != 1.0:
        passages = boost_glossary(passages, asked.analysis, profile.glossary_boost)
        passages = boost_title(passages, asked.query.question, profile.glossary_boost)
    many = profile.list_top_k > profile.top_k and asked.analysis.several_places
    return rank_passages(passages, max(limit, ASSESSED), per_section=PER_SECTION if many else None)


def rank_passages(
    passages: Sequence[Passage], limit: int, *, per_section: int | None = None
) -> list[Passage]:
    """Return the `limit` best, without those that mostly repeat a better one.

    Beyond `per_section` passages of one section, the best of other sections come first. Text under the
    title of its document alone is in no section: what has no headings is not made to take turns.
    """
    best: list[Passage] = []
    surplus: list[Passage] = []
    taken: Counter[tuple[str, ...]] = Counter()
    of_document = defaultdict[str, list[Chunk]](list)
    for passage in passages:
        if len(best) == limit:
            break
        chunk = passage.chunk
        kept = of_document[chunk.document]
        if _repeats_one(chunk, kept):
            continue
        section = (chunk.document, *chunk.section_path)
        is_inner = len(chunk.section_path) > 1
        if per_section is not None and is_inner and taken[section] >= per_section:
            surplus.append(passage)
            continue
        taken[section] += 1
        kept.append(chunk)
        best.append(passage)
    return best + surplus[: limit - len(best)]


def _repeats_one(chunk: Chunk, kept: Sequence[Chunk]) -> bool:
    start, end = chunk.start, chunk.end
    # Nearly all are apart, and a search compares each with dozens.
    overlapping = [other for other in kept if other.start < end and start < other.end]
    return any(shared_part(chunk, other) > MAX_SHARED for other in overlapping)


def boost_selection(
    passages: Sequence[Passage], selection: ResolvedSelection, boost: float
) -> list[Passage]:
    """Order by `boost` times the score what overlaps the selection text; scores stay as they are."""
    boosted = [
        replace(passage, boost=boost) if selection.overlaps(passage.chunk) else passage
        for passage in passages
    ]
    return sorted(boosted, key=Passage.order)


def boost_glossary(
    passages: Sequence[Passage], question: QuestionAnalysis, boost: float
) -> Sequence[Passage]:
    """Order by `boost` times the score the part of a glossary that has what is to be explained.

    It says so in one line among those for other terms, so what only names the thing often scores more.
    A list of terms that has an entry for the thing is a glossary too, and a section that is called by
    the thing's words begins with what it is. Where all of them are its title, "Virtual packages", an
    entry "virtual" is about something else.
    """
    thing, keys = thing_of(question), keys_asked(question)
    if not thing:
        return passages
    if any(_named(passage.chunk.section_path)[-1:] == (thing,) for passage in passages):
        keys &= {name_key(thing)}
    titled = load_lexicon(question.language).titles.glossary
    openings = _openings(passages, (thing, plain_thing(question)))
    boosted = [
        replace(passage, boost=boost)
        if defines(passage, keys)
        or passage.chunk.chunk_id in openings
        or (_has_all(passage, thing) and any(map(titled.search, passage.chunk.section_path)))
        else passage
        for passage in passages
    ]
    return sorted(boosted, key=Passage.order)


def _has_all(passage: Passage, terms: Collection[str]) -> bool:
    held = passage.candidate.terms
    return all(term in held for term in terms)


def _openings(passages: Sequence[Passage], names: Collection[frozenset[str]]) -> frozenset[str]:
    """Return the ids of the chunks that come first of each section with one of the names."""
    first: dict[tuple[str, ...], Chunk] = {}
    for passage in passages:
        chunk = passage.chunk
        for depth, title in enumerate(_named(chunk.section_path), 1):
            if title in names:
                section = (chunk.document, *chunk.section_path[:depth])
                kept = first.setdefault(section, chunk)
                first[section] = min(kept, chunk, key=attrgetter("start"))
    return frozenset(chunk.chunk_id for chunk in first.values())


@lru_cache(maxsize=4096)
def _named(titles: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """Return the terms of each of the titles above a chunk, without numbers."""
    found = map(distinct_terms, titles)
    return tuple(frozenset(one for one in title if not _NUMBER.fullmatch(one)) for title in found)


def boost_title(passages: Sequence[Passage], question: str, boost: float) -> Sequence[Passage]:
    """Order by `boost` times the score what stands under a title that is the question itself.

    A reference with this title is as near, and does not answer. Only the best are looked at.
    """
    asked = _letters(question)
    boosted = [
        replace(passage, boost=boost) if _is_titled(passage.chunk, asked) else passage
        for passage in passages[:_LOOKED_AT]
    ]
    if all(passage.boost != boost for passage in boosted) or len(asked) < _LEAST_TITLE:
        return passages
    return sorted([*boosted, *passages[_LOOKED_AT:]], key=Passage.order)


def _is_titled(chunk: Chunk, asked: str) -> bool:
    title = _letters(chunk.section_path[-1]) if chunk.section_path else ""
    number = title.removesuffix(asked)
    return title.endswith(asked) and (not number or number.isdigit())


def shared_part(one: Chunk, other: Chunk) -> float:
    """Return the part of the shorter chunk that lies in the longer one too, in [0, 1]."""
    if one.document != other.document:
        return 0.0
    shared = min(one.end, other.end) - max(one.start, other.start)
    return max(0, shared) / min(one.end - one.start, other.end - other.start)


def name_related_sections(passages: Sequence[Passage]) -> list[str]:
    """Return the distinct titles of the innermost sections, nearest first, at most three.

    Titles of whole documents come only when there are too few others: they tell a reader less. Those
    that differ in punctuation alone, as in two forms of a document, are one.
    """
    inner: dict[str, str] = {}
    outer: dict[str, str] = {}
    for passage in passages:
        path = passage.chunk.section_path
        if path:
            (inner if len(path) > 1 else outer).setdefault(_letters(path[-1]), path[-1])
        if len(inner) == RELATED_SECTIONS:
            break
    # Under the same letters the inner title stands for both.
    return list((inner | outer | inner).values())[:RELATED_SECTIONS]


def _letters(title: str) -> str:
    return "".join(filter(str.isalnum, title.lower())) or title


def interleave_passages(orders: Sequence[Sequence[Passage]]) -> list[Passage]:
    """Return the best of each search, then the second best of each, and so on."""
    turns = chain.from_iterable(zip_longest(*orders))
    return [passage for passage in turns if passage is not None]
