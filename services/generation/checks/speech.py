"""Find what stands within quotation marks in the sentences of a passage."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_CLOSING = {'"': '"', "“": "”", "„": "“”", "«": "»", "‹": "›", "「": "」", "『": "』"}

_PAUSES = (".", ",", "!", "?", "…", "。", "，", "、", "！", "？", "،", "؟", "।")


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
