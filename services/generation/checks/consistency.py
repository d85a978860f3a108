"""Whether a sentence says otherwise than one that was shown before it."""

from collections.abc import Sequence

from libs.text import words
from services.generation.checks.normal_forms import has_negation, stems
from services.generation.checks.polarity import turns_comparison
from services.generation.checks.quantities import quantities

_SAME_MATTER = 0.8
_SAME_COMPARED = 0.6
"""Share of the meaning words of two sentences that are in both when they are about the same; less when
they compare, for the words that compare differ."""


def is_consistent(sentence: str, earlier: Sequence[str], language: str = "") -> bool:
    """Return whether no earlier sentence says nearly the same with another number or a negation."""
    return not any(_contradicts(sentence, other, language) for other in earlier)


def _contradicts(one: str, other: str, language: str) -> bool:
    spoken, said = _meaning(one, language), _meaning(other, language)
    shared = len(spoken & said) / max(len(spoken), len(said), 1)
    if shared >= _SAME_COMPARED and turns_comparison(one, [other], language):
        return True
    counts, others = _values(one, language), _values(other, language)
    differ = bool(counts) and bool(others) and counts != others
    negated = has_negation(one, language) != has_negation(other, language)
    return shared >= _SAME_MATTER and (differ or negated)


def _meaning(text: str, language: str) -> set[str]:
    """Return the stems of `text` but those of its numbers and units, which are compared apart."""
    measured = {item.spelled.lower() for item in quantities(text, language) if item.unit}
    kept = (word for word in words(text) if not word.isdigit() and word not in measured)
    return stems(" ".join(kept), language)


def _values(text: str, language: str) -> set[tuple[float, str]]:
    return {(item.value, item.unit) for item in quantities(text, language) if item.sure}
