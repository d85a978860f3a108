"""Look up the synonyms and the forms that a book may use for the words of a question."""

from collections.abc import Mapping
from functools import cache

from libs.language.lexicon import Lexicon, load_lexicon
from libs.text import terms


def known_as(term: str, language: str = "") -> frozenset[str]:
    """Return `term` and the terms that mean about the same in the language."""
    return _groups(language).get(term, frozenset()) | {term}


def ask_by_participle(question: str, lexicon: Lexicon) -> str:
    """Return "Who has written it?" for "Who wrote it?", where no stem joins the forms; "" for others.

    A book says that a thing was written by somebody.
    """
    found = lexicon.expected.did.match(question)
    participle = lexicon.expected.participles.get(found["did"].lower(), "") if found else ""
    if found is None or not participle:
        return ""
    has = lexicon.expected.has_done.format(participle=participle)
    return question[: found.start("did")] + has + question[found.end("did") :]


@cache
def _groups(language: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for group in load_lexicon(language).checks.support.synonyms:
        stems = frozenset(stem for word in group for stem in terms(word))
        for stem in stems:
            found[stem] = found.get(stem, frozenset()) | stems
    return found
