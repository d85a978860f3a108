"""Tell by its terms which sub-question a span is about."""

from collections.abc import Sequence
from dataclasses import dataclass

from libs.question.decompose import SubQuestion, own_terms
from services.generation.extractive.candidates import CandidateSpan, distinct_terms


@dataclass(frozen=True)
class SubQuestionTerms:
    """One side, and the terms that are its own and no other side's."""

    part: SubQuestion
    own: frozenset[str]

    def share_in(self, item: CandidateSpan) -> float:
        """Return the share in [0, 1] of the side's own terms in the span and what stands over it."""
        named = self.own & (item.terms | distinct_terms(item.intro_text) | item.titles)
        return len(named) / max(1, len(self.own))

    def is_of(self, item: CandidateSpan) -> bool:
        """Whether the span, its introduction or its title names the side."""
        over = distinct_terms(item.intro_text) | distinct_terms(item.heading)
        return bool(self.own) and self.own <= item.terms | over

    def heads(self, item: CandidateSpan) -> bool:
        """Whether the head of the span's table names the side."""
        return bool(self.own) and self.own <= distinct_terms(item.intro_text)

    def titles(self, item: CandidateSpan) -> bool:
        """Whether the title or the introduction over the span names the side."""
        over = distinct_terms(item.intro_text) | distinct_terms(item.heading)
        return bool(self.own) and self.own <= over


def list_sub_question_terms(sides: Sequence[SubQuestion]) -> list[SubQuestionTerms]:
    if not sides:
        return []
    named = own_terms([distinct_terms(side.name) for side in sides])
    return [SubQuestionTerms(side, own) for side, own in zip(sides, named, strict=True)]
