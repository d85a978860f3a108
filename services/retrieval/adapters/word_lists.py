"""The word lists of pyspellchecker, which has twelve languages."""

import asyncio
from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence

from spellchecker import SpellChecker

_LANGUAGES = frozenset(SpellChecker.languages())


def read_list(language: str) -> Collection[str]:
    """Read a language's words, in lower case: .1 to .5 s of CPU."""
    return SpellChecker(language=language).word_frequency.dictionary


class _Packed:
    """Words by their hashes of 64 bits: 8 bytes a word, of which a set of strings takes some 90.

    One that is not among 400,000 is taken for one of them once in 4e13 times.
    """

    def __init__(self, words: Collection[str]) -> None:
        self._hashes = array("q", sorted(map(hash, words)))

    def __contains__(self, word: str) -> bool:
        own = hash(word)
        at = bisect_left(self._hashes, own)
        return at < len(self._hashes) and self._hashes[at] == own


class WordLists:
    """Lists of words, each read by `read` beside the questions when one first needs it.

    All are kept, 15 MB: a book of many languages is asked in one after the other.
    """

    def __init__(self, read: Callable[[str], Collection[str]] = read_list) -> None:
        self._read = read
        self._lists: dict[str, asyncio.Task[_Packed]] = {}

    async def known_words(self, languages: Sequence[str]) -> Callable[[str], bool] | None:
        """Return what says whether a lower-case word is one of these languages; None without all lists.

        `languages` are ISO 639-1 codes. A list is read on when who asked can wait no longer.
        """
        if not _LANGUAGES.issuperset(languages):
            return None
        lists = [await asyncio.shield(self._list(language)) for language in languages]
        return lambda word: any(word in known for known in lists)

    def _list(self, language: str) -> asyncio.Task[_Packed]:
        task = self._lists.get(language)
        if task is None or (task.done() and task.exception()):
            task = asyncio.create_task(asyncio.to_thread(self._packed, language))
            self._lists[language] = task
        return task

    def _packed(self, language: str) -> _Packed:
        return _Packed(self._read(language))
