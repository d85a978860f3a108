"""Lead with how a part of the book begins, where a question wants to know which one is about a thing.

A page is named by the section that begins on it; which chapter is about a thing its titles tell, or a
sentence by which it says what it covers.
"""

from collections.abc import Callable, Sequence

from libs.question.pages import name_page_topic, name_part_topic
from libs.text import content_terms
from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.features import Asked
from services.generation.extractive.intro import with_intro
from services.generation.extractive.lead import fit_to_lead
from services.generation.extractive.places import Place


def find_opening(asked: Asked, ranked: Sequence[Ranked], question: str) -> list[Place]:
    """Return how the part begins that `question` wants found; [] where it wants none, or none is."""
    language = asked.analysis.language
    if topic := name_page_topic(question, language):
        return _section_titled(asked, ranked, frozenset(content_terms(topic)))
    wanted = frozenset(content_terms(name_part_topic(question, language)))
    return _part_about(ranked, wanted) if wanted else []


def _section_titled(asked: Asked, ranked: Sequence[Ranked], wanted: frozenset[str]) -> list[Place]:
    """Return how the section begins whose title has most of what is wanted; [] where none has any.

    Where a thing is discussed is the page that its section begins on, not one that refers to it.
    """
    fit = fit_to_lead(asked, ranked)
    best = max(fit, key=lambda one: _share_titled(one.item, wanted), default=None)
    if best is None or not _share_titled(best.item, wanted):
        return []
    section = best.item.section
    return _first(fit, lambda item: item.section == section)


def _part_about(ranked: Sequence[Ranked], wanted: frozenset[str]) -> list[Place]:
    """Return how the part begins whose titles have all that is wanted, or that says it is of it."""
    fit = [one for one in ranked if not one.item.is_byline]
    titled = [one.item for one in fit if wanted <= _terms_of(_titles(one.item))]
    if titled:
        least = min(_depth_of(item, wanted) for item in titled)
        best = next(item for item in titled if _depth_of(item, wanted) == least)
        depths = {_titles(item)[: least + 1] for item in titled if item.key[0] == best.key[0]}
        return _first(fit, lambda item: _titles(item)[: least + 1] in depths)
    covering = (one.item for one in fit if one.item.rules.leads_on.search(one.item.text))
    told = (item for item in covering if wanted <= _terms_of((item.text,)))
    return next(map(with_intro, told), [])


def _depth_of(item: CandidateSpan, wanted: frozenset[str]) -> int:
    """Return the level of the title down to which all that is wanted is named."""
    titles = _titles(item)
    return next(at for at in range(len(titles)) if wanted <= _terms_of(titles[: at + 1]))


def _terms_of(texts: Sequence[str]) -> frozenset[str]:
    return frozenset(content_terms("\n".join(texts)))


def _titles(item: CandidateSpan) -> tuple[str, ...]:
    path = item.passage.locator.section_path
    return path if item.heading in path else (*path, item.heading)


def _first(fit: Sequence[Ranked], is_within: Callable[[CandidateSpan], bool]) -> list[Place]:
    within = (one.item for one in fit if is_within(one.item))
    return with_intro(min(within, key=lambda item: item.span.start))


def _share_titled(item: CandidateSpan, wanted: frozenset[str]) -> float:
    titled = wanted & frozenset(content_terms(item.heading))
    return len(titled) / len(wanted) if titled else 0.0
