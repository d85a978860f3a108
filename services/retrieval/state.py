"""What the stages know of a question, from its scope to the passages that are shown."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from libs.budget import Budget
from libs.embedding import Embedder, Vectors
from libs.embedding.languages import dense_weight, is_judged_by_cosines
from libs.language.lexicon import FALLBACK
from libs.ml import LogisticModel
from libs.profiles import SHIPPED, Retrieval
from libs.question.analyse import QuestionAnalysis, reword_question
from libs.vectors.schema import Scope, collection_name
from services.retrieval.model import (
    Candidate,
    Correction,
    Passage,
    Query,
    ResolvedSelection,
)
from services.retrieval.ports import PassageIndex, QuestionEncoder, Reranker
from services.retrieval.question_terms import QuestionTerms
from services.retrieval.scope import Scoped

ASSESSED = 5
"""Passages assessed together, however many are asked for, and places of each list looked at."""

_SOUGHT = 1000
"""Characters of selected text that are searched for with the question: a window of the model. All of
5,000 took it .8 s of CPU, and it tells no more of what is asked than their beginning."""

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
    """The classifier for books in languages of which the model's cosines tell nothing, and for models
    that `answerability_model` was not fitted on."""

    profiles: Path = SHIPPED
    reranker: Reranker | None = None
    """Asked for the order where the profile says `rerank = "model"`."""
    words_of: Callable[[Sequence[str]], Awaitable[IsWord | None]] | None = None
    """Takes those codes as well; what it gives says of a lower-case word whether it is one of these
    languages. None where that is not known: nothing is corrected then."""
    before: "Tools | None" = None
    """The same for the model that books are moving away from, as long as some have not."""


@dataclass(frozen=True)
class ScopedQuery:
    """A query with its profile, analysis and scope, as every stage needs it."""

    query: Query
    profile: Retrieval
    analysis: QuestionAnalysis
    scoped: Scoped
    encoder: QuestionEncoder
    tools: Tools
    budget: Budget
    languages: Sequence[str]
    """Of the book, that of most chunks first."""

    language: str = ""
    """Which of them the question is in; "" where it does not tell."""

    corrections: tuple[Correction, ...] = ()
    unknown_words: tuple[str, ...] = ()
    omitted: tuple[str, ...] = ()
    without_book: str = ""
    """The question without the name of the book's subject, where it had that; else ""."""

    def profile_in(self, language: str) -> Retrieval:
        """Return the profile for a question in `language`, whose vectors count as the model knows it.

        They count alike for text of every language, so that its scores compare: with more for words
        where the model does not know the text's, one rare name in it would outrank what is near.
        """
        weight = dense_weight(self.tools.embedder.stamp, language)
        return replace(self.profile, alpha=self.profile.alpha * weight)

    def answerability_model(self, spoken: Iterable[str]) -> LogisticModel:
        """Return the classifier that judges: by words where cosines tell nothing, or nothing known.

        `spoken` are the languages of the question and of what is to answer it; "" is not known.
        """
        by_cosines, by_words = self.tools.answerability_model, self.tools.overlap_model
        stamp = self.tools.embedder.stamp
        is_fitted = by_cosines.stamp == collection_name(stamp)
        told = is_fitted and all(is_judged_by_cosines(stamp, one) for one in spoken if one)
        return by_cosines if by_words is None or told else by_words

    def beyond_part(self) -> "ScopedQuery":
        """Return the same query to what lies around the part of the book that the question names."""
        scope = self.scoped.beyond or self.scoped.scope
        return replace(self, scoped=replace(self.scoped, scope=scope, beyond=None))

    def in_each_part(self) -> Iterator["ScopedQuery"]:
        """Yield what the question asks of each of several parts of the book, to each of them."""
        rest = self.scoped.asked_of_parts
        query = replace(self.query, question=rest)
        analysis = reword_question(self.analysis, rest, rest)
        for part in self.scoped.parts:
            scoped = replace(self.scoped, scope=part, parts=())
            yield replace(self, query=query, analysis=analysis, scoped=scoped)

    @property
    def selection(self) -> ResolvedSelection | None:
        return self.scoped.selection

    @property
    def asked_of(self) -> Scope | None:
        """What passages may not reach beyond.

        A selection lies across sections as it likes, but not beyond those that are named beside it.
        """
        return self.scoped.named if self.selection else self.scoped.scope

    @property
    def is_direct(self) -> bool:
        """Whether the selected text, or a page, is what there is to read, in its own order."""
        selected = self.selection is not None and self.profile.selection_policy == "direct"
        return selected or self.scoped.taken_whole

    @property
    def is_part(self) -> bool:
        """Whether a part of the book is searched that is not selected text: a document, a page."""
        whole = Scope(self.query.book, self.query.edition)
        return self.selection is None and not self.is_direct and self.scoped.scope != whole

    @property
    def judges_selection(self) -> bool:
        """Whether it is selected text that answers, or does not."""
        return self.selection is not None and not self.is_direct

    @property
    def sought(self) -> str:
        """The text that is searched for: the question, with the beginning of the selected text."""
        question = self.query.question
        if self.selection is None:
            return question
        return f"{question}\n{self.selection.text[:_SOUGHT]}"

    @property
    def sub_questions(self) -> tuple[str, ...]:
        """The questions searched for beside the whole one; selected text is searched as a whole."""
        parts = () if self.selection else self.analysis.sub_questions
        return tuple(part.question for part in parts)


@dataclass(frozen=True)
class Fetched:
    """The candidates for what is sought, and for each sub-question with its vector."""

    question: Vectors
    """Of the question alone, without selected text."""

    candidates: Sequence[Candidate]
    parts: Sequence[tuple[str, Vectors, Sequence[Candidate]]]
    alone: Sequence[Candidate] = ()
    """Those for the question without selected text: with it, that text would answer anything."""

    language: str = FALLBACK
    """The ISO 639-1 code of what the question is taken apart by: its own language, else that of what it
    shares most words with."""

    elsewhere: Sequence[Candidate] = ()
    """Those of the rest of the book, where only a part of it is searched. In that alone a word that
    the book has everywhere would be rare, and what is near would have nothing that comes close."""

    weighed: dict[str, QuestionTerms] = field(default_factory=dict)

    def weigh(self, question: str) -> QuestionTerms:
        """Return the question's terms, weighed once by how rare they are in the candidates."""
        if question not in self.weighed:
            texts = [item.terms for item in (*self.candidates, *self.elsewhere)]
            self.weighed[question] = QuestionTerms.weigh(question, texts, self.language)
        return self.weighed[question]


@dataclass(frozen=True)
class Ordered:
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
class Selected:
    """The passages that are assessed, the groups that are shown as one each, and the titles near."""

    assessed: Sequence[Passage]
    groups: Sequence[Sequence[Passage]]
    related: Sequence[str]
