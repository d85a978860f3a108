"""Choose the formula that says how a thing is calculated: "Unemployment rate = …".

The left side names it best; else what stands over the formula does.
"""

import re
from collections.abc import Sequence

from services.generation.extractive.candidates import CandidateSpan, Ranked, distinct_terms
from services.generation.extractive.features import Asked

_COMMAND = re.compile(r"\\[A-Za-z]+")
_SIDES = re.compile(r"(?<![<>!=:])=(?![=>])|→|\\rightarrow|\\to\b")
_LEFT_CHARACTERS = 80
_LABEL_END = re.compile(r".*[:;,](?=\s)", re.DOTALL)


def find_formula(asked: Asked, fit: Sequence[Ranked]) -> CandidateSpan | None:
    """Return the span whose formula is of the thing, where one is asked for; None without any.

    One with numbers only works it out for a case, and so goes behind the others.
    """
    found = asked.lexicon.spans.formula_asked.search(asked.analysis.question)
    if found is None:
        return None
    thing = distinct_terms(found["thing"])
    ranked = [(rank, one.item) for one in fit if (rank := _rank(one.item, thing)) is not None]
    return min(ranked, key=lambda one: one[0])[1] if ranked else None


def _rank(item: CandidateSpan, thing: frozenset[str]) -> tuple[int, bool, int] | None:
    """Return how well the span's formula is told to be of the thing, the least best; None for none."""
    sides = _SIDES.split(item.text)
    if len(sides) < 2:
        return None
    left = _COMMAND.sub(" ", _LABEL_END.sub("", sides[0]))
    is_worked = len(sides) > 2 or not re.search(r"[^\W\d_]", _COMMAND.sub(" ", sides[1]))
    named = distinct_terms(left)
    if thing <= named and len(left) <= _LEFT_CHARACTERS:
        return len(named - thing), is_worked, item.index
    over = distinct_terms(f"{item.intro_text}\n{item.heading}")
    return (len(thing) + len(over - thing), is_worked, item.index) if thing <= over else None
