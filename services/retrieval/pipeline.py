"""Search a book for the passages that answer a question: the stages, in the order that data flows."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from libs.budget import Budget, current_budget, stages
from libs.embedding import Embedder, Vectors
from libs.errors import QuothError
from libs.language.lexicon import FALLBACK, load_lexicon
from libs.ml import LogisticModel
from libs.profiles import SHIPPED, Retrieval, load_profile
from libs.question.analyse import QuestionAnalysis, analyse_question, reword_question
from libs.vectors.schema import collection_name
from services.retrieval.about_book import Chosen, choose_passages, cut_to_titles
from services.retrieval.answerability import (
    ASSESSED,
    assess_answerability,
    assess_selection,
    describe_result,
    describe_selection,
)
from services.retrieval.embed import embed_question
from services.retrieval.fuse import fuse_scores
from services.retrieval.highlight import highlight_passages
from services.retrieval.join import join_groups
from services.retrieval.languages import dense_weight, is_judged_by_cosines
from services.retrieval.model import (
    Candidate,
    Correction,
    HighlightedPassage,
    Passage,
    Query,
    ResolvedSelection,
    SearchResult,
    Verdict,
)
from services.retrieval.neighbours import REACH, gather_neighbours
from services.retrieval.outline import MOST_READ, Outline, Places, choose_places
from services.retrieval.ports import PassageIndex, QuestionEncoder, Reranker
from services.retrieval.question_terms import QuestionTerms
from services.retrieval.rank import (
    PER_SECTION,
    boost_glossary,
    boost_selection,
    interleave_passages,
    name_related_sections,
    rank_passages,
)
from services.retrieval.read import fill_passages, read_whole
from services.retrieval.rerank import rerank_passages
from services.retrieval.scope import MAX_PASSAGES, Scoped, check_query, find_scope, leave_out_page
from services.retrieval.search import search_index
from services.retrieval.slips import Slips
from services.retrieval.spelling import correct_words, list_missing, list_unknown, respell

MORE_FOR_SUB_QUESTIONS = 7
"""Passages more than for a list, so that each search shows some; the document profiles have none."""

SPELLING = "spelling"
"""Left out where a book's words are not there in time; they will be for the next question."""

_SPELLING_S = 0.5

IsWord = Callable[[str], bool]


@dataclass(frozen=True)
class Tools:
    """What the stages work with."""

    index: PassageIndex
    embedder: Embedder
    encoder_of: Callable[[Sequence[str]], QuestionEncoder]
    """Takes the ISO 639-1 codes of the book's languages."""
    answerability_model: LogisticModel
    selection_model: LogisticModel | None = None
    """The classifier for questions about selected text; `answerability_model` stands in for it."""

    overlap_model: LogisticModel | None = None
    """The classifier for books in languages of which the model's cosines tell nothing."""

    profiles: Path = SHIPPED
    reranker: Reranker | None = None
    """Asked for the order where the profile says `rerank = "model"`."""
    words_of: Callable[[Sequence[str]], Awaitable[IsWord | None]] | None = None
    """Takes those codes as well; what it gives says of a lower-case word whether it is one of these
    languages. None where that is not known: nothing is corrected then."""
    before: "Tools | None" = None
    """The same for the model that books are moving away from, as long as some have not."""


@dataclass(frozen=True)
class _Asked:
    """A query with its profile, analysis and scope, as every stage needs it."""

    query: Query
    profile: Retrieval
    analysis: QuestionAnalysis
    scoped: Scoped
    encoder: QuestionEncoder
    tools: Tools
    budget: Budget
    languages: Sequence[str]
    corrections: tuple[Correction, ...] = ()
    unknown_words: tuple[str, ...] = ()
    omitted: tuple[str, ...] = ()

    @property
    def answerability_model(self) -> LogisticModel:
        by_words = self.tools.overlap_model
        if by_words is None or is_judged_by_cosines(self.tools.embedder.stamp, self.languages[0]):
            return self.tools.answerability_model
        return by_words

    @property
    def selection(self) -> ResolvedSelection | None:
        return self.scoped.selection

    @property
    def is_direct(self) -> bool:
        """Whether the selected text, or a page, is what there is to read, in its own order."""
        selected = self.selection is not None and self.profile.selection_policy == "direct"
        return selected or self.scoped.taken_whole

    @property
    def judges_selection(self) -> bool:
        """Whether it is selected text that answers, or does not."""
        return self.selection is not None and not self.is_direct

    @property
    def sought(self) -> str:
        """The text that is searched for: the question, with the selected text."""
        question = self.query.question
        return f"{question}\n{self.selection.text}" if self.selection else question

    @property
    def sub_questions(self) -> tuple[str, ...]:
        """The questions searched for beside the whole one; selected text is searched as a whole."""
        parts = () if self.selection else self.analysis.sub_questions
        return tuple(part.question for part in parts)


@dataclass(frozen=True)
class _Fetched:
    """The candidates for what is sought, and for each sub-question with its vector."""

    question: Vectors
    """Of the question alone, without selected text."""

    candidates: Sequence[Candidate]
    parts: Sequence[tuple[str, Vectors, Sequence[Candidate]]]
    alone: Sequence[Candidate] = ()
    """Those for the question without selected text: with it, that text would answer anything."""

    language: str = FALLBACK
    """The ISO 639-1 code of what the question is taken apart by."""

    weighed: dict[str, QuestionTerms] = field(default_factory=dict)

    def weigh(self, question: str) -> QuestionTerms:
        """Return the question's terms, weighed once by how rare they are among the candidates."""
        if question not in self.weighed:
            texts = [item.terms for item in self.candidates]
            self.weighed[question] = QuestionTerms.weigh(question, texts, self.language)
        return self.weighed[question]


@dataclass(frozen=True)
class _Ordered:
    """The passages by their fused scores, and by the reranking model where one is asked.

    `parts` are those of each sub-question, `alone` those of the question without selected text, by
    their fused scores.
    """

    fused: Sequence[Passage]
    alone: Sequence[Passage] = ()
    parts: Sequence[Sequence[Passage]] = ()
    reranked: Sequence[Passage] | None = None
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Selected:
    """The passages that are assessed, the groups that are shown as one each, and the titles near."""

    assessed: Sequence[Passage]
    groups: Sequence[Sequence[Passage]]
    related: Sequence[str]


async def search_passages(query: Query, tools: Tools) -> SearchResult:
    """Search within the current budget.

    Raises InvalidInput, NotFound for an unknown profile, WrongIndex, Unavailable, DeadlineExceeded.
    """
    check_query(query)
    asked = await _ask(query, tools, current_budget())
    places = await _find_places(asked)
    if places is not None:
        return await _search_places(asked, places)
    fetched = await _fetch(asked)
    respelled = await _respell(asked, fetched)
    if respelled.corrections:
        fetched = await _fetch(respelled)
    asked = respelled
    ordered = await _order(asked, fetched)
    selected = await _select(asked, ordered)
    passages = await _highlight(asked, fetched, selected)
    verdict = await _assess(asked, fetched, selected)
    return SearchResult(
        passages=passages,
        verdict=verdict,
        related_sections=tuple(selected.related),
        selection_widened=asked.scoped.widened,
        timings=tuple(asked.budget.timings),
        degraded=(*asked.omitted, *ordered.degraded),
        searched=asked.query.question if asked.corrections else "",
        corrections=asked.corrections,
        unknown_words=asked.unknown_words,
    )


async def _ask(query: Query, tools: Tools, budget: Budget) -> _Asked:
    """Find where to search and with what; analyse the question if the caller has not."""
    profile = load_profile(query.profile, tools.profiles).retrieval
    async with budget.stage(stages.SCOPE) as allowed_s:
        tools = await _tools_for(query, tools, timeout_s=allowed_s)
        if profile.gate == "calibrated":
            tools.answerability_model.require_stamp(collection_name(tools.embedder.stamp))
        languages = await tools.index.languages(query.book, query.edition, timeout_s=allowed_s)
        analysis = query.analysis or analyse_question(
            query.question, languages[0], of_selection=query.selection is not None
        )
        scoped = await find_scope(
            query,
            tools.index,
            profile.selection_policy,
            rules=load_lexicon(languages[0]).about_book,
            named_page=analysis.page,
            timeout_s=allowed_s,
        )
    query, analysis, scoped = leave_out_page(query, analysis, scoped)
    alpha = profile.alpha * dense_weight(tools.embedder.stamp, languages[0])
    threshold = profile.gate_thresholds.get(tools.embedder.stamp.name, profile.gate_threshold)
    return _Asked(
        query=query,
        profile=replace(profile, alpha=alpha, gate_threshold=threshold),
        analysis=analysis,
        scoped=scoped,
        encoder=tools.encoder_of(languages),
        tools=tools,
        budget=budget,
        languages=languages,
    )


async def _find_places(asked: _Asked) -> Places | None:
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


async def _search_places(asked: _Asked, places: Places) -> SearchResult:
    """Return what the book says of itself there, as any other passages."""
    budget, chosen = asked.budget, Chosen((), 0.0)
    passages: tuple[HighlightedPassage, ...] = ()
    if places:
        fetched = await _fetch(asked, places)
        async with budget.stage(stages.FUSE):
            fused = fuse_scores(fetched.candidates, asked.profile)
        chosen = choose_passages(await _read(asked, fused), places)
        selected = _Selected((), [[passage] for passage in chosen.passages], ())
        passages = await _highlight(asked, fetched, selected)
        if chosen.titles_only:
            passages = cut_to_titles(passages, places.outline)
    threshold = asked.profile.gate_threshold
    return SearchResult(
        passages=passages,
        verdict=Verdict(
            chosen.probability,
            threshold,
            {},
            passed=bool(passages) and chosen.probability > threshold,
        ),
        related_sections=places.outline.name_chapters(),
        selection_widened=False,
        timings=tuple(budget.timings),
    )


async def _fetch(asked: _Asked, places: Places | None = None) -> _Fetched:
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
        whole, *parts = await search_index(
            tools.index,
            places.scope_in(asked.scoped.scope) if places else asked.scoped.scope,
            [*vectors, alone] if asked.judges_selection else vectors,
            limit=_count_candidates(asked, places),
            timeout_s=allowed_s,
        )
    judged = parts.pop() if asked.judges_selection else []
    dense = [of_part.dense for of_part in vectors[1:]]
    found = tuple(zip(asked.sub_questions, dense, parts, strict=True))
    return _Fetched(alone.dense, whole, found, judged, asked.languages[0])


async def _respell(asked: _Asked, fetched: _Fetched) -> _Asked:
    """Correct the words that neither the book nor its language has; a step that may be left out."""
    if asked.tools.words_of is None or asked.selection is not None:
        return asked
    query = asked.query
    missing = list_missing(asked.analysis, fetched.weigh(query.question).held)
    if not missing:
        return asked
    async with asked.budget.stage(stages.SEARCH) as allowed_s:
        try:
            async with asyncio.timeout(min(allowed_s / 2, _SPELLING_S)):
                is_word = await asked.tools.words_of(asked.languages)
                doubtful = [word for word in missing if is_word and not is_word(word)]
                if is_word is None or not doubtful:
                    return asked
                vocabulary = await asked.tools.index.vocabulary(
                    query.book, query.edition, timeout_s=_SPELLING_S
                )
        except (TimeoutError, QuothError):
            return replace(asked, omitted=(SPELLING,))
    slips = Slips(load_lexicon(asked.analysis.language).spelling)
    corrections = correct_words(doubtful, vocabulary, slips)
    rest = [word for word in doubtful if word not in {item.asked for item in corrections}]
    unknown = list_unknown(rest, query.question, vocabulary, slips, is_word)
    asked = replace(asked, unknown_words=unknown)
    if not corrections:
        return asked
    question = respell(query.question, corrections)
    return replace(
        asked,
        query=replace(query, question=question),
        analysis=reword_question(asked.analysis, question, question),
        corrections=corrections,
    )


async def _order(asked: _Asked, fetched: _Fetched) -> _Ordered:
    """Order by fused score and, where the profile says so, by a model that reads the passages."""
    async with asked.budget.stage(stages.FUSE):
        fused = fuse_scores(fetched.candidates, asked.profile)
        alone = fuse_scores(fetched.alone, asked.profile)
        parts = [fuse_scores(found, asked.profile) for _, _, found in fetched.parts]
    if asked.profile.rerank != "model" or asked.is_direct:
        return _Ordered(fused, alone, parts)
    fused = await _read(asked, fused)
    reranked, degraded = await rerank_passages(
        asked.sought, fused, asked.tools.reranker, asked.budget
    )
    return _Ordered(fused, alone, parts, reranked, degraded)


async def _select(asked: _Asked, ordered: _Ordered) -> _Selected:
    """Choose what is assessed and what is shown, and read it whole."""
    async with asked.budget.stage(stages.RANK):
        wanted = _count_wanted(asked, len(ordered.fused))
        reach = REACH * wanted if asked.profile.join_neighbours else wanted
        # The gate assesses the order that it was fitted to.
        assessed = shown = _rank(asked, ordered.fused, reach)
        if asked.judges_selection:
            assessed = list(ordered.alone[:ASSESSED])
        if ordered.reranked is not None:
            shown = _rank(asked, ordered.reranked, reach)
        if ordered.parts:
            orders = [shown, *(_rank(asked, part, reach) for part in ordered.parts)]
            shown = rank_passages(interleave_passages(orders), reach)
        related = name_related_sections(ordered.reranked or ordered.fused)
        groups = [[passage] for passage in shown[:wanted]]
        if asked.profile.join_neighbours:
            groups = gather_neighbours(shown[:reach], wanted)
    async with asked.budget.stage(stages.SEARCH) as allowed_s:
        used = [*assessed[:ASSESSED], *chain.from_iterable(groups)]
        whole = await read_whole(asked.tools.index, used, timeout_s=allowed_s)
    filled = [filled for group in groups if (filled := fill_passages(group, whole))]
    return _Selected(fill_passages(assessed, whole), filled, related)


async def _highlight(
    asked: _Asked, fetched: _Fetched, selected: _Selected
) -> tuple[HighlightedPassage, ...]:
    """Score the spans by the question and by each sub-question, and join what is shown as one."""
    async with asked.budget.stage(stages.HIGHLIGHT):
        questions = [(fetched.question, fetched.weigh(asked.query.question))]
        questions += [(vectors, fetched.weigh(part)) for part, vectors, _ in fetched.parts]
        passages = list(chain.from_iterable(selected.groups))
        return join_groups(selected.groups, highlight_passages(questions, passages))


async def _assess(asked: _Asked, fetched: _Fetched, selected: _Selected) -> Verdict:
    """Judge whether the passages answer what is sought; selected text as it is always may."""
    async with asked.budget.stage(stages.ANSWERABILITY):
        if asked.judges_selection:
            return _assess_selection(asked, fetched, selected)
        return assess_answerability(
            fetched.candidates,
            selected.assessed,
            fetched.weigh(asked.sought),
            asked.answerability_model,
            replace(asked.profile, gate="none") if asked.is_direct else asked.profile,
        )


def _assess_selection(asked: _Asked, fetched: _Fetched, selected: _Selected) -> Verdict:
    """Judge the question alone against the selected text that is nearest to it."""
    ranked, tools = selected.assessed, asked.tools
    nearest = [max(item.chunk.span_cosines(fetched.question), default=0.0) for item in ranked]
    texts = [item.terms for item in fetched.alone]
    terms = QuestionTerms.weigh(asked.query.question, texts, fetched.language)
    features = describe_result(fetched.alone, ranked, terms) if ranked else {}
    return assess_selection(
        ranked,
        {**features, **describe_selection(ranked, asked.analysis, max(nearest, default=0.0))},
        tools.selection_model or tools.answerability_model,
        asked.profile,
        deictic=asked.analysis.deictic,
    )


async def _read(asked: _Asked, passages: Sequence[Passage]) -> list[Passage]:
    async with asked.budget.stage(stages.SEARCH) as allowed_s:
        whole = await read_whole(asked.tools.index, passages, timeout_s=allowed_s)
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


def _count_wanted(asked: _Asked, found: int) -> int:
    """Return how many passages to show: what is asked for, all that is selected, or the profile's."""
    profile = asked.profile
    if asked.query.max_passages or (asked.is_direct and found):
        return asked.query.max_passages or found
    if asked.sub_questions:
        return profile.list_top_k + MORE_FOR_SUB_QUESTIONS * (profile.list_top_k > profile.top_k)
    return profile.list_top_k if asked.analysis.several_places else profile.top_k


def _count_candidates(asked: _Asked, places: Places | None) -> int:
    if places is not None:
        return MOST_READ
    return MAX_PASSAGES if asked.is_direct else asked.profile.candidates


def _rank(asked: _Asked, passages: Sequence[Passage], limit: int) -> list[Passage]:
    """Return the best passages by the profile's rules; selected text as it is keeps its own order."""
    profile, selection = asked.profile, asked.selection
    if asked.is_direct:
        return sorted(passages, key=lambda passage: passage.chunk.position)
    if selection and profile.rerank == "boost":
        passages = boost_selection(passages, selection, profile.boost)
    elif profile.rerank != "model" and profile.glossary_boost != 1.0:
        passages = boost_glossary(passages, asked.analysis, profile.glossary_boost)
    many = profile.list_top_k > profile.top_k and asked.analysis.several_places
    return rank_passages(passages, max(limit, ASSESSED), per_section=PER_SECTION if many else None)
