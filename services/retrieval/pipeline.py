"""A query in, a search result out: the stages in the order that data flows through them."""

from dataclasses import dataclass
from pathlib import Path

from libs.budget import current_budget, stages
from libs.calibration import Calibration
from libs.embedding import Embedder
from libs.profiles import SHIPPED, load_profile
from libs.vectors.schema import collection_name
from services.retrieval.blend import blend_scores
from services.retrieval.embed import embed_question
from services.retrieval.gate import JUDGED, judge_passages
from services.retrieval.mark import mark_units
from services.retrieval.model import Query, QuestionTerms, SearchResult
from services.retrieval.ports import PassageIndex, QuestionEncoder
from services.retrieval.rank import name_related_sections, rank_passages
from services.retrieval.scope import check_query, find_scope
from services.retrieval.search import search_index


@dataclass(frozen=True)
class Tools:
    """What the stages work with."""

    index: PassageIndex
    embedder: Embedder
    encoder: QuestionEncoder
    calibration: Calibration
    profiles: Path = SHIPPED


async def search_passages(query: Query, tools: Tools) -> SearchResult:
    """Search within the current budget.

    Raises InvalidInput, NotFound for an unknown profile, WrongIndex, Unavailable, DeadlineExceeded.
    """
    check_query(query)
    profile = load_profile(query.profile, tools.profiles).retrieval
    tools.calibration.require_stamp(collection_name(tools.embedder.stamp))
    budget = current_budget()
    async with budget.stage(stages.SCOPE) as allowed_s:
        scoped = await find_scope(query, tools.index, timeout_s=allowed_s)
    async with budget.stage(stages.EMBED):
        question = await embed_question(query.question, tools.embedder, tools.encoder)
    async with budget.stage(stages.SEARCH) as allowed_s:
        candidates = await search_index(
            tools.index,
            scoped.scope,
            question.dense,
            question.sparse,
            limit=profile.candidates,
            timeout_s=allowed_s,
        )
    async with budget.stage(stages.BLEND):
        blended = blend_scores(candidates, profile.alpha)
    async with budget.stage(stages.RANK):
        wanted = query.max_passages or profile.top_k
        ranked = rank_passages(blended, max(wanted, JUDGED))
        related = name_related_sections(blended)
        terms = QuestionTerms.weigh(query.question, [item.chunk.terms for item in candidates])
    async with budget.stage(stages.MARK) as allowed_s:
        marks = await mark_units(
            question.dense, terms, ranked[:wanted], tools.embedder, timeout_s=allowed_s
        )
    async with budget.stage(stages.GATE):
        verdict = judge_passages(
            candidates, ranked, terms, tools.calibration, profile.gate_threshold
        )
    return SearchResult(
        passages=marks.passages,
        verdict=verdict,
        related_sections=tuple(related),
        selection_widened=scoped.widened,
        degraded=() if marks.complete else ("mark",),
        timings=tuple(budget.timings),
    )
