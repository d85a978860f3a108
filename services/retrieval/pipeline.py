"""Search a book for the passages that answer a question: the stages, in the order that data flows."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from libs.budget import Budget, current_budget, stages
from libs.language.asked_in import language_told
from libs.language.lexicon import load_lexicon
from libs.profiles import load_profile
from libs.question.analyse import analyse_question
from libs.vectors.schema import collection_name
from services.retrieval.about_book import Chosen, choose_passages, cut_to_titles
from services.retrieval.answerability import (
    assess_answerability,
    close_unsaid,
    judge_selection,
    pass_defined,
    pass_titled,
)
from services.retrieval.book_name import leave_book_out
from services.retrieval.defined import keys_of_each
from services.retrieval.each_part import join_parts, note_missing
from services.retrieval.embed import embed_question
from services.retrieval.fuse import fuse_scores
from services.retrieval.highlight import highlight_passages
from services.retrieval.join import join_groups
from services.retrieval.model import (
    Candidate,
    Gate,
    HighlightedPassage,
    Passage,
    Query,
    SearchResult,
)
from services.retrieval.neighbours import REACH, gather_neighbours
from services.retrieval.outline import MOST_READ, Outline, Places, choose_places
from services.retrieval.rank import (
    count_wanted,
    interleave_passages,
    name_related_sections,
    rank_for,
    rank_passages,
)
from services.retrieval.read import fill_passages, read_whole
from services.retrieval.rerank import rerank_passages
from services.retrieval.scope import (
    MAX_PASSAGES,
    check_query,
    find_scope,
    leave_out_page,
    narrow_to_parts,
)
from services.retrieval.search import search_part
from services.retrieval.spelling import correct_query
from services.retrieval.state import ASSESSED, Fetched, Ordered, ScopedQuery, Selected, Tools


async def search_passages(query: Query, tools: Tools) -> SearchResult:
    """Search within the current budget.

    Raises InvalidInput, NotFound for an unknown profile, WrongIndex, Unavailable, DeadlineExceeded.
    """
    check_query(query)
    asked = await _ask(query, tools, current_budget())
    missing = asked.scoped.missing
    places = await _find_places(asked)
    if places is not None:
        found = await _search_places(asked, places)
        return note_missing(found, missing) if missing else found
    asked = await leave_book_out(asked)
    found = await _search(asked)
    if asked.scoped.parts:
        return await _search_parts(asked, found)
    if asked.scoped.beyond is not None and not found.gate.passed:
        found = await _search(asked.beyond_part())
    return note_missing(found, missing) if missing else found


async def _search_parts(asked: ScopedQuery, found: SearchResult) -> SearchResult:
    """Search each part that the question names, and return what they answer, else what was `found`."""
    results = [await _search(part) for part in asked.in_each_part()]
    joined = join_parts(found, asked.scoped.parts, results, count_wanted(asked, 0))
    return replace(
        joined or found,
        asked_of_parts=asked.scoped.asked_of_parts if joined else "",
        timings=tuple(asked.budget.timings),
    )


async def _search(asked: ScopedQuery) -> SearchResult:
    fetched = await _fetch(asked)
    respelled = await correct_query(asked, fetched)
    if respelled.corrections:
        fetched = await _fetch(respelled)
    asked = respelled
    ordered = await _order(asked, fetched)
    selected = await _select(asked, ordered)
    passages = await _highlight(asked, fetched, selected)
    gate = await _assess(asked, fetched, selected)
    return SearchResult(
        passages=passages,
        gate=gate,
        related_sections=tuple(selected.related),
        selection_widened=asked.scoped.widened,
        timings=tuple(asked.budget.timings),
        degraded=(*asked.omitted, *ordered.degraded),
        searched=asked.query.question if asked.corrections else "",
        corrections=asked.corrections,
        unknown_words=asked.unknown_words,
        without_book=asked.without_book,
    )


async def _ask(query: Query, tools: Tools, budget: Budget) -> ScopedQuery:
    """Find where to search and with what; analyse the question if the caller has not."""
    profile = load_profile(query.profile, tools.profiles).retrieval
    async with budget.stage(stages.SCOPE) as allowed_s:
        tools = await _tools_for(query, tools, timeout_s=allowed_s)
        if profile.gate == "calibrated" and tools.overlap_model is None:
            tools.answerability_model.require_stamp(collection_name(tools.embedder.stamp))
        languages = await tools.index.languages(query.book, query.edition, timeout_s=allowed_s)
        language = _language_of(query, languages)
        analysis = query.analysis or analyse_question(
            query.question, language or languages[0], of_selection=query.selection is not None
        )
        if query.analysis is None:
            query = replace(query, question=analysis.question)
        encoder, rules = tools.encoder_of(languages), load_lexicon(language or languages[0])
        scoped = await find_scope(
            query,
            tools.index,
            profile.selection_policy,
            rules=rules,
            named_page=analysis.page,
            encoder=encoder,
            timeout_s=allowed_s,
        )
        scoped = await narrow_to_parts(
            query, scoped, rules, tools.index, analysis=analysis, timeout_s=allowed_s
        )
    query, analysis, scoped = leave_out_page(query, analysis, scoped)
    threshold = profile.gate_thresholds.get(tools.embedder.stamp.name, profile.gate_threshold)
    return ScopedQuery(
        query=query,
        profile=replace(profile, gate_threshold=threshold),
        analysis=analysis,
        scoped=scoped,
        encoder=encoder,
        tools=tools,
        budget=budget,
        languages=languages,
        language=language,
    )


def _language_of(query: Query, languages: Sequence[str]) -> str:
    """Return which of the book's languages the question is in; "" where it does not tell.

    The caller may have found it by what was asked before, and else says the commonest.
    """
    first, *others = languages
    given = query.analysis.language if query.analysis else ""
    if not others:
        return first
    if given in others or (given == first and query.selection is not None):
        return given
    told = language_told(query.question, first, others)
    return told if told in languages else ""


async def _find_places(asked: ScopedQuery) -> Places | None:
    """Return where the book speaks of itself; None where something in it is asked for.

    A book too large for an outline is searched as for any question.
    """
    about_book = asked.analysis.about_book
    if about_book is None or asked.selection is not None:
        return None
    query = asked.query
    async with asked.budget.stage(stages.SEARCH) as allowed_s:
        headings = await asked.tools.index.outline(query.book, query.edition, timeout_s=allowed_s)
    rules = load_lexicon(asked.analysis.language).about_book
    return choose_places(about_book, Outline(headings, rules)) if headings else None


async def _search_places(asked: ScopedQuery, places: Places) -> SearchResult:
    """Return what the book says of itself there, as any other passages."""
    budget, chosen = asked.budget, Chosen((), 0.0)
    passages: tuple[HighlightedPassage, ...] = ()
    if places:
        fetched = await _fetch(asked, places)
        async with budget.stage(stages.FUSE):
            fused = fuse_scores(fetched.candidates, asked.profile_in(fetched.language))
        defines = load_lexicon(asked.analysis.language).values.definition
        found = await _read(asked, fused)
        chosen = choose_passages(found, places, asked.query.title, defines)
        selected = Selected((), [[passage] for passage in chosen.passages], ())
        passages = await _highlight(asked, fetched, selected)
        if chosen.titles_only:
            passages = cut_to_titles(passages, places)
    threshold = asked.profile.gate_threshold
    return SearchResult(
        passages=passages,
        gate=Gate(
            chosen.probability,
            threshold,
            {},
            passed=bool(passages) and chosen.probability > threshold,
        ),
        related_sections=places.outline.name_chapters(),
        selection_widened=False,
        timings=tuple(budget.timings),
    )


async def _fetch(asked: ScopedQuery, places: Places | None = None) -> Fetched:
    """Search for the whole question and for each sub-question, all in one call, or in `places`."""
    tools, budget = asked.tools, asked.budget
    async with budget.stage(stages.EMBED):
        vectors = [
            await embed_question(text, tools.embedder, asked.encoder)
            for text in (asked.sought, *asked.sub_questions)
        ]
        alone = vectors[0]
        if asked.selection:
            alone = await embed_question(asked.query.question, tools.embedder, asked.encoder)
    async with budget.stage(stages.SEARCH) as allowed_s:
        (whole, *parts), elsewhere = await search_part(
            tools.index,
            places.scope_in(asked.scoped.scope) if places else asked.scoped.scope,
            [*vectors, alone] if asked.judges_selection else vectors,
            alone if asked.is_part and not places else None,
            limit=_count_candidates(asked, places),
            book_limit=asked.profile.candidates,
            timeout_s=allowed_s,
        )
    judged = parts.pop() if asked.judges_selection else []
    dense = [of_part.dense for of_part in vectors[1:]]
    found = tuple(zip(asked.sub_questions, dense, parts, strict=True))
    return Fetched(alone.dense, whole, found, judged, _read_by(asked, whole), elsewhere)


def _read_by(asked: ScopedQuery, candidates: Sequence[Candidate]) -> str:
    """Return the question's language, else that of the candidate that shares most with it."""
    sharing = max(candidates, key=lambda item: (item.bm25, item.dense), default=None)
    found = sharing.language if sharing else ""
    return asked.language or found or asked.languages[0]


async def _order(asked: ScopedQuery, fetched: Fetched) -> Ordered:
    """Order by fused score and, where the profile says so, by a model that reads the passages."""
    async with asked.budget.stage(stages.FUSE):
        fuse = partial(fuse_scores, settings=asked.profile_in(fetched.language))
        fused, alone = fuse(fetched.candidates), fuse(fetched.alone)
        parts = [fuse(found) for _, _, found in fetched.parts]
    if asked.profile.rerank != "model" or asked.is_direct:
        return Ordered(fused, alone, parts)
    fused = await _read(asked, fused)
    reranked, degraded = await rerank_passages(
        asked.sought, fused, asked.tools.reranker, asked.budget
    )
    return Ordered(fused, alone, parts, reranked, degraded)


async def _select(asked: ScopedQuery, ordered: Ordered) -> Selected:
    """Choose what is assessed and what is shown, and read it whole."""
    async with asked.budget.stage(stages.RANK):
        wanted = count_wanted(asked, len(ordered.fused))
        reach = REACH * wanted if asked.profile.join_neighbours else wanted
        # The gate assesses the order that it was fitted to.
        assessed = shown = rank_for(asked, ordered.fused, reach)
        if asked.judges_selection:
            assessed = list(ordered.alone[:ASSESSED])
        if ordered.reranked is not None:
            shown = rank_for(asked, ordered.reranked, reach)
        if ordered.parts:
            orders = [shown, *(rank_for(asked, part, reach) for part in ordered.parts)]
            shown = rank_passages(interleave_passages(orders), reach)
        related = name_related_sections(ordered.reranked or ordered.fused)
        groups = [[passage] for passage in shown[:wanted]]
        if asked.profile.join_neighbours:
            groups = gather_neighbours(shown[:reach], wanted)
    async with asked.budget.stage(stages.SEARCH) as allowed_s:
        used = [*assessed[:ASSESSED], *chain.from_iterable(groups)]
        whole = await read_whole(asked.tools.index, used, asked.asked_of, timeout_s=allowed_s)
    filled = [filled for group in groups if (filled := fill_passages(group, whole))]
    return Selected(fill_passages(assessed, whole), filled, related)


async def _highlight(
    asked: ScopedQuery, fetched: Fetched, selected: Selected
) -> tuple[HighlightedPassage, ...]:
    """Score the spans by the question and by each sub-question, and join what is shown as one."""
    async with asked.budget.stage(stages.HIGHLIGHT):
        questions = [(fetched.question, fetched.weigh(asked.query.question))]
        questions += [(vectors, fetched.weigh(part)) for part, vectors, _ in fetched.parts]
        passages = list(chain.from_iterable(selected.groups))
        return join_groups(selected.groups, highlight_passages(questions, passages))


async def _assess(asked: ScopedQuery, fetched: Fetched, selected: Selected) -> Gate:
    """Judge whether the passages answer what is sought; selected text as it is always may."""
    async with asked.budget.stage(stages.ANSWERABILITY):
        if asked.judges_selection:
            return judge_selection(asked, fetched, selected.assessed)
        first = [passage.candidate.language for passage in selected.assessed[:1]]
        gate = assess_answerability(
            fetched.candidates,
            selected.assessed,
            fetched.weigh(asked.sought),
            asked.answerability_model((fetched.language, *first)),
            replace(asked.profile, gate="none") if asked.is_direct else asked.profile,
            analysis=asked.analysis,
            question=fetched.question,
        )
        gate = close_unsaid(gate, fetched.candidates, selected.assessed)
        gate = pass_titled(gate, selected.assessed, asked.query.question)
        return pass_defined(gate, selected.assessed, keys_of_each(asked.analysis))


async def _read(asked: ScopedQuery, passages: Sequence[Passage]) -> list[Passage]:
    async with asked.budget.stage(stages.SEARCH) as allowed_s:
        whole = await read_whole(asked.tools.index, passages, asked.asked_of, timeout_s=allowed_s)
    return fill_passages(passages, whole)


async def _tools_for(query: Query, tools: Tools, *, timeout_s: float) -> Tools:
    """Return the tools of the model that the edition was indexed with; an edition has one."""
    former = tools.before
    if former is None:
        return tools
    asked = query.book, query.edition
    if await tools.index.holds(*asked, timeout_s=timeout_s):
        return tools
    return former if await former.index.holds(*asked, timeout_s=timeout_s) else tools


def _count_candidates(asked: ScopedQuery, places: Places | None) -> int:
    if places is not None:
        return MOST_READ
    return MAX_PASSAGES if asked.is_direct else asked.profile.candidates
