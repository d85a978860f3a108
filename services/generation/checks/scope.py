"""Whether a sentence claims more than its evidence: of all, always, only; if, when; because."""

from collections.abc import Sequence

from libs.text import words
from services.generation.checks.normal_forms import coverage, is_negation, rules_of, stems, stems_of

_LEAST_OVERLAP = 0.5
"""Minimum stem overlap at which a sentence refers to a clause."""

_KNOWN = 0.5
"""Minimum stem overlap at which the evidence refers to a condition or a cause."""


def widens_scope(sentence: str, evidence: Sequence[str], language: str = "") -> bool:
    """Whether the sentence speaks of all, always or only where the evidence does not."""
    rules = rules_of(language).scope
    said, known = set(words(sentence)), {word for text in evidence for word in words(text)}
    if said & rules.absolute and not known & rules.universal:
        return True
    if said & rules.restricts and not known & (rules.restricted | rules.denying):
        return True
    return bool(rules.only.search(sentence)) and not known & (rules.restricted | rules.only_known)


def drops_doubt(sentence: str, quotes: Sequence[str], language: str = "") -> bool:
    """Whether the quotes only say "may" of what the sentence states as a fact."""
    rules = rules_of(language).scope
    said = set(words(sentence))
    if (
        said & rules.must
        and not any(is_negation(word, language) for word in said)
        and not any(said & rules.must & set(words(quote)) for quote in quotes)
    ):
        return True
    if said & rules.sure:
        return False
    spoken_of = stems(sentence, language)
    return any(
        rules.hedges & set(words(clause))
        and coverage(stems(clause, language), spoken_of) >= _LEAST_OVERLAP
        for quote in quotes
        for clause in rules.clause.split(quote)
    )


def adds_condition(
    sentence: str, quotes: Sequence[str], evidence: Sequence[str], language: str = ""
) -> bool:
    """Whether the sentence says "if" or "when" of what its evidence does not tie to that."""
    rules = rules_of(language).scope
    known = stems_of(evidence, language)
    near = "\n".join(quotes)
    for found in rules.condition.finditer(sentence):
        own, word = stems(found["rest"], language), found["word"].lower()
        if len(own) > 1 and coverage(own, known) < _KNOWN:
            return True
        if rules.even.match(word) and not rules.even_known.search("\n".join(evidence)):
            return True
        if word in rules.limits and not rules.limits_known.search(near):
            return True
    return False


def adds_cause(sentence: str, quotes: Sequence[str], language: str = "") -> bool:
    """Whether the sentence says "because" of what the quotes do not speak of."""
    quoted = stems_of(quotes, language)
    return any(
        coverage(own, quoted) < _KNOWN
        for found in rules_of(language).scope.cause.finditer(sentence)
        if (own := stems(found["rest"], language))
    )
