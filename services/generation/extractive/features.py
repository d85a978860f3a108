"""The features of a span as an answer: one table, whose weights are fitted together.

Nothing else ranks spans. A feature stays in the table while it helps on books left out.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.decompose import SubQuestion
from libs.question.expected import AnswerKind, holds_answer
from libs.question.said import asked_words
from libs.question.types import QuestionType
from libs.text import collapse_space
from services.generation.extractive.boilerplate import is_boilerplate
from services.generation.extractive.candidates import (
    CandidateSpan,
    distinct_terms,
    terms,
)
from services.generation.extractive.definitions import (
    AskedEntry,
    asked_entry,
    asked_thing,
    definition_fit,
    entry_fit,
)
from services.generation.model import BlockKind, Message, Prompt, Role, Selection

_MANY_TERMS = 10
"""From which on what else a span says counts no more."""


class Importance:
    """Weights of the question's terms by how well they discriminate between spans."""

    def __init__(self, question: str, items: Sequence[CandidateSpan]) -> None:
        counts = Counter(term for item in items for term in item.terms)
        self.weights = {
            term: math.log((len(items) + 1) / (counts[term] + 0.5)) for term in terms(question)
        }
        self.total = sum(self.weights.values())
        self._terms = frozenset(self.weights)
        self._asked_in: dict[str, frozenset[str]] = {}

    def asked_in(self, *texts: str) -> frozenset[str]:
        """Return the terms of the question that stand in one of `texts`.

        They are few: joined sets of them cost a fraction of joined sets of all terms.
        """
        found = frozenset[str]()
        for text in texts:
            asked = self._asked_in.get(text)
            if asked is None:
                asked = self._asked_in[text] = distinct_terms(text) & self._terms
            found |= asked
        return found

    def share_of(self, asked: frozenset[str]) -> float:
        """Return the share of the question that its terms `asked` make up, in [0, 1]."""
        if self.total <= 0:
            return 0.0
        return sum(self.weights[term] for term in asked) / self.total

    def share_in(self, *texts: str) -> float:
        """Return the share of the question that stands in `texts`, in [0, 1]."""
        return self.share_of(self.asked_in(*texts))

    def share_asked(self, text: str) -> float:
        """Return the share of the terms of `text` that the question names, in [0, 1]."""
        held = distinct_terms(text)
        return len(self.asked_in(text)) / len(held) if held else 0.0


@dataclass(frozen=True)
class Asked:
    """What is asked, with all that features need of it and of the spans together."""

    analysis: QuestionAnalysis
    importance: Importance
    ranks: Mapping[tuple[str, int], int]
    """Of the spans by their similarity, from 1."""

    best_score: float
    thing: frozenset[str]
    entry: AskedEntry
    own: frozenset[str]
    """Terms of a follow-up itself."""

    said: str
    """What earlier answers to a conversation say, where a follow-up goes on with it."""

    selection: Selection | None
    lexicon: Lexicon
    _boilerplate: dict[tuple[str, int], bool] = field(default_factory=dict)

    @property
    def types(self) -> QuestionType:
        return self.analysis.types

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the question that say what it is about."""
        return asked_words(self.analysis.question, self.lexicon)

    @cached_property
    def uncounted(self) -> frozenset[str]:
        """The words of the question without its number, of which the book may have another."""
        numbers = self.lexicon.checks.numbers.values
        return frozenset(one for one in self.words if one not in numbers and not one.isdecimal())

    def about(self, part: SubQuestion, items: Sequence[CandidateSpan]) -> "Asked":
        """Return what one part of the question asks of the spans."""
        return ask_of(self.analysis.about(part), items, self.selection)

    def defined_by(self, item: CandidateSpan) -> float:
        """Return how well the span says what the thing or the option asked for is, in [0, 1]."""
        return max(definition_fit(item, self.thing), entry_fit(item, self.entry))

    def points_elsewhere(self, item: CandidateSpan) -> bool:
        """Whether the span is boilerplate for what is asked; kept, since several stages ask."""
        known = self._boilerplate.get(item.key)
        if known is None:
            known = self._boilerplate[item.key] = is_boilerplate(item, self.analysis.question)
        return known

    def others_in(self, item: CandidateSpan) -> int:
        """Return how many terms of the span the question does not name."""
        return len(item.terms) - len(self.importance.asked_in(item.text))

    def expects(self, *kinds: AnswerKind) -> bool:
        return self.analysis.expected.kind in kinds


def read_asked(prompt: Prompt, items: Sequence[CandidateSpan]) -> Asked:
    """Return what `prompt` asks of the spans."""
    history = prompt.history if prompt.follow_up else ()
    own = distinct_terms(prompt.follow_up)
    return ask_of(prompt.analysis, items, prompt.selection, own, history)


def ask_of(
    analysis: QuestionAnalysis,
    items: Sequence[CandidateSpan],
    selection: Selection | None = None,
    own: frozenset[str] = frozenset(),
    history: Sequence[Message] = (),
) -> Asked:
    """Return what `analysis` asks of the spans; `own` are the terms of a follow-up itself."""
    importance = Importance(analysis.question, items)
    by_score = sorted(items, key=lambda item: -item.score)
    answers = (message.content for message in history if message.role is Role.ASSISTANT)
    return Asked(
        analysis,
        importance,
        {item.key: rank for rank, item in enumerate(by_score, 1)},
        max((item.score for item in items), default=0.0) or 1.0,
        asked_thing(analysis),
        asked_entry(analysis),
        own,
        " ".join(map(collapse_space, answers)),
        selection,
        load_lexicon(analysis.language),
    )


def _terms_with_heading(asked: Asked, item: CandidateSpan) -> float:
    return asked.importance.share_in(item.text, item.intro_text, item.heading, item.caption)


def _similarity_of_neighbours(_: Asked, item: CandidateSpan) -> float:
    spans = item.passage.spans
    near = spans[max(0, item.index - 1) : item.index] + spans[item.index + 1 : item.index + 2]
    return max((span.score for span in near), default=0.0)


def _follow_up_terms(asked: Asked, item: CandidateSpan) -> float:
    """Return the share that span, introduction and titles name of what a follow-up itself says."""
    return _share(asked.own, item.terms | distinct_terms(item.intro_text) | item.titles)


def _share(wanted: frozenset[str], held: frozenset[str]) -> float:
    return len(wanted & held) / max(1, len(wanted))


Feature = Callable[[Asked, CandidateSpan], float]


def _holds(*kinds: AnswerKind) -> Feature:
    """Make the feature that the span has a value of the kind that is asked for."""

    def holds(asked: Asked, item: CandidateSpan) -> float:
        return float(
            asked.expects(*kinds)
            and holds_answer(asked.analysis.expected, item.text, asked.lexicon)
        )

    return holds


def _is_code(item: CandidateSpan) -> bool:
    return item.span.kind is BlockKind.CODE


def _wants_code(asked: Asked) -> bool:
    return asked.expects(AnswerKind.CODE, AnswerKind.PROCEDURE)


FEATURES: dict[str, Feature] = {
    # How near retrieval finds the span to the question, and what stands around it.
    "similarity": lambda _, item: item.score,
    "similarity_of_best": lambda asked, item: item.score / asked.best_score,
    "similarity_to_the_fourth": lambda asked, item: (item.score / asked.best_score) ** 4,
    "log_similarity_rank": lambda asked, item: math.log(asked.ranks[item.key]),
    "similarity_of_neighbours": _similarity_of_neighbours,
    "passage_score": lambda _, item: item.passage.scores.fused,
    # How many of the question's terms, by their weight, stand in it, over it and around it.
    "terms_with_heading": _terms_with_heading,
    "heading_asked": lambda asked, item: asked.importance.share_asked(item.heading),
    # What it is.
    "log_characters": lambda _, item: math.log1p(len(item.text)),
    "other_terms": lambda asked, item: min(1.0, asked.others_in(item) / _MANY_TERMS),
    "introduced": lambda _, item: float(item.intro is not None),
    "place_in_passage": lambda _, item: item.index / len(item.passage.spans),
    "boilerplate": lambda asked, item: float(asked.points_elsewhere(item)),
    # Whether it is of the kind that is asked for.
    "quantity": _holds(AnswerKind.QUANTITY),
    "date": _holds(AnswerKind.DATE),
    "cause": _holds(AnswerKind.CAUSE),
    "definition": _holds(AnswerKind.DEFINITION),
    "defines_thing": lambda asked, item: asked.defined_by(item),
    "judges_yes_no": lambda asked, item: float(
        asked.types.yes_no and item.rules.judges.search(item.text) is not None
    ),
    "code_for_code": lambda asked, item: float(_is_code(item) and _wants_code(asked)),
    "code_unasked": lambda asked, item: float(_is_code(item) and not _wants_code(asked)),
    # What was said before.
    "follow_up_terms": _follow_up_terms,
}


def describe_candidates(asked: Asked, items: Sequence[CandidateSpan]) -> list[dict[str, float]]:
    """Return the features of every span, most of them in [0, 1]."""
    return [{name: feature(asked, item) for name, feature in FEATURES.items()} for item in items]
