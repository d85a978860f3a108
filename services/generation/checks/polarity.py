"""Whether a sentence affirms what its evidence denies, or turns a comparison round."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from libs.text import words
from services.generation.checks.normal_forms import (
    AntonymSide,
    antonyms,
    antonyms_of,
    contraries,
    is_negation,
    rules_of,
    stems,
)

_REACH = 4
"""Content words behind a negation that it may deny."""


def denies_otherwise(sentence: str, quotes: Sequence[str], language: str = "") -> bool:
    """Whether the sentence denies what the quotes affirm, or affirms what they deny."""
    cited = "\n".join(quotes)
    own, given = denied(sentence, language), denied(cited, language)
    said, known = stems(sentence, language), stems(cited, language)
    # What stands on both sides says the same on both, and excuses no other difference.
    soft_own, soft_given = _soft(sentence, language), _soft(cited, language)
    soft, softened = bool(soft_own - soft_given), soft_own != soft_given
    if not (own or given) and _deters_otherwise(sentence, cited, language):
        return True
    if not own:
        # What the quote denies first behind its "not" is what it is about.
        return not soft and any(
            bool(scope) and set(scope[:2]) <= said and len(set(scope) & said) >= min(2, len(scope))
            for scope in given
        )
    if given or softened:
        return False
    return any(len(scope) > 0 and set(scope[:2]) <= known for scope in own)


def _deters_otherwise(sentence: str, cited: str, language: str) -> bool:
    """Whether one side alone tells not to do, or to do without, what the other speaks of."""
    rules = rules_of(language).polarity
    soft_own, soft_given = _soft(sentence, language), _soft(cited, language)
    said, known = stems(sentence, language), stems(cited, language)
    if not soft_own:
        scopes = _scopes(cited, rules.deters | rules.lacks, language)
        if any(len(scope) > 1 and set(scope[:2]) <= said for scope in scopes):
            return True
    lacking = () if soft_given else _scopes(sentence, rules.lacks, language)
    return any(len(scope) > 0 and set(scope[:2]) <= known for scope in lacking)


def _soft(text: str, language: str) -> frozenset[str]:
    rules = rules_of(language).polarity
    phrases = (found[0].split()[0].lower() for found in rules.soft_phrases.finditer(text))
    return (rules.soft & set(words(text))).union(phrases)


@lru_cache(maxsize=256)
def denied(text: str, language: str = "") -> tuple[tuple[str, ...], ...]:
    """Return for each negation the stems of the words that follow it in its clause."""
    weak = rules_of(language).polarity.weak
    spoken = {word for word in words(text.replace("’", "'")) if is_negation(word, language)}
    return _scopes(text, frozenset(spoken - weak), language)


def _scopes(text: str, starts: frozenset[str], language: str) -> tuple[tuple[str, ...], ...]:
    """Return for each of the words `starts` the stems of the words that follow it in its clause."""
    rules = rules_of(language).polarity
    text = rules.not_only.sub(" ", text.replace("’", "'"))
    found: list[tuple[str, ...]] = []
    for clause in rules.clause_end.split(text) if starts else ():
        spoken = words(clause)
        for at, word in enumerate(spoken):
            if word in starts:
                scope = [stem for one in spoken[at + 1 :] for stem in stems(one, language)]
                found.append(tuple(scope[:_REACH]))
    return tuple(found)


def turns_comparison(sentence: str, quotes: Sequence[str], language: str = "") -> bool:
    """Whether the sentence says "more" where the quotes only say "less" of the same things.

    "A is larger than B" says what "B is smaller than A" does: where the things compared change places,
    so does the word that compares.
    """
    cited = "\n".join(quotes)
    own, given = antonyms_of(sentence, language), antonyms_of(cited, language)
    negated = bool(denied(sentence, language)) != bool(denied(cited, language))
    for number, side in own:
        turned = (number, 1 - side) in given and (number, side) not in given
        if turned and (number, 1 - side) not in own and not negated:
            return not _change_places(sentence, cited, language)
    return _is_crossed(sentence, quotes, language)


def says_contrary(sentence: str, quotes: Sequence[str], language: str = "") -> bool:
    """Whether the sentence says a word whose contrary the quotes say, and not it ("top", "bottom")."""
    cited, known = "\n".join(quotes), contraries(language)
    if bool(denied(sentence, language)) != bool(denied(cited, language)):
        return False
    own, given = (
        {known[name] for name in _names(text) if name in known} for text in (sentence, cited)
    )
    return any((number, 1 - side) in given - own for number, side in own - given)


def _names(text: str) -> set[str]:
    """Return the words, and each with the word behind it ("at least")."""
    spoken = words(text)
    return {*spoken, *map(" ".join, pairwise(spoken))}


def _change_places(sentence: str, cited: str, language: str) -> bool:
    """Whether what is compared stands in the other order than in the quotes."""
    sides = rules_of(language).polarity.converse.split(sentence, maxsplit=1)
    if len(sides) < 2:
        return False
    first, second = (_first_place(cited, stems(side, language), language) for side in sides[:2])
    return first is not None and second is not None and first > second


def _first_place(text: str, wanted: set[str], language: str) -> int | None:
    for place, word in enumerate(words(text)):
        if stems(word, language) & wanted and word not in antonyms(language):
            return place
    return None


def _is_crossed(sentence: str, quotes: Sequence[str], language: str) -> bool:
    """Whether what stands before and behind "than" has changed places, the comparing word not."""
    own = _compared(sentence, language)
    if own is None:
        return False
    for quote in quotes:
        given = _compared(quote, language)
        if given is None or own[2] != given[2]:
            continue
        straight = len(own[0] & given[0]) + len(own[1] & given[1])
        crossed = len(own[0] & given[1]) + len(own[1] & given[0])
        if crossed > straight:
            return True
    return False


def _compared(text: str, language: str) -> tuple[set[str], set[str], frozenset[AntonymSide]] | None:
    """Return what stands on each side of the first "than" alone, and the words that compare."""
    than, known = rules_of(language).polarity.than, antonyms(language)
    for sentence in re.split(r"(?<=[.!?;\n])\s|\n", text) if than else ():
        before, stands, after = sentence.partition(f" {than} ")
        if stands:
            left = stems(" ".join(word for word in words(before) if word not in known), language)
            right = stems(after, language)
            return left - right, right - left, frozenset(antonyms_of(before, language))
    return None
