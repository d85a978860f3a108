"""Whether a sentence claims more than its evidence: of all, always, only; if, when; because."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from libs.text import words
from services.generation.checks.normal_forms import coverage, is_negation, rules_of, stems, stems_of

_LEAST_OVERLAP = 0.5
"""Minimum stem overlap at which a sentence refers to a clause."""

_TOUCHED = 0.34
"""Stem overlap below which a sentence says nothing of a condition."""

_CONDITION, _SETTING = 2, 3
"""The fewest stems of a condition, and of the case that opens a sentence, that may not be left out."""

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


def raises_duty(sentence: str, quotes: Sequence[str], language: str = "") -> bool:
    """Whether the sentence demands or forbids what the quotes only advise, or leave open."""
    rules, near = rules_of(language).scope, "\n".join(quotes)
    if rules.obliges.search(sentence) and not rules.obliged.search(near):
        return True
    if rules.forbids.search(sentence) and rules.advises.search(near):
        return not rules.forbids.search(near)
    return bool(
        rules.forbids.search(sentence)
        and rules.unneeded.search(near)
        and not rules.forbids.search(near)
    )


def changes_degree(sentence: str, near: Sequence[str], language: str = "") -> bool:
    """Whether the sentence says "most", "often" or "exactly" where the book says another degree."""
    said = set(words(sentence))
    known = {word for text in near for word in words(text)}
    for scale in rules_of(language).scope.scales:
        own = {step for step, names in enumerate(scale) if said & names}
        given = {step for step, names in enumerate(scale) if known & names}
        if own - given and given - own and not own & given:
            return True
    return False


def adds_exception(sentence: str, near: Sequence[str], language: str = "") -> bool:
    """Whether the sentence takes something out of what its evidence says of all, or the other way."""
    rules = rules_of(language).scope
    found = rules.exception.search(sentence)
    return bool(found) and not any(rules.excepted.search(text) for text in near)


def shifts_time(sentence: str, quotes: Sequence[str], language: str = "") -> bool:
    """Whether the sentence announces what the quotes tell as done, or says that it was so once."""
    rules, near = rules_of(language).scope, "\n".join(quotes)
    if rules.announced.search(sentence) and rules.done.search(near):
        return not rules.announced.search(near)
    if rules.was.search(near):
        return False
    if rules.past.search(sentence) and rules.present.search(near):
        return not rules.present.search(sentence)
    return bool(rules.formerly.search(sentence))


def drops_turn(sentence: str, quotes: Sequence[str], language: str = "") -> bool:
    """Whether the sentence says what stands before a "but", and nothing of what stands behind it."""
    own = stems(sentence, language)
    for quote in quotes:
        for found in rules_of(language).scope.turn.finditer(quote):
            before, after = (stems(found[part], language) for part in ("before", "after"))
            behind = after - before
            if (
                len(own & before) >= _LEAST_OVERLAP * max(len(own), len(before))
                and len(behind) >= _SETTING
                and not own & behind
            ):
                return True
    return False


def drops_limit(sentence: str, quotes: Sequence[str], language: str = "") -> bool:
    """Whether the quotes say "some" or "limited" of what the sentence says without."""
    rules = rules_of(language).scope
    if set(words(sentence)) & (rules.limiting | rules.restricted | rules.sure):
        return False
    spoken_of = stems(sentence, language)
    return any(
        word in rules.limiting and stems(after, language) & spoken_of
        for clause in _clauses_spoken_of(quotes, spoken_of, language)
        for word, after in pairwise(words(clause))
    )


def drops_condition(
    sentence: str, quotes: Sequence[str], known: Sequence[str], language: str = ""
) -> bool:
    """Whether the quotes tie to a condition, or to one case, what the sentence says of all cases.

    What `known` has, such as the question and the titles, goes without saying.
    """
    rules = rules_of(language).scope
    own = stems(sentence, language)
    said = own | stems_of(known, language)
    for clause in (part for quote in quotes for part in rules.clause.split(quote)):
        for pattern, fewest in ((rules.condition, _CONDITION), (rules.setting, _SETTING)):
            for found in pattern.finditer(clause):
                tied = stems(found["rest"], language)
                main = stems(clause, language) - tied
                if (
                    len(tied) >= fewest
                    and coverage(tied, said) < _TOUCHED
                    and coverage(main, own) >= _LEAST_OVERLAP
                ):
                    return True
    return False


def _clauses_spoken_of(quotes: Sequence[str], said: set[str], language: str) -> Iterator[str]:
    for quote in quotes:
        for clause in rules_of(language).scope.clause.split(quote):
            if coverage(stems(clause, language), said) >= _LEAST_OVERLAP:
                yield clause


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
