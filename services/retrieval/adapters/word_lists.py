"""The word lists of pyspellchecker, which has twelve languages."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence

from spellchecker import SpellChecker

_LANGUAGES = frozenset(SpellChecker.languages())
_KEPT = 3
"""Lists kept, of up to 30 MB each; none is read before a question has a word that no passage has."""


def read_list(language: str) -> frozenset[str]:
    """Read a language's words, in lower case: .3 to .8 s of CPU."""
    return frozenset(SpellChecker(language=language).word_frequency.words())


class WordLists:
    """Lists of words, each read by `read` beside the questions when one first needs it."""

    def __init__(self, read: Callable[[str], frozenset[str]] = read_list) -> None:
        self._read = read
        self._lists: OrderedDict[str, asyncio.Task[frozenset[str]]] = OrderedDict()

    async def known_words(self, languages: Sequence[str]) -> Callable[[str], bool] | None:
        """Return what says whether a lower-case word is one of these languages; None without all lists.

        `languages` are ISO 639-1 codes. A list is read on when who asked can wait no longer.
        """
        if not _LANGUAGES.issuperset(languages):
            return None
        lists = [await asyncio.shield(self._list(language)) for language in languages]
        return lambda word: any(word in known for known in lists)

    def _list(self, language: str) -> asyncio.Task[frozenset[str]]:
        task = self._lists.get(language)
        if task is None or (task.done() and task.exception()):
            task = asyncio.create_task(asyncio.to_thread(self._read, language))
            self._lists[language] = task
            if len(self._lists) > _KEPT:
                self._lists.popitem(last=False)
        self._lists.move_to_end(language)
        return task
