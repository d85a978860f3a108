"""Look up the synonyms that a book may use for the words of a question."""

from collections.abc import Mapping
from functools import cache

from libs.language.lexicon import load_lexicon
from libs.text import terms


def known_as(term: str, language: str = "") -> frozenset[str]:
    """Return `term` and the terms that mean about the same in the language."""
    return _groups(language).get(term, frozenset()) | {term}


@cache
def _groups(language: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for group in load_lexicon(language).checks.support.synonyms:
        stems = frozenset(stem for word in group for stem in terms(word))
        for stem in stems:
            found[stem] = found.get(stem, frozenset()) | stems
    return found
