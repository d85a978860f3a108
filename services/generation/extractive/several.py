"""Choose all that a block says alike of several things, where a question asks of them all.

"What do the lamps mean?" is answered by what the green, the amber and the red one mean, and "What
colours do the lathes have?" by all rows of their table: one of them alone answers a third of it.
"""

from collections.abc import Sequence
from itertools import pairwise

from libs.question.expected import AnswerKind
from libs.question.said import is_one_of
from libs.text import is_unspaced, words
from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.features import Asked
from services.generation.extractive.places import (
    JOINED_CHARACTERS,
    Place,
    is_new_line,
    place_of,
)
from services.generation.extractive.rows import rows_asked_of
from services.generation.model import BlockKind

_OF_SEVERAL = (
    *(AnswerKind.ANY, AnswerKind.LIST, AnswerKind.QUANTITY),
    *(AnswerKind.DATE, AnswerKind.PERSON, AnswerKind.PLACE),
)
"""What may be asked of each of several things; a reason or a way is given once for them all."""

_LEAST_LETTERS = 3
"""Of a word that may be one of several: what is shorter has no plural that is told by its letters."""

_LEAST_SAID = 2
"""Words of the question from which sentences that have the same ones say the same of their things."""


def all_alike(asked: Asked, fit: Sequence[Ranked], first: CandidateSpan) -> list[Place]:
    """Return the sentences or rows around `first` that say of others what it says of one, and itself.

    [] where the question asks of one thing, or `first` alone says it. There is room for 600 characters,
    and the likeliest have it.
    """
    if not asked.expects(*_OF_SEVERAL) or asked.selection is not None:
        return []
    sought = asked.words
    said = _said_of(sought, first.text, asked)
    is_row = first.span.kind is BlockKind.TABLE
    # Rows are told from each other by what the question says of one, and their header names them all.
    nouns = _nouns_of(sought, first.over if is_row else first.text, asked)
    if not nouns:
        return []
    beside = (one.item for one in fit if _is_beside(first, one.item))
    alike = [
        item
        for item in beside
        if _said_of(sought, item.text, asked) == said
        and (is_row or len(said) >= _LEAST_SAID or _goes_on_alike(first.text, item.text, nouns))
    ]
    kept, left = list[CandidateSpan](), JOINED_CHARACTERS
    for item in (first, *(one for one in alike if one.key != first.key)):
        length = len(item.text) + 1
        if length <= left:
            kept.append(item)
            left -= length
    kept = sorted(kept, key=lambda item: item.index)
    if is_row:
        kept = rows_asked_of(asked, kept)
    return _shown(kept) if kept and (is_row or len(kept) > 1) else []


def _shown(kept: Sequence[CandidateSpan]) -> list[Place]:
    """Return those that follow each other as one piece; each row by itself."""
    first, last = kept[0], kept[-1]
    in_one = last.index - first.index == len(kept) - 1 and first.span.kind is BlockKind.PARAGRAPH
    return [place_of(first, first.index, last.index)] if in_one else list(map(place_of, kept))


def _said_of(sought: frozenset[str], text: str, asked: Asked) -> frozenset[str]:
    said = frozenset(words(text))
    return frozenset(
        one for one in sought if any(is_one_of(w, (one,), asked.lexicon) for w in said)
    )


def _nouns_of(sought: frozenset[str], text: str, asked: Asked) -> frozenset[str]:
    """Return the words of `text` that the question has in the plural: "lamp" for "lamps".

    A plural is the longer one of two forms of a word, in all languages that write both. A verb's is
    the shorter: "mean" for "means".
    """
    return frozenset(
        word
        for word in words(text)
        for one in sought
        if len(one) > len(word) >= _LEAST_LETTERS
        and is_one_of(word, (one,), asked.lexicon)
        and not is_unspaced(one)
    )


def _goes_on_alike(one: str, other: str, nouns: frozenset[str]) -> bool:
    """Whether both say the same word behind the noun: "lamp means"."""
    return bool(_behind(one, nouns) & _behind(other, nouns))


def _behind(text: str, nouns: frozenset[str]) -> frozenset[tuple[str, str]]:
    return frozenset(pair for pair in pairwise(words(text)) if pair[0] in nouns)


def _is_beside(first: CandidateSpan, item: CandidateSpan) -> bool:
    """Whether both are rows of one table, or sentences of one paragraph, or lines of one list."""
    if item.passage is not first.passage or item.span.kind is not first.span.kind:
        return False
    if first.span.kind is not BlockKind.PARAGRAPH:
        return item.intro == first.intro and item.heading == first.heading
    low, high = sorted((first.index, item.index))
    return not any(is_new_line(first.passage, at) for at in range(low + 1, high + 1))
