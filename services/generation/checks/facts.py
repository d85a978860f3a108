"""Check the facts of a sentence against its quotes and the passages around them.

A sentence that is the book's own is shown in the book's characters and has none to check. Of one in
other words the facts may not differ: numbers, units, names, what is denied, compared, doubted, under
which condition it holds and why.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

from libs.text import sentence_ranges
from services.generation.checks.clauses import foreign_words, render
from services.generation.checks.markup import carries_only, has_other_characters
from services.generation.checks.names import confused_names, foreign_names
from services.generation.checks.order import exchanges_places, turns_cause
from services.generation.checks.polarity import denies_otherwise, says_contrary, turns_comparison
from services.generation.checks.quantities import (
    adds_bound,
    has_other_sign,
    has_other_unit,
    has_other_version,
    unknown_numbers,
)
from services.generation.checks.scope import (
    adds_cause,
    adds_condition,
    adds_exception,
    changes_degree,
    drops_condition,
    drops_doubt,
    drops_limit,
    drops_turn,
    raises_duty,
    shifts_time,
    widens_scope,
)
from services.generation.model import Check, CheckKind, Statement

_KEPT = "as in the book"
_MARKUP = (
    "carries a link, code, signs or hidden characters that are not the book's, or has no quote"
)


def check_own_words(statement: Statement) -> list[Check]:
    """Return the fact checks that were made of `statement`, the last of them failed or all passed."""
    clean = (
        bool(statement.quotes)
        and carries_only(statement.text, statement.passages)
        and not has_other_characters(statement.text, (*evidence_of(statement), statement.question))
    )
    made = [Check(CheckKind.MARKUP, clean, "nothing but words" if clean else _MARKUP)]
    for kind, fault, differs in _FACTS if clean else ():
        wrong = differs(statement)
        made.append(Check(kind, not wrong, fault if wrong else _KEPT))
        if wrong:
            break
    return made


def check_books_words(
    sentence: str, spans: Sequence[str], language: str = ""
) -> tuple[list[Check], str]:
    """Return the checks that were made of a sentence that must be made of `spans`, and what is shown.

    Where it is not, the checks name the first fact that differs.
    """
    shown = render(sentence, spans, language) if sentence.strip() else None
    clean = bool(spans) and carries_only(sentence, spans)
    if shown is not None and clean:
        made = [Check(CheckKind.MARKUP, True, "nothing but words")]
        return [*made, Check(CheckKind.CLAUSES, True, "the book's own, word for word")], shown
    given = tuple(spans)
    made = check_own_words(Statement(sentence, given, given, language=language))
    if made[-1].passed and foreign_words(sentence, spans, language):
        made.append(Check(CheckKind.FOREIGN_WORDS, False, "a word that the quote does not have"))
    elif made[-1].passed:
        torn = "the book's words in another order or out of their sentence"
        made.append(Check(CheckKind.CLAUSES, False, torn))
    return made, ""


def is_books_own(sentence: str, spans: Sequence[str]) -> bool:
    """Return whether `sentence` is made of whole sentences of `spans`."""
    return check_books_words(sentence, spans)[0][-1].passed


def evidence_of(statement: Statement) -> tuple[str, ...]:
    """Return all that a sentence may lean on, the quotes first."""
    return (*statement.quotes, *statement.titles, *statement.passages)


@lru_cache(maxsize=64)
def surroundings(statement: Statement) -> tuple[str, ...]:
    """Return the quotes, each with the whole sentence or line of the passage that it stands in."""
    found = list(statement.quotes)
    for passage in statement.passages:
        pieces = [
            line[start:end] for line in passage.split("\n") for start, end in sentence_ranges(line)
        ]
        found += [
            piece
            for piece in pieces
            if any(quote in piece or piece in quote for quote in statement.quotes)
        ]
    return tuple(dict.fromkeys(found))


def _bends_numbers(it: Statement) -> bool:
    given = (*surroundings(it), *it.titles, it.question)
    counted = {count for quote in it.quotes for count in _count_items(quote)}
    return has_other_version(it.text, given) or bool(
        unknown_numbers(it.text, given, counted, it.language)
    )


def _count_items(quote: str) -> set[int]:
    """Return how many things a list has that is quoted line by line, with its lead-in or without."""
    first, *others = quote.strip().splitlines() or [""]
    items = sum(bool(line.strip()) for line in others)
    if not items:
        return set()
    leads_in = first.rstrip().endswith(":") or not others[0].strip()
    return {items, items + 1} if leads_in else {items + 1}


def _bends_units(it: Statement) -> bool:
    return (
        has_other_unit(it.text, it.quotes, it.language)
        or has_other_sign(it.text, it.quotes, it.language)
        or adds_bound(it.text, surroundings(it), it.language)
    )


def _bends_names(it: Statement) -> bool:
    if foreign_names(it.text, (*evidence_of(it), it.question), it.language):
        return True
    return bool(confused_names(it.text, surroundings(it), it.language))


_FACTS: tuple[tuple[CheckKind, str, Callable[[Statement], bool]], ...] = (
    (CheckKind.NUMBERS, "a number that the quotes do not have", _bends_numbers),
    (CheckKind.UNITS, "a number with another unit, sign or bound", _bends_units),
    (CheckKind.NAMES, "a name that the passage does not have", _bends_names),
    (
        CheckKind.NEGATION,
        "denied where the quote affirms it, or the other way round",
        lambda it: denies_otherwise(it.text, it.quotes, it.language),
    ),
    (
        CheckKind.DIRECTION,
        "a comparison turned round, the contrary, or two things in each other's places",
        lambda it: (
            turns_comparison(it.text, it.quotes, it.language)
            or says_contrary(it.text, it.quotes, it.language)
            or exchanges_places(it.text, surroundings(it), it.language)
        ),
    ),
    (
        CheckKind.STRENGTH,
        "surer than the quote",
        lambda it: (
            drops_doubt(it.text, it.quotes, it.language)
            or raises_duty(it.text, it.quotes, it.language)
        ),
    ),
    (
        CheckKind.SCOPE,
        "of all, most, often or the whole, where the book does not say so, or of another time",
        lambda it: (
            widens_scope(it.text, evidence_of(it), it.language)
            or drops_limit(it.text, it.quotes, it.language)
            or changes_degree(it.text, surroundings(it), it.language)
            or adds_exception(it.text, surroundings(it), it.language)
            or shifts_time(it.text, surroundings(it), it.language)
        ),
    ),
    (
        CheckKind.CONDITION,
        "under another condition than the book's, or under none",
        lambda it: (
            adds_condition(it.text, it.quotes, (*evidence_of(it), it.question), it.language)
            or drops_condition(it.text, it.quotes, (*it.titles, it.question), it.language)
            or drops_turn(it.text, it.quotes, it.language)
        ),
    ),
    (
        CheckKind.CAUSE,
        "caused by what the quotes do not speak of, or what they call the effect",
        lambda it: (
            adds_cause(it.text, it.quotes, it.language)
            or turns_cause(it.text, it.quotes, it.language)
        ),
    ),
)
