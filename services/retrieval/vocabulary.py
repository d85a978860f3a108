"""The words of a book, and which of them is nearest to a word that it does not have."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import process
from rapidfuzz.distance import OSA

from libs.text import content_terms, without_accents, words
from libs.vectors.sparse import stem_in
from services.retrieval.typos import TypoModel

LEAST_LETTERS = 4
"""Of a shorter word too many others are near, and it is an abbreviation as often as a typo."""

_MANY_LETTERS = 8
"""From which on a word may have two typos."""

_PLAIN_LETTERS = 9
"""From which on a word with one typo is that word, whatever the typo."""

_JOINTS = ("s", "es", "n", "en")
"""Letters between the parts of German compounds."""

_NEAREST = 20
_HEAD = 2
"""Letters with which all forms of a word begin, but for their accents."""


@dataclass(frozen=True)
class Vocabulary:
    """The words of a book in lower case, each with the number of passages that have it."""

    counts: Mapping[str, int]

    @cached_property
    def terms(self) -> frozenset[str]:
        """The terms of its words, as passages are searched by."""
        return frozenset(term for word in self.counts for term in content_terms(word))

    @cached_property
    def words(self) -> list[str]:
        return list(self.counts)

    @cached_property
    def _accented(self) -> dict[str, str]:
        """The commonest word with accents for each that is the same without them."""
        counted = sorted(self.counts.items(), key=lambda one: one[1])
        return {without_accents(word): word for word, _ in counted if not word.isascii()}

    def accented(self, word: str) -> str:
        """Return the word of the book that is `word` with its accents; "" where it has none."""
        return self._accented.get(word, "") if word not in self.counts else ""

    def has_form(self, word: str, language: str) -> bool:
        """Whether a word of the book has the stem that `word` has in its language: "restauraron".

        Without a stemmer for the language none has.
        """
        stem, head = stem_in(language, word), without_accents(word)[:_HEAD]
        return bool(stem) and any(
            stem_in(language, other) == stem
            for other in self.words
            if without_accents(other[:_HEAD]) == head
        )

    def has_near(self, word: str) -> bool:
        """Whether a word of the book is as near as a typo, likely or not."""
        most = _most_typos(word)
        return (
            process.extractOne(word, self.words, scorer=OSA.distance, score_cutoff=most) is not None
        )

    def has_longer(self, word: str) -> bool:
        """Whether `word` is the beginning of a word of the book: "config" of "configuration"."""
        return any(other.startswith(word) for other in self.words)

    def has_parts(self, word: str) -> bool:
        """Whether two words of the book make `word`, perhaps joined: "Satzung-s-änderung"."""
        return any(
            word[at:] in self.counts and any(first in self.counts for first in _firsts(word[:at]))
            for at in range(LEAST_LETTERS, len(word) - LEAST_LETTERS + 1)
        )

    def nearest(self, word: str, typos: TypoModel) -> str:
        """Return the word that `word` is likeliest a typo for; "" for none near.

        A letter more or less, another letter, and two letters in each other's place are a typo each.
        One at the beginning counts double: few make it. Of equals those come first that only lack
        letters, then the commoner.
        """
        return self._nearest(word, typos) or self._sounding(word, typos)

    def _sounding(self, word: str, typos: TypoModel) -> str:
        """Return the word that is near as it sounds: "Ankomensfase" for "Ankommensphase"."""
        digraphs = typos.rules.digraphs
        if not digraphs or len(word) < _MANY_LETTERS:
            return ""
        by_sound: dict[str, str] = {}
        for other in sorted(self.counts, key=lambda one: -self.counts[one]):
            if other[0] == word[0]:
                by_sound.setdefault(typos.sound(other), other)
        heard = Vocabulary({sound: self.counts[other] for sound, other in by_sound.items()})
        return by_sound.get(heard._nearest(typos.sound(word), typos), "")

    def _nearest(self, word: str, typos: TypoModel) -> str:
        most = _most_typos(word)
        found = process.extract(
            word, self.words, scorer=OSA.distance, score_cutoff=most, limit=_NEAREST
        )
        rated = [
            (count + (other[0] != word[0]), len(other) <= len(word), -self.counts[other], other)
            for other, count, _ in found
            if typos.explain(word, other) or (count == 1 and len(word) >= _PLAIN_LETTERS)
        ]
        near = [item for item in rated if item[0] <= most]
        return min(near)[-1] if near else ""


def _firsts(joined: str) -> list[str]:
    """Return the first part of a compound with and without what may join it to the second."""
    ends = (one for one in _JOINTS if joined.endswith(one))
    return [joined, *(joined.removesuffix(one) for one in ends)]


def _most_typos(word: str) -> int:
    return 2 if len(word) >= _MANY_LETTERS else 1


def count_words(texts: Iterable[str]) -> Counter[str]:
    """Count in how many of the texts each word stands; what has digits in it is none."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(word for word in set(words(text)) if _may_be_meant(word))
    return counts


def _may_be_meant(word: str) -> bool:
    return len(word) >= LEAST_LETTERS and word.isalpha()
