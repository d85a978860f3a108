"""A query in, a search result out: the stages in the order that data flows through them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from libs.budget import current_budget, stages
from libs.calibration import Calibration
from libs.embedding import Embedder, Vectors
from libs.profiles import SHIPPED, Retrieval, load_profile
from libs.sides import split_question
from libs.vectors.schema import collection_name
from services.retrieval.blend import blend_scores
from services.retrieval.embed import embed_question, embed_text
from services.retrieval.gate import JUDGED, judge_passages
from services.retrieval.join import REACH, gather_neighbours, join_groups
from services.retrieval.mark import mark_units
from services.retrieval.model import (
    Candidate,
    Marked,
    MarkedPassage,
    Passage,
    Query,
    QuestionTerms,
    QuestionVectors,
    SearchResult,
)
from services.retrieval.ports import PassageIndex, QuestionEncoder, Reranker
from services.retrieval.rank import (
    PER_SECTION,
    boost_glossary,
    boost_marked,
    name_related_sections,
    rank_passages,
    wants_many,
)
from services.retrieval.rerank import rerank_passages
from services.retrieval.scope import MAX_PASSAGES, check_query, find_scope
from services.retrieval.search import fill_passages, read_whole, search_index
from services.retrieval.sides import join_marks, take_turns

SIDES_MORE = 7
"""Passages more than for a list, so that each search shows some; the document profiles have none."""


@dataclass(frozen=True)
class Tools:
    """What the stages work with."""

    index: PassageIndex
    embedder: Embedder
    encoder_of: Callable[[str], QuestionEncoder]
    """Takes the ISO 639-1 code of the book's language."""
    calibration: Calibration
    profiles: Path = SHIPPED
    reranker: Reranker | None = None
    """Asked for the order where the profile says `rerank = "model"`."""
    before: "Tools | None" = None
    """The same for the model that books are moving away from, as long as some have not."""


async def search_passages(query: Query, tools: Tools) -> SearchResult:
    """Search within the current budget.

    Raises InvalidInput, NotFound for an unknown profile, WrongIndex, Unavailable, DeadlineExceeded.
    """
    check_query(query)
    profile = load_profile(query.profile, tools.profiles).retrieval
    budget = current_budget()
    async with budget.stage(stages.SCOPE) as allowed_s:
        tools = await _tools_for(query, tools, timeout_s=allowed_s)
        if profile.gate == "calibrated":
            tools.calibration.require_stamp(collection_name(tools.embedder.stamp))
        scoped = await find_scope(query, tools.index, profile.selection_policy, timeout_s=allowed_s)
        language = await tools.index.language(query.book, query.edition, timeout_s=allowed_s)
    marked = scoped.marked
    direct = marked is not None and profile.selection_policy == "direct"
    sought = f"{query.question}\n{marked.text}" if marked else query.question
    sides = () if marked else tuple(side.question for side in split_question(query.question))
    async with budget.stage(stages.EMBED):
        vectors, *apart = [
            await embed_question(text, tools.embedder, tools.encoder_of(language))
            for text in (sought, *sides)
        ]
        asked = await embed_text(query.question, tools.embedder) if marked else vectors.dense
    async with budget.stage(stages.SEARCH) as allowed_s:
        candidates, *found_apart = await search_index(
            tools.index,
            scoped.scope,
            (vectors, *apart),
            limit=MAX_PASSAGES if direct else profile.candidates,
            timeout_s=allowed_s,
        )
    async with budget.stage(stages.BLEND):
        blended = blend_scores(candidates, profile)
    ordered: Sequence[Passage] = blended
    degraded: tuple[str, ...] = ()
    if profile.rerank == "model" and not direct:
        async with budget.stage(stages.SEARCH) as allowed_s:
            whole = await read_whole(tools.index, blended, timeout_s=allowed_s)
        blended = fill_passages(blended, whole)
        ordered, degraded = await rerank_passages(sought, blended, tools.reranker, budget)
    async with budget.stage(stages.RANK):
        related = name_related_sections(ordered)
        wanted = _depth(query, profile, len(blended) if direct else 0, compares=bool(sides))
        reach = REACH * wanted if profile.join_neighbours else wanted
        # The gate judges the order that it was learnt on.
        ranked = _rank(blended, query, profile, marked, reach)
        shown = ranked if ordered is blended else _rank(ordered, query, profile, marked, reach)
        shown = _rank_sides(shown, found_apart, query, profile, reach)
        groups = [[passage] for passage in shown[:wanted]]
        if profile.join_neighbours:
            groups = gather_neighbours(shown[:reach], wanted)
        texts = [item.terms for item in candidates]
        terms = QuestionTerms.weigh(query.question, texts)
    async with budget.stage(stages.SEARCH) as allowed_s:
        used = [*ranked[:JUDGED], *chain.from_iterable(groups)]
        whole = await read_whole(tools.index, used, timeout_s=allowed_s)
        ranked = fill_passages(ranked, whole)
        groups = [filled for group in groups if (filled := fill_passages(group, whole))]
    async with budget.stage(stages.MARK):
        flat = list(chain.from_iterable(groups))
        passages = join_groups(groups, _mark((asked, terms), sides, apart, texts, flat))
    async with budget.stage(stages.GATE):
        verdict = judge_passages(
            candidates,
            ranked,
            QuestionTerms.weigh(sought, texts) if marked else terms,
            tools.calibration,
            replace(profile, gate="none") if direct else profile,
        )
    return SearchResult(
        passages=passages,
        verdict=verdict,
        related_sections=tuple(related),
        selection_widened=scoped.widened,
        timings=tuple(budget.timings),
        degraded=degraded,
    )


def _rank_sides(
    whole: list[Passage],
    found: Sequence[Sequence[Candidate]],
    query: Query,
    profile: Retrieval,
    wanted: int,
) -> list[Passage]:
    """Return the passages of the whole question and of each side in turns."""
    if not found:
        return whole
    orders = [
        _rank(blend_scores(candidates, profile), query, profile, None, wanted)
        for candidates in found
    ]
    return rank_passages(take_turns([whole, *orders]), wanted)


def _mark(
    whole: tuple[Vectors, QuestionTerms],
    sides: Sequence[str],
    apart: Sequence[QuestionVectors],
    texts: Sequence[Collection[str]],
    passages: Sequence[Passage],
) -> tuple[MarkedPassage, ...]:
    """Score the units by the question and by each of its sides: what answers a side counts as well."""
    asked = [whole]
    for side, vectors in zip(sides, apart, strict=True):
        asked.append((vectors.dense, QuestionTerms.weigh(side, texts)))
    return join_marks([mark_units(*each, passages) for each in asked])


async def _tools_for(query: Query, tools: Tools, *, timeout_s: float) -> Tools:
    """Return the tools of the model that the edition was indexed with; an edition has one."""
    former = tools.before
    if former is None:
        return tools
    asked = query.book, query.edition
    if await tools.index.holds(*asked, timeout_s=timeout_s):
        return tools
    return former if await former.index.holds(*asked, timeout_s=timeout_s) else tools


def _depth(query: Query, profile: Retrieval, marked_passages: int, *, compares: bool) -> int:
    """Return how many passages to give: what is asked for, all that is marked, or the profile's."""
    if query.max_passages or marked_passages:
        return query.max_passages or marked_passages
    if compares:
        return profile.list_top_k + SIDES_MORE * (profile.list_top_k > profile.top_k)
    return profile.list_top_k if wants_many(query.question) else profile.top_k


def _rank(
    blended: Sequence[Passage],
    query: Query,
    profile: Retrieval,
    marked: Marked | None,
    wanted: int,
) -> list[Passage]:
    if marked and profile.selection_policy == "direct":
        return sorted(blended, key=lambda passage: passage.chunk.position)
    if marked and profile.rerank == "boost":
        blended = boost_marked(blended, marked, profile.boost)
    elif profile.rerank != "model" and profile.glossary_boost != 1.0:
        blended = boost_glossary(blended, query.question, profile.glossary_boost)
    many = profile.list_top_k > profile.top_k and wants_many(query.question)
    return rank_passages(blended, max(wanted, JUDGED), per_section=PER_SECTION if many else None)
