"""Measure ranges of a text in tokens, and cut pieces of a size."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate

from libs.text import Range
from services.ingest.ports import TokenCounter

_MAX_CHARACTERS_PER_TOKEN = 30
_NEARLY = 64


# Where the pieces that tokens are made of never reach across: a space behind what is not space, a
# line's end behind a letter or digit. Counts of the parts between add up.
_PART = re.compile(r"\s*\S+(?:(?:(?<=[\W_])\n|[^\S \t\n])\s*\S*)*|\s+")


class Measure:
    """Counts tokens of ranges of one text."""

    def __init__(self, text: str, tokens: TokenCounter) -> None:
        self.text = text
        self._count = tokens.count
        self._last_length = 1
        parts = _PART.findall(text)
        self._seams = [0, *accumulate(map(len, parts))]
        self._counts = [0, *accumulate(tokens.count_each(parts))]

    def count(self, start: int, end: int) -> int:
        first = bisect_left(self._seams, start)
        last = bisect_right(self._seams, end, first) - 1
        if last < first:
            return self._count(self.text[start:end])
        count = self._counts[last] - self._counts[first]
        if start < self._seams[first]:
            count += self._count(self.text[start : self._seams[first]])
        if self._seams[last] < end:
            count += self._count(self.text[self._seams[last] : end])
        return count

    def fits(self, start: int, end: int, max_tokens: int) -> bool:
        # What is that long is not worth the counting.
        if end - start > max_tokens * _MAX_CHARACTERS_PER_TOKEN:
            return False
        return self.count(start, end) <= max_tokens

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
