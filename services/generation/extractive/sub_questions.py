"""Decide which sub-question a span is about, by its terms."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from libs.question.decompose import SubQuestion, own_terms
from libs.table_rows import cells_of
from services.generation.extractive.candidates import CandidateSpan, distinct_terms


@dataclass(frozen=True)
class SubQuestionTerms:
    """A sub-question, and the terms that no other one has."""

    part: SubQuestion
    own: frozenset[str]

    def share_in(self, item: CandidateSpan) -> float:
        """Return the share in [0, 1] of its own terms in the span, its introduction and its titles."""
        named = self.own & (item.terms | distinct_terms(item.intro_text) | item.titles)
        return len(named) / max(1, len(self.own))

    def is_of(self, item: CandidateSpan) -> bool:
        """Whether the span, its introduction or its title names the sub-question."""
        over = distinct_terms(item.intro_text) | distinct_terms(item.heading)
        return bool(self.own) and self.own <= item.terms | over

    def heads(self, item: CandidateSpan) -> frozenset[str]:
        """Return the cells over the span's table that name the sub-question."""
        cells = chain.from_iterable(map(cells_of, item.intro_text.splitlines()))
        return frozenset(cell for cell in cells if self.own and self.own <= distinct_terms(cell))

    def titles(self, item: CandidateSpan) -> bool:
        """Whether the title or the introduction above the span names the sub-question."""
        over = distinct_terms(item.intro_text) | distinct_terms(item.heading)
        return bool(self.own) and self.own <= over


def list_sub_question_terms(sub_questions: Sequence[SubQuestion]) -> list[SubQuestionTerms]:
    if not sub_questions:
        return []
    named = own_terms([distinct_terms(sub_question.name) for sub_question in sub_questions])
    return [
        SubQuestionTerms(sub_question, own)
        for sub_question, own in zip(sub_questions, named, strict=True)
    ]
