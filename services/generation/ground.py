"""A sentence and its quotes in, whether the quotes say what the sentence says, check by check, out.

A sentence that is its quote passes. Any other must keep the facts (numbers with their units, names,
negations, directions), be made of whole clauses of the units that its quotes stand in, and be supported
in the sense of `support`.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence

from libs.text import collapse_space, fold
from services.generation.model import Check, CheckKind
from services.generation.support import LEAST_SUPPORT, support
from services.generation.verbatim import foreign_words, is_composed
from services.generation.wording import (
    adds_strength,
    counted,
    drops_hedge,
    is_negated,
    meaning,
    names,
    negations_agree,
    numbers,
    stems,
    turns_direction,
)

_LEAD_IN = re.compile(
    r"^(?:(?:according to|as|in) (?:the|this) (?:book|text|source|passage|chapter|section)"
    r"(?: (?:says|states|puts it|notes))?,? |(?:the|this) (?:book|text|source|passage|chapter|section) "
    r"(?:says|states|notes|explains|describes|mentions) that |in short, |in other words, )",
    re.IGNORECASE,
)
"""What only introduces a statement and adds nothing to it."""

_SAME_MATTER = 0.8
_SAME_COMPARED = 0.6
"""Share of the meaning words of two sentences that are in both when they are about the same; less when
they compare, for the words that compare differ."""

_HIDDEN = ("Cc", "Cf", "Co", "Cs", "Cn")
_MADE_OUTSIDE = re.compile(
    r"""(?:[a-z][a-z0-9+.-]{1,20}:)?//\S+ | \bwww\.\S+ | \b(?:data|javascript|vbscript|mailto|file):\S+
    | \b[\w-]+(?:\.[\w-]+)+/\S* | </?[a-z!][^>]*>? | &\#?\w+; | !?\[[^\]]*\]\s?[(\[:] | ^\[[^\]]+\]:""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)


def is_grounded(sentence: str, quotes: Sequence[str], units: Sequence[str] = ()) -> bool:
    """Return whether every check of `examine` passes."""
    return all(check.passed for check in examine(sentence, quotes, units))


def examine(sentence: str, quotes: Sequence[str], units: Sequence[str] = ()) -> list[Check]:
    """Return the checks that were made of `sentence`, the last of them failed or all passed.

    `units` are the whole units of the book that the quotes stand in; the quotes when not given.
    """
    units = units or quotes
    clean = bool(quotes) and _carries_only(sentence, units)
    made = [Check(CheckKind.MARKUP, clean, _NO_MARKUP if clean else _MARKUP)]
    if not clean:
        return made
    if any(_same(sentence, unit) for unit in units):
        return [*made, Check(CheckKind.WORDING, True, "the book's own sentence, word for word")]
    sentence, cited = _LEAD_IN.sub("", sentence), "\n".join(units)
    for kind, fault, find in _FACTS:
        wrong = find(sentence, cited)
        made.append(Check(kind, not wrong, fault if wrong else _KEPT))
        if wrong:
            return made
    composed = is_composed(sentence, units)
    made.append(Check(CheckKind.WORDING, composed, _COMPOSED if composed else _TORN))
    if composed:
        likely = support(sentence, cited)
        made.append(Check(CheckKind.SUPPORT, likely >= LEAST_SUPPORT, f"{likely:.2f} of 1"))
    return made


def is_consistent(sentence: str, earlier: Sequence[str]) -> bool:
    """Return whether no earlier sentence says nearly the same with another number or a negation."""
    return not any(_contradicts(sentence, other) for other in earlier)


def _contradicts(one: str, other: str) -> bool:
    spoken, said = meaning(one), meaning(other)
    shared = len(spoken & said) / max(len(spoken), len(said), 1)
    if shared >= _SAME_COMPARED and turns_direction(one, other):
        return True
    counts, others = numbers(one), numbers(other)
    differ = bool(counts) and bool(others) and counts != others
    return shared >= _SAME_MATTER and (differ or is_negated(one) != is_negated(other))


def _bends_numbers(sentence: str, cited: str) -> bool:
    bare = {digits for digits, _ in numbers(cited)}
    return not {digits for digits, _ in numbers(sentence)} <= bare


def _bends_units(sentence: str, cited: str) -> bool:
    return not (numbers(sentence) <= numbers(cited) and counted(sentence) <= stems(cited))


def _bends_names(sentence: str, cited: str) -> bool:
    return not names(sentence) <= stems(cited)


def _bends_negation(sentence: str, cited: str) -> bool:
    return not negations_agree(sentence, cited)


def _adds_or_drops(sentence: str, cited: str) -> bool:
    return adds_strength(sentence, cited) or drops_hedge(sentence, cited)


def _has_foreign_words(sentence: str, cited: str) -> bool:
    return bool(foreign_words(sentence, [cited]))


_KEPT = "as in the book"
_NO_MARKUP = "nothing but words"
_MARKUP = "carries a link, markup or hidden characters that are not the book's, or has no quote"
_COMPOSED = "whole clauses of the book"
_TORN = "the book's words in another order or out of their sentence"
_FACTS: tuple[tuple[CheckKind, str, Callable[[str, str], bool]], ...] = (
    (CheckKind.NUMBERS, "a number that the quote does not have", _bends_numbers),
    (CheckKind.UNITS, "a number with another unit, or counting something else", _bends_units),
    (CheckKind.NAMES, "a name that the quote does not have", _bends_names),
    (CheckKind.NEGATION, "negated where the quote is not, or the other way round", _bends_negation),
    (CheckKind.DIRECTION, "a comparison turned round", turns_direction),
    (CheckKind.STRENGTH, "stronger or surer than the quote", _adds_or_drops),
    (CheckKind.WORDS, "a word that the quote does not have", _has_foreign_words),
)


def _same(sentence: str, quote: str) -> bool:
    return sentence == quote or fold(sentence.strip()).text == fold(quote.strip()).text


def _carries_only(sentence: str, quotes: Sequence[str]) -> bool:
    """Whether every link, tag, control and bidi character of the sentence is the book's own."""
    if any(sentence in quote for quote in quotes):
        return True
    for character in sentence:
        hidden = character not in "\n\t" and unicodedata.category(character) in _HIDDEN
        foreign = hidden or character == "\N{REPLACEMENT CHARACTER}"
        if foreign and not any(character in quote for quote in quotes):
            return False
    cited = [collapse_space(quote) for quote in quotes]
    return all(
        any(collapse_space(found.group()) in quote for quote in cited)
        for found in _MADE_OUTSIDE.finditer(sentence)
    )
