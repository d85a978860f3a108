"""Keep what searches for suggestions came to: after many a refusal the very same are made."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from services.generation.model import Question, SearchResult

KEPT_S = 600.0
"""Seconds: an edition always has the same, but a book that is put in again may have other ones."""

_MOST_JUDGED = 4096
_MOST_FOUND = 32
"""Of a whole search, whose passages take some 100 kB."""

_Kept = TypeVar("_Kept")


class Keeping(Generic[_Kept]):
    """What was told of the last `most` questions, whoever asked, each for a while."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._kept: OrderedDict[Question, tuple[_Kept, float]] = OrderedDict()

    def find(self, asked: Question) -> _Kept | None:
        kept = self._kept.get(_of_nobody(asked))
        return kept[0] if kept is not None and self._clock() < kept[1] else None

    def add(self, asked: Question, told: _Kept) -> None:
        key = _of_nobody(asked)
        self._kept[key] = told, self._clock() + KEPT_S
        self._kept.move_to_end(key)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)


@dataclass(frozen=True)
class KeptSearches:
    """Whether a book answers what was suggested, and what was found for what introduces any book."""

    answered: Keeping[bool] = field(default_factory=lambda: Keeping(_MOST_JUDGED))
    introduced: Keeping[SearchResult] = field(default_factory=lambda: Keeping(_MOST_FOUND))


def _of_nobody(asked: Question) -> Question:
    return replace(
        asked, client_id="", request_key="", session_id=None, user_id="", reader_languages=()
    )
