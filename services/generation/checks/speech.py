"""Find what stands within quotation marks in the sentences of a passage, and what replies to what."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from libs.text import is_question

_CLOSING = {'"': '"', "“": "”", "„": "“”", "«": "»", "‹": "›", "「": "」", "『": "』"}

_PAUSES = (".", ",", "!", "?", "…", "。", "，", "、", "！", "？", "،", "؟", "।")

_BETWEEN, _BETWEEN_CHARACTERS = 2, 200
"""Paragraphs that may stand between what is asked and the reply, and their characters: "He sighed."."""

_ASKED_LAST = 2
"""A question is one of so many last sentences of what is said."""

_REPLIED = 3
"""Sentences of a reply that belong to its question."""


@dataclass(frozen=True)
class Quotation:
    """What is said from the sentence at `first` to the one at `last`, both of one block."""

    first: int
    last: int
    has_words_outside: bool
    """Whether one of these two has more than the quotation: it then says whose words they are."""
    is_speech: bool = False
    """Whether a sentence ends or a clause pauses in it: no name, and no expression."""

    @property
    def crosses(self) -> bool:
        return self.first != self.last


def find_quotations(texts: Sequence[str], blocks: Sequence[int]) -> list[Quotation]:
    """Return the quotations of sentences, in order; `blocks` says which sentences are of one block.

    A mark that nothing closes in its block is none.
    """
    return list(_find(texts, blocks))


def _find(texts: Sequence[str], blocks: Sequence[int]) -> Iterator[Quotation]:
    opened: tuple[str, int, int] | None = None
    for place, text in enumerate(texts):
        if opened is not None and blocks[opened[1]] != blocks[place]:
            opened = None
        for at, sign in enumerate(text):
            if opened is not None and sign in _CLOSING[opened[0]]:
                _, first, start = opened
                outside = texts[first][:start] + text[at + 1 :]
                inside = text[start + 1 if first == place else 0 : at].rstrip()
                is_speech = first != place or inside.endswith(_PAUSES)
                yield Quotation(first, place, any(map(str.isalnum, outside)), is_speech)
                opened = None
            elif opened is None and sign in _CLOSING:
                opened = (sign, place, at)


def find_replies(texts: Sequence[str], blocks: Sequence[int]) -> dict[int, int]:
    """Return, by their places, the sentences of replies with the question that each replies to.

    Both are said in quotation marks; `blocks` says which sentences are of one paragraph, and is
    negative for what is none.
    """
    paragraphs = [list(held) for _, held in groupby(range(len(texts)), key=blocks.__getitem__)]
    replies: dict[int, int] = {}
    for number, held in enumerate(paragraphs):
        question = _last_question(texts, held) if blocks[held[0]] >= 0 else None
        if question is not None:
            behind = paragraphs[number + 1 : number + 2 + _BETWEEN]
            replies |= dict.fromkeys(_first_spoken(texts, blocks, behind)[:_REPLIED], question)
    return replies


def _last_question(texts: Sequence[str], held: Sequence[int]) -> int | None:
    if not any(map(_is_spoken, (texts[at] for at in held))):
        return None
    return next((at for at in held[: -_ASKED_LAST - 1 : -1] if is_question(texts[at])), None)


def _first_spoken(
    texts: Sequence[str], blocks: Sequence[int], paragraphs: Sequence[Sequence[int]]
) -> Sequence[int]:
    """Return the first of the paragraphs with something said; nothing behind one that tells much."""
    for held in paragraphs:
        if blocks[held[0]] < 0:
            break
        if any(_is_spoken(texts[at]) for at in held):
            return held
        if sum(len(texts[at]) for at in held) > _BETWEEN_CHARACTERS:
            break
    return ()


def _is_spoken(text: str) -> bool:
    return not _CLOSING.keys().isdisjoint(text)
