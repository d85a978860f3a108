"""Tell what a question asks from what it states before, and from the alternatives that it gives.

"Since King John gave the charter, on which day was the market: Monday or Friday?" asks for the day.
"""

import re
from itertools import takewhile

from libs.language.entries import OFF
from libs.language.lexicon import Lexicon
from libs.text import content_terms

_WORD = re.compile(r"\w+")

_LEAST_TERMS = 2
"""Content terms of a question that can stand alone."""


def claim_in(question: str, lexicon: Lexicon) -> str:
    """Return the clause that a question states before it asks; "" where it states none."""
    taken = lexicon.claims.taken.search(question)
    return next(filter(None, taken.groups())).strip() if taken else ""


def question_behind(question: str, lexicon: Lexicon) -> str:
    """Return what is asked behind a clause that only states something; "" where it leans on that.

    A pronoun in it that can only stand for what the clause begins with gives way to that: "Since the
    tower is 41 m high, who paid for it?"
    """
    taken = lexicon.claims.taken.search(question)
    main = question[taken.end() :] if taken else ""
    main = _with_subject(main, claim_in(question, lexicon), lexicon)
    leans = any(
        rule.search(main) for rule in (lexicon.sub_questions.leans, lexicon.follow_ups.pointer)
    )
    return "" if leans or len(set(content_terms(main))) < _LEAST_TERMS else main


def _with_subject(main: str, claim: str, lexicon: Lexicon) -> str:
    """Return a question with what `claim` begins with in the place of its first pronoun."""
    subject = _subject_of(claim, lexicon)
    is_name = subject[:1].isupper() and not any(map(str.isdigit, subject))
    rules = lexicon.claims
    pronouns = rules.people if is_name and lexicon.names.capital is not OFF else rules.things
    if not subject or not pronouns:
        return main
    for found in _WORD.finditer(main):
        if found[0].lower() in pronouns:
            return f"{main[: found.start()]}{subject}{main[found.end() :]}"
    return main


def _subject_of(claim: str, lexicon: Lexicon) -> str:
    """Return the words that a clause begins with, up to its verb or what else says nothing of a thing.

    Where nouns alone have capitals, the last of them ends it; elsewhere a verb that is not known may
    stay at its end, which a search for words bears.
    """
    parts = claim.split()
    article = list(takewhile(lambda one: one.lower() in lexicon.checks.clauses.articles, parts))
    polarity = lexicon.checks.polarity
    verbs = polarity.negations.union(
        lexicon.stop_words, lexicon.claims.lacking, lexicon.expected.light
    )
    told = takewhile(
        lambda one: (
            one.lower() not in verbs
            and not one.lower().endswith(polarity.endings)
            and not one[0].isdecimal()
        ),
        parts[len(article) :],
    )
    subject = [*told]
    if lexicon.names.capital is OFF:
        nouns = [at for at, one in enumerate(subject) if one[0].isupper()]
        subject = subject[: nouns[0] + 1] if nouns else []
    else:
        known = frozenset().union(*lexicon.inflected)
        first, rest = subject[:1], subject[1:]
        subject = [*first, *takewhile(lambda one: one.lower() not in known, rest)]
    return " ".join((*article, *subject)) if subject else ""


def options_in(question: str, lexicon: Lexicon) -> str:
    """Return the alternatives that a question gives at its end; "" for none."""
    found = lexicon.types.alternatives.search(question)
    return f"{found['first']}, {found['last']}" if found else ""


def without_options(question: str, lexicon: Lexicon) -> str:
    """Return a question without the alternatives that it gives; "" where it gives none."""
    found = lexicon.types.alternatives.search(question)
    return f"{question[: found.start('first')].rstrip(' ,:–—')}?" if found else ""
