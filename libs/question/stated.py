"""Tell what a question asks from what it states before, and from the alternatives that it gives.

"Since King John gave the charter, on which day was the market: Monday or Friday?" asks for the day.
"""

from libs.language.lexicon import Lexicon
from libs.text import content_terms

_LEAST_TERMS = 2
"""Content terms of a question that can stand alone."""


def claim_in(question: str, lexicon: Lexicon) -> str:
    """Return the clause that a question states before it asks; "" where it states none."""
    taken = lexicon.claims.taken.search(question)
    return next(filter(None, taken.groups())).strip() if taken else ""


def question_behind(question: str, lexicon: Lexicon) -> str:
    """Return what is asked behind a clause that only states something; "" where it leans on that."""
    taken = lexicon.claims.taken.search(question)
    main = question[taken.end() :] if taken else ""
    leans = any(
        rule.search(main) for rule in (lexicon.sub_questions.leans, lexicon.follow_ups.pointer)
    )
    return "" if leans or len(set(content_terms(main))) < _LEAST_TERMS else main


def options_in(question: str, lexicon: Lexicon) -> str:
    """Return the alternatives that a question gives at its end; "" for none."""
    found = lexicon.types.alternatives.search(question)
    return f"{found['first']}, {found['last']}" if found else ""


def without_options(question: str, lexicon: Lexicon) -> str:
    """Return a question without the alternatives that it gives; "" where it gives none."""
    found = lexicon.types.alternatives.search(question)
    return f"{question[: found.start('first')].rstrip(' ,:–—')}?" if found else ""
