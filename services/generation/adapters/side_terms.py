"""The sides of a question in; by which terms a unit is told to be about each of them, out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from libs.sides import Side, own_terms
from services.generation.adapters.quotable import Quotable, distinct_terms

_WEIGHS = re.compile(
    r"\b(?:(?:dis)?advantages?|benefits?|cons|drawbacks?|limitations?|limits|pros|purpose|strengths?"
    r"|use cases|used for|weakness(?:es)?|when to use|trade-?offs?|best for|good at|fails?)\b",
    re.IGNORECASE,
)
"""What stands over a list of what speaks for a thing or against it."""


@dataclass(frozen=True)
class SideTerms:
    """One side, and the terms that are its own and no other side's."""

    question: str
    own: frozenset[str]
    plain: bool

    def share_in(self, item: Quotable) -> float:
        """Return the share of the side's own terms in the unit, its lead and titles, in [0, 1]."""
        named = self.own & (item.terms | distinct_terms(item.lead_text) | item.titles)
        return len(named) / max(1, len(self.own))

    def is_of(self, item: Quotable) -> bool:
        """Whether the unit, its lead or its title names the side."""
        over = distinct_terms(item.lead_text) | distinct_terms(item.heading)
        return bool(self.own) and self.own <= item.terms | over

    def leads(self, item: Quotable) -> bool:
        """Whether the lead of the unit, as the head of its table, names the side."""
        return bool(self.own) and self.own <= distinct_terms(item.lead_text)

    def titles(self, item: Quotable) -> bool:
        """Whether the title or the lead over the unit names the side."""
        over = distinct_terms(item.lead_text) | distinct_terms(item.heading)
        return bool(self.own) and self.own <= over

    def weighs(self, item: Quotable) -> bool:
        """Whether the unit stands under "Advantages" or the like in a section about the side."""
        titles = [*item.passage.locator.section_path[-2:-1], item.heading]
        over = titles if _WEIGHS.search(item.heading) else titles[-1:]
        about = distinct_terms("\n".join(over))
        led = _WEIGHS.search(f"{item.lead_text}\n{item.heading}") is not None
        return led and bool(self.own) and self.own <= about


def list_side_terms(sides: Sequence[Side]) -> list[SideTerms]:
    named = own_terms([distinct_terms(side.name) for side in sides])
    return [
        SideTerms(side.question, own, side.plain) for side, own in zip(sides, named, strict=True)
    ]
