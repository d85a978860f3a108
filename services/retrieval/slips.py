"""Correct slips that a list of words does not show: in names, in joined words and beside other slips.

Two letters in each other's place make another name of no product and seldom another word, so that such
a slip is told where the book or the language has the one word that it makes.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import takewhile

from libs.text import content_terms, words
from services.retrieval.model import Correction
from services.retrieval.typos import TypoModel
from services.retrieval.vocabulary import LEAST_LETTERS, Vocabulary

_LEAST_OF_NAME = 6
"""Letters of a name from which two of them in each other's place make no other name."""

_LEAST_OF_LONG_NAME = 8
"""Letters of a name from which one that is left out makes no other name."""

_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_JOINED = re.compile(r"(?<![\w-])[^\W\d_]+(?:-[^\W\d_]+)+(?![\w-])")


def correct_names(
    names: Iterable[str], found: Collection[str], vocabulary: Vocabulary
) -> tuple[Correction, ...]:
    """Return the names with inner capitals that the book has, but for two letters or one left out.

    "FullPeroid" is "FullPeriod", and "ForceManged" is "ForceManaged".
    """
    slips = (
        word
        for name in names
        if name.isalpha() and _INNER_CAPITAL.search(name) and len(name) >= _LEAST_OF_NAME
        for word in words(name)
        if not any(term in found for term in content_terms(word))
    )
    has = vocabulary.counts.__contains__
    meant = ((word, _only_swap(word, has) or _only_longer(word, vocabulary)) for word in slips)
    return tuple(Correction(word, other) for word, other in meant if other)


def correct_joined(
    question: str, missing: Collection[str], vocabulary: Vocabulary
) -> tuple[Correction, ...]:
    """Return the parts of joined words of which the book has the others: "bit-prefect".

    The part may be a word of the language: what is joined to it says which one is meant.
    """
    has = vocabulary.counts.__contains__
    parts = (found[0].lower().split("-") for found in _JOINED.finditer(question))
    slips = (
        one
        for joined in parts
        for one in joined
        if one in missing and all(other == one or _is_held(other, vocabulary) for other in joined)
    )
    meant = ((word, _only_swap(word, has)) for word in slips)
    return tuple(Correction(word, other) for word, other in meant if other)


def correct_beside(
    others: Sequence[str], vocabulary: Vocabulary, typos: TypoModel
) -> tuple[Correction, ...]:
    """Return words of the language that are slips for the book's where the question has another slip.

    "Blok" is a word, and no word of a book on the genesis block, which "gensis" stands before.
    """
    nearest = ((word, vocabulary.nearest(word, typos)) for word in others)
    return tuple(Correction(word, other) for word, other in nearest if _is_slip(word, other))


def correct_swapped(
    doubtful: Sequence[str], is_word: Callable[[str], bool]
) -> tuple[Correction, ...]:
    """Return words that are none, and a word of the language but for two letters: "stnad for"."""
    meant = ((word, _only_swap(word, is_word)) for word in doubtful if len(word) >= LEAST_LETTERS)
    return tuple(Correction(word, other) for word, other in meant if other)


def with_capitals(written: str, word: str) -> str:
    """Return a word with the capitals of what was written for it: "FullPeriod" for "FullPeroid"."""
    if len(word) == len(written) + 1 and _INNER_CAPITAL.search(written):
        # The letter that was left out stands where they part.
        same = takewhile(_are_same, zip(written.lower(), word, strict=False))
        at = sum(1 for _ in same)
        written = f"{written[:at]}{word[at]}{written[at:]}"
    if len(written) != len(word):
        return word[0].upper() + word[1:] if written[0].isupper() else word
    letters = zip(written, word, strict=True)
    return "".join(one.upper() if as_written.isupper() else one for as_written, one in letters)


def _are_same(letters: tuple[str, str]) -> bool:
    return letters[0] == letters[1]


def _is_held(part: str, vocabulary: Vocabulary) -> bool:
    # Short words are in no vocabulary, which is for those that may be meant.
    return len(part) < LEAST_LETTERS or part in vocabulary.counts


def _is_slip(word: str, other: str) -> bool:
    """Whether a word lacks a letter of the other, has one twice, or two in each other's place."""
    if not other or other[0] != word[0] or len(word) < LEAST_LETTERS:
        return False
    return _lacks_letter(word, other) or other in _swap_letters(word)


def _only_swap(word: str, is_known: Callable[[str], bool]) -> str:
    """Return the one known word with two letters beside each other in each other's place, or ""."""
    known = {one for one in _swap_letters(word) if one != word and is_known(one)}
    return known.pop() if len(known) == 1 else ""


def _only_longer(name: str, vocabulary: Vocabulary) -> str:
    """Return the one word of the book that has a letter more than a long name, or ""."""
    if len(name) < _LEAST_OF_LONG_NAME:
        return ""
    more = (one for one in vocabulary.counts if len(one) == len(name) + 1 and one[0] == name[0])
    known = {one for one in more if _lacks_letter(name, one)}
    return known.pop() if len(known) == 1 else ""


def _lacks_letter(word: str, other: str) -> bool:
    return any(other[:at] + other[at + 1 :] == word for at in range(len(other)))


def _swap_letters(word: str) -> Iterator[str]:
    for at in range(len(word) - 1):
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
