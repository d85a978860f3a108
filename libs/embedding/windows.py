"""Run a token-wise model over a text however long it is, and average its tokens.

A text of more tokens than the model takes is read in windows. Each but the first begins with the
last tokens of the one before, as context alone: what they give is not counted twice.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from tokenizers import Encoding, Tokenizer

from libs.embedding.port import Range, Vectors

_SHARED = 64
"""Tokens of context at the least, where the windows are long enough for that."""

Run = Callable[[Sequence[int]], Vectors]
"""Takes the ids of a window's tokens; returns one row a token, or the window's vector alone."""


@dataclass(frozen=True)
class Window:
    """One pass of the model: a row a token, and the characters each token stands for.

    `fresh` is the number of the first row that no window before has. Tokens of the model's own
    stand for no characters.
    """

    rows: Vectors
    places: Sequence[Range]
    fresh: int


class WindowReader:
    """Splits texts into windows of at most `max_tokens` tokens and runs the model on each."""

    def __init__(self, tokenizer: Tokenizer, max_tokens: int, run: Run) -> None:
        own = tokenizer.num_special_tokens_to_add(is_pair=False)
        self._shared = max(0, min(_SHARED, (max_tokens - own) // 4))
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_tokens, stride=self._shared)
        self._tokenizer = tokenizer
        self._run = run

    def read(self, text: str) -> list[Window]:
        """Return the windows of `text` in order, one at the least."""
        first = self._tokenizer.encode(text)
        windows = [first, *first.overflowing]
        return [self._window(window, bool(number)) for number, window in enumerate(windows)]

    def _window(self, encoding: Encoding, is_later: bool) -> Window:
        own = encoding.special_tokens_mask
        places = [
            (0, 0) if is_own else place for is_own, place in zip(own, encoding.offsets, strict=True)
        ]
        leading = own.index(0) if 0 in own else 0
        fresh = leading + self._shared if is_later else 0
        return Window(self._run(encoding.ids), places, fresh)


def mean_of(windows: Sequence[Window]) -> Vectors:
    """Return the mean over all tokens, the model's own included, with length 1."""
    rows = np.concatenate([window.rows[window.fresh :] for window in windows])
    return unit_length(rows.mean(axis=0))


def means_of_parts(windows: Sequence[Window], parts: Sequence[Range]) -> Vectors:
    """Return one row a part: the mean over the tokens that share a character with it, with length 1.

    A part without tokens has a row of zeros.
    """
    rows = np.concatenate([window.rows[window.fresh :] for window in windows])
    places = np.array([place for window in windows for place in window.places[window.fresh :]])
    means = np.zeros((len(parts), rows.shape[1]), np.float32)
    for number, (start, end) in enumerate(parts):
        inside = (places[:, 0] < end) & (places[:, 1] > start)
        if inside.any():
            means[number] = unit_length(rows[inside].mean(axis=0))
    return means


def unit_length(vector: Vectors) -> Vectors:
    scaled: Vectors = vector / np.linalg.norm(vector)
    return scaled
