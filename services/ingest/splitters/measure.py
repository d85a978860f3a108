"""Measure ranges of a text in tokens, and cut pieces of a size."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate

from libs.text import Range
from services.ingest.ports.reading import TokenCounter

_MAX_CHARACTERS_PER_TOKEN = 30
_NEARLY = 64


# Where the pieces that tokens are made of never reach across: a space behind what is not space, a
# line's end behind a letter or digit. Counts of the parts between add up.
_PART = re.compile(r"\s*\S+(?:(?:(?<=[\W_])\n|[^\S \t\n])\s*\S*)*|\s+")


ABSENT = "\0"
"""Stands in a text for what is not counted; no text of a book has it."""


class Measure:
    """Counts tokens of ranges of one text.

    `shared` is the text with `ABSENT` for what only some formats of a book show, each letter in its
    place; by default all of it is shared.
    """

    def __init__(self, text: str, tokens: TokenCounter, shared: str | None = None) -> None:
        self.text = text
        self._last_length = 1
        self._all = _Counts(text, tokens)
        self._shared = self._all
        if shared is not None and shared != text:
            self._shared = _Counts(shared, tokens)

    def count(self, start: int, end: int) -> int:
        """Count the tokens of the text from `start` to `end`."""
        return self._all.count(start, end)

    def count_shared(self, start: int, end: int) -> int:
        """Count those that a chunk would have in every format of the book."""
        return self._shared.count(start, end)

    def fits(self, start: int, end: int, max_tokens: int) -> bool:
        # What is that long is not worth the counting.
        if end - start > max_tokens * _MAX_CHARACTERS_PER_TOKEN:
            return False
        return self.count(start, end) <= max_tokens

    def fits_shared(self, start: int, end: int, max_shared: int, max_tokens: int) -> bool:
        """Say whether a range has at most `max_shared` tokens of those, and `max_tokens` of all."""
        if not self.fits(start, end, max_tokens):
            return False
        return self.count_shared(start, end) <= max_shared

    def cut(self, start: int, end: int, max_tokens: int) -> Iterator[Range]:
        """Cut a range into pieces of at most `max_tokens`: between words, inside one if need be."""
        while start < end:
            stop = self._longest(start, end, max_tokens)
            if stop < end:
                stop = self._word_end(start, stop)
            body_end = start + len(self.text[start:stop].rstrip())
            if body_end > start:
                yield start, body_end
            start = stop
            while start < end and self.text[start].isspace():
                start += 1

    def _longest(self, start: int, end: int, max_tokens: int) -> int:
        """Return the farthest end of a piece that fits, or nearly, found by halving.

        Starts at the length of the last piece: the text is likely to go on as it was.
        """
        low, high = start + 1, min(end, start + max_tokens * _MAX_CHARACTERS_PER_TOKEN)
        middle = min(high, start + self._last_length)
        while high - low > (high - start) // _NEARLY:
            if middle <= low or middle > high:
                middle = (low + high + 1) // 2
            if self.count(start, middle) <= max_tokens:
                low, middle = middle, middle + max(1, (middle - start) // 8)
            else:
                high, middle = middle - 1, middle - max(1, (middle - start) // 8)
        self._last_length = low - start
        return low

    def _word_end(self, start: int, stop: int) -> int:
        if self.text[stop].isspace() or self.text[stop - 1].isspace():
            return stop
        for position in range(stop - 1, start, -1):
            if self.text[position].isspace():
                return position
        return stop


class _Counts:
    """Sums of the tokens of a text's parts."""

    def __init__(self, text: str, tokens: TokenCounter) -> None:
        self._text = text
        self._count = tokens.count
        parts = _PART.findall(text)
        self._seams = [0, *accumulate(map(len, parts))]
        present = [*map(_present, parts)] if ABSENT in text else parts
        self._sums = [0, *accumulate(tokens.count_each(present))]

    def count(self, start: int, end: int) -> int:
        first = bisect_left(self._seams, start)
        last = bisect_right(self._seams, end, first) - 1
        if last < first:
            return self._count(_present(self._text[start:end]))
        count = self._sums[last] - self._sums[first]
        if start < self._seams[first]:
            count += self._count(_present(self._text[start : self._seams[first]]))
        if self._seams[last] < end:
            count += self._count(_present(self._text[self._seams[last] : end]))
        return count


def _present(text: str) -> str:
    """Return what is counted of a text; a space before what is absent goes with it."""
    if ABSENT not in text:
        return text
    kept = text.replace(ABSENT, "")
    return "" if kept.isspace() else kept
