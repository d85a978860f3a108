"""Know the words of a language: the lists of pyspellchecker, which has them for twelve."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from spellchecker import SpellChecker

_LANGUAGES = frozenset(SpellChecker.languages())
_KEPT = 3
"""Lists kept, of up to 30 MB each; none is read before a question has a word that no passage has."""


def known_words(languages: Sequence[str]) -> Callable[[str], bool] | None:
    """Return what says whether a lower-case word is one of these languages; None without all lists.

    `languages` are ISO 639-1 codes.
    """
    if not _LANGUAGES.issuperset(languages):
        return None
    return lambda word: any(word in _read_list(language) for language in languages)


@lru_cache(maxsize=_KEPT)
def _read_list(language: str) -> frozenset[str]:
    return frozenset(SpellChecker(language=language).word_frequency.words())
