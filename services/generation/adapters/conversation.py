"""A follow-up and what was said before in; the units turned to what comes next out."""

import math
from collections.abc import Sequence

from libs.text import collapse_space
from services.generation.adapters.quotable import Quotable, distinct_terms
from services.generation.model import Prompt, Role

_OWN = 3.0
"""What naming all that a follow-up itself speaks of is worth in the logarithm of odds."""

_SAID = 2.0
"""What is taken from a unit that an earlier answer has said: it may still be the one that answers."""


def turn_to_follow_up(
    prompt: Prompt, ranked: Sequence[tuple[float, Quotable]]
) -> list[tuple[float, Quotable]]:
    """Return the units in the order of their odds of going on with the conversation."""
    own = distinct_terms(prompt.follow_up)
    said = " ".join(
        collapse_space(message.content)
        for message in prompt.history
        if message.role is Role.ASSISTANT
    )

    def turned(odds: float, item: Quotable) -> float:
        named = own & (item.terms | distinct_terms(item.lead_text) | item.titles)
        told = _OWN * len(named) / max(1, len(own))
        return odds * math.exp(told - _SAID * (collapse_space(item.text) in said))

    return sorted(((turned(*pair), pair[1]) for pair in ranked), key=lambda pair: -pair[0])
